//! Execution of input lines: at most one reply for each.

use super::error::{GtpError, quote};
use super::fault;
use super::parse::{Args, Request, clean};
use super::session::{SavedSession, Session};
use super::table;
use super::wire::{Stream, Wire};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest line executed, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 20;

impl Session {
    /// Execute a line of input and return the reply with its closing blank line.
    /// Returns `None` for blank lines and comments, which get no reply. Commands that
    /// run until input arrives end at once.
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

    /// Execute a line of input and send the reply, if there is one.
    pub fn respond(&mut self, line: &[u8], wire: &mut dyn Wire) {
        let is_long = line.trim_ascii_end().len() > LONGEST_LINE;
        let line = clean(line);
        if line.is_empty() {
            return;
        }
        let request = Request::new(&line);
        let mut stream = Stream::new(wire, request.id);
        let result = if is_long {
            Err(GtpError::syntax("the line is longer than 1 MiB"))
        } else {
            self.execute(&request, &mut stream)
        };
        let begun = stream.has_begun();
        let (sign, text) = match result {
            Ok(text) => ('=', text),
            // The message may quote the content of a file.
            Err(e) => ('?', e.to_string().replace(char::is_control, " ")),
        };
        // A blank line would end the reply early.
        let text = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n");
        if begun {
            // The sign has been sent already, so an error is just one more line.
            let newline = if text.is_empty() { "" } else { "\n" };
            return wire.send(&format!("{text}{newline}\n"));
        }
        // A diagram starts on its own line, which aligns its columns.
        let newline = match text.contains('\n') && request.name == "showboard" {
            true => "\n",
            false => "",
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
        let name = match request.name {
            "exit" if self.for_people => "quit",
            "?" if self.for_people => "help",
            name => name,
        };
        let command = table::find(name, &self.front_end).ok_or_else(|| {
            let hint = match table::suggest(name, &self.front_end) {
                Some(similar) if self.for_people => format!("; did you mean {similar}?"),
                _ => String::new(),
            };
            GtpError::with("unknown command", format_args!("{}{hint}", quote(name)))
        })?;
        let args = Args::new(request.rest);
        let before = self.save();
        let line = format!("{} {}", request.name, request.rest);
        let run = |session: &mut Session, stream: &mut Stream<'_>| {
            let ran = session.guarded(&line, stream, &before, |s, out| command.run(s, &args, out));
            if ran.is_none() {
                session.guarded(&line, stream, &before, |s, _| s.engine.recover());
            } else if matches!(ran, Some(Err(_))) {
                session.restore(before.clone());
            }
            ran
        };
        // Pondering may have panicked: this command is not to blame.
        let pondering = self.guarded("(pondering)", stream, &before, |s, _| {
            s.engine.is_pondering()
        });
        let mut ran = run(self, stream);
        if ran.is_none() && pondering == Some(true) && !stream.has_begun() {
            ran = run(self, stream);
        }
        ran.unwrap_or_else(|| Err(GtpError::with("internal error", "the game is unchanged")))
    }

    /// Call `act`; if it panics, restore the game, report the panic and return `None`.
    fn guarded<T>(
        &mut self,
        line: &str,
        stream: &mut Stream<'_>,
        before: &SavedSession,
        act: impl FnOnce(&mut Session, &mut Stream<'_>) -> T,
    ) -> Option<T> {
        let done = catch_unwind(AssertUnwindSafe(|| act(self, stream)));
        done.map_err(|fault| {
            self.restore(before.clone());
            stream.fault(&fault::report(line, &*fault, &self.engine));
        })
        .ok()
    }
}

/// Collects what is sent. No input ever arrives.
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

    fn fault(&mut self, _: &str) {}

    fn end_on_input(&mut self) {
        self.raised = true;
        self.stop.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{EvaluatorChoice, Limits};
    use crate::player::{Engine, Settings};
    use crate::search::FAULT;
    use crate::types::BoardSize;

    /// Collects what is sent and the reported faults.
    #[derive(Default)]
    struct Heard {
        text: String,
        faults: Vec<String>,
    }

    impl Wire for Heard {
        fn send(&mut self, text: &str) {
            self.text.push_str(text);
        }

        fn note(&mut self, _: &str) {}

        fn fault(&mut self, report: &str) {
            self.faults.push(report.to_owned());
        }

        fn end_on_input(&mut self) {}
    }

    /// Make a session whose first search panics.
    fn faulty(threads: usize) -> Session {
        let engine = Engine::new(Settings {
            size: Some(BoardSize::square(5)),
            seed: FAULT.wrapping_sub(1 << 20),
            limits: Limits::of_playouts(50),
            threads,
            memory: 1 << 20,
            evaluator: EvaluatorChoice::Playouts,
            ..Settings::default()
        });
        Session::new(engine.unwrap())
    }

    #[test]
    fn a_panic_in_a_search_thread_keeps_game_and_session() {
        for threads in [1, 3] {
            let mut session = faulty(threads);
            session.reply(b"play b C3").unwrap();
            let board = session.reply(b"showboard").unwrap();
            let mut heard = Heard::default();
            session.respond(b"7 genmove w", &mut heard);
            assert_eq!(heard.text, "?7 internal error: the game is unchanged\n\n");
            let [report] = &heard.faults[..] else {
                panic!("{:?}", heard.faults);
            };
            for words in [
                "'genmove w'",
                "a fault on purpose",
                "SZ[5]",
                ";B[cc]",
                "seed",
            ] {
                assert!(report.contains(words), "{words}: {report}");
            }
            assert!(!report.contains('\n'));
            assert_eq!(session.reply(b"showboard").unwrap(), board);
            // The session goes on.
            let reply = session.reply(b"genmove w").unwrap();
            assert!(reply.starts_with("= ") && reply.len() > 4, "{reply}");
        }
    }

    #[test]
    fn a_panic_while_pondering_does_not_fail_the_next_command() {
        let mut session = faulty(2);
        let engine = &mut session.engine;
        let settings = Settings {
            ponder: true,
            // The move is the first search; pondering after it has the next seed.
            seed: FAULT.wrapping_sub((1 << 20) + 1),
            ..engine.settings().clone()
        };
        engine.configure(settings).unwrap();
        assert!(session.reply(b"genmove b").unwrap().starts_with("= "));
        session.engine.idle();
        std::thread::sleep(std::time::Duration::from_millis(100));
        let vertex = session
            .engine
            .position()
            .legal_plays(crate::types::Color::White);
        let line = format!("play w {}", vertex.last().unwrap());
        let mut heard = Heard::default();
        session.respond(line.as_bytes(), &mut heard);
        assert_eq!(heard.text, "= \n\n");
        assert_eq!(heard.faults.len(), 1);
        assert_eq!(session.engine.position().turns().len(), 2);
    }
}
