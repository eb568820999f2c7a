//! One line in, at most one reply out.

use super::error::{GtpError, quote};
use super::parse::{Args, Request, clean};
use super::session::Session;
use super::table;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Session {
    /// The reply to a line of input, its closing blank line included; `None` for
    /// lines that get none: blank ones and comments.
    pub fn reply(&mut self, line: &[u8]) -> Option<String> {
        let line = clean(line);
        if line.is_empty() {
            return None;
        }
        let request = Request::new(&line);
        let (sign, text) = match self.execute(&request) {
            Ok(text) => ('=', text),
            Err(e) => ('?', e.to_string()),
        };
        // A blank line would end the reply early.
        let text = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n");
        let newline = if text.contains('\n') && starts_with_diagram(&request) {
            "\n"
        } else {
            ""
        };
        Some(format!("{sign}{} {newline}{text}\n\n", request.id))
    }

    fn execute(&mut self, request: &Request<'_>) -> Result<String, GtpError> {
        if request.name.is_empty() {
            return Err(GtpError::syntax("a command is missing"));
        }
        let command = table::find(request.name)
            .ok_or_else(|| GtpError::with("unknown command", quote(request.name)))?;
        let args = Args::new(request.rest);
        let before = self.engine.position().clone();
        match catch_unwind(AssertUnwindSafe(|| command.run(self, &args))) {
            Ok(result) => result,
            Err(_) => {
                // A fault of ours must not cost the user his game.
                self.engine.set_position(before);
                Err(GtpError::with("internal error", "the game is as before"))
            }
        }
    }
}

/// Diagrams start on a line of their own, so that their columns are in line.
fn starts_with_diagram(request: &Request<'_>) -> bool {
    request.name == "showboard"
}
