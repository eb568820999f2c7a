//! A record of an archive, read when it is needed. Only one file at a time is kept in memory.

use crate::sgf;
use crate::util::locked;
use flate2::Crc;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A record to analyse.
#[derive(Clone, Debug)]
pub(in crate::cli) struct RecordToRead {
    /// Unique name in the table and of the output file, without `.sgf`.
    pub name: String,
    /// Length and CRC-32, which distinguish another record of the same name; a dash if the file
    /// cannot be read.
    pub checksum: String,
    /// The record's part of its file, or why the file cannot be read.
    pub(super) part: Result<Part, String>,
}

/// A part of a file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub file: Arc<Path>,
    pub range: Range<usize>,
    pub reader: Arc<Reader>,
}

impl RecordToRead {
    /// The record.
    ///
    /// # Errors
    /// A message that says why the file cannot be read, or that it has changed.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let part = self.part.as_ref().map_err(Clone::clone)?;
        let file = part.reader.read(&part.file)?;
        let bytes = file.get(part.range.clone()).unwrap_or_default();
        match checksum(bytes) == self.checksum {
            true => Ok(bytes.to_vec()),
            false => Err(format!("{} has changed", part.file.display())),
        }
    }
}

/// Length and CRC-32.
pub(super) fn checksum(bytes: &[u8]) -> String {
    let mut crc = Crc::new();
    crc.update(bytes);
    format!("{}-{:08x}", bytes.len(), crc.sum())
}

/// Reads files and keeps the last one, since games are analysed in file order.
#[derive(Debug, Default)]
pub(super) struct Reader(pub(super) Mutex<Option<Held>>);

/// A file and its bytes.
type Held = (Arc<Path>, Arc<[u8]>);

impl Reader {
    /// Read a file, as UTF-8 unless its records declare their encoding.
    ///
    /// # Errors
    /// A message that says why it cannot be read.
    pub fn read(&self, path: &Arc<Path>) -> Result<Arc<[u8]>, String> {
        let mut last = locked(&self.0);
        if let Some((_, bytes)) = last.as_ref().filter(|(of, _)| of == path) {
            return Ok(bytes.clone());
        }
        // Free the last file before reading the next.
        *last = None;
        let cannot = |e: std::io::Error| format!("cannot read {}: {e}", path.display());
        let mut bytes = sgf::bytes_of(path).map_err(cannot)?;
        if let Some(text) = sgf::decode_archive(&bytes) {
            bytes = text.into_bytes();
        }
        let bytes: Arc<[u8]> = bytes.into();
        *last = Some((path.clone(), bytes.clone()));
        Ok(bytes)
    }
}
