//! Features and labels of positions, in the format of `training/DATA.md`.

use super::game::{Game, GameError, Kind};
use super::search_with;
use crate::net::model::GLOBALS;
use crate::net::{
    Evaluation, EvaluationOptions, Features, Network, Output, Situation, Symmetry, encode,
};
use crate::position::Position;
use crate::rules::Settlement;
use crate::search::{PoolError, Puct, Search, TreeSearch};
use crate::types::{BoardSize, Color, Generator, Komi, Move, Point};
use flate2::Crc;
use half::f16;
use serde_json::{Value, json};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// The first bytes of a shard.
const MAGIC: &[u8; 8] = b"PONNUKI1";
/// Bytes before the header: [`MAGIC`] and the header's length.
const START: usize = MAGIC.len() + 4;
/// Sections begin at multiples of this.
const ALIGNMENT: usize = 64;

/// Factor on [`Labeller::keep`] for positions in records ([`Kind::Recorded`]).
const RECORD_FACTOR: f32 = 0.3;

/// Standard deviation of a random nearly even komi from the even one, in points.
const UNEVEN: f32 = 3.0;
/// Largest lead that a nearly even komi makes up for, as a share of the board's points. A
/// teacher's estimate of a larger lead is unreliable.
const FURTHEST: f32 = 0.3;

/// The records of one board size: one for each position.
struct Section {
    size: BoardSize,
    /// Length of a record in bytes.
    record: usize,
    bytes: Vec<u8>,
}

/// Labelled positions to be written to a file.
pub struct Shard {
    sections: Vec<Section>,
    /// Numbers of the first game and the one after the last.
    games: (u32, u32),
    /// Checksum of the games.
    checksum: u32,
    /// Name of the labelling network.
    teacher: Option<String>,
}

/// Length of a record in bytes: the sum of its fields, in the order of `training/DATA.md`.
fn record_len(size: BoardSize) -> usize {
    let area = size.area();
    let (planes, globals) = (3 * area, 4 * GLOBALS);
    let symmetry_and_kind = 2;
    let policy = 2 * (area + 1);
    planes + globals + symmetry_and_kind + policy + values_len(area)
}

/// Length of a record's last fields in bytes: result, score and ownership.
fn values_len(area: usize) -> usize {
    2 * 3 + 4 * 6 + area
}

impl Shard {
    /// Create an empty shard for these games, in the order of their numbers. `teacher` is the name
    /// of the labelling network, if there is one.
    pub fn new(games: &[Game], teacher: Option<String>) -> Shard {
        let mut checksum = Crc::new();
        games
            .iter()
            .for_each(|game| checksum.update(&game.encode()));
        let first = games.first().map_or(0, |game| game.number);
        Shard {
            sections: Vec::new(),
            games: (first, games.last().map_or(first, |game| game.number + 1)),
            checksum: checksum.sum(),
            teacher,
        }
    }

    /// Does this file hold a shard of the same games with the same teacher (or none)? In files of
    /// earlier versions, which have no checksum, only the games' numbers are compared.
    ///
    /// # Errors
    /// If the file cannot be read, is not a shard, or is shorter than its header says.
    pub fn is_written_in(&self, file: &mut (impl Read + Seek)) -> io::Result<bool> {
        let wrong = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let no_shard = || wrong("not a shard");
        let mut start = [0; START];
        file.read_exact(&mut start)?;
        let (magic, len) = start.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(no_shard());
        }
        let len = u32::from_le_bytes(len.try_into().map_err(|_| no_shard())?);
        let mut header = Vec::new();
        file.by_ref().take(len.into()).read_to_end(&mut header)?;
        let header: Value = serde_json::from_slice(&header).map_err(|_| no_shard())?;
        let end = |section: &Value| {
            let [offset, count, record] =
                ["offset", "count", "record"].map(|n| section[n].as_u64());
            count?.checked_mul(record?)?.checked_add(offset?)
        };
        let sections = header["sections"].as_array().ok_or_else(no_shard)?;
        let length = file.seek(SeekFrom::End(0))?;
        for section in sections {
            if end(section).ok_or_else(no_shard)? > length {
                return Err(wrong("shorter than its header says"));
            }
        }
        let checksum = header.get("checksum");
        Ok(header["games"] == json!([self.games.0, self.games.1])
            && checksum.is_none_or(|sum| *sum == json!(self.checksum))
            && header["teacher"] == json!(self.teacher))
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        let counts = self.sections.iter().map(|s| s.bytes.len() / s.record);
        counts.sum()
    }

    /// Are there no positions?
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    fn section(&mut self, size: BoardSize) -> &mut Vec<u8> {
        let at = self.sections.iter().position(|s| s.size == size);
        let at = at.unwrap_or_else(|| {
            self.sections.push(Section {
                size,
                record: record_len(size),
                bytes: Vec::new(),
            });
            self.sections.len() - 1
        });
        &mut self.sections[at].bytes
    }

    /// Write the file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        // The header contains the offsets of the sections, which depend on its length. Both settle
        // after two rounds.
        let mut begin = 0;
        let mut header = String::new();
        for _ in 0..3 {
            let mut offset = begin;
            let sections = self.sections.iter().map(|s| {
                let section = json!({
                    "width": s.size.width(), "height": s.size.height(),
                    "offset": offset, "count": s.bytes.len() / s.record, "record": s.record,
                });
                offset += s.bytes.len().next_multiple_of(ALIGNMENT);
                section
            });
            let sections: Vec<_> = sections.collect();
            let head = json!({
                "format": 1, "features": 7, "teacher": self.teacher,
                "games": [self.games.0, self.games.1], "checksum": self.checksum,
                "sections": sections,
            });
            header = head.to_string();
            begin = (START + header.len()).next_multiple_of(ALIGNMENT);
        }
        let padded = begin - START;
        out.write_all(MAGIC)?;
        out.write_all(&(padded as u32).to_le_bytes())?;
        write!(out, "{header:padded$}")?;
        for s in &self.sections {
            out.write_all(&s.bytes)?;
            let rest = s.bytes.len().next_multiple_of(ALIGNMENT) - s.bytes.len();
            out.write_all(&[0; ALIGNMENT][..rest])?;
        }
        Ok(())
    }
}

