//! Which games there are: in files, folders and archives.

use super::{beside, journal};
use crate::sgf;
use crate::types::read_up_to;
use flate2::Crc;
use flate2::read::MultiGzDecoder;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A record to analyse.
#[derive(Clone, Debug)]
pub(super) struct Game {
    /// Its name in the table and of its file, without `.sgf`; no two games share one.
    pub name: String,
    /// The record's part of its file; or why the file cannot be read.
    part: Result<Part, String>,
}

#[derive(Clone, Debug)]
struct Part {
    file: Arc<[u8]>,
    range: Range<usize>,
}

impl Game {
    /// The record.
    ///
    /// # Errors
    /// A line that says why its file cannot be read.
    pub fn bytes(&self) -> Result<&[u8], String> {
        let part = self.part.as_ref().map_err(Clone::clone)?;
        Ok(part.file.get(part.range.clone()).unwrap_or_default())
    }

    /// Its length and CRC-32, by which another record of the same name is told from it; a
    /// dash where its file cannot be read.
    pub fn checksum(&self) -> String {
        self.bytes().map_or_else(
            |_| "-".to_owned(),
            |bytes| {
                let mut crc = Crc::new();
                crc.update(bytes);
                format!("{}-{:08x}", bytes.len(), crc.sum())
            },
        )
    }
}

/// Most bytes of an archive that is compressed.
const MOST: u64 = 1 << 30;

/// Endings of the files that a folder is searched for.
const ENDINGS: &[&str] = &[".sgf", ".sgfs", ".sgf.gz", ".sgfs.gz"];

/// All games of files, folders and archives, always in the same order. In folders, what an
/// analysis has written is no game: a folder of results, and `game-analyzed.sgf` beside
/// `game.sgf`.
///
/// # Errors
/// A line about a path that cannot be read, or that holds no game. What cannot be read in a
/// folder is a game that is refused later, with the reason.
pub(super) fn find(paths: &[PathBuf], results: &Path) -> Result<Vec<Game>, String> {
    let results = results.canonicalize().ok();
    let is_results = |folder: &Path| {
        let folder = folder.canonicalize().ok();
        folder.is_some() && folder == results
    };
    let mut games = Vec::new();
    let mut names = HashSet::new();
    for path in paths {
        let of_a_folder = path.is_dir();
        if of_a_folder && is_results(path) {
            let place = path.display();
            return Err(format!(
                "{place}: the results would lie among the records; give another --out"
            ));
        }
        let files = if of_a_folder {
            let mut files = Vec::new();
            walk(path, &is_results, &mut files)?;
            files.sort();
            let copies: HashSet<PathBuf> = files.iter().map(|file| beside(file)).collect();
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
            let parts = match parts(&file) {
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
        // A link may lead back to where it stands.
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

/// `club/2024/final.sgf` is called `club-2024-final`, wherever it lies: `./` and `../` are
/// no part of a name.
fn name_of(path: &Path) -> String {
    let parts = path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let whole = parts.collect::<Vec<_>>().join("-");
    let lower = whole.to_ascii_lowercase();
    let ending = ENDINGS.iter().rev().find(|e| lower.ends_with(*e));
    let stem = ending.map_or(whole.len(), |e| whole.len() - e.len());
    // A name stands in lines of the journal.
    whole
        .get(..stem)
        .unwrap_or(&whole)
        .replace(char::is_control, "_")
}

/// The games in a file.
///
/// # Errors
/// A line that says why it cannot be read.
fn parts(path: &Path) -> Result<Vec<Part>, String> {
    let cannot = |e: std::io::Error| format!("cannot read {}: {e}", path.display());
    let mut bytes = sgf::bytes_of(path).map_err(cannot)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let plain = read_up_to(MultiGzDecoder::new(&bytes[..]), MOST).map_err(cannot)?;
        let long = || format!("{}: more than 1 GiB of records", path.display());
        bytes = plain.ok_or_else(long)?;
    }
    if let Some(text) = sgf::decode_archive(&bytes) {
        bytes = text.into_bytes();
    }
    let file: Arc<[u8]> = bytes.into();
    let mut ranges: Vec<Range<usize>> = sgf::games(&file)
        .map(|game| {
            let start = game.as_ptr() as usize - file.as_ptr() as usize;
            start..start + game.len()
        })
        .collect();
    if ranges.is_empty() {
        // It is refused later, with the reason.
        ranges.push(0..file.len());
    }
    let part = |range| Part {
        file: file.clone(),
        range,
    };
    Ok(ranges.into_iter().map(part).collect())
}

/// The games of a file; several are numbered.
fn add(
    stem: &str,
    parts: Vec<Result<Part, String>>,
    names: &mut HashSet<String>,
    games: &mut Vec<Game>,
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
        games.push(Game { name, part });
    }
}
