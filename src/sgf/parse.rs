//! SGF syntax: nodes of properties with values.

use super::SgfError;
use super::text::{decode, unescaped};

/// A property and its values, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Upper-case letters only: FF[3] may write `Black` for `B`.
    pub name: String,
    /// One value or more.
    pub values: Vec<String>,
}

/// Split a file into its games, each from its opening to its closing parenthesis. Text
/// between games is skipped. A game without a closing parenthesis ends where the next
/// game begins, or at the end of the file.
///
/// ```
/// let file = b"(;SZ[9]C[a :-)];B[ee]) and (;SZ[13](;B[dd])(;B[jj]))";
/// let games: Vec<&[u8]> = ponnuki::sgf::games(file).collect();
/// assert_eq!(games, [&b"(;SZ[9]C[a :-)];B[ee])"[..], b"(;SZ[13](;B[dd])(;B[jj]))"]);
/// ```
pub fn games(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = match other_format(bytes) {
        Some(_) => &[],
        None => bytes,
    };
    // After an unclosed game, parentheses no longer tell where games end.
    let mut broken = false;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&b| b == b'(')?;
        let game = rest.get(start..)?;
        let end = match closed_end(game).filter(|_| !broken) {
            Some(end) => end,
            None => {
                broken = true;
                unclosed_end(game)
            }
        };
        rest = game.get(end..)?;
        game.get(..end)
    })
}

/// Detect a record in another format by its first lines.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.trim_ascii_start();
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let (first, second) = (lines.next()?, lines.next()?);
    if first.starts_with(b"\\HS") {
        Some("GIB")
    } else if first.eq_ignore_ascii_case(b"[Header]") {
        Some("UGF")
    } else {
        // In NGF the second line is the size, and moves look like `PMAABQDDQ`.
        let is_size = !second.is_empty() && second.iter().all(u8::is_ascii_digit);
        (is_size && lines.any(|line| line.starts_with(b"PMA"))).then_some("NGF")
    }
}

/// The index after the closing parenthesis of the game at the start of the text, if it has one.
fn closed_end(game: &[u8]) -> Option<usize> {
    end(game, false)
}

/// The end of the game at the start of the text, which may be unclosed: its closing parenthesis,
/// the beginning of the next game, or the end of the text.
fn unclosed_end(game: &[u8]) -> usize {
    end(game, true).unwrap_or(game.len())
}

/// The end of the game at the start of the text. With `stop_at_next` it also ends where another
/// game begins.
fn end(game: &[u8], stop_at_next: bool) -> Option<usize> {
    let (mut depth, mut has_properties, mut before) = (0u32, false, b' ');
    for (at, b, in_value) in unescaped(game) {
        // An unclosed value extends into the next game, up to its first closing bracket. So a
        // game may also begin at the start of a line within a value.
        let may_begin = !in_value || matches!(before, b'\n' | b'\r');
        match b {
            b'(' if stop_at_next
                && has_properties
                && may_begin
                && begins_game(game.get(at..).unwrap_or_default()) =>
            {
                return Some(at);
            }
            b'[' => has_properties = true,
            b'(' if !in_value => depth += 1,
            b')' if !in_value => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        before = b;
    }
    None
}

/// Number of bytes at the beginning of a game in which to look for its root properties.
const ROOT_WINDOW: usize = 1000;

/// Does a game begin here, rather than a variation? Only the first node of a game has a number
/// for one of the root properties FF, GM and SZ.
fn begins_game(bytes: &[u8]) -> bool {
    let window = bytes.get(..ROOT_WINDOW).unwrap_or(bytes);
    let inside = window.strip_prefix(b"(").map(<[u8]>::trim_ascii_start);
    let Some(node) = inside.and_then(|i| i.strip_prefix(b";")) else {
        return false;
    };
    let (mut name, mut value) = (String::new(), String::new());
    for (_, b, in_value) in unescaped(node) {
        match b {
            b']' if in_value => {
                let is_number = value.contains(|c: char| c.is_ascii_digit())
                    && value.chars().all(|c| c.is_ascii_digit() || c == ':');
                if is_number && matches!(&*property_name(&name), "FF" | "GM" | "SZ") {
                    return true;
                }
                name.clear();
                value.clear();
            }
            _ if in_value => value.push(b.into()),
            b'(' | b')' | b';' => return false,
            b if b.is_ascii_alphabetic() => name.push(b.into()),
            _ => {}
        }
    }
    false
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
    pub bare: bool,
    /// Does the line end without a closing parenthesis?
    pub breaks_off: bool,
    /// Number of other lines.
    pub variations: usize,
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
        bare: line.is_none(),
        breaks_off: !closed,
        variations: lines(chars.as_str()),
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

/// The number of lines that end in the rest of a game.
fn lines(rest: &str) -> usize {
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

/// The upper-case letters of a property name: FF[3] allows lower-case letters between
/// them for readability. A name in lower case only is converted to upper case.
fn property_name(letters: &str) -> String {
    let upper: String = letters.chars().filter(char::is_ascii_uppercase).collect();
    if upper.is_empty() {
        letters.to_ascii_uppercase()
    } else {
        upper
    }
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
