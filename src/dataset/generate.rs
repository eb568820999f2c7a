//! Training games played by the raw policy of a network, or by a small search with it, with
//! temperature and variety.
//!
//! Wu 2019 ("Accelerating Self-Play Learning in Go", sections 3.1 and 5.1) gives the
//! reasons for randomised sizes, rules, komi and openings. Search trees are full of bad
//! moves, so games have branches with uniformly random moves and moves of a flattened policy,
//! and, where a search chooses the moves, with lines from its tree. Positions of a decided game
//! say little about who wins, so in many games the komi makes a late position even.

use super::game::{Branch, Game};
use super::search_with;
use crate::net::{Evaluation, EvaluationOptions, Network, Situation};
use crate::position::{Position, fixed_handicap, max_fixed_handicap};
use crate::rules::{
    HandicapBonus, KoRule, PRESETS, Ruleset, Scoring, Settlement, SuicideRule, Tax,
};
use crate::search::{PoolError, Puct, ROOT, Search, TreeSearch};
use crate::types::{BoardSize, Color, GOLDEN, Generator, Komi, Move, Point};
use std::sync::Arc;

/// Minimum number of turns of a record that a game may continue.
const MIN_RECORD_TURNS: usize = 20;

/// Sides of square boards, and how many of a thousand games are on each. The remaining 70 games are
/// on boards with random sides. Games on larger boards are longer, so of the positions on these
/// three boards about 40, 25 and 35 % are on 9x9, 13x13 and 19x19.
const SQUARES: [(u8, u32); 3] = [(9, 600), (13, 180), (19, 150)];
/// Range of the random sides.
const SIDES: std::ops::RangeInclusive<u8> = 7..=19;

/// Win probability below which a player may resign.
const HOPELESS: f32 = 0.005;
/// Number of turns in a row with one player below [`HOPELESS`] before a resignation.
const HOPELESS_TURNS: u32 = 10;
/// Win probability of the loser below which a turn counts as decided.
const DECIDED: f32 = 0.03;
/// Number of decided turns in a row after which the komi may make the game even again.
const DECIDED_TURNS: u32 = 4;
/// Temperature that flattens the policy for the first move of a branch.
const FLAT_TEMPERATURE: f32 = 2.5;

// Probabilities in units of 1/256 ([`Generator::chance`]). They are independent, except that
// `FAIR`, `NEAR` and the rest share one draw.

/// A game may end by resignation.
const RESIGNS: u32 = 150;
/// A game that continues no record has a handicap.
const HANDICAP: u32 = 36;
/// The handicap is on the traditional points, if there are any; otherwise it is on random ones.
const TRADITIONAL: u32 = 150;
/// The komi of a handicap game makes up for the stones; otherwise it is about half a point.
const COMPENSATED: u32 = 150;
/// A game that continues no record begins with uniformly random moves.
const RANDOM_OPENING: u32 = 80;
/// A game is played under a named ruleset; otherwise under random rules.
const PRESET: u32 = 150;
/// The komi differs from the even one by about a point ...
const FAIR: u32 = 150;
/// ... or by a few points. Otherwise, in 36 of 256 games, it may be far from even.
const NEAR: u32 = 70;
/// A branch leaves the game before a turn, in games played by search ...
const BRANCHES: u32 = 12;
/// ... and in games played by the raw policy, to which no search adds lines.
const RAW_BRANCHES: u32 = 64;
/// A branch begins with a move of the flattened policy; otherwise with a uniformly random move.
const FLAT_BRANCHES: u32 = 128;
/// A game goes on for some turns after its end.
const PLAYS_ON: u32 = 90;
/// The komi changes once during a game so that the position is even.
const EVEN_LATER: u32 = 128;
/// The komi makes a decided game even again.
const EVEN_AGAIN: u32 = 160;

/// Memory for a search tree, in bytes.
const TREE: usize = 8 << 20;

