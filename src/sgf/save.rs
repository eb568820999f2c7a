use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replace a file atomically: write a temporary file next to it and rename that. Symlinks
/// are resolved. A path that is not a regular file, such as a terminal, is written
/// directly.
///
/// # Errors
/// If the file cannot be written. The temporary file is then removed.
pub fn save(path: &Path, text: &str) -> io::Result<()> {
    let target = resolve(path);
    let known = fs::metadata(&target).ok();
    if known.as_ref().is_some_and(|m| !m.is_file()) {
        return fs::write(&target, text);
    }
    let part = temporary(&target);
    let written = write(&part, text).and_then(|()| {
        if let Some(known) = known {
            fs::set_permissions(&part, known.permissions())?;
        }
        fs::rename(&part, &target).map_err(explained)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

/// Add the likely reason that a file cannot be replaced. Windows names none.
fn explained(e: io::Error) -> io::Error {
    match cfg!(windows) {
        true => io::Error::new(e.kind(), format!("{e}; is it open in another program?")),
        false => e,
    }
}

/// Check that a file can be written at this path.
///
/// # Errors
/// The reason that it cannot be written.
pub fn expect_writable(path: &Path) -> io::Result<()> {
    let target = resolve(path);
    let folder = target.parent().filter(|f| !f.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|f| !f.is_dir()) {
        let why = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    match fs::metadata(&target) {
        Ok(known) if known.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(known) if !known.is_file() => Ok(()),
        Ok(known) if known.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        _ => {
            let part = temporary(&target);
            File::create(&part)?;
            fs::remove_file(&part)
        }
    }
}

/// Resolve symlinks.
fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The temporary file next to a path.
fn temporary(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    // Report a full disk now at the latest.
    file.sync_all()
}
