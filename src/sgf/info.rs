/// A property, and access to its value.
pub(super) type Field = (&'static str, fn(&mut GameInfo) -> &mut Option<String>);

macro_rules! game_info {
    ($($(#[doc = $about:literal])* $list:ident { $($field:ident $name:literal $doc:literal;)* })*) => {
        /// Information about a game other than its moves. Values are trimmed, line breaks become
        /// blanks, and empty values are `None`.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct GameInfo {
            $($(#[doc = concat!($name, ": ", $doc)] pub $field: Option<String>,)*)*
        }

        impl GameInfo {
            $($(#[doc = $about])*
            pub(super) const $list: &[Field] = &[$(($name, |i| &mut i.$field),)*];)*
        }
    };
}

game_info! {
    /// The properties that a [`crate::position::Position`] does not hold, in the order in which
    /// they are written.
    TEXTS {
        black "PB" "Black's name.";
        black_rank "BR" "Black's rank, such as `6d`.";
        white "PW" "White's name.";
        white_rank "WR" "White's rank.";
        time "TM" "main time, in seconds.";
        overtime "OT" "overtime, in words.";
        date "DT" "`2000-10-17`.";
        event "EV" "the event.";
        round "RO" "the round of the event.";
        place "PC" "the place.";
        name "GN" "the name of the game.";
        black_team "BT" "Black's team.";
        white_team "WT" "White's team.";
        opening "ON" "the opening.";
        annotator "AN" "the annotator.";
        source "SO" "the source of the record.";
        entered_by "US" "who entered the record.";
        copyright "CP" "the copyright.";
        comment "GC" "a comment on the whole game.";
        result "RE" "`B+3.5`, `W+R`, `0`, `Void`, …";
    }
    /// The properties whose values are written from the game itself.
    OF_THE_GAME {
        komi "KM" "komi. [`crate::sgf::write`] uses the game's komi instead.";
        handicap "HA" "handicap. [`crate::sgf::write`] uses the game's handicap instead, unless Black's first moves match this value.";
        rules "RU" "rules. [`crate::sgf::write`] uses the game's rules instead, but keeps this spelling if it means the same rules or is unknown. Clear it when changing the rules of the game.";
    }
}