/// Generator of games by one network, or by two against each other.
#[derive(Debug)]
pub struct SelfPlay {
    /// The player to move.
    player: Player,
    /// The player not to move, if it has another network.
    other: Option<Player>,
    /// Board size of all games; random if `None`.
    size: Option<BoardSize>,
    /// Share of the games that continue a record, if there is a record of their size.
    record_share: f32,
    seed: u64,
}

/// Default of [`SelfPlay::record_share`].
const RECORD_SHARE: f32 = 0.35;

/// A network, and a search with it, that chooses the moves of one side or both.
#[derive(Debug)]
struct Player {
    network: Arc<Network>,
    evaluation: Evaluation,
    /// The search and its visits per move; `None` plays by the raw policy.
    search: Option<(Search<Puct>, u64)>,
    /// Does it play White in games with even numbers, and Black in the others? Otherwise the
    /// reverse.
    white_if_even: bool,
}

impl SelfPlay {
    /// Create a generator with this seed. The network plays by searches of `visits` visits per
    /// move, or by its raw policy if there is only one.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses a thread to search.
    pub fn new(network: Arc<Network>, visits: u64, seed: u64) -> Result<SelfPlay, PoolError> {
        Ok(SelfPlay {
            player: Player::new(network, visits, false)?,
            other: None,
            size: None,
            record_share: RECORD_SHARE,
            seed,
        })
    }

    /// Use only boards of this size, with sides from 7 to 19. `None` keeps random sizes.
    ///
    /// # Errors
    /// A message with the allowed sides, if a side is outside this range.
    pub fn on(self, size: Option<BoardSize>) -> Result<SelfPlay, String> {
        let fits = |side: u8| SIDES.contains(&side);
        match size {
            Some(s) if !(fits(s.width()) && fits(s.height())) => Err(format!(
                "training games are played on sides from {} to {}, not on {s}",
                SIDES.start(),
                SIDES.end()
            )),
            _ => Ok(SelfPlay { size, ..self }),
        }
    }

    /// Play against another network, which plays White in games with even numbers and Black
    /// in the others.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses a thread to search.
    pub fn against(self, network: Arc<Network>, visits: u64) -> Result<SelfPlay, PoolError> {
        Ok(SelfPlay {
            other: Some(Player::new(network, visits, true)?),
            ..self
        })
    }

    /// Set the share of the games that continue a record, from 0 to 1.
    pub fn continuing_records(self, share: f32) -> SelfPlay {
        SelfPlay {
            record_share: share,
            ..self
        }
    }

    /// Make the player of `c` in the game of this number the current one.
    fn switch_player(&mut self, number: u32, c: Color) {
        if let Some(other) = &mut self.other {
            let white_if_even = number.is_multiple_of(2) == (c == Color::White);
            if self.player.white_if_even != white_if_even {
                std::mem::swap(&mut self.player, other);
            }
        }
    }

    /// Play the game of this number, always the same for the same seed, networks and records.
    pub fn play(&mut self, number: u32, records: &[Game]) -> Game {
        let mut rng = Generator::new(self.seed ^ u64::from(number).wrapping_mul(GOLDEN));
        let random = random_size(&mut rng);
        let size = self.size.unwrap_or(random);
        let rules = random_rules(&mut rng);
        let mut game = Game {
            number,
            size,
            rules,
            half_komi: 0,
            stones: Vec::new(),
            first: Color::Black,
            turns: Vec::new(),
            record_turns: 0,
            ended_at: u16::MAX,
            branches: Vec::new(),
        };
        self.open(&mut game, records, &mut rng);
        // The network that finds the komi must not depend on the previous game.
        self.switch_player(number, Color::Black);
        let mut position = game.start();
        for n in 0..game.turns.len() {
            let (c, m) = (position.to_move(), game.turns[n]);
            // A record may have been played under other rules.
            if position.play(c, m).is_err() {
                game.turns.truncate(n);
                break;
            }
        }
        game.record_turns = game.record_turns.min(game.turns.len() as u16);
        let fair = self.fair_half_komi(&position, &mut rng);
        game.half_komi = random_komi(&game, fair, &mut rng);
        self.set_komi(&mut position, game.half_komi);
        self.play_on(&mut game, position, &mut rng);
        game
    }

