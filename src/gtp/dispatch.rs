//! One line in, at most one reply out.

use super::error::{GtpError, quote};
use super::parse::{Args, Request, clean};
use super::session::Session;
use super::table;
use super::wire::{Stream, Wire};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

impl Session {
    /// The reply to a line of input, its closing blank line included; `None` for
    /// lines that get none: blank ones and comments. What runs until input comes
    /// ends at once.
    pub fn reply(&mut self, line: &[u8]) -> Option<String> {
        let mut buffer = Buffer {
            text: String::new(),
            stop: self.engine.stop_flag(),
            raised: false,
        };
        self.respond(line, &mut buffer);
        if buffer.raised {
            buffer.stop.store(false, Ordering::SeqCst);
        }
        (!buffer.text.is_empty()).then_some(buffer.text)
    }

    /// Execute a line of input and send the reply, if the line gets one.
    pub fn respond(&mut self, line: &[u8], wire: &mut dyn Wire) {
        let line = clean(line);
        if line.is_empty() {
            return;
        }
        let request = Request::new(&line);
        let mut stream = Stream::new(wire, request.id);
        let result = self.execute(&request, &mut stream);
        let begun = stream.has_begun();
        let (sign, text) = match result {
            Ok(text) => ('=', text),
            // A file's own words may be in it.
            Err(e) => ('?', e.to_string().replace(char::is_control, " ")),
        };
        // A blank line would end the reply early.
        let text = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n");
        if begun {
            // The sign has been written: whatever happened since is a line more.
            let newline = if text.is_empty() { "" } else { "\n" };
            return wire.send(&format!("{text}{newline}\n"));
        }
        let newline = if text.contains('\n') && starts_with_diagram(&request) {
            "\n"
        } else {
            ""
        };
        wire.send(&format!("{sign}{} {newline}{text}\n\n", request.id));
    }

    fn execute(
        &mut self,
        request: &Request<'_>,
        stream: &mut Stream<'_>,
    ) -> Result<String, GtpError> {
        if request.name.is_empty() {
            return Err(GtpError::syntax("a command is missing"));
        }
        let command = table::find(request.name, self.engine.settings())
            .ok_or_else(|| GtpError::with("unknown command", quote(request.name)))?;
        let args = Args::new(request.rest);
        let before = self.engine.position().clone();
        match catch_unwind(AssertUnwindSafe(|| command.run(self, &args, stream))) {
            Ok(result) => result,
            Err(_) => {
                // A fault of ours must not cost the user the game.
                self.engine.restore(before);
                Err(GtpError::with("internal error", "the game is as before"))
            }
        }
    }
}

/// Collects what is sent; there is never any input.
struct Buffer {
    text: String,
    stop: Arc<AtomicBool>,
    raised: bool,
}

impl Wire for Buffer {
    fn send(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn note(&mut self, _: &str) {}

    fn end_on_input(&mut self) {
        self.raised = true;
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// Diagrams start on a line of their own, so that their columns are in line.
fn starts_with_diagram(request: &Request<'_>) -> bool {
    request.name == "showboard"
}