/// Labels positions and adds them to shards.
#[derive(Debug)]
pub struct Labeller {
    teacher: Option<(Arc<Network>, Evaluation)>,
    /// The search that labels instead of the network alone, and its visits.
    search: Option<(Search<Puct>, u64)>,
    /// Share of a game's positions to label, except those after passes, which are all labelled.
    keep: f32,
    /// Share of the labelled positions that get a nearly even komi.
    even: f32,
    seed: u64,
}

/// Memory for a search tree, in bytes.
const TREE: usize = 64 << 20;

impl Labeller {
    /// Create a labeller with this teacher; `None` writes features without labels. `keep` is the
    /// share of the positions of a game and its branches that are labelled, sampled with the seed.
    /// Of the positions in a record, 0.3 × `keep` are labelled; of those after passes or the end of
    /// the game ([`Kind::Late`]), all.
    pub fn new(teacher: Option<Arc<Network>>, keep: f32, seed: u64) -> Labeller {
        Labeller {
            teacher: teacher.map(|network| (network, Evaluation::default())),
            search: None,
            keep,
            even: 0.0,
            seed,
        }
    }

    /// Give this share of the positions a nearly even komi, computed from the teacher's lead
    /// in the previously labelled position. This puts the winner in doubt, while most positions
    /// of games are decided.
    pub fn even(self, share: f32) -> Labeller {
        Labeller {
            even: share,
            ..self
        }
    }

    /// Label by searches with the teacher of this many visits. The policy is then each move's
    /// share of the visits, and win rate, lead and ownership are the search's means. Positions
    /// after the end of a game are still labelled by the network alone.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses a thread to search.
    pub fn by_search(self, visits: u64) -> Result<Labeller, PoolError> {
        let search = match &self.teacher {
            Some((network, _)) => Some((search_with(network.clone(), TREE)?, visits)),
            None => None,
        };
        Ok(Labeller { search, ..self })
    }

    /// Add the positions of a game.
    ///
    /// # Errors
    /// [`GameError::Turn`] if the game has an illegal move; earlier positions have been added.
    pub fn add(&mut self, game: &Game, shard: &mut Shard) -> Result<(), GameError> {
        let mut rng = Generator::new(self.seed ^ !u64::from(game.number));
        // Black's lead in the last labelled position, with the game's komi.
        let mut lead = None;
        game.visit(|position, kind| {
            let share = match kind {
                Kind::Played | Kind::Branch => self.keep,
                Kind::Recorded => self.keep * RECORD_FACTOR,
                Kind::Late => 1.0,
            };
            let symmetry = rng.below(8) as u8;
            if rng.unit() >= share {
                return;
            }
            let other_komi = match lead {
                Some(lead) if self.even > 0.0 && rng.unit() < self.even => {
                    even_komi(position, lead, &mut rng)
                }
                _ => None,
            };
            let to = shard.section(game.size);
            let other = other_komi.map(|komi| {
                let mut other = position.clone();
                other.set_komi(komi);
                other
            });
            let labelled =
                self.add_position(other.as_ref().unwrap_or(position), kind, symmetry, to);
            let more = other.map_or(0.0, |p| p.white_bonus() - position.white_bonus());
            lead = labelled.map(|lead| lead + more as f32);
        })
    }

