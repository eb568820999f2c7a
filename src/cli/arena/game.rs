//! One game between two engines, refereed by Ponnuki.

use crate::gtp::{Client, ClientError, printable, vertex};
use crate::player::Engine;
use crate::position::{Outcome, Position};
use crate::rules::Ruleset;
use crate::types::{Color, Generator, Move, Point};
use std::time::{Duration, Instant};

/// Conditions of a match: start position and time limits.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// Board, rules, komi and handicap.
    pub start: Position,
    /// Seconds per move.
    pub seconds: Option<u32>,
    /// Seconds per side for the game, measured by the referee.
    pub main: Option<u32>,
    /// Random moves at the start.
    pub opening: u32,
    /// Longest time to wait for an answer.
    pub timeout: Duration,
}

/// A finished game.
#[derive(Debug)]
pub(super) struct Played {
    pub position: Position,
    pub outcome: Outcome,
    /// Whose engine failed, and how.
    pub fault: Option<(Color, String)>,
    /// Does each engine's `final_score` name another winner than the referee? Black's first.
    pub disagree: [bool; 2],
    /// Notes on an engine that do not cost it the game, or that say why it lost on time.
    pub notes: Vec<(Color, String)>,
}

/// Tolerance over [`Terms::seconds`] for delays in communication.
const MARGIN: Duration = Duration::from_secs(1);

/// Longest game, as a multiple of the board's area; a longer game has no result.
const LONGEST: usize = 4;

/// Play a game; `players` are Black and White, and `judge` counts it.
///
/// # Errors
/// Whose engine refuses the board, the komi, the handicap or the opening, and its message. No
/// game can be played on these terms.
pub(super) fn play(
    players: [&mut Client; 2],
    judge: &mut Engine,
    terms: &Terms,
    seed: u64,
) -> Result<Played, (Color, String)> {
    let mut game = Referee {
        players,
        judge,
        terms,
        position: terms.start.clone(),
        left: [terms.main.unwrap_or(0).into(); 2],
        notes: Vec::new(),
    };
    let ended = match game.prepare(seed) {
        Ok(()) => game.run(),
        Err((c, e @ ClientError::Refused { .. })) => return Err((c, e.to_string())),
        Err((c, e)) => Err((c, e.to_string())),
    };
    let (outcome, fault) = match ended {
        Ok(outcome) => (outcome, None),
        Err((c, why)) => (Outcome::Forfeit(c.opponent()), Some((c, why))),
    };
    let disagree = game.disagreements(outcome);
    Ok(Played {
        position: game.position,
        outcome,
        fault,
        disagree,
        notes: game.notes,
    })
}

/// Whose engine failed, and how.
type Fault = (Color, String);

struct Referee<'a> {
    players: [&'a mut Client; 2],
    judge: &'a mut Engine,
    terms: &'a Terms,
    position: Position,
    /// Seconds left for each side if [`Terms::main`] is set.
    left: [f64; 2],
    notes: Vec<(Color, String)>,
}

