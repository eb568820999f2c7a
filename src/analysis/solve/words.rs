//! Answers in plain words.

use super::Solution;
use super::answer::{choice, right, share};
use crate::adjudicate::{ProblemResult, Reach};
use crate::analysis::AnalysisReport;
use crate::types::{Color, Move, Point};
use crate::util::spaced;

/// The expected result for the player who moves first, in a word.
fn expectation(defends: bool, succeeds: bool) -> &'static str {
    match (defends, succeeds) {
        (true, true) | (false, false) => "lives",
        (true, false) => "dies",
        (false, true) => "kills",
    }
}

/// The result if the player who moves first need not move.
fn already(defends: bool) -> &'static str {
    match defends {
        true => "lives already",
        false => "dead already",
    }
}

/// A ko for which this player must find the first threat, and this many in all.
fn ko(c: Color, threats: u8) -> String {
    match threats {
        1 => format!("ko, {c} must find the first threat"),
        n => format!("ko, {c} must find the first of {n} threats"),
    }
}

/// The result for the player who moves first, in words; if `idle`, without a move.
fn in_words(found: &ProblemResult, first: Color, defender: Color, idle: bool) -> String {
    let defends = first == defender;
    let verb = match (defends, found.wins_race, found.seki) {
        (true, true, _) => "wins the race",
        (true, false, true) => "seki",
        (true, false, false) => "lives",
        (false, ..) => "kills",
    };
    match found.reach {
        None => "not settled".to_owned(),
        Some(Reach::Outright) if idle => already(defends).to_owned(),
        Some(Reach::Outright) => verb.to_owned(),
        Some(Reach::KoOpponentThreatensFirst(n)) => ko(first.opponent(), n),
        Some(Reach::KoPlayerThreatensFirst(n)) => ko(first, n),
        Some(Reach::Nothing) if defends => "dies".to_owned(),
        Some(Reach::Nothing) => "lives".to_owned(),
    }
}

/// The first line has the move and the result; then the opponent moving first, the play, the right
/// first moves and the group have a line each.
impl std::fmt::Display for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let defender = self.problem.defender();
        let best = match self.best {
            Move::Pass => "pass".to_owned(),
            Move::Play(p) => p.to_string(),
        };
        let words = self.result();
        match self.proved {
            true => writeln!(f, "{best} {words}; proved if the stones around hold")?,
            false => {
                let (succeeds, share, visits) = self.likely();
                let share = if succeeds { share } else { 1.0 - share };
                let but = match self.best {
                    Move::Play(_) if !succeeds => " is best, but the group",
                    _ => "",
                };
                write!(f, "{best}{but} {words}; estimated")?;
                // With a smaller share, the search disagrees with the result.
                if share >= 0.5 {
                    write!(f, " with {:.0} %", 100.0 * share)?;
                }
                writeln!(f, " after {visits} visits")?;
            }
        }
        let other = self.first.opponent();
        let (reply, words, sure) = self.opponents_result();
        let reply = reply.map_or_else(String::new, |p| format!("{p} "));
        let sure = match (sure, self.opponent_result.reach) {
            (false, Some(_)) => ", estimated",
            (false, None) if self.whole_board[1].is_some() => ", estimated",
            _ => "",
        };
        writeln!(f, "{other} first: {reply}{words}{sure}")?;
        let line: Vec<String> = self
            .line()
            .iter()
            .map(|(c, m)| format!("{c} {m}"))
            .collect();
        if !line.is_empty() {
            writeln!(f, "Line: {}", line.join(", "))?;
        }
        let moves = self.best != Move::Pass && !self.result.proved.is_empty();
        if self.proved && moves {
            writeln!(f, "Right: {}", spaced(&self.result.proved))?;
        }
        write!(
            f,
            "Group: {defender} {}; its region has {} points",
            spaced(self.problem.group()),
            self.problem.points().len()
        )
    }
}

