//! A game between a person and the engine, apart from how it is shown: at a terminal or in a
//! browser.

use crate::analysis::AnalysisReport;
use crate::player::{Decision, Engine};
use crate::position::{Outcome, fixed_handicap};
use crate::rules::{Resumption, Settlement};
use crate::sgf::{self, GameInfo};
use crate::types::{BoardSize, Color, Move, Point};
use crate::util::spaced;

/// The answer if there is no move to take back.
pub(super) const NOTHING_TO_UNDO: &str = "There is no move of yours to take back.";

/// The players, and the information for the record.
#[derive(Clone, Debug)]
pub(super) struct HumanGame {
    pub human: Color,
    pub info: GameInfo,
    /// After a dispute about dead stones the engine captures them before it passes.
    disputed: bool,
}

impl HumanGame {
    /// Create a game with this person, and name the players that the record does not name.
    pub fn new(human: Color, mut info: GameInfo) -> HumanGame {
        let name = |c: Color| if c == human { "Player" } else { "Ponnuki" };
        info.black
            .get_or_insert_with(|| name(Color::Black).to_owned());
        info.white
            .get_or_insert_with(|| name(Color::White).to_owned());
        info.result = None;
        HumanGame {
            human,
            info,
            disputed: false,
        }
    }

    /// Let the engine move.
    pub fn reply(&self, engine: &mut Engine) -> Decision {
        let c = self.human.opponent();
        match self.disputed {
            true => engine.genmove_cleanup(c),
            false => engine.genmove(c),
        }
    }

    /// Play the person's move.
    ///
    /// # Errors
    /// A sentence that says which rule forbids it; nothing has changed then.
    pub fn play(&self, engine: &mut Engine, m: Move) -> Result<(), String> {
        let rules = *engine.position().rules();
        let played = engine.play(self.human, m);
        played.map_err(|e| format!("You cannot play there: {}.", e.in_words(&rules)))
    }

    /// Go back to the person's last turn. Returns false and changes nothing if there is none.
    pub fn undo(&self, engine: &mut Engine) -> bool {
        let turns = engine.position().turns();
        let own = turns.iter().rposition(|t| t.color == self.human);
        own.map(|at| turns.len() - at)
            .is_some_and(|n| engine.undo(n))
    }

    /// Resume the game after a disagreement, as the rules provide. Returns a message for the
    /// player.
    pub fn resume(&mut self, engine: &mut Engine) -> String {
        engine.resume(self.human);
        self.disputed = true;
        let first = engine.position().to_move();
        let by = match engine.position().rules().resumption {
            Resumption::OpponentFirst => "the opponent of the player who asks moves first",
            Resumption::Alternation => "the players go on in turn",
            Resumption::ByAgreement => "the players agree who moves first",
        };
        format!("The game goes on; by these rules {by}: {first}. Capture what is dead, then pass.")
    }

    /// The game as a record (SGF), with its result if it is over.
    pub fn record(&self, engine: &mut Engine) -> String {
        let mut info = self.info.clone();
        info.result = outcome(engine).map(|o| o.to_string());
        sgf::write(engine.position(), &info)
    }
}

/// Has the game ended, on the board or by resignation?
pub(super) fn is_over(engine: &Engine) -> bool {
    let position = engine.position();
    let on_board = position.is_over() || position.long_cycle().is_some();
    on_board || engine.declared().is_some()
}

/// The result of a game that has ended.
pub(super) fn outcome(engine: &mut Engine) -> Option<Outcome> {
    match is_over(engine) {
        true => engine.outcome(),
        false => None,
    }
}

/// Have passes ended the game, so that the players must agree about dead stones?
pub(super) fn needs_agreement(engine: &Engine) -> bool {
    let position = engine.position();
    let stopped = position.is_over() && engine.declared().is_none();
    stopped && position.rules().settlement != Settlement::PlayOut
}

/// Parse a number of handicap stones: 0, or 2 to `most`. A handicap of 1 has no stones, only another
/// komi.
///
/// # Errors
/// A message that says what is expected.
pub(super) fn handicap(text: &str, most: u32) -> Result<u32, String> {
    match text.parse() {
        Ok(1) => Err("a handicap of 1 has no stones: set the komi instead, such as 0.5".to_owned()),
        Ok(n) if n <= most => Ok(n),
        _ => Err(format!("expected 0 or a whole number from 2 to {most}")),
    }
}

/// The traditional points for handicap stones.
///
/// # Errors
/// A message that names the board if it has no points for them.
pub(super) fn handicap_points(size: BoardSize, n: u32) -> Result<Vec<Point>, String> {
    fixed_handicap(size, n).map_err(|_| format!("no points for {n} handicap stones on {size}"))
}

/// Place handicap stones on the traditional points, if there are any.
///
/// # Errors
/// A message that says why they cannot be placed.
pub(super) fn place_handicap(engine: &mut Engine, n: u32) -> Result<(), String> {
    if n == 0 {
        return Ok(());
    }
    let points = handicap_points(engine.position().size(), n)?;
    let placed = engine.place_handicap(&points);
    placed.map_err(|e| format!("{n} handicap stones: {e}"))
}

/// Maximum number of moves of a hint.
pub(super) const HINT: usize = 6;

/// Say what the engine would play.
pub(super) fn hint(report: &AnalysisReport) -> String {
    let Some(best) = report.moves.first() else {
        return "Nothing but a pass is left.".to_owned();
    };
    format!("Try {}: {}", best.mv, best.variation(HINT))
}

/// Say who leads, and how likely the player to move wins.
pub(super) fn who(report: &AnalysisReport) -> String {
    let (leader, percent) = (report.leader(), 100.0 * report.win_rate);
    let color = report.color;
    format!("About {leader}; {color} wins with a probability of {percent:.0} %.")
}

/// Say what is dead and who wins if the game ends now: two lines.
pub(super) fn score(engine: &mut Engine) -> [String; 2] {
    let judgement = engine.judgement();
    let outcome = Outcome::from(judgement.score());
    let dead = match judgement.dead().next() {
        None => "Dead stones: none.".to_owned(),
        Some(_) => format!("Dead stones: {}.", spaced(judgement.dead())),
    };
    [dead, format!("{outcome}: {}.", outcome.in_words())]
}
