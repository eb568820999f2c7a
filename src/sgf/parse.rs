//! The syntax: nodes of properties with values.

use super::SgfError;
use super::text::decode;

/// A property and its values, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Upper-case letters only: FF[3] wrote `Black` for `B`.
    pub name: String,
    /// At least one.
    pub values: Vec<String>,
}

/// The games of a file that holds several, each from its opening parenthesis to its
/// closing one; what stands between them is left out. A game whose closing parenthesis is
/// missing ends where the next one begins, or with the file.
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
    // Behind a game that nothing closes the parentheses say nothing of where games end.
    let mut broken = false;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&b| b == b'(')?;
        let game = rest.get(start..)?;
        let end = match closed(game).filter(|_| !broken) {
            Some(end) => end,
            None => {
                broken = true;
                cut(game)
            }
        };
        rest = game.get(end..)?;
        game.get(..end)
    })
}

/// The format of a record that is no SGF, by how files of it begin.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.trim_ascii_start();
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let (first, second) = (lines.next()?, lines.next()?);
    if first.starts_with(b"\\HS") {
        Some("GIB")
    } else if first.eq_ignore_ascii_case(b"[Header]") {
        Some("UGF")
    } else {
        // Its second line is the size, and its moves are `PMAABQDDQ`.
        let is_size = !second.is_empty() && second.iter().all(u8::is_ascii_digit);
        (is_size && lines.any(|line| line.starts_with(b"PMA"))).then_some("NGF")
    }
}

/// Behind the closing parenthesis of the game that begins with the first byte, if it has one.
fn closed(game: &[u8]) -> Option<usize> {
    end(game, false)
}

/// Where a game ends that nothing need close: with its closing parenthesis, where the next one
/// begins, or with the file.
fn cut(game: &[u8]) -> usize {
    end(game, true).unwrap_or(game.len())
}

