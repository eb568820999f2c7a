//! `ponnuki bench`: how fast the search is, and a signature of what it does.

use crate::board::Board;
use crate::position::Position;
use crate::rules::Ruleset;
use crate::search::{PoolError, Search, SearchParams};
use crate::types::{BoardSize, Color};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Playouts for each position and thread.
const PLAYOUTS: u64 = 3000;

/// Memory for the tree: more than the playouts can fill.
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

/// What stands in a [`Case`]: its name and the position.
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

/// Search the fixed positions and print a line for each, then the signature
/// `Bench: <nodes> nodes <nps> nps`.
///
/// A node is a tree node or a move made in the tree or in a playout. With one
/// thread their number is the same in every run and on every machine as long as
/// the engine plays the same.
///
/// # Errors
/// If there are no threads to be had, or the output is closed.
pub fn run(threads: usize, out: &mut impl Write) -> io::Result<()> {
    let refused = |e: PoolError| io::Error::other(e.to_string());
    let mut nodes = 0;
    let mut time = Duration::ZERO;
    for case in &CASES {
        let (name, position) = position(case);
        let mut search = Search::new(threads, MEMORY, SearchParams::default()).map_err(refused)?;
        let begun = Instant::now();
        search.start(&position, PLAYOUTS * threads as u64, 1);
        while !search.wait(Duration::from_secs(1)) {}
        let used = begun.elapsed();
        let here = search.totals().moves + search.tree().len() as u64;
        let playouts = search.totals().playouts;
        writeln!(
            out,
            "{name:18} {playouts:6} playouts {:7.0} playouts/s {here:9} nodes",
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
