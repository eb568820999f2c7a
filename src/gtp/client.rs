//! The other end of the protocol: an engine that is driven as a process.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What went wrong with an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// It cannot be started.
    Start(String),
    /// It answered with an error.
    Refused {
        /// What it was told.
        command: String,
        /// What it said.
        reply: String,
    },
    /// It gave no answer in time.
    Silent {
        /// What it was told.
        command: String,
    },
    /// It has ended.
    Ended {
        /// What it was told.
        command: String,
    },
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Start(why) => f.write_str(why),
            ClientError::Refused { command, reply } => write!(f, "'{command}': {reply}"),
            ClientError::Silent { command } => write!(f, "'{command}': no answer in time"),
            ClientError::Ended { command } => write!(f, "'{command}': the program has ended"),
        }
    }
}

impl std::error::Error for ClientError {}

/// An engine in a process of its own.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// How long an engine may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);

impl Client {
    /// Start a program, given with its arguments as a shell would take them apart.
    ///
    /// # Errors
    /// [`ClientError::Start`] if the line makes no sense or there is no such program.
    pub fn start(command_line: &str) -> Result<Client, ClientError> {
        let failed = |why: &dyn fmt::Display| {
            ClientError::Start(format!("cannot start '{command_line}': {why}"))
        };
        let words = shlex::split(command_line).ok_or_else(|| failed(&"a quote is open"))?;
        let (program, arguments) = words.split_first().ok_or_else(|| failed(&"it is empty"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| failed(&e))?;
        let (send, lines) = mpsc::channel();
        let output = child.stdout.take();
        thread::Builder::new()
            .name("gtp-client".into())
            .spawn(move || {
                let Some(output) = output else { return };
                for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                    let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                    if send.send(line).is_err() {
                        return;
                    }
                }
            })
            .map_err(|e| failed(&e))?;
        Ok(Client {
            input: child.stdin.take(),
            child,
            lines,
        })
    }

    /// Send a command and wait for the reply, without its sign.
    ///
    /// # Errors
    /// If there is none within `patience`, or it is an error.
    pub fn ask(&mut self, command: &str, patience: Duration) -> Result<String, ClientError> {
        let ended = || ClientError::Ended {
            command: command.to_owned(),
        };
        let input = self.input.as_mut().ok_or_else(ended)?;
        input
            .write_all(format!("{command}\n").as_bytes())
            .and_then(|()| input.flush())
            .map_err(|_| ended())?;
        let until = Instant::now() + patience;
        let mut reply: Vec<String> = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                // Blank lines before a reply mean nothing.
                Ok(line) if line.is_empty() && reply.is_empty() => {}
                Ok(line) if line.is_empty() => break,
                Ok(line) => reply.push(line),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(ClientError::Silent {
                        command: command.to_owned(),
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
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

    /// Is there a command of this name?
    ///
    /// # Errors
    /// Those of [`Client::ask`].
    pub fn knows(&mut self, name: &str, patience: Duration) -> Result<bool, ClientError> {
        let answer = self.ask(&format!("known_command {name}"), patience)?;
        Ok(answer == "true")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(b"quit\n");
        }
        let until = Instant::now() + FAREWELL;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
