use std::fs::{self, File};
use std::io::{self, BufRead, Read};
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

/// Read to the end; `None` if there are more than `most` bytes.
///
/// # Errors
/// Those of the input.
pub fn read_up_to(input: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = input.take(most + 1).read_to_end(&mut bytes)?;
    Ok((read as u64 <= most).then_some(bytes))
}

/// Read the next line into `line`, its end included, in place of what is there; false where
/// there is none. A line of more than `most` bytes is cut off after one more, and the rest
/// of it is skipped.
///
/// # Errors
/// Those of the input.
///
/// ```
/// use ponnuki::types::read_line;
///
/// let mut input = &b"genmove black\nquit\n"[..];
/// let mut line = Vec::new();
/// assert!(read_line(&mut input, 4, &mut line)?);
/// assert_eq!(line, b"genmo");
/// assert!(read_line(&mut input, 4, &mut line)?);
/// assert_eq!(line, b"quit\n");
/// assert!(!read_line(&mut input, 4, &mut line)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_line(input: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    // Its end does not count.
    let limit = most as u64 + 1;
    let read = input.by_ref().take(limit).read_until(b'\n', line)?;
    if read > most && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}
