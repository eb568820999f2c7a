//! The games of a file: where each begins and ends.

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
        let end = match (!broken).then(|| closed_end(game)).flatten() {
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
pub(super) fn other_format(bytes: &[u8]) -> Option<&'static str> {
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
pub(super) fn closed_end(game: &[u8]) -> Option<usize> {
    end(game, false)
}

/// The end of the game at the start of the text, which may be unclosed: its closing parenthesis,
/// the beginning of the next game, or the end of the text.
pub(super) fn unclosed_end(game: &[u8]) -> usize {
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

/// The upper-case letters of a property name: FF[3] allows lower-case letters between
/// them for readability. A name in lower case only is converted to upper case.
pub(super) fn property_name(letters: &str) -> String {
    let upper: String = letters.chars().filter(char::is_ascii_uppercase).collect();
    if upper.is_empty() {
        letters.to_ascii_uppercase()
    } else {
        upper
    }
}

/// The bytes that are not escaped, each with its index and whether it is in a value. The
/// closing bracket counts as in the value, the opening one does not.
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
