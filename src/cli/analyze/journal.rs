//! Journal of finished games, so that a killed analysis can be resumed.
//!
//! A game's rows are written to the table first, then a line to the journal with the name
//! of the game, its checksum and the new length of the table. On resuming, everything after
//! the last whole line of the journal is cut off, so that each game is in the table exactly
//! once.

use super::record::RecordToRead;
use crate::cli::files::{lock, unwritable};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Start of a journal's first line; the settings follow.
pub(super) const SIGNATURE: &str = "ponnuki ";

/// Whether a game was analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Its rows are in the table.
    Done,
    /// It cannot be used, for this reason.
    Refused(String),
}

/// A game in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Checksum of its record, as in [`RecordToRead`].
    pub checksum: String,
    /// Whether it was analysed.
    pub status: Status,
}

/// The table and the journal, open for writing.
#[derive(Debug)]
pub(super) struct Journal {
    table: File,
    journal: File,
    /// The games in the journal, by name.
    pub known: HashMap<String, Entry>,
}

/// Paths of the table and the journal.
pub(super) fn paths(folder: &Path, shard: &str) -> (PathBuf, PathBuf) {
    (
        folder.join(format!("moves{shard}.csv")),
        folder.join(format!("journal{shard}.txt")),
    )
}

/// Does the folder hold the results of an analysis, of any shard and settings?
pub(super) fn lies_in(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let journal = |name: &str| name.starts_with("journal") && name.ends_with(".txt");
    entries.flatten().any(|entry| {
        let mut head = [0; SIGNATURE.len()];
        journal(&entry.file_name().to_string_lossy())
            && File::open(entry.path())
                .and_then(|mut file| file.read_exact(&mut head))
                .is_ok()
            && head == SIGNATURE.as_bytes()
    })
}

impl Journal {
    /// Start an analysis, or resume one with the same settings.
    ///
    /// # Errors
    /// A message that names the file if it cannot be read or written, or was begun with other
    /// settings.
    pub fn open(
        (table, journal): &(PathBuf, PathBuf),
        settings: &str,
        header: &str,
    ) -> Result<Journal, String> {
        let open = |path: &Path| {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path);
            file.map_err(|e| unwritable(path, &e))
        };
        let mut journal_file = open(journal)?;
        lock(&journal_file).map_err(|e| format!("{}: {e}", journal.display()))?;
        let earlier = read_journal(&mut journal_file, journal, settings)?;
        let mut table_file = open(table)?;
        let cannot_write_table = |e| unwritable(table, &e);
        let cannot_write_journal = |e| unwritable(journal, &e);
        let Some(Earlier {
            known,
            journal_length,
            table_length,
        }) = earlier
        else {
            begin(&mut table_file, header).map_err(cannot_write_table)?;
            let head = format!("{settings}\n");
            begin(&mut journal_file, &head).map_err(cannot_write_journal)?;
            return Ok(Journal {
                table: table_file,
                journal: journal_file,
                known: HashMap::new(),
            });
        };
        let length = table_length.unwrap_or(header.len() as u64);
        if !matches_journal(&mut table_file, header, length).map_err(cannot_write_table)? {
            return Err(format!(
                "{} does not match {}; restore it, or give another --out",
                table.display(),
                journal.display()
            ));
        }
        cut(&mut table_file, length).map_err(cannot_write_table)?;
        cut(&mut journal_file, journal_length).map_err(cannot_write_journal)?;
        Ok(Journal {
            table: table_file,
            journal: journal_file,
            known,
        })
    }

    /// Add a finished game with its rows, which may be empty.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn done(&mut self, game: &RecordToRead, rows: &str) -> std::io::Result<()> {
        self.table.write_all(rows.as_bytes())?;
        // The journal must not mention rows that a power failure could lose.
        self.table.sync_data()?;
        self.note(game, Status::Done)
    }

    /// Add a game that cannot be used.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub fn refused(&mut self, game: &RecordToRead, why: &str) -> std::io::Result<()> {
        let why = why.replace(['\n', '\r', '\t'], " ");
        self.note(game, Status::Refused(why))
    }

    fn note(&mut self, game: &RecordToRead, status: Status) -> std::io::Result<()> {
        let length = self.table.stream_position()?;
        let (name, checksum) = (game.name.clone(), game.checksum.clone());
        let why = match &status {
            Status::Done => String::new(),
            Status::Refused(why) => format!("\t{why}"),
        };
        let entry = format!("{length}\t{name}\t{checksum}{why}\n");
        self.journal.write_all(entry.as_bytes())?;
        self.known.insert(name, Entry { checksum, status });
        Ok(())
    }
}

