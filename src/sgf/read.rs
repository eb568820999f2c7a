//! Reading a game from the nodes of a record.

use super::komi::{komi_of, stones_to_points};
use super::letters::point;
use super::parse::{Property, main_line};
use super::record::{GameRecord, IllegalPlay};
use super::setup::{PRISONERS, SetUp, player, set_up_stones};
use super::{GameInfo, SgfError, rules};
use crate::position::{Position, fixed_handicap};
use crate::rules::{Ruleset, Scoring};
use crate::types::{BoardSize, Color, Move, Point};
use crate::util::{open_regular, read_up_to};
use flate2::read::MultiGzDecoder;
use std::io;
use std::path::Path;

/// Properties of which a record of a game has at least one.
const OF_GO: [&str; 7] = ["FF", "GM", "SZ", "B", "W", "AB", "AW"];

/// Read the main line of the first game of a file.
///
/// At most `limit` moves are played. The position is then the one just before the next
/// move of the record: set-up stones between the last move played and the next one are on the
/// board, and the player who makes the next move is to move.
///
/// Uses the rules of the record (RU), otherwise `default_rules`. Uses the komi of the record (KM)
/// if it is a number within [`Komi::LIMIT`](crate::types::Komi::LIMIT); otherwise the komi is
/// unset. A komi of at least 200 or at most -200 is in hundredths. A komi from -4 to 4
/// is in stones of two points if it is an odd number of quarters under area rules, or if it was in
/// hundredths and one of these two conditions holds. A result (RE) of an odd number of quarters is
/// then in stones too. Records that Ponnuki wrote do not count as under area rules here.
///
/// The sides of the board (SZ) are from 1 to 25.
///
/// Handicap stones (HA with AB) are placed as handicap. Without AB they go on the traditional
/// points, if White moves first. Other set-up properties (AB, AW, AE, PL)
/// [set up](Position::change_board) the board and keep the prisoners. Without PL, the player of
/// the next move is to move.
///
/// A record says what happened. So illegal plays are carried out, as FF\[4\] demands, and listed:
/// plays against a ko, superko or suicide rule, and plays on occupied points. Before a play on an
/// occupied point, the board is set up without the stone there.
///
/// # Errors
/// [`SgfError`] says what is wrong and where. Moves after `limit` are not checked.
///
/// # Examples
///
/// ```
/// use ponnuki::rules::Ruleset;
/// use ponnuki::sgf;
///
/// let text = b"(;SZ[9]RU[Japanese]KM[6.5]PB[Honinbo];B[ee];W[cc];B[gg])";
/// let record = sgf::read(text, &Ruleset::default(), Some(2))?;
/// assert_eq!(record.position.turns().len(), 2);
/// assert_eq!(record.moves_in_record, 3);
/// assert_eq!(record.position.rules().name(), Some("japanese"));
/// assert_eq!(record.info.black.as_deref(), Some("Honinbo"));
/// # Ok::<(), ponnuki::sgf::SgfError>(())
/// ```
pub fn read(
    bytes: &[u8],
    default_rules: &Ruleset,
    limit: Option<usize>,
) -> Result<GameRecord, SgfError> {
    read_by(bytes, default_rules, false, limit)
}

/// [`read`], but by these rules instead of those of the record.
///
/// # Errors
/// As [`read`].
pub fn read_under(
    bytes: &[u8],
    rules: &Ruleset,
    limit: Option<usize>,
) -> Result<GameRecord, SgfError> {
    read_by(bytes, rules, true, limit)
}

/// Read by the rules of the record or, if it names none or `replaced` is set, by these.
fn read_by(
    bytes: &[u8],
    rules: &Ruleset,
    replaced: bool,
    limit: Option<usize>,
) -> Result<GameRecord, SgfError> {
    let line = main_line(bytes)?;
    // Without its first semicolon or its end, a record looks like any text with brackets.
    let is_of_go = |p: &Property| OF_GO.contains(&p.name.as_str());
    let is_odd = line.lacks_semicolon || line.is_unclosed;
    if is_odd && !line.nodes.iter().flatten().any(is_of_go) {
        return Err(SgfError::NoGame);
    }
    let head = head(&line.nodes);
    if let Some(game) = first(head, "GM")
        && !matches!(game.trim(), "" | "1")
    {
        return Err(SgfError::OtherGame(game.to_owned()));
    }
    let size = match first(head, "SZ") {
        Some(text) => size(text).ok_or_else(|| SgfError::Size(text.to_owned()))?,
        None => BoardSize::square(19),
    };
    let mut info = info(head);
    let named = info.rules.as_deref().and_then(rules::read);
    let named = named.unwrap_or(*rules);
    if replaced {
        info.rules = None;
    }
    let mut record = GameRecord {
        position: Position::new(size, if replaced { *rules } else { named }),
        info,
        moves_in_record: 0,
        is_whole: true,
        illegal: Vec::new(),
        implied_handicap: 0,
        set_up_after: Vec::new(),
        komi_in_hundredths: false,
        komi_in_stones: false,
        result_in_stones: None,
        unknown_player: unknown_player(&line.nodes),
        lacks_semicolon: line.lacks_semicolon,
        is_unclosed: line.is_unclosed,
        comments: Vec::new(),
        variations: line.variations,
        games: line.games,
        unread: unread(&line.nodes),
    };
    let own = first(head, "AP").is_some_and(|program| program.starts_with("Ponnuki:"));
    record.read_komi(own, named.scoring == Scoring::Area);
    record.play(&line.nodes, limit)?;
    Ok(record)
}

