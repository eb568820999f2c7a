//! The tables of the README are made from the program. To rewrite them:
//! `UPDATE_README=1 cargo test --test readme`.

use ponnuki::cli::{options_markdown, rules_markdown};
use ponnuki::gtp::commands_markdown;
use std::fs;
use std::path::Path;

#[test]
fn tables_are_those_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let before = fs::read_to_string(&path).unwrap();
    let mut after = before.clone();
    for (name, table) in [
        ("commands", commands_markdown()),
        ("options", options_markdown()),
        ("rules", rules_markdown()),
    ] {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let start = after
            .find(&open)
            .unwrap_or_else(|| panic!("{open} is missing"))
            + open.len();
        let end = start
            + after[start..]
                .find(&close)
                .unwrap_or_else(|| panic!("{close} is missing"));
        after.replace_range(start..end, &table);
    }
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(&path, &after).unwrap();
    }
    let now = fs::read_to_string(&path).unwrap();
    assert!(
        now == after,
        "README.md is out of date: UPDATE_README=1 cargo test --test readme"
    );
}

#[test]
fn the_two_commands_stand_at_the_top() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(path).unwrap();
    let first: Vec<_> = text.match_indices("```\ncargo ").map(|(i, _)| i).collect();
    assert_eq!(first.len(), 2);
    assert!(text[first[0]..].starts_with("```\ncargo run --release\n```"));
    assert!(text[first[1]..].starts_with("```\ncargo test\n```"));
}