    /// Change the komi and clear the search trees, which were grown with the old one.
    fn set_komi(&mut self, position: &mut Position, half_komi: i16) {
        position.set_komi(Komi::half_points(half_komi.into()));
        for player in std::iter::once(&mut self.player).chain(&mut self.other) {
            if let Some((search, _)) = &mut player.search {
                search.clear();
            }
        }
    }

    /// Change the komi to within half a point of the even one.
    fn make_even(&mut self, game: &mut Game, position: &mut Position, rng: &mut Generator) {
        let fair = self.fair_half_komi(position, rng);
        game.half_komi = within(game.size, fair + rng.below(3) as i32 - 1);
        self.set_komi(position, game.half_komi);
    }

    /// Set up the opening: the first turns of a record, or a handicap, uniformly random moves, both
    /// or neither.
    fn open(&mut self, game: &mut Game, records: &[Game], rng: &mut Generator) {
        let fits = |r: &&Game| r.size == game.size && r.turns.len() >= MIN_RECORD_TURNS;
        let fits: Vec<&Game> = match rng.unit() < self.record_share {
            true => records.iter().filter(fits).collect(),
            false => Vec::new(),
        };
        if let Some(record) = fits.get(rng.below(fits.len() as u32) as usize) {
            let n = MIN_RECORD_TURNS / 2 + rng.below(record.turns.len() as u32) as usize;
            let n = n.min(record.turns.len());
            game.stones.clone_from(&record.stones);
            game.first = record.first;
            game.turns.extend(&record.turns[..n]);
            game.record_turns = n as u16;
            return;
        }
        if rng.chance(HANDICAP) {
            let most = max_fixed_handicap(game.size).max(4);
            let stones = 2 + rng.below(most - 1);
            game.stones = handicap(game.size, stones, rng);
            game.first = Color::White;
        }
        if rng.chance(RANDOM_OPENING) {
            let moves = 1 + rng.below(2 + game.size.area() as u32 / 24);
            let mut position = game.start();
            for _ in 0..moves {
                let m = random_play(&position, rng);
                let c = position.to_move();
                if position.play(c, m).is_ok() {
                    game.turns.push(m);
                }
            }
        }
    }

    /// The even komi in half points: that at which the network expects a lead of zero.
    fn fair_half_komi(&mut self, position: &Position, rng: &mut Generator) -> i32 {
        let mut position = position.clone();
        let mut half = 14;
        // The network estimates a lead best near an even game.
        for _ in 0..2 {
            position.set_komi(Komi::half_points(half));
            self.evaluate(&position, 1.0, rng);
            half += (self.player.evaluation.output.lead * 2.0).round() as i32;
        }
        half
    }

    fn evaluate(&mut self, position: &Position, temperature: f32, rng: &mut Generator) {
        let options = EvaluationOptions {
            symmetry: rng.below(8) as u8,
            temperature,
            ..EvaluationOptions::default()
        };
        let c = position.to_move();
        let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
        let Player {
            network,
            evaluation,
            ..
        } = &mut self.player;
        evaluation.run(network, &Situation::of(position), options, legal);
    }

    /// Sample a move from the policy of the last evaluation.
    fn sample_policy(&self, size: BoardSize, passes: bool, rng: &mut Generator) -> Move {
        let output = &self.player.evaluation.output;
        let pass = if passes { output.pass } else { 0.0 };
        let plays = size
            .points()
            .map(|p| (Move::Play(p), output.policy[p.index()]));
        rng.draw(plays.chain([(Move::Pass, pass)]))
            .unwrap_or(Move::Pass)
    }

