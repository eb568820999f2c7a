//! `ponnuki selfplay`: games to train a network on.

use super::progress_bar;
use crate::dataset::{Game, SelfPlay};
use crate::net::Network;
use crate::player::Settings;
use crate::rules::Ruleset;
use crate::sgf;
use crate::types::{locked, open_regular};
use clap::Args;
use flate2::read::MultiGzDecoder;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Which games, and where they go.
#[derive(Debug, Args)]
pub(super) struct Selfplay {
    /// File of the games; those that it holds already are not played again
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: u32,
    /// Number of the first game: files with different numbers go well together
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=4_000_000_000))]
    from: u32,
    /// Network file of an opponent, who has White in the games of even numbers, and Black in the others
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Game records (SGF, one a line, may be compressed by gzip) or games of selfplay that some games continue
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Share of the games that continue a record
    #[arg(long, value_name = "SHARE", default_value = "0.35", value_parser = super::share)]
    recorded: f32,
    /// Let a program at this address evaluate positions with the network: training/serve.py
    #[arg(long, value_name = "HOST:PORT")]
    server: Option<String>,
    /// Games played at once; as many as threads if not given, 1024 with a server
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    at_once: Option<u32>,
    /// Leave out every Nth record of that file, beginning with the first: for tests
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(2..))]
    held_out: u64,
}

/// Batches that a server evaluates at once: while one is computed the next is sent.
const BATCHES: usize = 2;
/// Games played at once with a server.
const SERVED: usize = 1024;

/// The first bytes of a file of games.
const MAGIC: &[u8; 8] = b"PONNUKIG";
/// Longest game, in bytes.
const LONGEST: usize = 1 << 20;

