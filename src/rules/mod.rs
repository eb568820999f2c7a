//! Rulesets as data.
//!
//! A [`Ruleset`] is a value of small enums. Nothing outside this module tests
//! the *name* of a ruleset; everything asks one of its fields. The presets stand
//! in one table, [`PRESETS`], each row citing the text it follows; [`articles`]
//! goes through those texts sentence by sentence.

pub mod articles;
mod json;
mod presets;

pub use json::RulesError;
pub use presets::{Citations, EndCitations, PRESETS, Preset, preset};

use crate::types::Komi;

/// Which whole-board repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only the immediate recapture of a single stone (Japanese 1989, Article 6).
    Simple,
    /// No position of the game may come again.
    Positional,
    /// No position may come again with the same player to move.
    Situational,
    /// A play may not repeat the position after any earlier move of *the same
    /// player*. A pass is a move; the starting position is the result of none (New
    /// Zealand rules, "move"; UK Go Challenge 4.1).
    OwnMoves,
    /// Positional superko that forgets at each pass: only positions since the last
    /// pass count. So that games end, a second pass of one player from the same
    /// position ends the game; two passes in a row do not (Bill Spight's rule as
    /// KataGo's `SPIGHT` has it).
    Spight,
}

impl KoRule {
    /// Does a position count as repeated whichever player left the earlier one?
    pub const fn is_positional(self) -> bool {
        matches!(self, KoRule::Positional | KoRule::Spight)
    }
}

/// Which plays that leave the player's own stones without liberties are legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuicideRule {
    /// None.
    Forbidden,
    /// Of two or more stones.
    SeveralStones,
    /// Of any number of stones.
    Any,
}

/// What is counted at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
    /// Surrounded points and prisoners.
    Territory,
}

/// Points that the scoring takes away from chains or regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tax {
    /// Every surrounded point counts.
    None,
    /// No territory for chains in seki (Japanese 1989, Article 8).
    Seki,
    /// No territory for chains in seki, and two points less for each group that lives
    /// by itself, or its only one: the eyes that it cannot fill (stone scoring).
    All,
}

/// What White receives for Black's handicap stones, on top of komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// One point a stone.
    N,
    /// One point a stone but the first.
    NMinusOne,
}

impl HandicapBonus {
    /// Points for White when Black received `stones` handicap stones.
    /// One stone is no handicap.
    pub const fn points(self, stones: u32) -> u32 {
        match self {
            _ if stones < 2 => 0,
            HandicapBonus::Zero => 0,
            HandicapBonus::N => stones,
            HandicapBonus::NMinusOne => stones - 1,
        }
    }
}

/// What a whole-board repetition that the ko rule allows leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LongCycle {
    /// The ko rule leaves none, or the game simply goes on.
    PlaysOn,
    /// The game ends without result (Japanese 1989, Article 12).
    NoResult,
}

/// Who moves first when a stopped game goes on because of a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resumption {
    /// The turns alternate as if play had not stopped (UK Go Challenge 6; EGF
    /// Game End Module A3; AGA Rule 10).
    Alternation,
    /// The opponent of the player who asks for it (Japanese 1989, Article 9.3).
    OpponentFirst,
    /// Whoever the players agree on; if they cannot agree, all stones on the board are
    /// alive (New Zealand rules, "finished").
    ByAgreement,
}

/// How it is settled which stones are dead when play has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settlement {
    /// No stone is dead: what is to be taken off must be captured.
    PlayOut,
    /// The players agree, or else play on.
    Agreement,
    /// Confirmation by hypothetical play (Japanese 1989, Article 7).
    Confirmation,
}

/// Everything in which the rules of the game differ, and nothing else.
///
/// ```
/// use ponnuki::rules::{Ruleset, Scoring, Tax};
///
/// let rules = Ruleset::parse("japanese")?;
/// assert_eq!(rules.scoring, Scoring::Territory);
/// // With one field changed these are the rules of no preset.
/// let mut own = rules;
/// own.set("tax", "NONE")?;
/// assert_eq!(own, Ruleset { tax: Tax::None, ..rules });
/// assert_eq!((rules.name(), own.name()), (Some("japanese"), None));
/// # Ok::<(), ponnuki::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruleset {
    /// Forbidden repetitions.
    pub ko: KoRule,
    /// Legal suicides.
    pub suicide: SuicideRule,
    /// Area or territory.
    pub scoring: Scoring,
    /// Deductions from territory.
    pub tax: Tax,
    /// A pass gives the opponent one prisoner.
    pub pass_costs_stone: bool,
    /// White makes the last pass, even if it is the third in a row.
    pub white_passes_last: bool,
    /// The first pass of the game takes a button worth half a point. It does not
    /// count towards the passes that end the game, and positions before it may
    /// come again.
    pub button: bool,
    /// Komi of an even game, unless the players set their own.
    pub komi: Komi,
    /// Komi of a handicap game, unless the players set their own.
    pub handicap_komi: Komi,
    /// Compensation for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// White's first passes are handicap: they end nothing and cost nothing
    /// (New Zealand rules, "handicap").
    pub handicap_by_passes: bool,
    /// Outcome of a long cycle.
    pub long_cycle: LongCycle,
    /// How dead stones are settled.
    pub settlement: Settlement,
    /// How a stopped game goes on.
    pub resumption: Resumption,
    /// Which of the presets with these fields was chosen.
    pub called: Called,
}

/// The name of a preset, where several have the same fields. It makes no difference to the
/// game: all names are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Called(pub Option<&'static str>);

impl PartialEq for Called {
    fn eq(&self, _: &Called) -> bool {
        true
    }
}

impl Ruleset {
    /// Is a play of `stones` own stones without liberties legal?
    #[inline]
    pub const fn allows_suicide_of(&self, stones: u32) -> bool {
        match self.suicide {
            SuicideRule::Forbidden => false,
            SuicideRule::SeveralStones => stones >= 2,
            SuicideRule::Any => true,
        }
    }

    /// The preset with these fields, komi aside, either in our reading or in KataGo's: of
    /// several the one that was chosen by name, or the first.
    pub fn preset(&self) -> Option<&'static Preset> {
        let same = |other: &Ruleset| self.equals_but_for_komi(other);
        let is_it = |p: &&Preset| same(&p.rules) || p.katago.as_ref().is_some_and(same);
        let called = self.called.0.and_then(preset).filter(is_it);
        called.or_else(|| PRESETS.iter().find(is_it))
    }

    /// Are these the same fields, komi aside?
    pub fn equals_but_for_komi(&self, other: &Ruleset) -> bool {
        *self
            == Ruleset {
                komi: self.komi,
                handicap_komi: self.handicap_komi,
                ..*other
            }
    }

    /// The articles that say what becomes of stones at the end.
    pub fn end_citations(&self) -> &'static EndCitations {
        let preset = self.preset();
        preset.map_or(&presets::JAPANESE_END, |p| &p.cites.end)
    }

    /// The name of that preset.
    pub fn name(&self) -> Option<&'static str> {
        self.preset().map(|p| p.name)
    }
}

impl Default for Ruleset {
    /// New Zealand rules.
    fn default() -> Self {
        presets::NEW_ZEALAND
    }
}
