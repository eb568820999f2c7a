//! A board as a picture.

use crate::board::Board;
use crate::position::star_points;
use crate::types::{BoardSize, Color, Point};
use crate::util::spaced;
use std::fmt::Write;

/// A board to draw. Points off the board are omitted.
///
/// ```
/// use ponnuki::page::{Diagram, Mark};
/// use ponnuki::types::{BoardSize, Color, Point};
///
/// let mut diagram = Diagram::new(BoardSize::square(9));
/// diagram.stones.push((Color::Black, Point::new(4, 4)));
/// diagram.marks.push((Point::new(2, 2), Mark::Number(Color::White, 1)));
/// assert!(diagram.svg().starts_with("<svg "));
/// ```
#[derive(Clone, Debug)]
pub struct Diagram {
    /// The board's size.
    pub size: BoardSize,
    /// Title of the picture, for screen readers.
    pub title: String,
    /// The stones.
    pub stones: Vec<(Color, Point)>,
    /// The point of the last move.
    pub last: Option<Point>,
    /// Marks on points and stones, in drawing order.
    pub marks: Vec<(Point, Mark)>,
    /// Expected owner of each point, from −1 (White) to 1 (Black), rows from the top; empty to
    /// show none.
    pub ownership: Vec<f32>,
}

/// A mark on a point. Marks differ in shape, not only in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A point of this player: a square.
    Territory(Color),
    /// A stone proved dead: a cross; the stone is pale.
    Dead,
    /// A stone estimated to be dead: a dotted cross; the stone is pale.
    LikelyDead,
    /// A stone proved to be in seki: a diamond.
    Seki,
    /// A stone estimated to be in seki: a dotted diamond.
    LikelySeki,
    /// A stone of a variation, with its number.
    Number(Color, u32),
}

/// Units between adjacent lines of the board. The scripts use the same units.
const CELL: i32 = 20;

/// Margin around the outer lines: left and below with coordinates, right and above without.
const COORDINATE_MARGIN: i32 = 24;
const MARGIN: i32 = 14;

/// Definitions of the shapes.
const SHAPES: &str = include_str!("defs.svg");

impl Diagram {
    /// Create an empty board.
    pub fn new(size: BoardSize) -> Diagram {
        Diagram {
            size,
            title: String::new(),
            stones: Vec::new(),
            last: None,
            marks: Vec::new(),
            ownership: Vec::new(),
        }
    }

    /// Create a picture of the stones of a board.
    pub fn of(board: &Board) -> Diagram {
        let size = board.size();
        let stone = |p| board.at(p).color().map(|c| (c, p));
        Diagram {
            stones: size.points().filter_map(stone).collect(),
            ..Diagram::new(size)
        }
    }

