//! The layers of the crate: imports run downwards, only the front ends use the process and its
//! streams, and code that reads outside data does not panic.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer, and the layers directly below it that it may import.
const LAYERS: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("types", &[]),
    ("rules", &["types", "util"]),
    ("board", &["rules"]),
    ("position", &["board"]),
    ("tactics", &["position"]),
    ("adjudicate", &["tactics"]),
    ("playout", &["tactics"]),
    ("net", &["tactics"]),
    ("search", &["playout", "net"]),
    ("dataset", &["search"]),
    ("analysis", &["search", "adjudicate"]),
    ("player", &["analysis"]),
    ("sgf", &["position"]),
    ("page", &["sgf"]),
    ("configuration", &["player"]),
    ("katago", &["configuration"]),
    ("gtp", &["katago", "sgf"]),
    ("json", &["katago"]),
    ("cli", &["gtp", "json", "dataset", "page"]),
];

/// All layers below one.
fn below(layer: &str) -> Vec<&'static str> {
    let (_, next) = LAYERS
        .iter()
        .find(|(name, _)| *name == layer)
        .unwrap_or_else(|| panic!("{layer} is not in the picture of layers"));
    let mut all = next.to_vec();
    all.extend(next.iter().flat_map(|layer| below(layer)));
    all
}

fn source_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// A file's code before its tests, without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    // A whole file may be tests.
    let code = text.split("#![cfg(all(test").next().unwrap();
    let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
    lines.map(|l| format!("{l}\n")).collect()
}

/// All source files, each with its layer and its code before the tests, without comments.
fn layers() -> Vec<(String, PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    for path in source_files(&src) {
        let inside = path.strip_prefix(&src).unwrap();
        if inside.components().count() < 2 {
            continue;
        }
        let layer = inside.components().next().unwrap().as_os_str();
        all.push((
            layer.to_string_lossy().into_owned(),
            path.clone(),
            code(&path),
        ));
    }
    assert!(all.len() > 30, "the scan finds the sources");
    all
}

/// What code imports from a module, by `crate::a::…` or `crate::{a, b::c}` if `from` is `crate::`.
fn imports(code: &str, from: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(from) {
        let rest = &code[at + from.len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut start = 0;
            for (i, c) in list.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => {
                        found.push(word(&list[start..i]));
                        break;
                    }
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        found.push(word(&list[start..i]));
                        start = i + 1;
                    }
                    _ => {}
                }
            }
        } else {
            found.push(word(rest));
        }
    }
    found.retain(|m| !m.is_empty());
    found
}

#[test]
fn imports_are_found_in_either_form() {
    assert_eq!(
        imports("use crate::board::{Board, x};", "crate::"),
        ["board"]
    );
    assert_eq!(
        imports("use crate::{board::{A, B}, types, sgf::C};", "crate::"),
        ["board", "types", "sgf"]
    );
}

#[test]
fn imports_run_downwards() {
    let mut wrong = Vec::new();
    for (layer, path, code) in layers() {
        let allowed = below(&layer);
        for module in imports(&code, "crate::") {
            if module != layer && !allowed.contains(&module.as_str()) {
                wrong.push(format!("{}: {layer} imports {module}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files of a folder do not import each other in a circle. What the folder's `mod.rs` imports from
/// a file counts as imported from that file.
#[test]
fn neighbouring_files_do_not_import_each_other() {
    let mut folders: BTreeMap<PathBuf, BTreeMap<String, String>> = BTreeMap::new();
    for (_, path, code) in layers() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = path.parent().unwrap().to_owned();
        folders.entry(folder).or_default().insert(name, code);
    }
    let mut wrong = Vec::new();
    for (folder, files) in &folders {
        let shared = files.get("mod").map_or("", String::as_str);
        let owner = |name: &str| match files.contains_key(name) {
            true => Some(name.to_owned()),
            false => {
                let owns = |file: &&String| {
                    imports(shared, &format!("use {file}::")).contains(&name.to_owned())
                };
                files.keys().find(owns).cloned()
            }
        };
        let mut open: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (name, code) in files.iter().filter(|(name, _)| *name != "mod") {
            let used = imports(code, "super::")
                .into_iter()
                .filter_map(|n| owner(&n));
            open.insert(name, used.filter(|n| n != name && n != "mod").collect());
        }
        // Files that import none of the others cannot be in a circle.
        loop {
            let names: BTreeSet<String> = open.keys().map(|&n| n.to_owned()).collect();
            let count = open.len();
            open.retain(|_, used| !used.is_disjoint(&names));
            if open.len() == count {
                break;
            }
        }
        for (name, used) in open {
            wrong.push(format!("{}/{name}: {used:?}", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Assert that none of these words occurs in the selected layers.
fn refuse(forbidden: &[&str], selected: impl Fn(&str) -> bool) {
    let mut wrong = Vec::new();
    for (layer, path, code) in layers() {
        for word in forbidden {
            if selected(&layer) && code.contains(word) {
                wrong.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_front_ends_touch_the_process() {
    let forbidden = [
        "println!",
        "print!(",
        "dbg!(",
        "io::stdin",
        "io::stdout",
        "io::stderr",
        "process::exit",
        "process::abort",
    ];
    refuse(&forbidden, |layer| layer != "gtp" && layer != "cli");
}

/// The printing macros panic on a closed pipe. Answers go to a stream whose errors are checked,
/// notes through `gtp::note`.
#[test]
fn nothing_is_printed_where_a_closed_pipe_panics() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in source_files(&src) {
        let code = code(&path);
        // `eprintln!` contains the first, and panics as well.
        let mut forbidden = vec!["println!", "print!("];
        if !path.ends_with("gtp/log.rs") {
            forbidden.push("io::stderr");
        }
        for word in forbidden {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn code_for_outside_data_does_not_panic() {
    let forbidden = [
        ".unwrap()",
        ".expect(",
        "panic!(",
        "unreachable!(",
        "todo!(",
    ];
    refuse(&forbidden, |_| true);
}
