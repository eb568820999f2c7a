//! Positions with their judgement under the Japanese rules: the examples of the commentary in
//! `tests/data/j89`, whose README explains the format, and positions that were once judged wrongly
//! in `tests/data/exact`.

use ponnuki::board::Board;
use ponnuki::types::Point;
use std::fs;
use std::path::Path;

pub struct Example {
    /// Name of its file.
    pub name: String,
    pub board: Board,
    /// The expected letter of each point, row by row from the top.
    pub expected: Vec<(Point, char)>,
}

/// Read the examples of a folder of `tests/data`, in the order of their names.
pub fn examples(folder: &str) -> Vec<Example> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folder = data.join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    paths.sort();
    paths.iter().map(|path| example(path)).collect()
}

fn example(path: &Path) -> Example {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    let parts: Vec<&str> = text.split("\n\n").collect();
    let [_title, position, expected] = parts[..] else {
        panic!("{name}: a title, a position and what is expected of it");
    };
    let board = Board::from_diagram(position).unwrap();
    let size = board.size();
    let rows: Vec<Vec<char>> = expected
        .lines()
        .map(|row| row.chars().filter(|c| !c.is_whitespace()).collect())
        .collect();
    assert_eq!(rows.len(), usize::from(size.height()), "{name}");
    let mut points = Vec::new();
    for (row, y) in rows.iter().zip((0..size.height()).rev()) {
        assert_eq!(row.len(), usize::from(size.width()), "{name}");
        points.extend(row.iter().zip(0..).map(|(&c, x)| (Point::new(x, y), c)));
    }
    Example {
        name,
        board,
        expected: points,
    }
}
