use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Open a file to read that must have an end: a pipe or a device may never end, or never
/// begin.
///
/// # Errors
/// If it cannot be opened, or is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    File::open(path)
}