impl GameRecord {
    /// Set the komi that the record states, which is an `own` one of Ponnuki or under `area` rules.
    /// If it is in stones, so is the result.
    fn read_komi(&mut self, own: bool, area: bool) {
        let komi = self.info.komi.as_deref();
        let Some(komi) = komi.and_then(|text| komi_of(text, own, area)) else {
            return;
        };
        self.position.set_komi(komi.points);
        self.komi_in_hundredths = komi.hundredths;
        self.komi_in_stones = komi.stones;
        let result = self.info.result.as_deref().filter(|_| komi.stones);
        if let Some(points) = result.and_then(stones_to_points) {
            self.result_in_stones = self.info.result.replace(points);
        }
    }

    /// Play the nodes, at most `limit` moves.
    fn play(&mut self, nodes: &[Vec<Property>], limit: Option<usize>) -> Result<(), SgfError> {
        let handicap = self.info.handicap.as_deref();
        let handicap = handicap.and_then(|h| h.parse::<u32>().ok());
        let next = next_movers(nodes);
        let first_mover = next.first().copied().flatten();
        // Some old records give the number of stones, but not their points.
        let placed = nodes.iter().flatten().any(|p| p.name == "AB");
        if let (Some(n @ 2..), Some(Color::White), false) = (handicap, first_mover, placed)
            && let Ok(points) = fixed_handicap(self.position.size(), n)
            && self.position.place_handicap(&points).is_ok()
        {
            self.implied_handicap = n;
        }
        if let Some(c) = first_mover {
            self.position.set_to_move(c);
        }
        // Number of positions in the earlier parts.
        let mut before = 0;
        for (node, next) in nodes.iter().zip(next) {
            // Set-up stones belong to the position before the node's own move.
            if self.is_whole {
                let set_up = SetUp {
                    node,
                    after: self.moves_in_record,
                    handicap: handicap.filter(|&h| h > 0),
                    next,
                };
                let played = self.position.turns().len();
                set_up.apply(&mut self.position)?;
                if self.position.turns().len() < played {
                    self.set_up_after.push(self.moves_in_record);
                    before += played + 1;
                }
            }
            for (color, value) in plays(node) {
                if self.is_whole && limit == Some(self.moves_in_record) {
                    self.is_whole = false;
                    if self.position.to_move() != color {
                        self.position.set_to_move(color);
                    }
                }
                self.moves_in_record += 1;
                if self.is_whole {
                    let played = self.position.turns().len();
                    let illegal = play(&mut self.position, color, value, self.moves_in_record)?;
                    self.illegal.extend(illegal);
                    if self.position.turns().len() <= played {
                        self.set_up_after.push(self.moves_in_record - 1);
                        before += played + 1;
                    }
                }
            }
            if self.is_whole {
                let texts = node.iter().filter(|p| p.name == "C");
                let texts = texts.flat_map(|p| &p.values).filter_map(|t| text(t));
                let at = before + self.position.turns().len();
                self.comments.extend(texts.map(|text| (at, text)));
            }
        }
        Ok(())
    }
}

/// Size limits of a file of records and of what gzip has compressed in it, in bytes.
const MAX_FILE: u64 = 1 << 28;
const MAX_UNPACKED: u64 = 1 << 30;

/// Read a file of records, compressed by gzip or not.
///
/// # Errors
/// If it cannot be read or unpacked, is longer than 256 MiB or than 1 GiB unpacked, or is not a
/// regular file.
pub fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let long = |what| move || io::Error::new(io::ErrorKind::InvalidInput, what);
    let bytes = read_up_to(open_regular(path)?, MAX_FILE)?;
    let bytes = bytes.ok_or_else(long("longer than 256 MiB"))?;
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let unpacked = read_up_to(MultiGzDecoder::new(&bytes[..]), MAX_UNPACKED)?;
    unpacked.ok_or_else(long("longer than 1 GiB unpacked"))
}

/// The first bytes of a file compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The nodes up to the first move. Some programs write root properties in a node of
/// their own.
fn head(nodes: &[Vec<Property>]) -> &[Vec<Property>] {
    let end = nodes.iter().position(|n| plays(n).next().is_some());
    end.and_then(|i| nodes.get(..=i)).unwrap_or(nodes)
}

/// The information about the game.
fn info(head: &[Vec<Property>]) -> GameInfo {
    let mut info = GameInfo::default();
    for (name, field) in GameInfo::TEXTS.iter().chain(GameInfo::OF_THE_GAME) {
        let read = match *name {
            "GC" => text,
            _ => simple_text,
        };
        *field(&mut info) = first(head, name).and_then(read);
    }
    info
}

