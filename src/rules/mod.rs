//! Rulesets as data.
//!
//! A [`Ruleset`] is a struct of small enums. Code outside this module tests its
//! fields, never its *name*. All presets are in one table, [`PRESETS`], and each row
//! cites the text it follows; [`articles`] goes through those texts sentence by
//! sentence.

pub mod articles;
mod json;
mod presets;

pub use json::RulesError;
pub use presets::{Citations, EndCitations, PRESETS, Preset, preset};

use crate::types::Komi;

/// The repetitions that are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only the immediate recapture of a single stone (Japanese 1989, Article 6).
    Simple,
    /// No position of the game may recur.
    Positional,
    /// No position may recur with the same player to move.
    Situational,
    /// A play may not repeat the position after any earlier move of *the same
    /// player*. A pass is a move; the starting position is not the result of a move
    /// (New Zealand rules, "move"; UK Go Challenge 4.1).
    OwnMoves,
    /// Positional superko over the positions since the last pass. So that games end,
    /// a second pass of one player from the same position ends the game; two passes in
    /// a row do not (Bill Spight's rule, as KataGo's `SPIGHT`).
    Spight,
}

impl KoRule {
    /// Does a repeated position count regardless of whose turn it is?
    pub const fn is_positional(self) -> bool {
        matches!(self, KoRule::Positional | KoRule::Spight)
    }
}

/// The suicides that are legal: plays that leave the player's own stones without liberties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuicideRule {
    /// None.
    Forbidden,
    /// Suicide of two or more stones.
    SeveralStones,
    /// Suicide of any number of stones.
    Any,
}

/// What counts as points at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
    /// Surrounded points and prisoners.
    Territory,
}

/// Deductions from the points of chains or regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tax {
    /// Every surrounded point counts.
    None,
    /// No territory for chains in seki (Japanese 1989, Article 8).
    Seki,
    /// No territory for chains in seki, and each group alive outside seki loses two points (one if
    /// it has only one): the eyes that it must keep (stone scoring).
    All,
}

/// Points that White receives for Black's handicap stones, on top of komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// One point per stone.
    N,
    /// One point per stone except the first.
    NMinusOne,
}

impl HandicapBonus {
    /// Points for White if Black received `stones` handicap stones.
    /// A single stone is not a handicap.
    pub const fn points(self, stones: u32) -> u32 {
        match self {
            _ if stones < 2 => 0,
            HandicapBonus::Zero => 0,
            HandicapBonus::N => stones,
            HandicapBonus::NMinusOne => stones - 1,
        }
    }
}

/// The effect of a whole-board repetition that the ko rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LongCycle {
    /// None: the ko rule allows no repetition, or the game continues.
    PlaysOn,
    /// The game ends without result (Japanese 1989, Article 12).
    NoResult,
}

/// Who moves first when a stopped game is resumed because of a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resumption {
    /// Turns alternate as if play had not stopped (UK Go Challenge 6; EGF
    /// Game End Module A3; AGA Rule 10).
    Alternation,
    /// The opponent of the player who asks to resume (Japanese 1989, Article 9.3).
    OpponentFirst,
    /// The player that both agree on; without agreement, all stones on the board are
    /// alive (New Zealand rules, "finished").
    ByAgreement,
}

/// How dead stones are determined after play has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settlement {
    /// No stones are dead: they must be captured.
    PlayOut,
    /// The players agree, or continue play.
    Agreement,
    /// Confirmation by hypothetical play (Japanese 1989, Article 7).
    Confirmation,
}

/// The rules of a game: one field for each point on which rulesets differ.
///
/// ```
/// use ponnuki::rules::{Ruleset, Scoring, Tax};
///
/// let rules = Ruleset::parse("japanese")?;
/// assert_eq!(rules.scoring, Scoring::Territory);
/// // With one field changed, the rules match no preset.
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
    /// White passes last, with a third pass in a row if necessary.
    pub white_passes_last: bool,
    /// The first pass of the game takes a button worth half a point. It does not
    /// count towards the passes that end the game, and positions before it may
    /// recur.
    pub button: bool,
    /// Komi of an even game, unless the players set their own.
    pub komi: Komi,
    /// Komi of a handicap game, unless the players set their own.
    pub handicap_komi: Komi,
    /// Compensation for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// White's first passes give handicap: they do not end the game and cost nothing
    /// (New Zealand rules, "handicap").
    pub handicap_by_passes: bool,
    /// Effect of a long cycle.
    pub long_cycle: LongCycle,
    /// How dead stones are determined.
    pub settlement: Settlement,
    /// Who moves first after a dispute.
    pub resumption: Resumption,
    /// The preset that was chosen, if several have these fields.
    pub called: Called,
}

/// The name of the chosen preset, if several have the same fields. It does not affect the
/// game, so all names compare equal.
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

    /// The preset with these fields except komi, as Ponnuki or as KataGo defines it. If several
    /// match, the one chosen by name, otherwise the first.
    pub fn preset(&self) -> Option<&'static Preset> {
        let same = |other: &Ruleset| self.equals_but_for_komi(other);
        let matches = |p: &&Preset| same(&p.rules) || p.katago.as_ref().is_some_and(same);
        let called = self.called.0.and_then(preset).filter(matches);
        called.or_else(|| PRESETS.iter().find(matches))
    }

    /// Are all fields but komi equal?
    pub fn equals_but_for_komi(&self, other: &Ruleset) -> bool {
        *self
            == Ruleset {
                komi: self.komi,
                handicap_komi: self.handicap_komi,
                ..*other
            }
    }

    /// The articles on life and death and on removing dead stones.
    pub fn end_citations(&self) -> &'static EndCitations {
        let preset = self.preset();
        preset.map_or(&presets::JAPANESE_END, |p| &p.cites.end)
    }

    /// The name of the [preset](Ruleset::preset) with these fields.
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
