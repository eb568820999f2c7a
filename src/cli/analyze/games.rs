//! Which games there are: in files, folders and archives.

use crate::sgf;
use crate::types::read_up_to;
use flate2::read::MultiGzDecoder;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A record to analyse.
#[derive(Clone, Debug)]
pub(super) struct Game {
    /// Its name in the table and of its file, without `.sgf`; no two games share one.
    pub name: String,
    file: Arc<[u8]>,
    part: Range<usize>,
}

impl Game {
    /// The record.
    pub fn bytes(&self) -> &[u8] {
        self.file.get(self.part.clone()).unwrap_or_default()
    }
}

/// Most bytes of an archive that is compressed.
const MOST: u64 = 1 << 30;

/// Endings of the files that a folder is searched for.
const ENDINGS: &[&str] = &[".sgf", ".sgfs", ".sgf.gz", ".sgfs.gz"];

/// All games of files, folders and archives, always in the same order.
///
/// # Errors
/// A line about a path that cannot be read, or that holds no game.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<Game>, String> {
    let mut games = Vec::new();
    let mut names = HashSet::new();
    for path in paths {
        let files = if path.is_dir() {
            let mut files = Vec::new();
            walk(path, &mut files)?;
            files.sort();
            files
        } else {
            vec![path.clone()]
        };
        if files.is_empty() {
            let endings = ENDINGS.join(", ");
            return Err(format!("{}: no file ends with {endings}", path.display()));
        }
        for file in files {
            let under = if path.is_dir() {
                path.parent()
            } else {
                file.parent()
            };
            let inside = file
                .strip_prefix(under.unwrap_or(Path::new("")))
                .unwrap_or(&file);
            add(&file, &name_of(inside), &mut names, &mut games)?;
        }
    }
    Ok(games)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let path = entry.path();
        // A link may lead back to where it stands.
        if entry.file_type().map_err(cannot)?.is_dir() {
            walk(&path, files)?;
            continue;
        }
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        if ENDINGS.iter().any(|e| name.ends_with(e)) {
            files.push(path);
        }
    }
    Ok(())
}

/// `club/2024/final.sgf` is called `club-2024-final`.
fn name_of(path: &Path) -> String {
    let parts = path.components().map(|c| c.as_os_str().to_string_lossy());
    let whole = parts.collect::<Vec<_>>().join("-");
    let lower = whole.to_ascii_lowercase();
    let ending = ENDINGS.iter().rev().find(|e| lower.ends_with(*e));
    let stem = ending.map_or(whole.len(), |e| whole.len() - e.len());
    whole.get(..stem).unwrap_or(&whole).to_owned()
}

/// The games of a file; several are numbered.
fn add(
    path: &Path,
    stem: &str,
    names: &mut HashSet<String>,
    games: &mut Vec<Game>,
) -> Result<(), String> {
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
    let mut parts: Vec<Range<usize>> = sgf::games(&file)
        .map(|game| {
            let start = game.as_ptr() as usize - file.as_ptr() as usize;
            start..start + game.len()
        })
        .collect();
    if parts.is_empty() {
        // It is refused later, with the reason.
        parts.push(0..file.len());
    }
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
        games.push(Game {
            name,
            file: file.clone(),
            part,
        });
    }
    Ok(())
}