    /// Add a position. Returns Black's lead, if there is a teacher.
    fn add_position(
        &mut self,
        position: &Position,
        kind: Kind,
        symmetry: u8,
        to: &mut Vec<u8>,
    ) -> Option<f32> {
        let mut situation = Situation::of(position);
        if position.is_over() && position.rules().settlement != Settlement::PlayOut {
            // As in the search, the network must decide which stones are dead.
            situation.forget_passes();
        }
        let features = encode(&situation);
        let size = position.size();
        let symmetry = Symmetry::new(symmetry, features.size);
        put_features(&features, to);
        to.extend([symmetry.number(), kind as u8]);
        let c = position.to_move();
        let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
        let put_policy = |of: &dyn Fn(Point) -> f32, pass: f32, to: &mut Vec<u8>| {
            // As in the features, rows start at the top.
            for p in size.from_the_top() {
                let probability = if legal(p) { of(p) } else { -1.0 };
                to.extend(f16::from_f32(probability).to_le_bytes());
            }
            to.extend(f16::from_f32(pass).to_le_bytes());
        };
        let Some((network, evaluation)) = &mut self.teacher else {
            put_policy(&|_| 0.0, 0.0, to);
            to.resize(to.len() + values_len(size.area()), 0);
            return None;
        };
        let options = EvaluationOptions {
            symmetry: symmetry.number(),
            ..EvaluationOptions::default()
        };
        evaluation.run(network, &situation, options, legal);
        let output = &mut evaluation.output;
        if let Some((search, visits)) = self.search.as_mut().filter(|_| !position.is_over()) {
            search.clear();
            search.run(position, *visits, self.seed);
            put_search_results(search, position, output);
        }
        put_policy(&|p| output.policy[p.index()].max(0.0), output.pass, to);
        put_values(output, c, size, to);
        Some(output.lead)
    }
}

/// Write a record's last fields, for the player to move: result, score and ownership.
fn put_values(output: &Output, to_move: Color, size: BoardSize, to: &mut Vec<u8>) {
    let sign = to_move.sign() as f32;
    let (win, loss) = match to_move {
        Color::Black => (output.black_wins, output.white_wins),
        Color::White => (output.white_wins, output.black_wins),
    };
    for probability in [win, loss, output.no_result] {
        to.extend(f16::from_f32(probability).to_le_bytes());
    }
    let scores = [
        sign * output.score,
        output.deviation,
        sign * output.lead,
        output.time_left,
        output.errors[0],
        output.errors[1],
    ];
    for score in scores {
        to.extend(score.to_le_bytes());
    }
    for p in size.from_the_top() {
        let own = (sign * output.ownership[p.index()] * 127.0).round() as i8;
        to.push(own as u8);
    }
}

/// Replace policy, result, lead and ownership of the network's output by those of a search.
fn put_search_results(search: &Search<Puct>, position: &Position, output: &mut Output) {
    let Some(snapshot) = search.snapshot() else {
        return;
    };
    let visits = |mv: Move| {
        let known = snapshot.moves.iter().find(|(m, _)| m.mv == mv);
        known.map_or(0, |(m, _)| m.visits) as f32
    };
    let all: u32 = snapshot.moves.iter().map(|(m, _)| m.visits).sum();
    if all == 0 {
        return;
    }
    for p in position.size().points() {
        output.policy[p.index()] = visits(Move::Play(p)) / all as f32;
        output.ownership[p.index()] = snapshot.totals.ownership.of(p);
    }
    output.pass = visits(Move::Pass) / all as f32;
    let rest = 1.0 - output.no_result;
    let wins = (snapshot.value.win_rate - output.no_result / 2.0).clamp(0.0, rest);
    (output.black_wins, output.white_wins) = match snapshot.to_move {
        Color::Black => (wins, rest - wins),
        Color::White => (rest - wins, wins),
    };
    if let Some(lead) = snapshot.value.lead {
        output.lead = snapshot.to_move.sign() as f32 * lead;
    }
}

/// A nearly even komi for a position in which Black leads by `lead`. `None` if the lead is too
/// large.
fn even_komi(position: &Position, lead: f32, rng: &mut Generator) -> Option<Komi> {
    let furthest = FURTHEST * position.size().area() as f32;
    (lead.abs() <= furthest).then(|| {
        let komi = position.komi().points() + f64::from(lead + UNEVEN * rng.bell());
        Komi::half_points((2.0 * komi).round() as i32)
    })
}

fn put_features(features: &Features, to: &mut Vec<u8>) {
    for bits in &features.planes {
        to.extend(&bits.to_le_bytes()[..3]);
    }
    for global in &features.globals {
        to.extend(global.to_le_bytes());
    }
}