/// Play the games that are missing, each move after as many visits as the settings say:
/// without a number by the raw policy.
///
/// # Errors
/// A line that says what is wrong with a file.
pub(super) fn run(
    args: &Selfplay,
    network: Network,
    settings: &Settings,
    out: &mut impl Write,
) -> Result<(), String> {
    let &Settings { seed, threads, .. } = settings;
    let visits = settings.visits.unwrap_or(1);
    let records = match &args.records {
        Some(path) => read(path, |n| n % args.held_out != 0)?.0,
        None => Vec::new(),
    };
    let network = served(network, args.server.as_deref())?;
    let at_once = match (args.at_once, &args.server) {
        (Some(n), _) => n as usize,
        (None, Some(_)) => SERVED,
        (None, None) => threads,
    };
    let name = args.out.display();
    let network = Arc::new(network);
    let opened = args.against.as_ref().map(|path| {
        let opponent = Network::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>(Arc::new(served(opponent, args.server.as_deref())?))
    });
    let opponent = opened.transpose()?;
    let players = (0..at_once).map(|_| {
        let player = SelfPlay::new(network.clone(), visits, seed).map_err(|e| e.to_string())?;
        let player = player.on(settings.size)?.recorded(args.recorded);
        match &opponent {
            Some(opponent) => player
                .against(opponent.clone(), visits)
                .map_err(|e| e.to_string()),
            None => Ok(player),
        }
    });
    let players = players.collect::<Result<Vec<SelfPlay>, String>>()?;
    let (file, known) = open(&args.out, seed).map_err(|e| format!("{name}: {e}"))?;
    let end = args.from.saturating_add(args.games);
    let bar = progress_bar(args.games.into());
    bar.set_position(
        known
            .iter()
            .filter(|n| (args.from..end).contains(n))
            .count() as u64,
    );
    let next = AtomicU32::new(args.from);
    let file = Mutex::new((file, None));
    let stop = AtomicBool::new(false);
    let turns = AtomicU32::new(0);
    std::thread::scope(|scope| {
        let (next, stop, turns, file) = (&next, &stop, &turns, &file);
        let (known, records, bar, name) = (&known, &records, &bar, &name);
        let (network, opponent) = (&network, &opponent);
        for mut player in players {
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= end || stop.load(Relaxed) {
                        break;
                    }
                    if known.contains(&number) {
                        continue;
                    }
                    let game = player.play(number, records);
                    turns.fetch_add(game.turns.len() as u32, Relaxed);
                    let mut file = locked(file);
                    let (file, failed) = &mut *file;
                    // Behind half a game no other could be read.
                    if failed.is_some() {
                        break;
                    }
                    let networks = std::iter::once(network).chain(opponent);
                    let failure = networks.filter_map(|n| n.server_failure()).next();
                    if let Some(e) = failure {
                        *failed = Some(format!("--server {e}"));
                    } else if let Err(e) = append(file, &game) {
                        *failed = Some(format!("cannot write {name}: {e}"));
                    }
                    stop.fetch_or(failed.is_some(), Relaxed);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let (_, failed) = file.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(e) = failed {
        return Err(e);
    }
    let seconds = bar.elapsed().as_secs_f64();
    let turns = f64::from(turns.load(Relaxed));
    super::printed(writeln!(
        out,
        "{} games in {name}; {turns} turns now, {:.0} a second",
        read_games(&args.out, 1)?.0.len(),
        turns / seconds.max(1e-3)
    ))
}

/// A network, evaluated by the server at this address if there is one.
pub(super) fn served(network: Network, server: Option<&str>) -> Result<Network, String> {
    match server {
        Some(address) => network
            .served_by(address, BATCHES)
            .map_err(|e| format!("--server {address}: {e}")),
        None => Ok(network),
    }
}

fn append(file: &mut File, game: &Game) -> std::io::Result<()> {
    let bytes = game.encode();
    // One write, so that a file is at worst cut off within the last game.
    let mut block = Vec::with_capacity(4 + bytes.len());
    block.extend((bytes.len() as u32).to_le_bytes());
    block.extend(bytes);
    file.write_all(&block)
}

/// Open a file of games to append to: a game at its end that was cut off is dropped.
/// Returns the numbers of those that are there.
fn open(path: &Path, seed: u64) -> Result<(File, HashSet<u32>), String> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
        .map_err(|e| e.to_string())?;
    if !file.metadata().is_ok_and(|m| m.is_file()) {
        return Err("not a regular file".to_owned());
    }
    super::lock(&file)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    let mut known = HashSet::new();
    if bytes.is_empty() {
        let head = [*MAGIC, seed.to_le_bytes()].concat();
        file.write_all(&head).map_err(|e| e.to_string())?;
        return Ok((file, known));
    }
    let (of, mut games) = Games::new(&bytes)?;
    if of != seed {
        return Err(format!("holds games of seed {of}, not {seed}"));
    }
    for game in games.by_ref() {
        known.insert(game?.number);
    }
    let whole = bytes.len() - games.rest.len();
    let shorten = file.set_len(whole as u64);
    shorten.map_err(|e| e.to_string())?;
    file.seek(SeekFrom::End(0)).map_err(|e| e.to_string())?;
    Ok((file, known))
}

/// The games in a file, without one at the end that was cut off.
struct Games<'a> {
    rest: &'a [u8],
}

impl<'a> Games<'a> {
    /// The seed and the games.
    fn new(bytes: &'a [u8]) -> Result<(u64, Games<'a>), String> {
        let head = bytes.split_first_chunk::<8>();
        let (seed, rest) = head
            .filter(|(magic, _)| *magic == MAGIC)
            .and_then(|(_, rest)| rest.split_first_chunk::<8>())
            .ok_or("is no file of games")?;
        Ok((u64::from_le_bytes(*seed), Games { rest }))
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Game, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let (len, rest) = self.rest.split_first_chunk::<4>()?;
        let len = u32::from_le_bytes(*len) as usize;
        if len > LONGEST {
            return Some(Err(format!("claims a game of {len} bytes")));
        }
        let game = rest.get(..len)?;
        self.rest = &rest[len..];
        Some(Game::decode(game).map_err(|e| e.to_string()))
    }
}

/// All games of a file, by number, and whether more may come: one of `ponnuki
/// selfplay`, or an archive of records, of which every `held_out`th is taken,
/// beginning with the first.
///
/// # Errors
/// A line that says what is wrong with it.
pub(super) fn read_games(path: &Path, held_out: u64) -> Result<(Vec<Game>, bool), String> {
    read(path, |n| n % held_out == 0)
}

/// The games of a file by number, and whether more may come: all games of `ponnuki
/// selfplay`, or the wanted records of an archive.
fn read(path: &Path, wanted: impl Fn(u64) -> bool) -> Result<(Vec<Game>, bool), String> {
    let name = path.display();
    let cannot = |e: std::io::Error| format!("cannot read {name}: {e}");
    let mut head = Vec::new();
    let file = open_regular(path).map_err(cannot)?;
    file.take(MAGIC.len() as u64)
        .read_to_end(&mut head)
        .map_err(cannot)?;
    if head != MAGIC {
        return Ok((read_records(path, wanted)?, false));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    let (_, games) = Games::new(&bytes).map_err(|e| format!("{name}: {e}"))?;
    let games: Result<Vec<Game>, String> = games.collect();
    let mut games = games.map_err(|e| format!("{name}: {e}"))?;
    games.sort_by_key(|g| g.number);
    Ok((games, true))
}

/// The games of an archive of records in which colours alternate; of the lines so
/// numbered, from 0, that are wanted.
fn read_records(path: &Path, wanted: impl Fn(u64) -> bool) -> Result<Vec<Game>, String> {
    let name = path.display();
    let cannot = |e: std::io::Error| format!("cannot read {name}: {e}");
    let file = open_regular(path).map_err(cannot)?;
    let lines: Box<dyn BufRead> = match path.extension().is_some_and(|e| e == "gz") {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => Box::new(BufReader::new(file)),
    };
    let mut games = Vec::new();
    for (n, line) in (0..).zip(lines.split(b'\n')) {
        let line = line.map_err(cannot)?;
        if !wanted(n) {
            continue;
        }
        let record = sgf::read(&line, &Ruleset::default(), None);
        let number = games.len() as u32;
        games.extend(
            record
                .ok()
                .and_then(|r| Game::recorded(number, &r.position)),
        );
    }
    match games.is_empty() {
        true => Err(format!("{name}: no game record that can be used")),
        false => Ok(games),
    }
}
