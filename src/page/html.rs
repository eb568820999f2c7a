//! Building blocks of all pages.

use crate::position::Position;
use crate::sgf::{self, GameInfo};
use crate::types::Color;
use serde_json::Value;

/// Escape a text for use as element content or as an attribute value.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // HTML does not allow most control characters.
            c if c.is_control() && c != '\n' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Replace each `{{name}}` in a template by its text, which is not expanded itself.
pub(super) fn fill(template: &str, texts: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut parts = template.split("{{");
    filled.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        let text = texts.iter().find(|(n, _)| *n == name);
        debug_assert!(text.is_some(), "no text for {name}");
        filled.push_str(text.map_or("", |(_, text)| text));
        filled.push_str(rest);
    }
    filled
}

/// The script that draws boards.
const BOARD: &str = include_str!("board.js");

/// The link from the page of a record to the first page of `ponnuki serve`.
const HOME: &str = "<nav><a href=\"/\">Games and records</a></nav>\n";

/// A record in `ponnuki serve`, whose page is shown.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The number of the record.
    pub number: u32,
    /// What is odd about it, if anything.
    pub note: Option<&'a str>,
}

/// Assemble a page with a board from its title (not yet escaped), content, data and script.
pub(super) fn page(
    title: &str,
    main: &str,
    mut data: Value,
    script: &str,
    served: Option<Served<'_>>,
) -> String {
    match (served, data.as_object_mut()) {
        (Some(Served { number, note }), Some(values)) => {
            values.insert("record".to_owned(), number.into());
            let note = note.map_or_else(String::new, |note| {
                let note = escape(note);
                format!("<aside aria-label=\"About the record\">The record: {note}.</aside>\n")
            });
            live(title, &[HOME, &note, main].concat(), &data, true, script)
        }
        _ => {
            let script = [BOARD, script].join("\n");
            assemble(title, main, &data, [include_str!("page.css"), &script, ""])
        }
    }
}

/// Assemble a page that sends requests to the program, with a board or without.
pub(super) fn live(title: &str, main: &str, data: &Value, board: bool, script: &str) -> String {
    let style = [include_str!("page.css"), include_str!("live.css")].concat();
    let board = if board { BOARD } else { "" };
    let script = [include_str!("ask.js"), board, script].join("\n");
    assemble(title, main, data, [&style, &script, "; connect-src 'self'"])
}

fn assemble(title: &str, main: &str, data: &Value, parts: [&str; 3]) -> String {
    let [style, script, connect] = parts;
    // Whatever ends a script element or opens a comment begins with `<`.
    let data = data.to_string().replace('<', "\\u003c");
    fill(
        include_str!("page.html"),
        &[
            ("connect", connect),
            ("title", &escape(title)),
            ("style", style),
            ("main", main),
            ("data", &data),
            ("script", script),
        ],
    )
}

/// Name the players: `Honinbo 9p – Meijin 8p`.
pub fn players(info: &GameInfo) -> String {
    let name = |c: Color| {
        let (name, rank) = match c {
            Color::Black => (&info.black, &info.black_rank),
            Color::White => (&info.white, &info.white_rank),
        };
        let name = name.clone().unwrap_or_else(|| c.to_string());
        rank.as_ref()
            .map_or(name.clone(), |rank| format!("{name} {rank}"))
    };
    format!("{} – {}", name(Color::Black), name(Color::White))
}

/// Describe a game in a line: event, date and other facts from the record, rules, komi,
/// handicap and result.
pub(super) fn about(info: &GameInfo, game: &Position) -> String {
    let of_record = [
        &info.name,
        &info.event,
        &info.round,
        &info.place,
        &info.date,
    ];
    let mut parts: Vec<String> = of_record.iter().copied().flatten().cloned().collect();
    if let Some(rules) = sgf::rules_in_words(game.rules(), info.rules.as_deref()) {
        let says_so = rules.to_lowercase().contains("rule");
        parts.push(if says_so { rules } else { rules + " rules" });
    }
    parts.push(format!("komi {}", game.komi()));
    if game.handicap() > 0 {
        parts.push(format!("handicap {}", game.handicap()));
    }
    if let Some(result) = &info.result {
        parts.push(format!("result {result}"));
    }
    parts.join(" · ")
}
