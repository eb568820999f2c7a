//! GTP client: drives another engine as a child process.

use super::wire::printable;
use crate::util::locked;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Failure of an engine process.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClientError {
    /// The engine could not be started.
    #[error("{0}")]
    Start(String),
    /// The engine answered with an error.
    #[error("'{command}': {}", printable(reply))]
    Refused {
        /// The command sent.
        command: String,
        /// The engine's error message.
        reply: String,
    },
    /// No answer to this command came in time.
    #[error("'{0}': no answer in time")]
    Silent(String),
    /// The process ended before it answered a command.
    #[error("'{command}': the program has ended{}", in_brackets(last_words))]
    Ended {
        /// The command.
        command: String,
        /// The last line on its standard error; may be empty.
        last_words: String,
    },
    /// The output after this command is too long: a line of more than 64 KiB, or a reply of
    /// more than 1 MiB.
    #[error("'{0}': the output is too long")]
    Flood(String),
    /// The caller's interrupt flag was raised.
    #[error("interrupted")]
    Interrupted,
}

/// A text in brackets after another, unless it is empty.
fn in_brackets(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!(" ({})", printable(text)),
    }
}

/// An engine running as a child process.
#[derive(Debug)]
pub struct Client {
    child: Child,
    /// The last line on its standard error that is not blank.
    last_words: Arc<Mutex<String>>,
    /// Reads its standard error.
    listener: JoinHandle<()>,
    /// Commands for the writer thread, so that an engine that does not read cannot block us.
    input: Option<SyncSender<String>>,
    lines: Receiver<Line>,
    interrupted: Arc<AtomicBool>,
    /// See [`Client::is_broken`].
    broken: bool,
}

/// A line of the engine's output.
#[derive(Debug)]
enum Line {
    Text(String),
    /// A line exceeded [`LONGEST_LINE`]; reading has stopped.
    TooLong,
}

/// Longest line read, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// Longest reply, in bytes.
const LONGEST_REPLY: usize = 1 << 20;

/// Maximum number of queued lines, and of queued commands. The engine blocks when it writes
/// more.
const QUEUED: usize = 64;

/// With this flag, Windows does not send Ctrl-C to the program.
#[cfg(windows)]
const NEW_PROCESS_GROUP: u32 = 0x200;

/// How often the interrupt flag is polled.
const POLL: Duration = Duration::from_millis(50);

/// Maximum bytes kept of a line of standard error, and how long to wait for the last line after the
/// program has ended.
const LONGEST_WORDS: u64 = 300;
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(200);

/// How long an engine may take to quit before it is killed.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

