/// Information about a game other than its moves. Values are trimmed, line breaks become
/// blanks, and empty values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameInfo {
    /// PB: Black's name.
    pub black: Option<String>,
    /// BR: Black's rank, such as `6d`.
    pub black_rank: Option<String>,
    /// PW: White's name.
    pub white: Option<String>,
    /// WR: White's rank.
    pub white_rank: Option<String>,
    /// RE: `B+3.5`, `W+R`, `0`, `Void`, …
    pub result: Option<String>,
    /// KM: komi. [`super::write`] uses the game's komi instead.
    pub komi: Option<String>,
    /// HA: handicap. [`super::write`] uses the game's handicap instead, unless Black's first
    /// moves match this value.
    pub handicap: Option<String>,
    /// RU: rules. [`super::write`] uses the game's rules instead, but keeps this spelling if it
    /// means the same rules or is unknown. Clear it when changing the rules of the game.
    pub rules: Option<String>,
    /// TM: main time, in seconds.
    pub time: Option<String>,
    /// OT: overtime, in words.
    pub overtime: Option<String>,
    /// DT: `2000-10-17`.
    pub date: Option<String>,
    /// EV: the event.
    pub event: Option<String>,
    /// RO: the round of the event.
    pub round: Option<String>,
    /// PC: the place.
    pub place: Option<String>,
    /// GN: the name of the game.
    pub name: Option<String>,
    /// BT: Black's team.
    pub black_team: Option<String>,
    /// WT: White's team.
    pub white_team: Option<String>,
    /// ON: the opening.
    pub opening: Option<String>,
    /// AN: the annotator.
    pub annotator: Option<String>,
    /// SO: the source of the record.
    pub source: Option<String>,
    /// US: who entered the record.
    pub entered_by: Option<String>,
    /// CP: the copyright.
    pub copyright: Option<String>,
    /// GC: a comment on the whole game.
    pub comment: Option<String>,
}

/// A property, and access to its value.
pub(super) type Field = (&'static str, fn(&mut GameInfo) -> &mut Option<String>);

impl GameInfo {
    /// The properties that a [`crate::position::Position`] does not hold, in the order in which
    /// they are written.
    pub(super) const TEXTS: [Field; 20] = [
        ("PB", |i| &mut i.black),
        ("BR", |i| &mut i.black_rank),
        ("PW", |i| &mut i.white),
        ("WR", |i| &mut i.white_rank),
        ("TM", |i| &mut i.time),
        ("OT", |i| &mut i.overtime),
        ("DT", |i| &mut i.date),
        ("EV", |i| &mut i.event),
        ("RO", |i| &mut i.round),
        ("PC", |i| &mut i.place),
        ("GN", |i| &mut i.name),
        ("BT", |i| &mut i.black_team),
        ("WT", |i| &mut i.white_team),
        ("ON", |i| &mut i.opening),
        ("AN", |i| &mut i.annotator),
        ("SO", |i| &mut i.source),
        ("US", |i| &mut i.entered_by),
        ("CP", |i| &mut i.copyright),
        ("GC", |i| &mut i.comment),
        ("RE", |i| &mut i.result),
    ];

    /// The properties whose values are written from the game itself.
    pub(super) const OF_THE_GAME: [Field; 3] = [
        ("KM", |i| &mut i.komi),
        ("HA", |i| &mut i.handicap),
        ("RU", |i| &mut i.rules),
    ];
}