/// Where the game ends that begins with the first byte, before the next one if that `cuts` it.
fn end(game: &[u8], cuts: bool) -> Option<usize> {
    let (mut depth, mut has_properties, mut before) = (0u32, false, b' ');
    for (at, b, in_value) in unescaped(game) {
        // Within a value, which is not closed then: the bracket that closes the number of a
        // game's first property would have closed it.
        let may_begin = !in_value || matches!(before, b'\n' | b'\r');
        match b {
            b'(' if cuts
                && has_properties
                && may_begin
                && begins(game.get(at..).unwrap_or_default()) =>
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

/// The bytes that are not escaped, each with its place, and whether it stands in a value.
/// The closing bracket does, the opening one does not.
pub(super) fn unescaped(bytes: &[u8]) -> impl Iterator<Item = (usize, u8, bool)> {
    let (mut in_value, mut escaped) = (false, false);
    bytes.iter().enumerate().filter_map(move |(at, &b)| {
        if std::mem::take(&mut escaped) {
            return None;
        }
        let was_in_value = in_value;
        match b {
            b'\\' => escaped = in_value,
            b'[' => in_value = true,
            b']' => in_value = false,
            _ => {}
        }
        Some((at, b, was_in_value))
    })
}

/// So near to the beginning of a game it says what it is, in bytes.
const NEAR: usize = 1000;

/// Does a game begin here? Its first node has a number for one of the properties that only
/// a root has (FF, GM, SZ), and that of a variation has none.
fn begins(bytes: &[u8]) -> bool {
    let near = bytes.get(..NEAR).unwrap_or(bytes);
    let inside = near.strip_prefix(b"(").map(<[u8]>::trim_ascii_start);
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

/// Most nodes, and most values, of a main line: each takes a hundred times the memory of
/// its bytes.
const MOST: usize = 1 << 20;

/// The main line of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MainLine {
    /// Its nodes.
    pub nodes: Vec<Vec<Property>>,
    /// Does a property follow the opening parenthesis, without a semicolon between them?
    pub bare: bool,
    /// Does no closing parenthesis end it?
    pub breaks_off: bool,
    /// Lines beside it.
    pub variations: usize,
}

/// The main line of the first game.
///
/// Whatever stands before the first `(;`, or the first `(` with a property after it as the
/// Nihon Ki-in writes them, is skipped, as are stray characters between properties and
/// variations without a node. A file that breaks off
/// between two values is read as far as it goes.
pub(super) fn main_line(bytes: &[u8]) -> Result<MainLine, SgfError> {
    let text = decode(bytes)?;
    if let Some(name) = other_format(text.as_bytes()) {
        return Err(SgfError::OtherFormat(name));
    }
    // The start: a parenthesis and, blanks aside, a semicolon or a name and a bracket.
    let (mut open, mut named) = (None, false);
    let start = text.char_indices().find_map(|(at, c)| match c {
        ';' if !named => open,
        '[' if named => open,
        c if c.is_whitespace() => None,
        c => {
            named = open.is_some() && c.is_ascii_alphabetic();
            if !named {
                open = (c == '(').then_some(at);
            }
            None
        }
    });
    let game = start
        .and_then(|at| text.get(at..))
        .ok_or(SgfError::NoGame)?;
    let bytes = game.as_bytes();
    let end = closed(bytes).unwrap_or_else(|| cut(bytes));
    let game = game.get(..end).unwrap_or(game);
    let inside = game.trim_start_matches('(').trim_start();
    let line = inside.strip_prefix(';');
    let mut chars = line.unwrap_or(inside).chars();
    let mut nodes = vec![Vec::new()];
    let mut values_left = MOST;
    let mut name = String::new();
    let mut was_value = false;
    // Has nothing followed the last opening parenthesis?
    let mut fresh = false;
    let mut breaks_off = true;
    while let Some(c) = chars.next() {
        match c {
            ')' if !fresh => {
                breaks_off = false;
                break;
            }
            ';' if nodes.len() >= MOST => return Err(SgfError::TooLong(MOST)),
            ';' => {
                nodes.push(Vec::new());
                name.clear();
                fresh = false;
            }
            '[' => {
                let name = property_name(&name);
                let value = value(&mut chars).ok_or_else(|| SgfError::Unclosed(name.clone()))?;
                values_left = values_left.checked_sub(1).ok_or(SgfError::TooLong(MOST))?;
                if let (Some(node), false) = (nodes.last_mut(), name.is_empty()) {
                    match node.last_mut() {
                        Some(Property { values, .. }) if was_value => values.push(value),
                        _ => node.push(Property {
                            name,
                            values: vec![value],
                        }),
                    }
                }
                was_value = true;
                fresh = false;
                continue;
            }
            c if c.is_ascii_alphabetic() => {
                if was_value {
                    name.clear();
                }
                name.push(c);
            }
            // Variations: the first is entered without further ado.
            '(' => {
                name.clear();
                fresh = true;
            }
            ')' => fresh = false,
            c if c.is_whitespace() => continue,
            _ => {}
        }
        was_value = false;
    }
    Ok(MainLine {
        nodes,
        bare: line.is_none(),
        breaks_off,
        variations: lines(chars.as_str()),
    })
}

/// How many lines end in the rest of a game.
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

/// FF[3] let lower-case letters be added to a name for the human reader. A name
/// of nothing else is taken for a careless upper-case one.
fn property_name(letters: &str) -> String {
    let upper: String = letters.chars().filter(char::is_ascii_uppercase).collect();
    if upper.is_empty() {
        letters.to_ascii_uppercase()
    } else {
        upper
    }
}

/// The rest of a value, up to its closing bracket; `None` if there is none.
fn value(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            ']' => return Some(text),
            '\\' => match chars.next()? {
                // An escaped line break, of one character or two, is no line break.
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
    fn what_is_no_record() {
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
    fn depth_and_length_are_free_up_to_a_million() {
        let deep = "(;B[aa]".repeat(200_000);
        assert_eq!(main_line(deep.as_bytes()).unwrap().nodes.len(), 200_000);
        for endless in [";", "[]"] {
            let long = format!("(;B{}", endless.repeat(MOST + 1));
            assert_eq!(main_line(long.as_bytes()), Err(SgfError::TooLong(MOST)));
        }
    }
}
