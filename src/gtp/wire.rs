//! What a command that talks while it runs is connected to.

/// Somebody else's text as a person may be shown it: on one line, without control
/// characters, which a terminal would obey, and no longer than 200 characters.
pub fn printable(text: &str) -> String {
    let safe = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown: String = safe.clone().take(PRINTED).collect();
    if safe.count() > PRINTED {
        shown.push('…');
    }
    shown.trim().to_owned()
}

/// Longest text of somebody else's that is shown, in characters.
const PRINTED: usize = 200;

/// The way out, and how to be told of new input.
pub trait Wire {
    /// Text for the controller, line ends included.
    fn send(&mut self, text: &str);

    /// A line for whoever reads the diagnostics.
    fn note(&mut self, line: &str);

    /// A report of a fault of our own, on one line.
    fn fault(&mut self, report: &str);

    /// From now on any input ends the running command, as an interrupt does; input
    /// that is waiting already ends it at once.
    fn end_on_input(&mut self);
}

/// The reply of a command that talks while it runs: `=`, lines, and a blank line
/// when it is done.
pub struct Stream<'a> {
    wire: &'a mut dyn Wire,
    id: &'a str,
    begun: bool,
}

impl std::fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream")
            .field("id", &self.id)
            .field("begun", &self.begun)
            .finish_non_exhaustive()
    }
}

impl<'a> Stream<'a> {
    /// A reply under this id that has not begun.
    pub fn new(wire: &'a mut dyn Wire, id: &'a str) -> Stream<'a> {
        Stream {
            wire,
            id,
            begun: false,
        }
    }

    /// Send the sign of the reply. Clients wait for it before they send more.
    pub fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            self.wire.send(&format!("={}\n", self.id));
        }
    }

    /// Send one line of the reply. A blank one is left out: it would end the reply.
    pub fn line(&mut self, text: &str) {
        self.begin();
        if !text.trim().is_empty() {
            self.wire.send(&format!("{text}\n"));
        }
    }

    /// A line for whoever reads the diagnostics.
    pub fn note(&mut self, line: &str) {
        self.wire.note(line);
    }

    /// A report of a fault of our own.
    pub(super) fn fault(&mut self, report: &str) {
        self.wire.fault(report);
    }

    /// Ends the command on any input, like [`Wire::end_on_input`].
    pub fn end_on_input(&mut self) {
        self.wire.end_on_input();
    }

    /// Has a line been written?
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }
}
