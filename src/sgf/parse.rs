//! SGF syntax: nodes of properties with values.

use super::SgfError;
use super::collection::{closed_end, games, other_format, property_name, unclosed_end, unescaped};
use super::text::decode;

/// A property and its values, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Upper-case letters only: FF[3] may write `Black` for `B`.
    pub name: String,
    /// One value or more.
    pub values: Vec<String>,
}

/// Limit on the nodes, and on the values, of a main line. In memory each takes about a
/// hundred times its size in the file.
const MAX_ITEMS: usize = 1 << 20;

/// The main line of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MainLine {
    /// The nodes.
    pub nodes: Vec<Vec<Property>>,
    /// Does the first node lack its semicolon?
    pub lacks_semicolon: bool,
    /// Does the line end without a closing parenthesis?
    pub is_unclosed: bool,
    /// Number of variations besides the main line.
    pub variations: usize,
    /// Number of games in the text.
    pub games: usize,
}

/// Parse the main line of the first game.
///
/// The game starts at the first `(;`, or at the first `(` followed by a property, as the
/// Nihon Ki-in writes it. Text before it, stray characters between properties, and
/// variations without a node are skipped. A file that is truncated between two values is
/// read up to there.
pub(super) fn main_line(bytes: &[u8]) -> Result<MainLine, SgfError> {
    let text = decode(bytes)?;
    if let Some(name) = other_format(text.as_bytes()) {
        return Err(SgfError::OtherFormat(name));
    }
    let game = from_start(&text).ok_or(SgfError::NoGame)?;
    let bytes = game.as_bytes();
    let end = closed_end(bytes).unwrap_or_else(|| unclosed_end(bytes));
    let game = game.get(..end).unwrap_or(game);
    let inside = game.trim_start_matches('(').trim_start();
    let line = inside.strip_prefix(';');
    let mut chars = line.unwrap_or(inside).chars();
    let mut nodes = vec![Vec::new()];
    let mut values_left = MAX_ITEMS;
    let mut name = String::new();
    let mut last = Last::Other;
    let closed = loop {
        let Some(c) = chars.next() else { break false };
        last = match c {
            ')' if last != Last::Parenthesis => break true,
            ')' => Last::Other,
            // The first variation continues the main line.
            '(' => {
                name.clear();
                Last::Parenthesis
            }
            ';' if nodes.len() >= MAX_ITEMS => return Err(SgfError::TooLong(MAX_ITEMS)),
            ';' => {
                nodes.push(Vec::new());
                name.clear();
                Last::Other
            }
            '[' => {
                let name = property_name(&name);
                let value = value(&mut chars).ok_or_else(|| SgfError::Unclosed(name.clone()))?;
                values_left = values_left
                    .checked_sub(1)
                    .ok_or(SgfError::TooLong(MAX_ITEMS))?;
                if let (Some(node), false) = (nodes.last_mut(), name.is_empty()) {
                    match node.last_mut() {
                        Some(Property { values, .. }) if last == Last::Value => values.push(value),
                        _ => node.push(Property {
                            name,
                            values: vec![value],
                        }),
                    }
                }
                Last::Value
            }
            c if c.is_whitespace() => last,
            c => {
                if c.is_ascii_alphabetic() {
                    if last == Last::Value {
                        name.clear();
                    }
                    name.push(c);
                }
                match last {
                    Last::Value => Last::Other,
                    other => other,
                }
            }
        };
    };
    Ok(MainLine {
        nodes,
        lacks_semicolon: line.is_none(),
        is_unclosed: !closed,
        variations: variations(chars.as_str()),
        games: games(text.as_bytes()).filter(|game| is_game(game)).count(),
    })
}

/// What the parser has read last.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// An opening parenthesis, after which no node or value has followed.
    Parenthesis,
    /// A value.
    Value,
    Other,
}

