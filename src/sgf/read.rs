//! From nodes to a game.

use super::parse::{Property, main_line};
use super::{GameInfo, SgfError};
use crate::board::Board;
use crate::position::Position;
use crate::rules::{Ruleset, preset};
use crate::types::{BoardSize, Color, Komi, Move, Point};

/// A game read from a record.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The game, as far as it was asked for.
    pub position: Position,
    /// What else the record says.
    pub info: GameInfo,
    /// Moves in the main line, passes included.
    pub moves_in_record: usize,
}

/// Read the main line of the first game of a file.
///
/// At most `limit` moves are played. Rules that the record names (RU) hold,
/// otherwise `default_rules`; so does its komi (KM), if it is a number. Handicap
/// stones (HA with AB) are placed as such; other set-up stones (AB, AW, AE, PL)
/// start the game anew from the board as it then stands.
///
/// A record says what happened, so plays against a ko, superko or suicide rule
/// are taken as they stand. Plays on occupied points are not possible.
///
/// # Errors
/// [`SgfError`] says what is wrong and where.
pub fn read(
    bytes: &[u8],
    default_rules: &Ruleset,
    limit: Option<usize>,
) -> Result<GameRecord, SgfError> {
    let nodes = main_line(bytes)?;
    let root: &[Property] = nodes.first().map_or(&[], Vec::as_slice);
    if let Some(game) = first(root, "GM")
        && game.trim() != "1"
    {
        return Err(SgfError::OtherGame(game.to_owned()));
    }
    let size = match first(root, "SZ") {
        Some(text) => size(text).ok_or_else(|| SgfError::Size(text.to_owned()))?,
        None => BoardSize::square(19),
    };
    let rules = first(root, "RU").and_then(rules).unwrap_or(*default_rules);
    let komi = first(root, "KM")
        .and_then(|k| k.trim().replace(',', ".").parse().ok())
        .and_then(|k| Komi::new(k).ok());
    let handicap: u32 = first(root, "HA")
        .and_then(|h| h.trim().parse().ok())
        .unwrap_or(0);
    let text = |name| {
        first(root, name)
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
    };
    let info = GameInfo {
        black: text("PB"),
        white: text("PW"),
        result: text("RE"),
        rules: text("RU"),
        date: text("DT"),
        event: text("EV"),
    };
    let mut position = Position::new(size, rules);
    if let Some(komi) = komi {
        position.set_komi(komi);
    }
    let mut moves = 0;
    let limit = limit.unwrap_or(usize::MAX);
    for (i, node) in nodes.iter().enumerate() {
        if moves < limit {
            position = set_up(position, node, if i == 0 { handicap } else { 0 }, moves)?;
        }
        for property in node {
            let color = match property.name.as_str() {
                "B" => Color::Black,
                "W" => Color::White,
                _ => continue,
            };
            moves += 1;
            if moves <= limit {
                let value = property.values.first().map_or("", String::as_str);
                play(&mut position, color, value, moves)?;
            }
        }
    }
    Ok(GameRecord {
        position,
        info,
        moves_in_record: moves,
    })
}

/// The first value of a property.
fn first<'a>(node: &'a [Property], name: &str) -> Option<&'a str> {
    let property = node.iter().find(|p| p.name == name)?;
    property.values.first().map(String::as_str)
}

/// `19`, or `COLUMNS:ROWS`.
fn size(text: &str) -> Option<BoardSize> {
    let (w, h) = text.split_once(':').unwrap_or((text, text));
    BoardSize::new(w.trim().parse().ok()?, h.trim().parse().ok()?).ok()
}

/// The names that the format lists and those found in the wild.
fn rules(text: &str) -> Option<Ruleset> {
    let known = preset(text).or_else(|| {
        let text = text.to_ascii_lowercase();
        let first = text.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
        preset(first)
    });
    known.map(|p| p.rules)
}

/// A point in the format's letters, columns from the left, rows from the top.
fn point(text: &str, size: BoardSize) -> Option<Point> {
    let mut letters = text.trim().chars().map(|c| match c {
        'a'..='z' => Some(c as u8 - b'a'),
        _ => None,
    });
    let (x, row) = (letters.next()??, letters.next()??);
    if letters.next().is_some() || x >= size.width() || row >= size.height() {
        return None;
    }
    Some(Point::new(x, size.height() - 1 - row))
}

