//! How many points a room needs for a chain to live, and how few are too few. A room is a part of
//! the board that stones of one player enclose.

use crate::types::BoardSize;

/// Empty points that a chain must enclose alone to live even if its opponent plays first. A test
/// searches random rooms: with seven points, none falls.
pub const ROOM_TO_LIVE: u32 = 8;

/// [`ROOM_TO_LIVE`] on a board of this size. On very narrow boards no number is enough: the room is
/// a corridor, in which long chains fall.
pub(super) fn room_to_live(size: BoardSize) -> u32 {
    match size.width().min(size.height()) {
        ..4 => u32::MAX,
        _ => ROOM_TO_LIVE,
    }
}

/// Empty points needed in addition to [`ROOM_TO_LIVE`] for each stone of the opponent in the room.
/// With one such stone, one in 600 random rooms of 12 empty points fell, and none of 13. Here 20
/// are required.
const ROOM_PER_INTRUDER: u32 = 12;

/// Maximum stones of the opponent in a room that can prove life.
pub(super) const MOST_INTRUDERS: u32 = 3;

/// Liberties in a room of a chain that counts as a wall around it, if the opponent might live there.
/// A lone stone on an open board, too, encloses the rest of the board.
const WALL_LINKS: u32 = 6;

/// Does a chain live by a room that it encloses alone, with this many empty points, of which at least
/// `least` are needed, liberties of the chain in it, and stones of the opponent?
pub(super) fn lives_by_room(least: u32, empty: u32, links: u32, intruders: u32) -> bool {
    let enough = least.saturating_add(ROOM_PER_INTRUDER * intruders);
    let wall = match intruders {
        0 => is_wall(empty, links),
        n => links >= LINKS * (1 + n),
    };
    intruders <= MOST_INTRUDERS && empty >= enough && wall
}

/// Do chains with this many liberties in a room of this many points enclose it?
pub(super) fn is_wall(points: u32, links: u32) -> bool {
    points <= TOO_SMALL_EMPTY || links >= WALL_LINKS
}

/// Liberties that a chain needs in an empty room shared with chains beyond capture. It then
/// connects to them, or lives, even if the opponent plays first. A test searches random rooms: with
/// four liberties no chain falls, with three some do.
pub(super) const LINKS: u32 = 4;

/// Largest room in which a chain cannot live among stones beyond capture: two eyes and the
/// stones around them take eight points even in a corner.
const TOO_SMALL_WITH_STONES: u32 = 7;

/// Largest room in which a player with no stone there cannot live, even playing first. A test
/// searches random rooms of fourteen points: nothing lives in any of them.
pub(super) const TOO_SMALL_EMPTY: u32 = 14;

/// [`TOO_SMALL_WITH_STONES`] on boards one, two and three points wide, where two eyes and the stones
/// around them take three, four and six.
const TOO_SMALL_BETWEEN_EDGES: [u32; 3] = [2, 3, 5];

/// Maximum points of a room in which a player cannot live among stones beyond capture: with stones
/// there, and with none but playing first. The corners of small boards are too close together for
/// [`TOO_SMALL_EMPTY`], which holds for a single corner.
pub(super) fn too_small(size: BoardSize) -> [u32; 2] {
    match size.width().min(size.height()) {
        width @ 1..4 => [TOO_SMALL_BETWEEN_EDGES[usize::from(width) - 1]; 2],
        4..7 => [TOO_SMALL_WITH_STONES; 2],
        _ => [TOO_SMALL_WITH_STONES, TOO_SMALL_EMPTY],
    }
}
