//! Files that commands read and write.

use crate::sgf;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Lock a file against other processes until it is closed. On file systems without locks this
/// does nothing.
///
/// # Errors
/// If another process has locked it.
pub(super) fn lock(file: &File) -> Result<(), String> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err("another process writes to it".to_owned()),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Replace a file atomically.
///
/// # Errors
/// A line that names the file.
pub(super) fn save(path: &Path, text: &str) -> Result<(), String> {
    sgf::save(path, text).map_err(|e| unwritable(path, &e))
}

/// Refuse a file that cannot be written, before the work is done.
///
/// # Errors
/// A line that names the file.
pub(super) fn expect_writable(path: &Path) -> Result<(), String> {
    sgf::expect_writable(path).map_err(|e| unwritable(path, &e))
}

/// Create a folder unless it is there.
///
/// # Errors
/// A line that names the folder.
pub(super) fn create_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|e| format!("cannot create {}: {e}", path.display()))
}

/// Refuse output files, before the work is done, if one cannot be written or would replace the
/// input or another output.
///
/// # Errors
/// A line that names the file.
pub(super) fn expect_apart<'a>(
    read: &Path,
    written: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), String> {
    // The path by which to compare files; `None` for devices, which may be written to twice.
    let place = |path: &Path| {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        let there = path.canonicalize();
        let file = there.unwrap_or_else(|_| folder.join(path.file_name().unwrap_or_default()));
        (!file.exists() || file.is_file()).then_some(file)
    };
    let mut taken: Vec<_> = place(read).into_iter().collect();
    for path in written {
        expect_writable(path)?;
        let Some(file) = place(path) else { continue };
        if taken.contains(&file) {
            return Err(format!(
                "{} would be written over: it is also the input or another output",
                path.display()
            ));
        }
        taken.push(file);
    }
    Ok(())
}

/// Refuse a folder for results in which one of the inputs lies, which could be written over.
///
/// # Errors
/// A line that names both.
pub(super) fn expect_elsewhere(folder: &Path, read: &[PathBuf]) -> Result<(), String> {
    let place = folder.canonicalize().ok();
    let inside = |path: &&PathBuf| {
        let path = path.canonicalize().ok();
        path.is_some_and(|p| p.parent() == place.as_deref())
    };
    match read.iter().find(inside) {
        Some(path) => Err(format!(
            "{}: the results would lie next to {}; give another --out",
            folder.display(),
            path.display()
        )),
        None => Ok(()),
    }
}

/// The path next to a file with another ending: `game.sgf` and `game.sgf.gz` become
/// `game-analyzed.sgf`.
pub(super) fn sibling(file: &Path, ending: &str) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}{ending}"))
}

/// The path of the page for `--html`, if given; by default next to the record.
pub(super) fn page_path(
    asked: Option<&Option<PathBuf>>,
    record: &Path,
    what: &str,
) -> Option<PathBuf> {
    let named = asked?.clone();
    Some(named.unwrap_or_else(|| sibling(record, &format!("-{what}.html"))))
}

/// Read a record by one of the readers of [`sgf`], up to the position before move `before` if that is
/// given.
///
/// # Errors
/// A message if the record is invalid, or ends earlier.
pub(super) fn read_before(
    before: Option<u32>,
    read: impl FnOnce(Option<usize>) -> Result<sgf::GameRecord, sgf::SgfError>,
) -> Result<sgf::GameRecord, String> {
    let limit = before.map(|n| n as usize - 1);
    let record = read(limit).map_err(|e| e.to_string())?;
    let moves = record.moves_in_record;
    match before {
        Some(n) if n as usize > moves + 1 => {
            Err(format!("no move {n}: the record has {moves} moves"))
        }
        _ => Ok(record),
    }
}

pub(super) fn unwritable(path: &Path, e: &io::Error) -> String {
    format!("cannot write {}: {e}", path.display())
}
