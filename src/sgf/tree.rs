//! Records of problems: a position with a tree of variations.

use super::GameInfo;
use super::write::{node, property, root};
use crate::position::Position;
use crate::types::{BoardSize, Color, Move};

/// A move of a tree of variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The player.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// Its mark: right or wrong; `None` for neither.
    pub right: Option<bool>,
    /// The comment on it; may be empty.
    pub comment: String,
    /// The moves that follow.
    pub next: Vec<Branch>,
}

impl Branch {
    /// Add a line to a tree, with a mark and a comment on its first move. Lines that begin with
    /// the same moves share them; the first move then keeps the mark and the comment it has.
    pub fn add(
        tree: &mut Vec<Branch>,
        moves: &[(Color, Move)],
        right: Option<bool>,
        comment: &str,
    ) {
        let Some((&(color, mv), rest)) = moves.split_first() else {
            return;
        };
        let same = |b: &Branch| (b.color, b.mv) == (color, mv);
        let at = tree.iter().position(same).unwrap_or_else(|| {
            tree.push(Branch {
                color,
                mv,
                right,
                comment: comment.to_owned(),
                next: Vec::new(),
            });
            tree.len() - 1
        });
        if let Some(branch) = tree.get_mut(at) {
            Branch::add(&mut branch.next, rest, None, "");
        }
    }
}

/// Write a position and a tree of variations as a record in file format 4, with a comment on
/// the position. Right moves have the property `TE` (good move), wrong ones `BM` (bad move).
/// The game before the position is left out, and so are variations and marks of its record.
///
/// ```
/// use ponnuki::position::Position;
/// use ponnuki::rules::Ruleset;
/// use ponnuki::sgf::{self, Branch, GameInfo};
/// use ponnuki::types::{BoardSize, Color, Move, Point};
///
/// let position = Position::new(BoardSize::square(9), Ruleset::default());
/// let mut tree = Vec::new();
/// let [right, wrong] = [4, 0].map(|x| (Color::Black, Move::Play(Point::new(x, 4))));
/// Branch::add(&mut tree, &[right], Some(true), "Right");
/// Branch::add(&mut tree, &[wrong], Some(false), "Wrong");
/// let text = sgf::write_problem(&position, &GameInfo::default(), "Black to play", &tree);
/// assert!(text.contains("(;B[ee]TE[1]C[Right])"));
/// let back = sgf::read(text.as_bytes(), position.rules(), None).unwrap();
/// assert_eq!(back.position.turns()[0].mv, right.1);
/// ```
pub fn write_problem(
    position: &Position,
    info: &GameInfo,
    comment: &str,
    tree: &[Branch],
) -> String {
    let board = position.board().clone();
    let mut set_up = Position::from_board(board, position.to_move(), *position.rules());
    set_up.set_komi(position.komi());
    let mut text = root(&set_up, info);
    if !comment.is_empty() {
        property(&mut text, "C", comment);
    }
    write(&mut text, tree, position.size());
    text.push_str(")\n");
    text
}

fn write(text: &mut String, tree: &[Branch], size: BoardSize) {
    for branch in tree {
        if tree.len() > 1 {
            text.push_str("\n(");
        }
        text.push_str(&node(branch.color, branch.mv, size));
        match branch.right {
            Some(true) => property(text, "TE", "1"),
            Some(false) => property(text, "BM", "1"),
            None => {}
        }
        if !branch.comment.is_empty() {
            property(text, "C", &branch.comment);
        }
        write(text, &branch.next, size);
        if tree.len() > 1 {
            text.push(')');
        }
    }
}
