//! The page of a problem with its tree of variations.

use super::html::{Served, about, escape, fill, page};
use super::steps::{number, played, player, stones};
use super::svg::Diagram;
use crate::board::Board;
use crate::position::Position;
use crate::sgf::{Branch, GameInfo};
use crate::types::Point;
use serde_json::{Value, json};

/// A problem and its answer.
#[derive(Clone, Copy, Debug)]
pub struct ProblemPage<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// Facts from the record.
    pub info: &'a GameInfo,
    /// The position.
    pub position: &'a Position,
    /// The stones in question.
    pub group: &'a [Point],
    /// The answer, one fact per line.
    pub answer: &'a str,
    /// The tree of variations, the main line first.
    pub tree: &'a [Branch],
}

/// A move of the tree, and its place.
struct Node<'a> {
    /// Number of the node that it follows.
    from: usize,
    branch: &'a Branch,
    step: Value,
    /// Is it the first of the moves that follow that node?
    is_first: bool,
}

impl ProblemPage<'_> {
    /// Render the page: board, answer and variations. Texts are escaped. Moves on occupied
    /// points are omitted, with what follows them. `served` as in [`crate::page`].
    pub fn html(&self, served: Option<Served<'_>>) -> String {
        let mut nodes = Vec::new();
        collect(self.tree, 0, self.position.board(), &mut nodes);
        let mut diagram = Diagram::of(self.position.board());
        diagram.title = self.title.to_owned();
        let main = fill(
            include_str!("problem.html"),
            &[
                ("title", &escape(self.title)),
                ("about", &escape(&about(self.info, self.position))),
                ("diagram", &diagram.inline()),
                ("answer", &escape(self.answer)),
                ("variations", &items(&nodes)),
            ],
        );
        let script = include_str!("problem.js");
        page(self.title, &main, self.data(&nodes), script, served)
    }

    fn data(&self, nodes: &[Node<'_>]) -> Value {
        let board = self.position.board();
        let size = board.size();
        let moves = nodes.iter().map(|node| {
            json!({
                "from": node.from,
                "step": node.step,
                "verdict": verdict(node.branch),
                "comment": node.branch.comment,
            })
        });
        let nodes: Vec<Value> = [json!({"from": 0})].into_iter().chain(moves).collect();
        let group: Vec<u16> = self.group.iter().map(|&p| number(p, size)).collect();
        json!({
            "size": [size.width(), size.height()],
            "start": stones(board),
            "group": group,
            "first": player(self.position.to_move()),
            "nodes": nodes,
        })
    }
}

fn verdict(branch: &Branch) -> Option<&'static str> {
    branch
        .right
        .map(|right| if right { "right" } else { "wrong" })
}

/// Collect the moves of a tree, each before the moves that follow it. Nodes are numbered
/// from 1.
fn collect<'a>(tree: &'a [Branch], from: usize, board: &Board, nodes: &mut Vec<Node<'a>>) {
    let played = |b: &'a Branch| Some((b, played(board, b.color, b.mv)?));
    for (i, (branch, (after, step))) in tree.iter().filter_map(played).enumerate() {
        nodes.push(Node {
            from,
            branch,
            step,
            is_first: i == 0,
        });
        collect(&branch.next, nodes.len(), &after, nodes);
    }
}

/// Render the list of lines, each from the move at which it branches off.
fn items(nodes: &[Node<'_>]) -> String {
    let mut items = String::new();
    let mut text = String::new();
    for (i, node) in nodes.iter().enumerate() {
        let branch = node.branch;
        let number = i + 1;
        if text.is_empty() {
            let class = verdict(branch).unwrap_or("reply");
            items.push_str(&format!("<li class=\"{class}\" data-node=\"{number}\">"));
            text = match branch.right {
                Some(true) => "<b>Right</b> ".to_owned(),
                Some(false) => "<b>Wrong</b> ".to_owned(),
                None => "or ".to_owned(),
            };
            text.push_str(&format!("<a href=\"#node={number}\">"));
            text.push_str(&format!("{} {}</a>", branch.color, branch.mv));
        } else {
            text.push_str(&format!(", {} {}", branch.color, branch.mv));
        }
        let goes_on = nodes
            .get(number)
            .is_some_and(|n| n.from == number && n.is_first);
        if !goes_on {
            items.push_str(&text);
            items.push('\n');
            text.clear();
        }
    }
    items
}