/// The text from the start of the first game: a parenthesis followed by a semicolon, or by a name
/// and a bracket. Blanks may come between.
fn from_start(text: &str) -> Option<&str> {
    let mut from_each = text.match_indices('(').filter_map(|(at, _)| text.get(at..));
    from_each.find(|game| {
        let inside = game.strip_prefix('(').unwrap_or(game).trim_start();
        let in_name = |c: char| c.is_ascii_alphabetic() || c.is_whitespace();
        let rest = inside.trim_start_matches(in_name);
        inside.starts_with(';') || rest.len() < inside.len() && rest.starts_with('[')
    })
}

/// Is this part of a file a game, rather than other text with parentheses?
fn is_game(part: &[u8]) -> bool {
    std::str::from_utf8(part).is_ok_and(|text| from_start(text).is_some())
}

/// The number of variations in the rest of the game.
fn variations(rest: &str) -> usize {
    let mut open = false;
    let outside = unescaped(rest.as_bytes()).filter(|&(_, _, in_value)| !in_value);
    let ends = outside.filter(|&(_, b, _)| match b {
        b';' => {
            open = true;
            false
        }
        b')' => std::mem::take(&mut open),
        _ => false,
    });
    ends.count()
}

/// Read the rest of a value, up to its closing bracket; `None` if there is none.
fn value(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            ']' => return Some(text),
            '\\' => match chars.next()? {
                // An escaped line break, of one character or two, is dropped.
                c @ ('\n' | '\r') => {
                    let other = if c == '\n' { '\r' } else { '\n' };
                    if chars.as_str().starts_with(other) {
                        chars.next();
                    }
                }
                c => text.push(c),
            },
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        main_line(text.as_bytes())
            .unwrap()
            .nodes
            .iter()
            .map(|node| {
                node.iter()
                    .map(|p| format!("{}={}", p.name, p.values.join("|")))
                    .collect::<Vec<_>>()
                    .join(",")
            })
            .collect::<Vec<_>>()
            .join(";")
    }

    #[test]
    fn properties_values_and_escapes() {
        assert_eq!(
            line("(;B[aa]W[bb]\n[cc];C[a\\]b\\\\])"),
            "B=aa,W=bb|cc;C=a]b\\"
        );
        assert_eq!(line("junk (x) ( ;Black[ab])"), "B=ab");
        assert_eq!(line("junk ( Black [ab];W[cd])"), "B=ab;W=cd");
        assert_eq!(line("(junk ((;Black[ab])"), "B=ab");
        assert_eq!(
            line("(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))"),
            "B=aa;W=bb;B=cc"
        );
        assert_eq!(line("(;AB[aa] [bb]\t[cc]"), "AB=aa|bb|cc");
        assert_eq!(line("(;[xx]B[aa])"), "B=aa");
        assert_eq!(line("(;b[aa];White[bb])"), "B=aa;W=bb");
        assert_eq!(line("(;B[aa]()(;W[bb])(;W[cc]))"), "B=aa;W=bb");
        assert_eq!(line("(;B[aa]())(;W[bb])"), "B=aa");
        assert_eq!(line("(;C[a\\\r\nb\\\n\\\r\rc])"), "C=ab\rc");
    }

    #[test]
    fn invalid_records() {
        assert_eq!(main_line(b""), Err(SgfError::NoGame));
        assert_eq!(main_line(b"(B aa; (x) [a](1[a]"), Err(SgfError::NoGame));
        assert_eq!(main_line(b"(;C[abc"), Err(SgfError::Unclosed("C".into())));
        // Latin-1.
        assert_eq!(
            main_line(b"(;PB[J\xfcrgen])").unwrap().nodes[0][0].values[0],
            "Jürgen"
        );
    }

    #[test]
    fn deep_and_long_records_are_read_up_to_the_limit() {
        let deep = "(;B[aa]".repeat(200_000);
        assert_eq!(main_line(deep.as_bytes()).unwrap().nodes.len(), 200_000);
        for endless in [";", "[]"] {
            let long = format!("(;B{}", endless.repeat(MAX_ITEMS + 1));
            assert_eq!(
                main_line(long.as_bytes()),
                Err(SgfError::TooLong(MAX_ITEMS))
            );
        }
    }
}