impl Solution {
    /// The result for the player who moves first, in words.
    pub fn result(&self) -> String {
        let defender = self.problem.defender();
        let (succeeds, ..) = self.likely();
        // If a move is proved to work, that none is needed is not.
        let idle = self.best == Move::Pass && self.result.pass_works == Some(true);
        let found = in_words(&self.result, self.first, defender, idle);
        match (self.proved, self.best, self.result.reach) {
            (true, ..) => found,
            (false, Move::Pass, Some(reach)) if (reach != Reach::Nothing) == succeeds => found,
            (false, Move::Pass, _) if succeeds => already(self.first == defender).to_owned(),
            _ => expectation(self.first == defender, succeeds).to_owned(),
        }
    }

    /// Does the player who moves first succeed, as far as is known?
    pub(in crate::analysis) fn succeeds(&self) -> bool {
        match self.proved {
            true => self.result.reach != Some(Reach::Nothing),
            false => self.likely().0,
        }
    }

    /// Is the player who moves first expected to succeed? Also returns the probability according to
    /// a search, and its visits. Without a search of the whole board the result decides, even
    /// an unproved one.
    fn likely(&self) -> (bool, f32, u32) {
        let report = self.whole_board[0].as_ref().unwrap_or(&self.framed);
        let share = share(&self.problem, self.first, report);
        let succeeds = match (&self.whole_board[0], self.result.reach) {
            (None, Some(reach)) => reach != Reach::Nothing,
            // A pass does not help if the opponent then succeeds.
            (Some(_), Some(Reach::Nothing)) if self.best == Move::Pass => {
                share >= 0.5 && self.opponents_search().is_none_or(|(share, _)| share < 0.5)
            }
            _ => share >= 0.5,
        };
        (succeeds, share, report.visits)
    }

    /// The search of the whole board with the opponent moving first, and the probability that the
    /// opponent succeeds by it.
    fn opponents_search(&self) -> Option<(f32, &AnalysisReport)> {
        let report = self.whole_board[1].as_ref()?;
        let share = share(&self.problem, self.first.opponent(), report);
        Some((share, report))
    }

    /// The first moves that reach the result: only the proved ones, if any is proved.
    pub fn right_moves(&self) -> &[Point] {
        match self.best {
            Move::Pass => &[],
            Move::Play(_) => right(&self.result),
        }
    }

    /// The result if the opponent moves first: its best move (`None` if it needs none), the result
    /// in words, and whether that is proved.
    pub fn opponents_result(&self) -> (Option<Point>, String, bool) {
        let (found, other) = (&self.opponent_result, self.first.opponent());
        let needed = found.pass_works != Some(true);
        // Prefer a point that is right for both players.
        let same = self.best.point().filter(|p| right(found).contains(p));
        let reply = same.or(choice(found).first().copied());
        let reply = reply.filter(|_| needed);
        let proved = !found.proved.is_empty() && needed;
        let proved = proved || found.pass_proved || found.nothing_proved;
        let defender = self.problem.defender();
        if !proved && let Some((share, report)) = self.opponents_search() {
            let succeeds = share >= 0.5;
            // If the first player fails, the opponent succeeds without a move.
            if succeeds && !self.succeeds() {
                return (None, already(other == defender).to_owned(), false);
            }
            let words = expectation(other == defender, succeeds).to_owned();
            let likely = report.moves.first().and_then(|m| m.mv.point());
            return (reply.or(likely).filter(|_| succeeds), words, false);
        }
        let words = in_words(found, other, defender, !needed);
        (reply, words, proved)
    }

    /// The line that shows the result, from the best move on: from the proof-number search, or as
    /// the tree search expects it. After a pass that search proves nothing, so the line is then
    /// empty. Two passes in it stand for a ko threat and its answer.
    pub fn line(&self) -> Vec<(Color, Move)> {
        self.problem.on_board(self.searched_line())
    }

    /// The line as the searches found it.
    pub(in crate::analysis) fn searched_line(&self) -> Vec<(Color, Move)> {
        if self.result.line.first().map(|m| m.1) == Some(self.best) {
            return self.result.line.clone();
        }
        let mut plays = self.framed.moves.iter().filter(|m| m.mv != Move::Pass);
        let expected = plays.find(|m| m.mv == self.best);
        expected.map_or_else(Vec::new, |m| m.line(self.first).collect())
    }
}