/// The first value of a property.
fn first<'a>(nodes: &'a [Vec<Property>], name: &str) -> Option<&'a str> {
    let property = nodes.iter().flatten().find(|p| p.name == name)?;
    property.values.first().map(String::as_str)
}

/// The first value of PL that names no player.
fn unknown_player(nodes: &[Vec<Property>]) -> Option<String> {
    let named = nodes.iter().flatten().filter(|p| p.name == "PL");
    let mut values = named.filter_map(|p| p.values.first());
    let unknown = values.find(|value| !value.trim().is_empty() && player(value).is_none());
    unknown.cloned()
}

/// The moves of a node. There should be one at most.
fn plays(node: &[Property]) -> impl Iterator<Item = (Color, &str)> {
    node.iter().filter_map(|p| {
        let color = match p.name.as_str() {
            "B" => Color::Black,
            "W" => Color::White,
            _ => return None,
        };
        Some((color, p.values.first().map_or("", String::as_str)))
    })
}

/// For each node, the player who makes the first move in or after it.
fn next_movers(nodes: &[Vec<Property>]) -> Vec<Option<Color>> {
    let mut next = None;
    let mut movers: Vec<_> = nodes
        .iter()
        .rev()
        .map(|node| {
            next = plays(node).next().map(|(c, _)| c).or(next);
            next
        })
        .collect();
    movers.reverse();
    movers
}

/// Text that may have several lines, trimmed; `None` if empty.
fn text(value: &str) -> Option<String> {
    // Each of these is one line break.
    let text = value.replace("\r\n", "\n").replace('\r', "\n");
    // Trim control characters as well: written as blanks, they would be lost at the next reading.
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    (!text.is_empty()).then(|| text.to_owned())
}

/// Text as one line, trimmed; `None` if empty.
fn simple_text(value: &str) -> Option<String> {
    let text = value.replace(char::is_control, " ");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Parse a board size, `19` or `COLUMNS:ROWS`.
fn size(text: &str) -> Option<BoardSize> {
    let (w, h) = text.split_once(':').unwrap_or((text, text));
    BoardSize::new(w.trim().parse().ok()?, h.trim().parse().ok()?).ok()
}

/// Properties outside [`GameInfo`] that are not lost: they are read, written from the game,
/// or redundant.
const READ: [&str; 16] = [
    "B", "W", "AB", "AW", "AE", "PL", "C", "FF", "GM", "CA", "AP", "SZ", "ST", "KO", "V", "SBKV",
];

/// Kinds of properties that are not read.
const UNREAD: [(&str, &[&str]); 2] = [
    (
        "marks on the board",
        &[
            "AR", "CR", "DD", "L", "LB", "LN", "M", "MA", "SL", "SQ", "TB", "TR", "TW", "VW",
        ],
    ),
    ("times on the clock", &["BL", "OB", "OW", "WL"]),
];

/// The kinds of properties in these nodes that are not read, in words.
fn unread(nodes: &[Vec<Property>]) -> Vec<&'static str> {
    let of_game = GameInfo::TEXTS.iter().chain(GameInfo::OF_THE_GAME);
    let read: Vec<&str> = of_game
        .map(|f| f.0)
        .chain(READ)
        .chain([PRISONERS])
        .collect();
    let kind = |name: &str| {
        let known = UNREAD.iter().find(|(_, names)| names.contains(&name));
        known.map_or("other properties", |&(kind, _)| kind)
    };
    let mut kinds: Vec<&str> = Vec::new();
    for property in nodes.iter().flatten() {
        let name = property.name.as_str();
        if !read.contains(&name) && !kinds.contains(&kind(name)) {
            kinds.push(kind(name));
        }
    }
    kinds
}

/// Play a move of the record. Returns it if the rules forbid it.
fn play(
    position: &mut Position,
    color: Color,
    value: &str,
    number: usize,
) -> Result<Option<IllegalPlay>, SgfError> {
    let size = position.size();
    let text = value.trim();
    // `tt` is a pass on boards that have no such point.
    let pass = text.is_empty() || (text == "tt" && size.width() <= 19 && size.height() <= 19);
    if pass {
        position.play_unchecked(color, Move::Pass);
        return Ok(None);
    }
    let p = point(text, size).ok_or_else(|| SgfError::Move {
        number,
        color,
        vertex: text.to_owned(),
        why: "not a point of the board",
    })?;
    let legal = position.legality(color, Move::Play(p));
    if !position.board().is_empty(p) {
        let others = position.board().stones().filter(|&(_, q)| q != p);
        let stones: Vec<(Color, Point)> = others.collect();
        set_up_stones(position, &stones)?;
    }
    position.play_unchecked(color, Move::Play(p));
    Ok(legal.err().map(|why| IllegalPlay {
        number,
        color,
        point: p,
        why,
    }))
}