    /// Sample a move for the main line: by visits if there is a search and passes are allowed,
    /// otherwise from the policy of the last evaluation.
    fn sample_move(
        &mut self,
        position: &Position,
        temperature: f32,
        passes: bool,
        rng: &mut Generator,
    ) -> Move {
        let Some((search, visits)) = self.player.search.as_mut().filter(|_| passes) else {
            return self.sample_policy(position.size(), passes, rng);
        };
        let seed = rng.bits();
        search.run(position, *visits, seed);
        let share = |n: u32| (n as f32 / *visits as f32).powf(1.0 / temperature);
        let moves = search.root_moves();
        rng.draw(moves.iter().map(|m| (m.mv, share(m.visits))))
            .unwrap_or(Move::Pass)
    }

    /// Play the game from this position to its end, and in some games beyond it.
    fn play_on(&mut self, game: &mut Game, mut position: Position, rng: &mut Generator) {
        // Each game has its own temperature; openings vary more.
        let (late, early) = (0.3 + 0.8 * rng.unit(), 0.8 + 0.5 * rng.unit());
        let opening = game.size.area() / 8;
        let longest = game.size.area() * 5 / 2 + 20;
        let resigns = rng.chance(RESIGNS);
        let plays_on = rng.chance(PLAYS_ON);
        let mut extra = rng.below(2 + game.size.area() as u32 / 6);
        let mut even_at = rng
            .chance(EVEN_LATER)
            .then(|| game.turns.len() + rng.below(game.size.area() as u32) as usize);
        let (mut hopeless, mut decided) = (0, 0);
        while game.turns.len() < longest && position.long_cycle().is_none() {
            let over = position.is_over();
            if over || game.ended_at != u16::MAX {
                game.ended_at = game.ended_at.min(game.turns.len() as u16);
                if !plays_on || extra == 0 {
                    break;
                }
                extra -= 1;
            }
            if even_at == Some(game.turns.len()) && game.ended_at == u16::MAX {
                even_at = None;
                self.make_even(game, &mut position, rng);
            }
            let temperature = if game.turns.len() < opening {
                early
            } else {
                late
            };
            self.switch_player(game.number, position.to_move());
            self.evaluate(&position, temperature, rng);
            let output = &self.player.evaluation.output;
            let worst = output.black_wins.min(output.white_wins);
            hopeless = if worst < HOPELESS { hopeless + 1 } else { 0 };
            decided = if worst < DECIDED { decided + 1 } else { 0 };
            if decided == DECIDED_TURNS && rng.chance(EVEN_AGAIN) {
                even_at = Some(game.turns.len() + 1);
            }
            if resigns && hopeless >= HOPELESS_TURNS {
                break;
            }
            let m = self.sample_move(&position, temperature, game.ended_at == u16::MAX, rng);
            if game.ended_at == u16::MAX {
                game.branches.extend(self.searched_line(&position, rng));
            } else if m == Move::Pass {
                break;
            }
            let branches = match self.player.search {
                Some(_) => BRANCHES,
                None => RAW_BRANCHES,
            };
            if rng.chance(branches) && !over {
                game.branches.extend(self.branch(&position, late, rng));
            }
            let c = position.to_move();
            if position.play(c, m).is_err() {
                break;
            }
            game.turns.push(m);
        }
        game.ended_at = game.ended_at.min(game.turns.len() as u16 + 1);
    }