impl Client {
    /// Start a program, given as a path or as a command line in shell syntax. On Windows a
    /// backslash in a command line escapes only quotes and blanks. Raising the flag ends every
    /// wait for an answer. An interrupt from the terminal does not reach the program.
    ///
    /// # Errors
    /// [`ClientError::Start`] if the command line is malformed or the program cannot be started.
    pub fn start(command_line: &str, interrupted: Arc<AtomicBool>) -> Result<Client, ClientError> {
        let failed = |why: &dyn fmt::Display| {
            ClientError::Start(format!("cannot start '{command_line}': {why}"))
        };
        let words = split_command(command_line).ok_or_else(|| failed(&"a quote is not closed"))?;
        let (program, arguments) = words.split_first().ok_or_else(|| failed(&"it is empty"))?;
        let mut command = Command::new(program);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, NEW_PROCESS_GROUP);
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            // Show the words: the line may be quoted for another shell.
            .map_err(|e| failed(&format_args!("'{program}' with {arguments:?}: {e}")))?;
        let last_words = Arc::<Mutex<String>>::default();
        let heard = last_words.clone();
        let errors = child.stderr.take();
        let listener = thread::Builder::new()
            .name("gtp-client-errors".into())
            .spawn(move || {
                if let Some(errors) = errors {
                    listen(errors, &heard);
                }
            })
            .map_err(|e| failed(&e))?;
        let (send, lines) = mpsc::sync_channel(QUEUED);
        let (output, input) = (child.stdout.take(), child.stdin.take());
        thread::Builder::new()
            .name("gtp-client".into())
            .spawn(move || {
                if let Some(output) = output {
                    read(output, &send);
                }
            })
            .map_err(|e| failed(&e))?;
        let (give, commands) = mpsc::sync_channel::<String>(QUEUED);
        thread::Builder::new()
            .name("gtp-client-out".into())
            .spawn(move || {
                let Some(mut input) = input else { return };
                for command in commands {
                    let written = input.write_all(command.as_bytes());
                    if written.and_then(|()| input.flush()).is_err() {
                        return;
                    }
                }
            })
            .map_err(|e| failed(&e))?;
        Ok(Client {
            input: Some(give),
            child,
            last_words,
            listener,
            lines,
            interrupted,
            broken: false,
        })
    }

    /// Has the engine misbehaved? Then it is unusable: a late answer could be mistaken for the
    /// answer to the next command.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Send a command and return the reply without its `=`.
    ///
    /// # Errors
    /// If no reply comes within `timeout`, or the reply is an error.
    pub fn ask(&mut self, command: &str, timeout: Duration) -> Result<String, ClientError> {
        let answer = self.answer(command, timeout);
        self.broken |= !matches!(answer, Ok(_) | Err(ClientError::Refused { .. }));
        answer
    }

    /// The error if the program ends before it answers a command.
    fn ended(&self, command: &str) -> ClientError {
        let until = Instant::now() + LAST_WORDS_TIMEOUT;
        while !self.listener.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        ClientError::Ended {
            command: command.to_owned(),
            last_words: locked(&self.last_words).clone(),
        }
    }

    fn answer(&mut self, command: &str, timeout: Duration) -> Result<String, ClientError> {
        let flood = || ClientError::Flood(command.to_owned());
        let silent = || ClientError::Silent(command.to_owned());
        let Some(input) = &self.input else {
            return Err(self.ended(command));
        };
        match input.try_send(format!("{command}\n")) {
            Ok(()) => {}
            Err(mpsc::TrySendError::Full(_)) => return Err(silent()),
            Err(mpsc::TrySendError::Disconnected(_)) => return Err(self.ended(command)),
        }
        let until = Instant::now() + timeout;
        let mut reply: Vec<String> = Vec::new();
        let mut length = 0;
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(ClientError::Interrupted);
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(POLL)) {
                Ok(Line::Text(line)) => {
                    // Blank lines before a reply are skipped, but count towards its length.
                    length += line.len() + 1;
                    match (line.is_empty(), reply.is_empty()) {
                        _ if length > LONGEST_REPLY => return Err(flood()),
                        (true, true) => {}
                        (true, false) => break,
                        (false, _) => reply.push(line),
                    }
                }
                Ok(Line::TooLong) => return Err(flood()),
                Err(RecvTimeoutError::Timeout) if left > POLL => {}
                Err(RecvTimeoutError::Timeout) => return Err(silent()),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(command)),
            }
        }
        let text = reply.join("\n");
        let body = |sign| text.strip_prefix(sign).map(|t: &str| t.trim().to_owned());
        match (body('='), body('?')) {
            (Some(answer), _) => Ok(answer),
            (None, refusal) => Err(ClientError::Refused {
                command: command.to_owned(),
                reply: refusal.unwrap_or(text),
            }),
        }
    }

    /// Does the engine know this command?
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub fn knows(&mut self, name: &str, timeout: Duration) -> Result<bool, ClientError> {
        match self.ask(&format!("known_command {name}"), timeout) {
            Ok(answer) => Ok(answer == "true"),
            Err(ClientError::Refused { .. }) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Kill the program and its children: it may be a shell that runs the engine.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Ok(id) = i32::try_from(self.child.id()) {
            // The child leads its own process group.
            let group = nix::unistd::Pid::from_raw(id);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.child.kill();
    }
}

/// Split a command line into program and arguments. Returns `None` if a quote is unclosed.
fn split_command(command_line: &str) -> Option<Vec<String>> {
    let whole = command_line.trim();
    if Path::new(whole).is_file() {
        return Some(vec![whole.to_owned()]);
    }
    match cfg!(windows) {
        true => split_windows_command(whole),
        false => shlex::split(whole),
    }
}

/// Split a command line at blanks outside quotes. A backslash escapes a blank or a quote, within
/// quotes only the closing quote. Any other backslash is an ordinary character.
fn split_windows_command(command_line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command_line.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = |next: char| match quote {
            Some(quote) => next == quote,
            None => next == '"' || next == '\'' || next.is_whitespace(),
        };
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, '\\') => {
                let next = chars.next_if(|&next| escapes(next));
                word.get_or_insert_default().push(next.unwrap_or(c));
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Keep the last line of a program's standard error that is not blank, cut if it is long.
fn listen(errors: ChildStderr, last: &Mutex<String>) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        line.clear();
        match errors
            .by_ref()
            .take(LONGEST_WORDS)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            *locked(last) = text.trim().to_owned();
        }
    }
}

/// Forward the lines that a program writes, until it ends or a line is too long.
fn read(output: ChildStdout, send: &SyncSender<Line>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = LONGEST_LINE as u64 + 1;
        match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LONGEST_LINE => {
                let _ = send.send(Line::TooLong);
                return;
            }
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if send.send(Line::Text(text)).is_err() {
            return;
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(input) = self.input.take() {
            let _ = input.try_send("quit\n".to_owned());
        }
        let until = Instant::now() + QUIT_TIMEOUT;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_paths_keep_their_backslashes() {
        for (line, expected) in [
            (
                r"C:\go\gnugo.exe --mode gtp",
                &[r"C:\go\gnugo.exe", "--mode", "gtp"][..],
            ),
            (
                r#""C:\Program Files\go\engine.exe" -x"#,
                &[r"C:\Program Files\go\engine.exe", "-x"],
            ),
            (r"C:\my\ go\x.exe", &[r"C:\my go\x.exe"]),
            (
                r"\\server\go.exe '' 'a b'",
                &[r"\\server\go.exe", "", "a b"],
            ),
            (r#"go.exe "say \"hi\" \n""#, &["go.exe", r#"say "hi" \n"#]),
            ("", &[]),
        ] {
            assert_eq!(split_windows_command(line).unwrap(), expected, "{line}");
        }
        assert_eq!(split_windows_command(r#""C:\go"#), None);
    }

    #[test]
    fn a_start_error_shows_the_split_words() {
        let flag = Arc::new(AtomicBool::new(false));
        let why = Client::start(r"no\such\engine --mode 'a b'", flag).unwrap_err();
        let why = why.to_string();
        let split = match cfg!(windows) {
            true => r#"'no\such\engine' with ["--mode", "a b"]"#,
            false => r#"'nosuchengine' with ["--mode", "a b"]"#,
        };
        assert!(why.contains(split), "{why}");
    }
}
