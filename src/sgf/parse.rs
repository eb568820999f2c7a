//! The syntax: nodes of properties with values.

use super::SgfError;

/// A property and its values, unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Upper-case letters only: FF[3] wrote `Black` for `B`.
    pub name: String,
    /// At least one.
    pub values: Vec<String>,
}

/// The nodes of the main line of the first game.
///
/// Whatever stands before the first `(;` is skipped, as are stray characters
/// between properties. A file that breaks off between two values is read as far
/// as it goes.
pub(super) fn main_line(bytes: &[u8]) -> Result<Vec<Vec<Property>>, SgfError> {
    let text = decode(bytes);
    let mut chars = text.chars().peekable();
    // The start: a parenthesis and, blanks aside, a semicolon.
    let mut open = false;
    loop {
        match chars.next() {
            None => return Err(SgfError::NoGame),
            Some('(') => open = true,
            Some(';') if open => break,
            Some(c) if c.is_whitespace() => {}
            Some(_) => open = false,
        }
    }
    let mut nodes = vec![Vec::new()];
    let mut name = String::new();
    let mut was_value = false;
    while let Some(c) = chars.next() {
        match c {
            ')' => break,
            ';' => {
                nodes.push(Vec::new());
                name.clear();
            }
            '[' => {
                let value = value(&mut chars).ok_or_else(|| SgfError::Unclosed(name.clone()))?;
                let node = nodes.last_mut();
                match node {
                    Some(node) if !name.is_empty() => match node.last_mut() {
                        Some(Property { values, .. }) if was_value => values.push(value),
                        _ => node.push(Property {
                            name: name.clone(),
                            values: vec![value],
                        }),
                    },
                    _ => {}
                }
                was_value = true;
                continue;
            }
            c if c.is_ascii_alphabetic() => {
                if was_value {
                    name.clear();
                }
                if c.is_ascii_uppercase() {
                    name.push(c);
                }
            }
            // Variations: the first is entered without further ado.
            '(' => name.clear(),
            c if c.is_whitespace() => continue,
            _ => {}
        }
        was_value = false;
    }
    Ok(nodes)
}

/// The rest of a value, up to its closing bracket; `None` if there is none.
fn value(chars: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            ']' => return Some(text),
            '\\' => match chars.next()? {
                // An escaped line break is no line break.
                '\n' | '\r' => {}
                c => text.push(c),
            },
            c => text.push(c),
        }
    }
}

/// UTF-8, or else Latin-1, in which every byte is a character.
fn decode(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| b as char).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        main_line(text.as_bytes())
            .unwrap()
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
        assert_eq!(
            line("(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))"),
            "B=aa;W=bb;B=cc"
        );
        assert_eq!(line("(;AB[aa] [bb]\t[cc]"), "AB=aa|bb|cc");
        assert_eq!(line("(;[xx]B[aa])"), "B=aa");
    }

    #[test]
    fn what_is_no_record() {
        assert_eq!(main_line(b""), Err(SgfError::NoGame));
        assert_eq!(main_line(b"(B[aa])"), Err(SgfError::NoGame));
        assert_eq!(main_line(b"(;C[abc"), Err(SgfError::Unclosed("C".into())));
        // Latin-1.
        assert_eq!(
            main_line(b"(;PB[J\xfcrgen])").unwrap()[0][0].values[0],
            "Jürgen"
        );
    }

    #[test]
    fn depth_and_length_are_free() {
        let deep = "(;B[aa]".repeat(200_000);
        assert_eq!(main_line(deep.as_bytes()).unwrap().len(), 200_000);
    }
}