    /// Draw one visit of the last search uniformly, and return the moves to its position.
    /// `None` without a search, or if the sample is the position itself.
    fn searched_line(&self, position: &Position, rng: &mut Generator) -> Option<Branch> {
        let (search, _) = self.player.search.as_ref()?;
        let tree = search.tree();
        let mut branched = position.clone();
        let mut moves = Vec::new();
        let mut at = ROOT;
        // One visit of a node was its own evaluation, the others went to its children.
        while rng.below(tree.node(at).visits().max(1)) > 0 {
            let children = tree.children(at).iter();
            let visits = children.zip(tree.first_child(at)..);
            let Some(child) = rng.draw(visits.map(|(n, id)| (id, n.visits() as f32))) else {
                break;
            };
            let m = tree.node(child).mv();
            if branched.play(branched.to_move(), m).is_err() || branched.is_over() {
                break;
            }
            moves.push(m);
            at = child;
        }
        let branch = Branch {
            at: position.turns().len() as u16,
            moves,
        };
        branch.unless_empty()
    }

    /// A branch that begins with a uniformly random legal play or a move of the flattened policy,
    /// and continues with up to two moves sampled from the policy.
    fn branch(
        &mut self,
        position: &Position,
        temperature: f32,
        rng: &mut Generator,
    ) -> Option<Branch> {
        let mut branched = position.clone();
        let mut m = if rng.chance(FLAT_BRANCHES) {
            self.evaluate(&branched, FLAT_TEMPERATURE, rng);
            self.sample_policy(branched.size(), true, rng)
        } else {
            random_play(&branched, rng)
        };
        let mut branch = Branch {
            at: position.turns().len() as u16,
            moves: Vec::new(),
        };
        let more = rng.below(3);
        for left in (0..=more).rev() {
            let c = branched.to_move();
            if branched.play(c, m).is_err() || branched.is_over() {
                break;
            }
            branch.moves.push(m);
            if left > 0 {
                self.evaluate(&branched, temperature, rng);
                m = self.sample_policy(branched.size(), true, rng);
            }
        }
        branch.unless_empty()
    }
}

impl Player {
    fn new(network: Arc<Network>, visits: u64, white_if_even: bool) -> Result<Player, PoolError> {
        let search = if visits > 1 {
            Some((search_with(network.clone(), TREE)?, visits))
        } else {
            None
        };
        Ok(Player {
            evaluation: Evaluation::default(),
            network,
            search,
            white_if_even,
        })
    }
}

fn random_size(rng: &mut Generator) -> BoardSize {
    let mut at = rng.below(1000);
    for (side, share) in SQUARES {
        if at < share {
            return BoardSize::square(side);
        }
        at -= share;
    }
    let sides = u32::from(SIDES.end() - SIDES.start() + 1);
    let mut side = || u32::from(*SIDES.start()) + rng.below(sides);
    let (width, height) = (side(), side());
    // Even widths make square boards.
    let height = if width % 2 == 0 { width } else { height };
    BoardSize::new(width, height).unwrap_or(BoardSize::square(9))
}

/// A named ruleset, or a random combination of rules that the networks know.
fn random_rules(rng: &mut Generator) -> Ruleset {
    let one_of = |n: usize, rng: &mut Generator| rng.below(n as u32) as usize;
    let base = Ruleset {
        komi: Ruleset::default().komi,
        handicap_komi: Ruleset::default().handicap_komi,
        ..PRESETS[one_of(PRESETS.len(), rng)].rules
    };
    if rng.chance(PRESET) {
        return base;
    }
    let scoring = [Scoring::Area, Scoring::Territory][one_of(2, rng)];
    let area = scoring == Scoring::Area;
    let ko = [KoRule::Simple, KoRule::Positional, KoRule::Situational];
    let settlement = [Settlement::PlayOut, Settlement::Agreement];
    Ruleset {
        ko: ko[one_of(3, rng)],
        suicide: [SuicideRule::Forbidden, SuicideRule::SeveralStones][one_of(2, rng)],
        scoring,
        tax: [Tax::None, Tax::Seki, Tax::All, Tax::None][one_of(4, rng)],
        button: area && rng.chance(40),
        handicap_bonus: HandicapBonus::Zero,
        settlement: match area {
            true => settlement[one_of(2, rng)],
            false => Settlement::Confirmation,
        },
        pass_costs_stone: false,
        white_passes_last: false,
        handicap_by_passes: false,
        ..base
    }
}

