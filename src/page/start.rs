//! The first page of `ponnuki serve`.

use super::html::{escape, fill, live};
use crate::types::{BoardSize, Color};
use serde_json::json;
use std::fmt::Display;

/// The contents of the first page.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Values that the form starts with, by the names of its fields.
    pub defaults: &'a [(&'a str, String)],
    /// The size of the board that the form starts with.
    pub size: BoardSize,
    /// Names of the rulesets.
    pub rules: &'a [&'a str],
    /// Games in progress, the newest first.
    pub games: &'a [Listed],
    /// Records, finished or in progress, the newest first.
    pub records: &'a [Listed],
}

/// A game or a record, in the list on the first page.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Address of its page; `None` before there is one.
    pub address: Option<String>,
    /// What it is, in words.
    pub text: String,
}

/// The address of the form that continues a record after its first `moves` moves. The form begins
/// with the colour of the player to move.
pub fn play_on(record: impl Display, moves: usize, next: Color) -> String {
    let color = next.to_string().to_lowercase();
    format!("/#record={record}&move={moves}&color={color}")
}

/// The address of the form that shows the progress of the work on a record, and can stop it.
pub fn progress(record: impl Display) -> String {
    format!("/#watch={record}")
}

/// Render the page for an address without a page, which says why there is none.
pub fn missing(why: &str) -> String {
    let main = fill(include_str!("missing.html"), &[("why", &escape(why))]);
    live("Ponnuki", &main, &json!({}), false, "")
}

/// The usual sizes of boards, and this one, which is chosen.
fn sizes(chosen: BoardSize) -> String {
    let mut sizes = [9, 13, 19].map(BoardSize::square).to_vec();
    if !sizes.contains(&chosen) {
        sizes.push(chosen);
    }
    let choices = sizes.into_iter().map(|size| {
        let value = match size.width() == size.height() {
            true => size.width().to_string(),
            false => size.to_string(),
        };
        let checked = if size == chosen { " checked" } else { "" };
        let name = size.to_string().replace('x', "×");
        format!(
            "<label><input type=\"radio\" name=\"size\" value=\"{value}\"{checked}> {name}</label>\n"
        )
    });
    choices.collect()
}

impl Start<'_> {
    /// Render the page. Texts are escaped.
    pub fn html(&self) -> String {
        let list = |listed: &[Listed], none: &str| -> String {
            let items = listed.iter().map(|l| {
                let text = escape(&l.text);
                match &l.address {
                    Some(address) => format!("<li><a href=\"{}\">{text}</a>\n", escape(address)),
                    None => format!("<li>{text}\n"),
                }
            });
            match listed {
                [] => format!("<li class=\"none\">{none}\n"),
                _ => items.collect(),
            }
        };
        let rules = self.rules.iter().map(|name| format!("<option>{name}"));
        let main = fill(
            include_str!("start.html"),
            &[
                ("sizes", &sizes(self.size)),
                ("rules", &rules.collect::<String>()),
                ("games", &list(self.games, "None yet.")),
                ("records", &list(self.records, "None yet.")),
            ],
        );
        let data = json!({ "defaults": self.defaults });
        live("Ponnuki", &main, &data, false, include_str!("start.js"))
    }
}
