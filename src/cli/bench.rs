//! `ponnuki bench`: speed of the search, with playouts or a network, and a signature of
//! its behaviour.

use super::options::RunSettings;
use super::terminal::printed;
use crate::analysis::EvaluatorChoice;
use crate::board::Board;
use crate::net::{Evaluation, EvaluationOptions, InstructionSet, Network, Situation};
use crate::position::Position;
use crate::rules::{Ruleset, SuicideRule};
use crate::search::{
    NetworkEvaluator, Policy, PoolError, Puct, PuctParams, Rave, RaveParams, Search, TreeSearch,
};
use crate::types::{BoardSize, Color, Generator};
use clap::Args;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options of `ponnuki bench`.
#[derive(Debug, Args)]
pub(super) struct Bench {
    /// Instruction set for the network, instead of the fastest available one: `portable`, `NEON`,
    /// `NEON-BF16`, `AVX2`, `AVX2-INT16`, `AVX-VNNI`, `AVX-512`, `AVX-512-VNNI`,
    /// `AVX-512-BF16` or `AMX`
    #[arg(long, value_name = "NAME", value_parser = instruction_set)]
    instruction_set: Option<InstructionSet>,
}

fn instruction_set(text: &str) -> Result<InstructionSet, String> {
    let all = InstructionSet::available();
    let named = |set: &&InstructionSet| set.name().eq_ignore_ascii_case(text);
    all.iter().find(named).copied().ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|set| set.name()).collect();
        format!("this processor has {}", names.join(", "))
    })
}

/// Playouts per position and thread.
const PLAYOUTS: u64 = 3000;

/// Memory for the tree, more than the playouts can fill.
const MEMORY: usize = 256 << 20;

/// A position to search: its name, and a diagram or the size of an empty board.
enum Case {
    Empty(u8),
    Diagram(&'static str, &'static str, Color),
}

const CASES: [Case; 6] = [
    Case::Empty(9),
    Case::Empty(13),
    Case::Empty(19),
    Case::Diagram(
        "9x9 middle game",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . . . . O .
         . X O . . X . . .
         . X X O O . . . .
         . O O X O . X . .
         . . X X O X O . .
         . . . O X O . . .
         . . . . . . . . .",
        Color::White,
    ),
    Case::Diagram(
        "13x13 middle game",
        ". . . . . . . . . . . . .
         . . . . . . . . . . . . .
         . . . X . . . . O O X . .
         . . . . . . . . O X . . .
         . . . . . . . . . X . . .
         . . O . . . . . . . . . .
         . . . . . . O . . . X . .
         . . . . . . . . . . . . .
         . . X O . . . . . . . . .
         . . X X O . . . . O O . .
         . . . O . . X . . X O . .
         . . . . . . . . . . X . .
         . . . . . . . . . . . . .",
        Color::Black,
    ),
    Case::Diagram(
        "19x19 opening",
        ". . . . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . . . .
         . . . . . O . . . . . . . . O X . . .
         . . . X . . . . . . . . . . O X . . .
         . . . . . . . . . . . . . . . O X . .
         . . X . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . X . .
         . . . . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . O . .
         . . . . . . . . . . . . . . . . . . .
         . . O . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . X . .
         . . O . . . . . . . . . . . . . . . .
         . . . O . . . . . . . . . . . X . . .
         . . O X X . . . X . . . . O . . . . .
         . . . . . . . . . . . . . . . . . . .
         . . . . . . . . . . . . . . . . . . .",
        Color::White,
    ),
];

/// Name and position of a [`Case`].
fn position(case: &Case) -> (String, Position) {
    let rules = Ruleset::default();
    match case {
        Case::Empty(n) => {
            let size = BoardSize::square(*n);
            (format!("{size} empty"), Position::new(size, rules))
        }
        Case::Diagram(name, diagram, to_move) => {
            let board =
                Board::from_diagram(diagram).unwrap_or_else(|_| Board::new(BoardSize::square(9)));
            (
                (*name).to_owned(),
                Position::from_board(board, *to_move, rules),
            )
        }
    }
}

/// Measure the search. With `--net` only that evaluator, otherwise playouts and the built-in
/// network.
///
/// # Errors
/// A message that says why it cannot measure.
pub(super) fn run(args: &Bench, run: &RunSettings, out: &mut impl Write) -> Result<(), String> {
    let settings = &run.configuration.engine;
    let network = super::network::open(settings)?;
    if args.instruction_set.is_some() && network.is_none() {
        return Err("--instruction-set is for networks, and --net is off".to_owned());
    }
    if !run.given.contains(&"net") || settings.evaluator == EvaluatorChoice::Playouts {
        let threads = match run.given.contains(&"threads") {
            true => settings.threads,
            false => 1,
        };
        printed(measure_playouts(threads, out))?;
    }
    let Some(network) = network else {
        return Ok(());
    };
    let network = match args.instruction_set {
        Some(set) => network.laid_out_for(set),
        None => network,
    };
    printed(measure_network(network, settings.threads, out))
}

/// Search the fixed positions and print a line for each, then the signature
/// `Bench: <nodes> nodes <nps> nps`.
///
/// A node is a tree node or a move made in the tree or in a playout. With one
/// thread their number is the same in every run and on every machine, unless the
/// engine's play changes.
///
/// # Errors
/// If threads cannot be started, or the output is closed.
fn measure_playouts(threads: usize, out: &mut impl Write) -> io::Result<()> {
    let search = || Search::new(threads, MEMORY, Rave::new(RaveParams::default()));
    searches(search, PLAYOUTS * threads as u64, "playouts", out)
}

