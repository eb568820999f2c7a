//! Games in files, folders and archives.

use super::record::{Part, Reader, RecordToRead, checksum};
use super::{default_path, journal};
use crate::sgf;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Endings of the files to look for in folders.
const ENDINGS: &[&str] = &[".sgf", ".sgfs", ".sgf.gz", ".sgfs.gz"];

/// Find all games in files, folders and archives, in a fixed order. In folders, output of earlier
/// analyses is skipped: a folder of results, and `game-analyzed.sgf` next to `game.sgf`.
///
/// # Errors
/// A message about a path that cannot be read or holds no game. An unreadable file in a folder
/// becomes a game that is refused later, with the reason.
pub(in crate::cli) fn find(paths: &[PathBuf], results: &Path) -> Result<Vec<RecordToRead>, String> {
    let results = results.canonicalize().ok();
    let is_results = |folder: &Path| {
        let folder = folder.canonicalize().ok();
        folder.is_some() && folder == results
    };
    let mut games = Vec::new();
    let mut names = HashSet::new();
    let reader = Arc::default();
    for path in paths {
        let of_a_folder = path.is_dir();
        if of_a_folder && is_results(path) {
            let place = path.display();
            return Err(format!(
                "{place}: the results would be among the records; give another --out"
            ));
        }
        let files = if of_a_folder {
            let mut files = Vec::new();
            walk(path, &is_results, &mut files)?;
            files.sort();
            let copies: HashSet<PathBuf> = files.iter().map(|file| default_path(file)).collect();
            files.retain(|file| !copies.contains(file));
            files
        } else {
            vec![path.clone()]
        };
        if files.is_empty() {
            let endings = ENDINGS.join(", ");
            return Err(format!("{}: no file ends with {endings}", path.display()));
        }
        for file in files {
            let under = if of_a_folder {
                path.parent()
            } else {
                file.parent()
            };
            let inside = file
                .strip_prefix(under.unwrap_or(Path::new("")))
                .unwrap_or(&file);
            let stem = name_of(inside);
            let parts = match parts(&file, &reader) {
                Err(why) if !of_a_folder => return Err(why),
                Err(why) => vec![Err(why)],
                Ok(parts) => parts.into_iter().map(Ok).collect(),
            };
            add(&stem, parts, &mut names, &mut games);
        }
    }
    Ok(games)
}

fn walk(
    folder: &Path,
    is_results: &impl Fn(&Path) -> bool,
    files: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let path = entry.path();
        // Links to folders are not followed: they may form a cycle.
        if entry.file_type().map_err(cannot)?.is_dir() {
            if !is_results(&path) && !journal::lies_in(&path) {
                walk(&path, is_results, files)?;
            }
            continue;
        }
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        if ENDINGS.iter().any(|e| name.ends_with(e)) {
            files.push(path);
        }
    }
    Ok(())
}

/// The name of the game in a file: `club-2024-final` for `club/2024/final.sgf`, without `./` and
/// `../`.
fn name_of(path: &Path) -> String {
    let parts = path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let whole = parts.collect::<Vec<_>>().join("-");
    let lower = whole.to_ascii_lowercase();
    let ending = ENDINGS.iter().rev().find(|e| lower.ends_with(*e));
    let stem = ending.map_or(whole.len(), |e| whole.len() - e.len());
    // The journal has one line per name.
    whole
        .get(..stem)
        .unwrap_or(&whole)
        .replace(char::is_control, "_")
}

/// Find the games in a file.
///
/// # Errors
/// A message that says why it cannot be read.
fn parts(path: &Path, reader: &Arc<Reader>) -> Result<Vec<(String, Part)>, String> {
    let file: Arc<Path> = path.into();
    let bytes = reader.read(&file)?;
    let mut records: Vec<&[u8]> = sgf::games(&bytes).collect();
    if records.is_empty() {
        // Refused later, with the reason.
        records.push(&bytes);
    }
    let part = |record: &[u8]| {
        let start = record.as_ptr() as usize - bytes.as_ptr() as usize;
        let part = Part {
            file: file.clone(),
            range: start..start + record.len(),
            reader: reader.clone(),
        };
        (checksum(record), part)
    };
    Ok(records.into_iter().map(part).collect())
}

/// Add the games of a file; several are numbered.
fn add(
    stem: &str,
    parts: Vec<Result<(String, Part), String>>,
    names: &mut HashSet<String>,
    games: &mut Vec<RecordToRead>,
) {
    let several = parts.len() > 1;
    let digits = parts.len().to_string().len();
    for (i, part) in parts.into_iter().enumerate() {
        let plain = match several {
            true => format!("{stem}-{:0digits$}", i + 1),
            false => stem.to_owned(),
        };
        let mut name = plain.clone();
        let mut copy = 1;
        while !names.insert(name.clone()) {
            copy += 1;
            name = format!("{plain}-{copy}");
        }
        let (checksum, part) = match part {
            Ok((checksum, part)) => (checksum, Ok(part)),
            Err(why) => ("-".to_owned(), Err(why)),
        };
        games.push(RecordToRead {
            name,
            checksum,
            part,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::locked;

    #[test]
    fn one_file_at_a_time_is_in_memory() {
        let name = format!("ponnuki-games-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let file = |n: u32| folder.join(format!("{n}.sgf"));
        for n in 0..3 {
            std::fs::write(file(n), format!("(;KM[{n}])(;KM[{n}.5])")).unwrap();
        }
        let games = find(std::slice::from_ref(&folder), &folder.join("results")).unwrap();
        assert_eq!(games.len(), 6);
        let reader = games[0].part.as_ref().unwrap().reader.clone();
        let held = || {
            locked(&reader.0)
                .as_ref()
                .map(|(path, _)| path.to_path_buf())
        };
        assert_eq!(held(), Some(file(2)));
        assert_eq!(games[1].bytes().unwrap(), b"(;KM[0.5])");
        assert_eq!(held(), Some(file(0)));
        std::fs::write(file(1), "(;KM[7])(;KM[8.5])").unwrap();
        let why = games[2].bytes().unwrap_err();
        assert!(why.ends_with("1.sgf has changed"), "{why}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