/// Sample a komi in half points. `fair` is the even one.
fn random_komi(game: &Game, fair: i32, rng: &mut Generator) -> i16 {
    let area = game.size.area() as f32;
    // `sd` is a standard deviation in points.
    let mut spread = |sd: f32| (rng.bell() * sd * 2.0).round() as i32;
    let (near, far) = (spread(3.0), spread(2.0 * area.sqrt()));
    let slight = spread(0.8);
    let compensated = game.stones.is_empty() || rng.chance(COMPENSATED);
    let base = if compensated { fair } else { 1 };
    let komi = match rng.below(256) {
        n if n < FAIR => base + slight,
        n if n < FAIR + NEAR => base + near,
        _ => base + far,
    };
    within(game.size, komi)
}

/// Clamp a komi in half points to twice the board's area.
fn within(size: BoardSize, half_komi: i32) -> i16 {
    let most = 2 * size.area() as i32;
    half_komi.clamp(-most, most) as i16
}

/// Place handicap stones on the traditional points, or on random points not on the edge.
fn handicap(size: BoardSize, stones: u32, rng: &mut Generator) -> Vec<(Color, Point)> {
    let fixed = fixed_handicap(size, stones)
        .ok()
        .filter(|_| rng.chance(TRADITIONAL));
    let points = fixed.unwrap_or_else(|| {
        let inner = |p: &Point| {
            let (x, y) = (p.x(), p.y());
            x > 0 && y > 0 && x + 1 < size.width() && y + 1 < size.height()
        };
        let mut all: Vec<Point> = size.points().filter(inner).collect();
        let mut points = Vec::new();
        for _ in 0..stones {
            points.push(all.swap_remove(rng.below(all.len() as u32) as usize));
        }
        points
    });
    points.into_iter().map(|p| (Color::Black, p)).collect()
}

/// A uniformly random legal play; a pass if there is none.
fn random_play(position: &Position, rng: &mut Generator) -> Move {
    let legal: Vec<Point> = position.legal_plays(position.to_move()).collect();
    match legal.get(rng.below(legal.len() as u32) as usize) {
        Some(&p) => Move::Play(p),
        None => Move::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_sizes_have_their_shares() {
        let mut rng = Generator::new(1);
        let sizes: Vec<BoardSize> = (0..4000).map(|_| random_size(&mut rng)).collect();
        let share = |n: u8| sizes.iter().filter(|s| **s == BoardSize::square(n)).count();
        assert!((2250..2550).contains(&share(9)), "{}", share(9));
        assert!((600..840).contains(&share(13)), "{}", share(13));
        assert!((500..700).contains(&share(19)), "{}", share(19));
        assert!(sizes.iter().any(|s| s.width() != s.height()));
    }

    #[test]
    fn random_komi_is_fair_on_average_and_sometimes_far() {
        let game = |number| Game {
            number,
            size: BoardSize::square(9),
            rules: Ruleset::default(),
            half_komi: 0,
            stones: Vec::new(),
            first: Color::Black,
            turns: Vec::new(),
            record_turns: 0,
            ended_at: 0,
            branches: Vec::new(),
        };
        let mut rng = Generator::new(2);
        let komi: Vec<i32> = (0..2000)
            .map(|n| random_komi(&game(n), 14, &mut rng).into())
            .collect();
        let mean = komi.iter().sum::<i32>() as f32 / 2000.0;
        assert!((mean - 14.0).abs() < 1.0, "{mean}");
        assert!(komi.iter().any(|k| (k - 14).abs() > 40));
        let fair = komi.iter().filter(|&k| (k - 14).abs() <= 3).count();
        assert!((1000..1700).contains(&fair), "{fair}");
    }
}
