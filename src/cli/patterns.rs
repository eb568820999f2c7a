//! Patterns such as `*.sgf`. Shells expand them, but not on Windows, nor in quotes.

use std::path::{Path, PathBuf};

/// Expand paths to files. A path that does not exist and has `*`, `?` or `[` is a pattern.
///
/// # Errors
/// A message about a pattern that is malformed or matches nothing.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        let name = path.to_string_lossy();
        if !name.contains(['*', '?', '[']) || path.exists() {
            files.push(path.clone());
            continue;
        }
        let options = glob::MatchOptions {
            case_sensitive: !cfg!(windows),
            ..glob::MatchOptions::new()
        };
        let found = glob::glob_with(&name, options).map_err(|e| format!("{name}: {e}"))?;
        let before = files.len();
        // Folders that cannot be read are skipped, as in shells.
        files.extend(found.flatten());
        if files.len() == before {
            return Err(format!("no file matches {name}"));
        }
    }
    Ok(files)
}

/// The one file that a path names.
///
/// # Errors
/// As for [`expand`], and if a pattern matches several files.
pub(super) fn expand_to_one(path: &Path) -> Result<PathBuf, String> {
    match expand(&[path.to_owned()])?.as_slice() {
        [file] => Ok(file.clone()),
        several => Err(format!(
            "expected one file, but {} match {}",
            several.len(),
            path.display()
        )),
    }
}