impl Referee<'_> {
    fn ask(&mut self, c: Color, command: &str) -> Result<String, ClientError> {
        self.players[c.index()].ask(command, self.terms.timeout)
    }

    fn knows(&mut self, c: Color, command: &str) -> Result<bool, ClientError> {
        self.players[c.index()].knows(command, self.terms.timeout)
    }

    /// Send a command that an engine may refuse without losing the game.
    fn tell(&mut self, c: Color, command: &str, what: &str) -> Result<(), ClientError> {
        match self.ask(c, command) {
            Err(ClientError::Refused { .. }) => self.notes.push((c, format!("refuses {what}"))),
            answer => return answer.map(drop),
        }
        Ok(())
    }

    /// Send board, rules, handicap, komi, time and the opening to both engines.
    fn prepare(&mut self, seed: u64) -> Result<(), (Color, ClientError)> {
        let size = self.position.size();
        let boardsize = match size.width() == size.height() {
            true => format!("boardsize {}", size.width()),
            false => format!("rectangular_boardsize {} {}", size.width(), size.height()),
        };
        let start = self.position.start();
        let stones = size.points().filter(|&p| !start.is_empty(p));
        let handicap: String = stones.map(|p| format!(" {p}")).collect();
        let komi = format!("komi {}", self.position.komi());
        let rules = *self.position.rules();
        play_opening(&mut self.position, self.terms.opening, seed);
        let time = match (self.terms.seconds, self.terms.main) {
            (Some(seconds), _) => Some(format!("time_settings 0 {seconds} 1")),
            (None, main) => main.map(|main| format!("time_settings {main} 0 0")),
        };
        let opening = self.position.turns().to_vec();
        let opening = opening
            .iter()
            .map(|t| format!("play {} {}", t.color.letter(), t.mv));
        let opening: Vec<String> = opening.collect();
        let mut prepare = |c: Color| -> Result<(), ClientError> {
            self.ask(c, &boardsize)?;
            self.ask(c, "clear_board")?;
            let (said, note) = if !self.knows(c, "kata-set-rules")? {
                let note = "rules not sent: it has no kata-set-rules";
                (None, Some(note.to_owned()))
            } else if self.knows(c, PONNUKI_ONLY)? {
                (Some(rules.to_json()), None)
            } else {
                for_katago(&rules)
            };
            self.notes.extend(note.map(|note| (c, note)));
            if let Some(said) = said {
                let command = format!("kata-set-rules {said}");
                self.tell(c, &command, "the rules of the match")?;
            }
            if !handicap.is_empty() {
                self.ask(c, &format!("set_free_handicap{handicap}"))?;
            }
            self.ask(c, &komi)?;
            if let Some(time) = &time {
                self.tell(c, time, "time_settings")?;
            }
            for play in &opening {
                self.ask(c, play)?;
            }
            Ok(())
        };
        Color::BOTH
            .into_iter()
            .try_for_each(|c| prepare(c).map_err(|e| (c, e)))
    }

    fn run(&mut self) -> Result<Outcome, Fault> {
        let longest = LONGEST * self.position.size().area();
        while !self.position.is_over() {
            if self.position.turns().len() >= longest || self.position.long_cycle().is_some() {
                return Ok(Outcome::NoResult);
            }
            let c = self.position.to_move();
            if self.terms.main.is_some() {
                // The protocol has only whole seconds, and GNU Go accepts no others.
                let left = self.left[c.index()].max(0.0) as u64;
                let _ = self.ask(c, &format!("time_left {} {left} 0", c.letter()));
            }
            // The timeout begins after the allowed thinking time.
            let allowed = match self.terms.seconds {
                Some(seconds) => f64::from(seconds),
                None => self.left[c.index()].max(0.0),
            };
            let timeout = self.terms.timeout + Duration::from_secs_f64(allowed);
            let begun = Instant::now();
            let genmove = format!("genmove {}", c.letter());
            let reply = self.players[c.index()].ask(&genmove, timeout);
            let reply = reply.map_err(|e| (c, e.to_string()))?;
            let took = begun.elapsed();
            let too_late = match self.terms.seconds {
                Some(seconds) => took > Duration::from_secs(seconds.into()) + MARGIN,
                None => {
                    self.left[c.index()] -= took.as_secs_f64();
                    self.terms.main.is_some() && self.left[c.index()] < 0.0
                }
            };
            if too_late {
                let took = took.as_secs_f64();
                let note = match self.terms.main {
                    None => format!("lost on time by a move of {took:.1} s"),
                    Some(main) => {
                        format!("lost on time: its {main} s ended in a move of {took:.1} s")
                    }
                };
                self.notes.push((c, note));
                return Ok(Outcome::Time(c.opponent()));
            }
            if reply.eq_ignore_ascii_case("resign") {
                return Ok(Outcome::Resignation(c.opponent()));
            }
            let no_move = || format!("genmove: '{}' is not a move", printable(&reply));
            let m = vertex(&reply).ok_or_else(|| (c, no_move()))?;
            let rules = *self.position.rules();
            self.position
                .play(c, m)
                .map_err(|e| (c, format!("illegal move {m}: {}", e.in_words(&rules))))?;
            let play = format!("play {} {m}", c.letter());
            let answer = self.ask(c.opponent(), &play);
            answer.map_err(|e| (c.opponent(), e.to_string()))?;
        }
        Ok(self.count())
    }

    /// Count the game by the referee's judgement.
    fn count(&mut self) -> Outcome {
        self.judge.load_record(self.position.clone());
        self.judge.judgement().score().into()
    }

    /// Which engines name another winner than the referee. They are asked only if the game was counted.
    fn disagreements(&mut self, outcome: Outcome) -> [bool; 2] {
        if !matches!(outcome, Outcome::Points { .. } | Outcome::Jigo) {
            return [false; 2];
        }
        Color::BOTH.map(|c| match self.ask(c, "final_score") {
            Ok(said) => match said.parse::<Outcome>() {
                Ok(o) => o.winner() != outcome.winner(),
                Err(_) => {
                    let what = format!("final_score: '{}' is not a score", printable(&said));
                    self.notes.push((c, what));
                    false
                }
            },
            Err(ClientError::Refused { .. }) => false,
            Err(e) => {
                self.notes.push((c, e.to_string()));
                false
            }
        })
    }
}

