//! What has been done, so that a killed analysis goes on where it was.
//!
//! A game's rows are written to the table, and then a line to the journal that names the
//! game, its checksum and how long the table is now. Whatever comes after the last whole
//! line of the journal is cut off when the analysis is resumed, so that no game is missing
//! from the table or in it twice.

use super::games::Game;
use crate::cli::{lock, unwritable};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// With what the first line of a journal begins; the settings follow.
pub(super) const SIGNATURE: &str = "ponnuki ";

/// What became of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is in the table.
    Done,
    /// It cannot be used: why.
    Refused(String),
}

/// A game that has been met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Which record it was: [`super::games::Game`]'s checksum.
    pub checksum: String,
    /// What became of it.
    pub fate: Fate,
}

/// The table and the journal, open for writing.
#[derive(Debug)]
pub(super) struct Journal {
    table: File,
    journal: File,
    /// The games so far.
    pub known: HashMap<String, Entry>,
}

/// Paths of the table and the journal.
pub(super) fn paths(folder: &Path, shard: &str) -> (PathBuf, PathBuf) {
    (
        folder.join(format!("moves{shard}.csv")),
        folder.join(format!("journal{shard}.txt")),
    )
}

/// Does an analysis write its results into this folder, of whatever share and settings?
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
    /// Begin, or go on with what was begun with the same settings.
    ///
    /// # Errors
    /// A line that names the file: it cannot be read or written, or was begun with other
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
        let mut bytes = Vec::new();
        let read = journal_file.read_to_end(&mut bytes);
        read.map_err(|e| format!("cannot read {}: {e}", journal.display()))?;
        let whole = bytes
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()).into_owned();
        let mut lines = text.lines();
        let fresh = match lines.next() {
            None => true,
            Some(line) if line == settings => false,
            Some(line) => {
                let place = journal.display();
                return Err(format!(
                    "{place} was begun with other settings ({line}); give another --out"
                ));
            }
        };
        let mut known = HashMap::new();
        let mut length = header.len() as u64;
        for line in lines {
            let mut parts = line.splitn(4, '\t');
            let end = parts.next().and_then(|n| n.parse().ok());
            let (Some(end), Some(name), Some(checksum)) = (end, parts.next(), parts.next()) else {
                return Err(format!(
                    "{}: '{line}' is no entry; give another --out",
                    journal.display()
                ));
            };
            length = end;
            let fate = match parts.next() {
                None => Fate::Done,
                Some(why) => Fate::Refused(why.to_owned()),
            };
            let checksum = checksum.to_owned();
            known.insert(name.to_owned(), Entry { checksum, fate });
        }
        let mut table_file = open(table)?;
        if !fresh && !goes_on(&mut table_file, header, length).map_err(|e| unwritable(table, &e))? {
            return Err(format!(
                "{} is not the table that {} goes on with; put that back, or give another --out",
                table.display(),
                journal.display()
            ));
        }
        let begin = |file: &mut File, len: u64, head: &str| -> std::io::Result<()> {
            if fresh {
                file.set_len(0)?;
                file.rewind()?;
                file.write_all(head.as_bytes())
            } else {
                file.set_len(len)?;
                file.seek(SeekFrom::End(0)).map(drop)
            }
        };
        begin(&mut table_file, length, header).map_err(|e| unwritable(table, &e))?;
        let head = format!("{settings}\n");
        begin(&mut journal_file, whole as u64, &head).map_err(|e| unwritable(journal, &e))?;
        Ok(Journal {
            table: table_file,
            journal: journal_file,
            known,
        })
    }

    /// A game is done: its rows, which may be none.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn done(&mut self, game: &Game, rows: &str) -> std::io::Result<()> {
        self.table.write_all(rows.as_bytes())?;
        // The journal must not know of rows that a loss of power takes away.
        self.table.sync_data()?;
        self.note(game, Fate::Done)
    }

    /// A game cannot be used.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub fn refused(&mut self, game: &Game, why: &str) -> std::io::Result<()> {
        let why = why.replace(['\n', '\r', '\t'], " ");
        self.note(game, Fate::Refused(why))
    }

    fn note(&mut self, game: &Game, fate: Fate) -> std::io::Result<()> {
        let length = self.table.stream_position()?;
        let (name, checksum) = (game.name.clone(), game.checksum.clone());
        let why = match &fate {
            Fate::Done => String::new(),
            Fate::Refused(why) => format!("\t{why}"),
        };
        let entry = format!("{length}\t{name}\t{checksum}{why}\n");
        self.journal.write_all(entry.as_bytes())?;
        self.known.insert(name, Entry { checksum, fate });
        Ok(())
    }
}

/// Does a table begin with this header, and end a row at this length? One that was saved by a
/// spreadsheet or replaced does not.
fn goes_on(table: &mut File, header: &str, length: u64) -> std::io::Result<bool> {
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
