//! The engine as a process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The engine as a process.
pub struct Process {
    pub child: Child,
    input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Process {
    /// Start the engine with a fixed seed, and with playouts unless the flags say otherwise: most
    /// tests do not depend on the evaluator, and test builds evaluate a network slowly.
    pub fn start(flags: &[&str], folder: &Path) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
        if !flags.contains(&"--net") {
            command.args(["--net", "off"]);
        }
        if !flags.contains(&"--seed") {
            command.args(["--seed", "190731757"]);
        }
        Process::spawn(command.args(flags).current_dir(folder))
    }

    pub fn spawn(command: &mut Command) -> Process {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Process {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Take the input, for writing on another thread.
    pub fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// Close the input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Read the next line, without its end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        assert!(read > 0, "the engine has ended");
        line.trim_end_matches('\n').to_owned()
    }

    /// Read the next reply, without its closing blank line.
    pub fn reply(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line.is_empty() => return lines.join("\n"),
                line => lines.push(line),
            }
        }
    }

    pub fn ask(&mut self, command: &str) -> String {
        self.send(&format!("{command}\n"));
        self.reply()
    }

    /// Wait for its end, which must come within a minute.
    pub fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it runs on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
