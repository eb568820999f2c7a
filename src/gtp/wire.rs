//! Streaming output of a command.

/// Make foreign text safe to print: one line of at most 200 characters, without control
/// characters, which a terminal would obey.
pub fn printable(text: &str) -> String {
    let safe = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown: String = safe.clone().take(PRINTED).collect();
    if safe.count() > PRINTED {
        shown.push('…');
    }
    shown.trim().to_owned()
}

/// Longest foreign text printed, in characters.
const PRINTED: usize = 200;

/// Connection to the controller: output, and interruption by new input.
pub trait Wire {
    /// Send text to the controller, line ends included.
    fn send(&mut self, text: &str);

    /// Write a line to the diagnostics.
    fn note(&mut self, line: &str);

    /// Report an internal error, on one line.
    fn fault(&mut self, report: &str);

    /// Let any input end the running command, as an interrupt does. Input already in the
    /// queue ends it at once.
    fn end_on_input(&mut self);
}

/// The streamed reply of a command: `=`, lines, and a blank line when the command is
/// done.
pub struct Stream<'a> {
    wire: &'a mut dyn Wire,
    id: &'a str,
    begun: bool,
}

impl<'a> Stream<'a> {
    /// Create a reply with this id. Sends nothing yet.
    pub fn new(wire: &'a mut dyn Wire, id: &'a str) -> Stream<'a> {
        Stream {
            wire,
            id,
            begun: false,
        }
    }

    /// Send the `=` of the reply. Clients wait for it before they send more.
    pub fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            self.wire.send(&format!("={}\n", self.id));
        }
    }

    /// Send one line of the reply. A blank line is dropped: it would end the reply.
    pub fn line(&mut self, text: &str) {
        self.begin();
        if !text.trim().is_empty() {
            self.wire.send(&format!("{text}\n"));
        }
    }

    /// Write a line to the diagnostics.
    pub fn note(&mut self, line: &str) {
        self.wire.note(line);
    }

    /// Report an internal error.
    pub(super) fn fault(&mut self, report: &str) {
        self.wire.fault(report);
    }

    /// Let any input end the command, like [`Wire::end_on_input`].
    pub fn end_on_input(&mut self) {
        self.wire.end_on_input();
    }

    /// Has the reply begun?
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }
}
