use std::fmt::Display;

/// Write things one after another, separated by blanks: `D4 pass`.
pub fn spaced<T: Display>(all: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = all.into_iter().map(|one| one.to_string()).collect();
    texts.join(" ")
}
