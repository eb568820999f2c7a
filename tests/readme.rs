//! What the documents say: their tables are made from the program, their links lead
//! somewhere, and the README begins with the two commands that a newcomer needs. To
//! rewrite the tables: `UPDATE_DOCS=1 cargo test --test readme`.

use ponnuki::cli::{options_markdown, rules_markdown};
use ponnuki::gtp::commands_markdown;
use ponnuki::player::katago_markdown;
use ponnuki::rules::{PRESETS, Ruleset};
use regex::Regex;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every document of the repository for human readers.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() >= 8, "{found:?}");
    found
}

#[test]
fn tables_are_those_of_the_program() {
    for (file, name, table) in [
        ("docs/commands.md", "commands", commands_markdown()),
        ("docs/options.md", "options", options_markdown()),
        ("docs/rules.md", "rules", rules_markdown()),
        ("docs/katago.md", "katago", katago_markdown()),
    ] {
        let path = root().join(file);
        let before = fs::read_to_string(&path).unwrap();
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (head, rest) = before.split_once(&open).unwrap();
        let (_, tail) = rest.split_once(&close).unwrap();
        let after = format!("{head}{open}{table}{close}{tail}");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &after).unwrap();
            continue;
        }
        assert!(
            after == before,
            "{file} is out of date: UPDATE_DOCS=1 cargo test --test readme"
        );
    }
}

#[test]
fn links_lead_to_files_and_nothing_lies_outside() {
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        assert!(!text.contains("../"), "{}", document.display());
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            if !link.starts_with("https://") {
                let target = document.with_file_name(link);
                assert!(target.is_file(), "{}: {link}", document.display());
            }
        }
    }
}

/// Options and commands that a document for users names are those of the program.
#[test]
fn what_is_named_exists() {
    let mut known = commands_markdown();
    for command in [
        "gtp", "play", "analysis", "bench", "rules", "analyze", "match", "score", "selfplay",
        "label",
    ] {
        let mut help = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        let help = help.args([command, "--help"]).output().unwrap();
        known.push_str(&String::from_utf8(help.stdout).unwrap());
    }
    // Options of cargo, of GNU Go and of Slurm, and the programs of GoGui.
    let others = [
        "release",
        "path",
        "open",
        "mode",
        "array",
        "cpus-per-task",
        "gogui-twogtp",
        "gogui-regress",
    ];
    let option = Regex::new(r#"(?:^|[ `"])--([a-z][a-z-]*)"#).unwrap();
    let command = Regex::new(r"\b(?:gogui|kata|kgs|lz|ponnuki)-[a-z][a-z_-]*").unwrap();
    let mut named = 0;
    for document in [
        "README.md",
        "docs/options.md",
        "docs/rules.md",
        "docs/networks.md",
        "docs/katago.md",
        "docs/archives.md",
    ] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let options = option.captures_iter(&text).map(|c| c.get(1).unwrap());
        let options = options.map(|m| (m.as_str(), format!("--{} ", m.as_str())));
        let commands = command.find_iter(&text);
        let commands = commands.map(|m| (m.as_str(), format!("`{}", m.as_str())));
        for (name, wanted) in options.chain(commands) {
            named += 1;
            let flag = wanted.replace(' ', "[");
            let there = known.contains(&wanted) || known.contains(&flag);
            assert!(there || others.contains(&name), "{document}: {name}");
        }
    }
    assert!(named > 60, "{named}");
}

#[test]
fn the_readme_names_every_ruleset() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    for preset in PRESETS {
        assert!(
            text.contains(&format!("`{}`", preset.name)),
            "{}",
            preset.name
        );
    }
    assert!(text.contains("fifteen rulesets") && PRESETS.len() == 15);
}

#[test]
fn the_rules_document_explains_every_rule() {
    let text = fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let rules: Value = serde_json::from_str(&Ruleset::default().to_json()).unwrap();
    for key in rules.as_object().unwrap().keys() {
        assert!(text.contains(&format!("\n| `{key}` | `")), "{key}");
    }
}

#[test]
fn the_two_commands_stand_at_the_top() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let first: Vec<_> = text.match_indices("```\ncargo ").map(|(i, _)| i).collect();
    assert_eq!(first.len(), 2);
    assert!(text[first[0]..].starts_with("```\ncargo run --release\n```"));
    assert!(text[first[1]..].starts_with("```\ncargo test\n```"));
}