/// The points of a list, in which `aa:cc` stands for a rectangle.
fn points(property: &Property, size: BoardSize, after: usize) -> Result<Vec<Point>, SgfError> {
    let mut all = Vec::new();
    for value in &property.values {
        let bad = || SgfError::Point {
            property: property.name.clone(),
            value: value.clone(),
            after,
        };
        match value.split_once(':') {
            None => all.push(point(value, size).ok_or_else(bad)?),
            Some((a, b)) => {
                let a = point(a, size).ok_or_else(bad)?;
                let b = point(b, size).ok_or_else(bad)?;
                for y in a.y().min(b.y())..=a.y().max(b.y()) {
                    for x in a.x().min(b.x())..=a.x().max(b.x()) {
                        all.push(Point::new(x, y));
                    }
                }
            }
        }
    }
    Ok(all)
}

/// The position after the set-up properties of a node, if it has any.
fn set_up(
    position: Position,
    node: &[Property],
    handicap: u32,
    after: usize,
) -> Result<Position, SgfError> {
    let size = position.size();
    let mut changes: Vec<(Point, Option<Color>)> = Vec::new();
    let mut to_move = None;
    for property in node {
        let color = match property.name.as_str() {
            "AB" => Some(Color::Black),
            "AW" => Some(Color::White),
            "AE" => None,
            "PL" => {
                to_move = property
                    .values
                    .first()
                    .and_then(|v| match v.trim().chars().next() {
                        Some('b' | 'B' | '1') => Some(Color::Black),
                        Some('w' | 'W' | '2') => Some(Color::White),
                        _ => None,
                    });
                continue;
            }
            _ => continue,
        };
        for p in points(property, size, after)? {
            changes.push((p, color));
        }
    }
    let mut position = position;
    if !changes.is_empty() {
        let only_black = changes.iter().all(|&(_, c)| c == Some(Color::Black));
        let empty =
            position.turns().is_empty() && position.board().empty_points().len() == size.area();
        if handicap > 1 && only_black && empty {
            let stones: Vec<Point> = changes.iter().map(|&(p, _)| p).collect();
            position
                .place_handicap(&stones)
                .map_err(|e| SgfError::Setup(e.to_string()))?;
        } else {
            position = changed(&position, &changes)?;
        }
    }
    if let Some(c) = to_move {
        position.set_to_move(c);
    }
    Ok(position)
}

/// A new game from the board of `position` with these points changed.
fn changed(position: &Position, changes: &[(Point, Option<Color>)]) -> Result<Position, SgfError> {
    let old = position.board();
    let mut stones: Vec<(Point, Color)> = Vec::new();
    for p in old.size().points() {
        let change = changes.iter().rev().find(|(q, _)| *q == p);
        let color = change.map_or(old.at(p).color(), |&(_, c)| c);
        stones.extend(color.map(|c| (p, c)));
    }
    let mut board = Board::new(old.size());
    for (p, c) in stones {
        board.place(c, p).map_err(SgfError::Setup)?;
    }
    if let Some(p) = board.without_liberties() {
        return Err(SgfError::Setup(format!("the chain at {p} has no liberty")));
    }
    for c in Color::BOTH {
        board.add_captured(c, old.captured(c));
    }
    let mut new = Position::from_board(board, position.to_move(), *position.rules());
    if position.komi_is_set() {
        new.set_komi(position.komi());
    }
    Ok(new)
}

/// Play a move of the record.
fn play(position: &mut Position, color: Color, value: &str, number: usize) -> Result<(), SgfError> {
    let size = position.size();
    let text = value.trim();
    // `tt` is a pass on boards that have no such point.
    let pass = text.is_empty() || (text == "tt" && size.width() <= 19 && size.height() <= 19);
    let mv = if pass {
        Move::Pass
    } else {
        let p = point(text, size).ok_or_else(|| SgfError::Point {
            property: color.letter().to_string(),
            value: value.to_owned(),
            after: number - 1,
        })?;
        if !position.board().is_empty(p) {
            return Err(SgfError::Move {
                number,
                color,
                mv: Move::Play(p),
                why: "the point is occupied".to_owned(),
            });
        }
        Move::Play(p)
    };
    position.play_unchecked(color, mv);
    Ok(())
}
