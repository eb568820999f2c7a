use crate::util::locked;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// A log file of all traffic. Each line has the time (UTC) at which it was read or written;
/// `>>` marks lines to the engine, `<<` lines from it, and `!!` reports of internal errors.
/// If the disk is full, the game goes on and a line on standard error reports it.
#[derive(Debug)]
pub struct Log(Mutex<Out>);

#[derive(Debug)]
struct Out {
    file: File,
    /// Writing the last line failed.
    failing: bool,
}

/// Write a line to standard error. Errors are ignored: `eprintln!` panics if standard error is
/// closed.
pub fn note(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

impl Log {
    /// Open a log. An existing file is appended to.
    ///
    /// # Errors
    /// If the file cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Log> {
        File::options()
            .create(true)
            .append(true)
            .open(path)
            .map(|file| {
                Log(Mutex::new(Out {
                    file,
                    failing: false,
                }))
            })
    }

    /// Log a line that the controller sent.
    pub fn received(&self, line: &[u8]) {
        self.write(">>", line.trim_ascii_end());
    }

    /// Log a reply of the engine.
    pub fn sent(&self, reply: &str) {
        for line in reply.trim_end().lines() {
            self.write("<<", line.as_bytes());
        }
    }

    /// Log a report of an internal error. Returns false if it could not be written.
    pub fn fault(&self, report: &str) -> bool {
        self.write("!!", report.as_bytes())
    }

    fn write(&self, direction: &str, line: &[u8]) -> bool {
        let now = humantime::format_rfc3339_millis(SystemTime::now().max(UNIX_EPOCH));
        let mut text = format!("{now} {direction} ").into_bytes();
        text.extend_from_slice(line);
        text.push(b'\n');
        let mut out = locked(&self.0);
        let written = out.file.write_all(&text);
        if let Err(e) = &written
            && !out.failing
        {
            note(format_args!("ponnuki: cannot write the log: {e}"));
        }
        out.failing = written.is_err();
        written.is_ok()
    }
}