    /// Render the picture as an SVG file.
    pub fn svg(&self) -> String {
        self.draw(" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"")
    }

    /// Render the picture for embedding in a page.
    pub(super) fn inline(&self) -> String {
        // Not `role="img"`: the board contains links.
        self.draw(" id=\"board\" role=\"group\"")
    }

    fn draw(&self, attribute: &str) -> String {
        let (w, h) = (self.size.width(), self.size.height());
        let (right, bottom) = (CELL * (i32::from(w) - 1), CELL * (i32::from(h) - 1));
        let (width, height) = (
            right + MARGIN + COORDINATE_MARGIN,
            bottom + MARGIN + COORDINATE_MARGIN,
        );
        let mut text = format!(
            "<svg{attribute} viewBox=\"{} {} {width} {height}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n\
             <title>{}</title>\n<desc>{}</desc>\n{SHAPES}\
             <rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"3\" fill=\"url(#p-wood)\"/>\n",
            -COORDINATE_MARGIN,
            -MARGIN,
            super::html::escape(&self.title),
            super::html::escape(&self.in_words()),
            -COORDINATE_MARGIN,
            -MARGIN,
        );
        let mut lines = String::new();
        for x in 0..i32::from(w) {
            push(&mut lines, format_args!("M{} 0V{bottom}", CELL * x));
        }
        for y in 0..i32::from(h) {
            push(&mut lines, format_args!("M0 {}H{right}", CELL * y));
        }
        push(
            &mut text,
            format_args!(
                "<path d=\"{lines}\" fill=\"none\" stroke=\"#3b2a12\" stroke-width=\".8\" stroke-linecap=\"square\"/>\n"
            ),
        );
        for p in star_points(self.size) {
            self.shape(&mut text, "star", p, "");
        }
        text.push_str("<g font-size=\"9\" fill=\"#3b2a12\">");
        for (column, x) in self.size.columns().zip((0..).step_by(CELL as usize)) {
            push(
                &mut text,
                format_args!("<text x=\"{x}\" y=\"{}\">{column}</text>", bottom + 20),
            );
        }
        for y in 0..i32::from(h) {
            let at = CELL * y + 3;
            let row = i32::from(h) - y;
            push(
                &mut text,
                format_args!("<text x=\"-16\" y=\"{at}\">{row}</text>"),
            );
        }
        text.push_str("</g>\n<g id=\"p-drawn\">\n");
        self.draw_stones(&mut text);
        text.push_str("</g>\n</svg>\n");
        text
    }

    fn draw_stones(&self, text: &mut String) {
        let marks = self.marks.iter().filter(|(p, _)| self.size.contains(*p));
        let has = |p: Point, mark: &Mark| self.marks.iter().any(|(q, m)| *q == p && m == mark);
        let hidden = |p: Point| {
            let numbered = |m: &Mark| matches!(m, Mark::Number(..));
            self.marks.iter().any(|(q, m)| *q == p && numbered(m))
        };
        let stones = self.stones.iter().filter(|(_, p)| self.size.contains(*p));
        for &(c, p) in stones.filter(|(_, p)| !hidden(*p)) {
            let pale = if has(p, &Mark::Dead) || has(p, &Mark::LikelyDead) {
                " opacity=\".6\""
            } else {
                ""
            };
            self.shape(text, STONES[c.index()], p, pale);
            if self.last == Some(p) {
                self.shape(text, LAST[c.index()], p, "");
            }
        }
        for (i, &share) in self.ownership.iter().enumerate() {
            self.shade(text, i, share);
        }
        for (p, mark) in marks {
            match mark {
                Mark::Territory(Color::Black) => self.shape(text, "black-point", *p, ""),
                Mark::Territory(Color::White) => self.shape(text, "white-point", *p, ""),
                Mark::Dead => self.shape(text, "dead", *p, ""),
                Mark::LikelyDead => self.shape(text, "likely-dead", *p, ""),
                Mark::Seki => self.shape(text, "seki", *p, ""),
                Mark::LikelySeki => self.shape(text, "likely-seki", *p, ""),
                Mark::Number(c, n) => {
                    self.shape(text, STONES[c.index()], *p, "");
                    self.number(text, *p, *n, *c);
                }
            }
        }
    }

    /// Draw a square for the expected owner of a point, larger if more certain. The owner's own
    /// stones get none.
    fn shade(&self, text: &mut String, i: usize, share: f32) {
        let (w, h) = (usize::from(self.size.width()), self.size.height());
        let owner = if share > 0.0 {
            Color::Black
        } else {
            Color::White
        };
        let (x, row) = ((i % w) as i32, (i / w) as i32);
        let side = 14.0 * share.abs().min(1.0);
        let own = |&(c, p): &(Color, Point)| {
            c == owner && i32::from(p.x()) == x && i32::from(h - 1 - p.y()) == row
        };
        if row >= i32::from(h) || side < 1.0 || side.is_nan() || self.stones.iter().any(own) {
            return;
        }
        let corner = |at: i32| (CELL * at) as f32 - side / 2.0;
        push(
            text,
            format_args!(
                "<rect class=\"p-share\" x=\"{:.1}\" y=\"{:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" fill=\"{}\" fill-opacity=\".7\"/>\n",
                corner(x),
                corner(row),
                FILLS[owner.index()]
            ),
        );
    }

    fn shape(&self, text: &mut String, name: &str, p: Point, attribute: &str) {
        let (x, y) = self.place(p);
        push(
            text,
            format_args!("<use href=\"#p-{name}\" x=\"{x}\" y=\"{y}\"{attribute}/>\n"),
        );
    }

    /// Write a number on a stone of this colour.
    fn number(&self, text: &mut String, p: Point, number: u32, stone: Color) {
        let (x, y) = self.place(p);
        let size = if number > 99 { 8 } else { 10 };
        push(
            text,
            format_args!(
                "<text x=\"{x}\" y=\"{y}\" dy=\".36em\" font-size=\"{size}\" fill=\"{}\">{number}</text>\n",
                FILLS[stone.opponent().index()],
            ),
        );
    }

    fn place(&self, p: Point) -> (i32, i32) {
        let row = i32::from(self.size.height()) - 1 - i32::from(p.y());
        (CELL * i32::from(p.x()), CELL * row)
    }

    /// Describe stones and marks as text.
    fn in_words(&self) -> String {
        let stones = |c: Color| {
            let of = self.stones.iter().filter(|(d, _)| *d == c);
            spaced(of.map(|(_, p)| p))
        };
        let marked = |mark: Mark| {
            let of = self.marks.iter().filter(|(_, m)| *m == mark);
            spaced(of.map(|(p, _)| p))
        };
        let parts = [
            ("Black", stones(Color::Black)),
            ("White", stones(Color::White)),
            ("Last move", spaced(self.last)),
            ("Dead", marked(Mark::Dead)),
            ("Estimated to be dead", marked(Mark::LikelyDead)),
            ("In seki", marked(Mark::Seki)),
            ("Estimated to be in seki", marked(Mark::LikelySeki)),
            ("Black's points", marked(Mark::Territory(Color::Black))),
            ("White's points", marked(Mark::Territory(Color::White))),
        ];
        let parts = parts.iter().filter(|(_, points)| !points.is_empty());
        let parts = parts.map(|(what, points)| format!("{what}: {points}."));
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// Names of the shapes of stones and of the mark of the last move, and the colours, by
/// [`Color::index`].
const STONES: [&str; 2] = ["black", "white"];
const LAST: [&str; 2] = ["black-last", "white-last"];
const FILLS: [&str; 2] = ["#000", "#fff"];

/// Append formatted text; writing to a `String` does not fail.
fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}