/// Write the first lines of a file, and nothing else.
fn begin(file: &mut File, head: &str) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(head.as_bytes())
}

/// Cut a file to a length in bytes, and go to its end.
fn cut(file: &mut File, length: u64) -> std::io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0)).map(drop)
}

/// The journal of an earlier run.
struct Earlier {
    known: HashMap<String, Entry>,
    /// Length of its whole lines, in bytes.
    journal_length: u64,
    /// Length of the table after the last game, in bytes; `None` if there is no game.
    table_length: Option<u64>,
}

/// Read the whole lines of a journal. Returns `None` if it has none.
///
/// # Errors
/// A message if it cannot be read, was begun with other settings, or has a line that is not an
/// entry.
fn read_journal(file: &mut File, path: &Path, settings: &str) -> Result<Option<Earlier>, String> {
    let place = path.display();
    let mut bytes = Vec::new();
    let read = file.read_to_end(&mut bytes);
    read.map_err(|e| format!("cannot read {place}: {e}"))?;
    let last = bytes.iter().rposition(|&b| b == b'\n');
    let whole = last.map_or(0, |at| at + 1);
    let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default());
    let mut lines = text.lines();
    match lines.next() {
        None => return Ok(None),
        Some(line) if line == settings => {}
        Some(line) => {
            return Err(format!(
                "{place} was begun with other settings ({line}); give another --out"
            ));
        }
    }
    let (known, table_length) = entries(lines)
        .map_err(|line| format!("{place}: '{line}' is not an entry; give another --out"))?;
    Ok(Some(Earlier {
        known,
        journal_length: whole as u64,
        table_length,
    }))
}

/// Parse the entries of a journal. Returns the games by name, and the length of the table after the
/// last one.
///
/// # Errors
/// The first line that is not an entry.
fn entries<'a>(
    lines: impl Iterator<Item = &'a str>,
) -> Result<(HashMap<String, Entry>, Option<u64>), &'a str> {
    let mut known = HashMap::new();
    let mut length = None;
    for line in lines {
        let mut parts = line.splitn(4, '\t');
        let end = parts.next().and_then(|n| n.parse().ok());
        let (Some(end), Some(name), Some(checksum)) = (end, parts.next(), parts.next()) else {
            return Err(line);
        };
        length = Some(end);
        let status = match parts.next() {
            None => Status::Done,
            Some(why) => Status::Refused(why.to_owned()),
        };
        let checksum = checksum.to_owned();
        known.insert(name.to_owned(), Entry { checksum, status });
    }
    Ok((known, length))
}

/// Does a table begin with this header, and does a row end at this length? A table that was
/// replaced or saved by a spreadsheet does not.
fn matches_journal(table: &mut File, header: &str, length: u64) -> std::io::Result<bool> {
    let mut head = vec![0; header.len()];
    let mut last = [0];
    if table.metadata()?.len() < length || length < header.len() as u64 {
        return Ok(false);
    }
    table.rewind()?;
    table.read_exact(&mut head)?;
    table.seek(SeekFrom::Start(length - 1))?;
    table.read_exact(&mut last)?;
    Ok(head == header.as_bytes() && last == *b"\n")
}