/// A command that identifies Ponnuki, which accepts more keys of rules than KataGo.
const PONNUKI_ONLY: &str = "ponnuki-legality";

/// The argument of `kata-set-rules` for engines other than Ponnuki: KataGo's keys, or the name of
/// KataGo's most similar rules. Also a note for the result if that is not exact.
fn for_katago(rules: &Ruleset) -> (Option<String>, Option<String>) {
    let exact = rules.to_katago_json();
    if exact.is_some() {
        return (exact, None);
    }
    let name = rules.name().unwrap_or("these rules");
    match rules.preset().filter(|p| p.katago.is_some()) {
        Some(_) => {
            let note = format!("plays {name} as KataGo does, not as the match");
            (Some(name.to_owned()), Some(note))
        }
        None => {
            let note = format!("rules not sent: KataGo's commands cannot express {name}");
            (None, Some(note))
        }
    }
}

/// Play random moves on the third line and above (on sides below 7 on the second, below 5 on the
/// first), without self-atari. Equal seeds give equal openings.
fn play_opening(position: &mut Position, moves: u32, seed: u64) {
    let mut rng = Generator::new(seed);
    let size = position.size();
    let line = |at: u8, side: u8| at.min(side - 1 - at);
    let least = |side: u8| match side {
        0..5 => 0,
        5..7 => 1,
        7.. => 2,
    };
    let is_inside = |at: u8, side: u8| line(at, side) >= least(side);
    for _ in 0..moves {
        let c = position.to_move();
        let good: Vec<Point> = position
            .legal_plays(c)
            .filter(|p| is_inside(p.x(), size.width()) && is_inside(p.y(), size.height()))
            .filter(|&p| !position.board().is_self_atari(c, p))
            .collect();
        if good.is_empty() {
            break;
        }
        let m = Move::Play(good[rng.below(good.len() as u32) as usize]);
        if position.play(c, m).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_ponnuki_are_not_sent_to_katago() {
        let sent = |name| for_katago(&Ruleset::parse(name).unwrap());
        let (aga, note) = sent("aga");
        let aga = aga.unwrap();
        assert!(aga.contains(r#""ko":"SITUATIONAL""#), "{aga}");
        assert!(!aga.contains("longCycle") && !aga.contains("komi"), "{aga}");
        assert_eq!(note, None);
        let (near, note) = sent("new-zealand");
        assert_eq!(near.as_deref(), Some("new-zealand"));
        assert!(note.unwrap().contains("as KataGo does"));
        let (none, note) = sent("uk");
        assert!(none.is_none() && note.unwrap().contains("cannot express uk"));
    }
}