/// Search the fixed positions, each with a new search.
fn searches<P: Policy>(
    search: impl Fn() -> Result<Search<P>, PoolError>,
    playouts: u64,
    unit: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut nodes = 0;
    let mut time = Duration::ZERO;
    for case in &CASES {
        let (name, position) = position(case);
        let mut search = search().map_err(|e| io::Error::other(e.to_string()))?;
        let begun = Instant::now();
        search.run(&position, playouts, 1);
        let used = begun.elapsed();
        let here = search.totals().moves + search.tree().len() as u64;
        let playouts = search.playouts();
        writeln!(
            out,
            "{name:18} {playouts:6} {unit} {:7.0} {unit}/s {here:9} nodes",
            playouts as f64 / used.as_secs_f64()
        )?;
        nodes += here;
        time += used;
    }
    writeln!(
        out,
        "Bench: {nodes} nodes {:.0} nps",
        nodes as f64 / time.as_secs_f64()
    )
}

/// Visits per position with a network.
const VISITS: u64 = 200;

/// Board sizes on which a network is measured.
const SIZES: [u8; 3] = [9, 13, 19];

/// Duration of each measurement.
const MEASURED: Duration = Duration::from_secs(2);

/// Measure a network. First print evaluations per second by board size and number of
/// threads, without cache, from features to outputs. Then print `Network: <signature>` of
/// the network on the fixed positions, which is the same on every instruction set
/// ([`Network::signature`]). Last, search the fixed positions: with one thread the nodes
/// are the same in every run on the same instruction set. Other instruction sets may round
/// the last digit of a value differently.
///
/// # Errors
/// If threads cannot be started, or the output is closed.
fn measure_network(network: Network, threads: usize, out: &mut impl Write) -> io::Result<()> {
    let network = Arc::new(network);
    writeln!(
        out,
        "{}, version {}, on {}",
        network.name(),
        network.version(),
        network.instruction_set().name()
    )?;
    for (size, name) in network.specialists() {
        writeln!(out, "{size} by {name}")?;
    }
    let counts: Vec<usize> = match threads {
        1 => vec![1],
        n => vec![1, n],
    };
    for size in SIZES {
        for &n in &counts {
            let threads = if n == 1 { "thread " } else { "threads" };
            let size = BoardSize::square(size);
            let leaves = Some(network.leaves_at_once(size)).filter(|leaves| *leaves > 1);
            for positions in [1].into_iter().chain(leaves) {
                let rate = evaluations(&network, size, n, positions);
                let at_once = match positions {
                    1 => String::new(),
                    n => format!(", {n} at once each"),
                };
                writeln!(
                    out,
                    "{size:5} {n:3} {threads} {rate:8.1} evaluations/s{at_once}"
                )?;
            }
        }
    }
    let situations = CASES.iter().map(|case| Situation::of(&position(case).1));
    writeln!(out, "Network: {:016x}", network.signature(situations))?;
    let search = || {
        let evaluator = NetworkEvaluator::new(network.clone(), MEMORY / 4);
        let policy = Puct::new(Arc::new(evaluator), PuctParams::default());
        Search::new(1, MEMORY, policy)
    };
    searches(search, VISITS, "visits", out)
}

/// The position in which evaluations are measured: random moves on a third of the points, always
/// the same.
pub fn random_position(size: BoardSize) -> Position {
    let mut rng = Generator::new(1);
    let mut position = Position::new(size, Ruleset::default());
    for _ in 0..size.area() / 3 {
        let mut board = position.board().clone();
        let c = position.to_move();
        let m = board.random_play(c, SuicideRule::Forbidden, &mut rng);
        if position.legality(c, m).is_ok() {
            position.play_unchecked(c, m);
        }
    }
    position
}

/// Measure evaluations per second of all threads together, each of which evaluates this many
/// positions at once.
fn evaluations(network: &Network, size: BoardSize, threads: usize, positions: usize) -> f64 {
    network.limit_threads(threads);
    let situation = &Situation::of(&random_position(size));
    let options = EvaluationOptions::default();
    let work = move || {
        let mut evaluations: Vec<Evaluation> =
            (0..positions).map(|_| Evaluation::default()).collect();
        let mut run = || {
            for evaluation in &mut evaluations {
                evaluation.prepare(network, situation, options, |_| true);
            }
            let mut all: Vec<&mut Evaluation> = evaluations.iter_mut().collect();
            network.evaluate(size, &mut all);
            for evaluation in &mut evaluations {
                evaluation.read(network, situation, options, |_| true);
            }
        };
        // The first evaluation lays out weights and buffers.
        run();
        let begun = Instant::now();
        let mut n = 0;
        while begun.elapsed() < MEASURED {
            run();
            n += positions;
        }
        n as f64 / begun.elapsed().as_secs_f64()
    };
    if threads == 1 {
        return work();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let rates = workers.into_iter().map(|w| w.join().unwrap_or(0.0));
        rates.sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_diagram_is_a_position() {
        for case in &CASES {
            if let Case::Diagram(name, diagram, _) = case {
                let board = Board::from_diagram(diagram).expect(name);
                assert!(board.empty_points().len() < board.size().area());
            }
        }
    }
}
