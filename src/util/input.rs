use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Open a regular file for reading. Pipes and devices are refused: they may block, or never
/// end.
///
/// # Errors
/// If it cannot be opened, or is not a regular file.
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
/// If reading the input fails.
pub fn read_up_to(input: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = input.take(most + 1).read_to_end(&mut bytes)?;
    Ok((read as u64 <= most).then_some(bytes))
}

/// Replace `line` with the next line, line break included; false at the end of the input.
/// A line of more than `most` bytes is cut to `most + 1`, and its rest is skipped.
///
/// # Errors
/// If reading the input fails.
///
/// ```
/// use ponnuki::util::read_line;
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
    // The line break does not count.
    let limit = most as u64 + 1;
    let read = input.by_ref().take(limit).read_until(b'\n', line)?;
    if read > most && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}
