use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Write a file beside its place and move it there, so that it is there whole or not at
/// all, and what was there before stays until then. A link is followed; what is no regular
/// file, such as a terminal, is written to.
///
/// # Errors
/// If it cannot be written; nothing of it is left then.
pub fn save(path: &Path, text: &str) -> io::Result<()> {
    let place = place(path);
    let known = fs::metadata(&place).ok();
    if known.as_ref().is_some_and(|m| !m.is_file()) {
        return fs::write(&place, text);
    }
    let part = part(&place);
    let written = write(&part, text).and_then(|()| {
        if let Some(known) = known {
            fs::set_permissions(&part, known.permissions())?;
        }
        fs::rename(&part, &place)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

/// Could a file be written there now?
///
/// # Errors
/// Why not.
pub fn expect_writable(path: &Path) -> io::Result<()> {
    let place = place(path);
    let folder = place.parent().filter(|f| !f.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|f| !f.is_dir()) {
        let why = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    match fs::metadata(&place) {
        Ok(known) if known.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(known) if !known.is_file() => Ok(()),
        Ok(known) if known.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        _ => {
            let part = part(&place);
            File::create(&part)?;
            fs::remove_file(&part)
        }
    }
}

/// Where a link leads.
fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The file beside it.
fn part(place: &Path) -> PathBuf {
    let mut part = place.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    // A full disk shows here at the latest.
    file.sync_all()
}
