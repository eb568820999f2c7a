use crate::util::locked;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut text = format!("{} {direction} ", timestamp(now.unwrap_or_default())).into_bytes();
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

/// Format a time since the start of 1970 (UTC, ISO 8601, milliseconds).
fn timestamp(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (day, time) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of year 0, in cycles of 400 years, so that the leap day
    // is the last of its year.
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!(
        "{:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}.{:03}Z",
        era * 400 + year + next,
        time / 3600,
        time / 60 % 60,
        time % 60,
        since_epoch.subsec_millis()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        let at = |s| timestamp(Duration::from_secs(s));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(951_868_799), "2000-02-29T23:59:59.000Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59.000Z");
        assert_eq!(at(1_735_689_600), "2025-01-01T00:00:00.000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
    }
}
