//! Initial proof and disproof numbers of a state (df-pn+, Nagai 2002).

use super::numbers::Numbers;
use crate::adjudicate::goal::Goal;
use crate::adjudicate::play::State;
use crate::adjudicate::region::Region;

/// Number of features.
const FEATURES: usize = 11;

/// Weights of a state's [`features`]: with the opponent to move, and with the prover to move. The
/// weighted sum is the logarithm of the odds that the prover succeeds.
///
/// Fitted by logistic regression to 230,000 settled states of searches of 400 problems from books.
const WEIGHTS: [[f32; FEATURES]; 2] = [
    [
        6.21, -0.83, -1.31, 0.67, 0.27, 0.34, -0.94, -1.35, -0.63, -0.53, 0.26,
    ],
    [
        7.60, -0.80, -2.28, 0.63, 1.72, 0.30, -0.49, -0.95, -0.28, -0.33, 0.53,
    ],
];

/// Largest logarithm of the odds, in absolute value.
const LARGEST_LOGIT: f32 = 6.0;

/// The numbers at even odds. They change with the square root of the odds.
const EVEN: f32 = 6.0;

/// Initial numbers by counts. More liberties of the target are harder to fill, and more moves of the
/// player to move are harder to refute.
pub(super) fn by_liberties(region: &Region, goal: Goal, s: &State) -> Numbers {
    let empty = s.empty(region);
    let n = empty.count_ones();
    let proof = match goal.standing_target(s) {
        0 => 1,
        target => {
            let chain = region.flood(target, s.stones[goal.owner().index()]);
            (region.around_set(chain) & empty).count_ones()
        }
    };
    if s.to_move == goal.prover() {
        Numbers {
            proof: proof.max(1),
            disproof: n.max(1),
        }
    } else {
        Numbers {
            proof: proof + n,
            disproof: 1,
        }
    }
}

/// Initial numbers of a search for the capture of stones, by the odds that it succeeds.
pub(super) fn by_features(region: &Region, goal: Goal, s: &State) -> Numbers {
    let proving = s.to_move == goal.prover();
    let features = features(region, goal, s);
    let weights = &WEIGHTS[usize::from(proving)];
    let logit: f32 = weights.iter().zip(&features).map(|(w, x)| w * x).sum();
    let odds = logit.clamp(-LARGEST_LOGIT, LARGEST_LOGIT).exp().sqrt();
    let moves = s.empty(region).count_ones().max(1) as f32;
    let (mine, theirs) = match proving {
        true => (EVEN / odds, EVEN * odds * moves),
        false => (EVEN * odds, EVEN / odds * moves),
    };
    Numbers::from_mover(proving, number(mine), number(theirs))
}

fn number(x: f32) -> u32 {
    (x.round() as u32).max(1)
}

/// What the stones show about the life of the goal's stones.
fn features(region: &Region, goal: Goal, s: &State) -> [f32; FEATURES] {
    let owner = goal.owner();
    let (own, other) = (s.stones[owner.index()], s.stones[owner.opponent().index()]);
    let empty = s.empty(region);
    let (walls, hostile) = region.walls(owner.opponent(), other);
    let target = goal.standing_target(s);
    let (mut liberties, mut own_chains, mut own_in_atari) = (0, 0, 0);
    for chain in region.parts(own) {
        let free = region.around_set(chain) & empty;
        own_chains += 1;
        if free.count_ones() == 1 {
            own_in_atari += chain.count_ones();
        }
        if chain & target != 0 {
            liberties |= free;
        }
    }
    let (mut loose_chains, mut loose_in_atari) = (0, 0);
    for chain in region.parts(other & !walls) {
        loose_chains += 1;
        if (region.around_set(chain) & empty).count_ones() == 1 {
            loose_in_atari += chain.count_ones();
        }
    }
    let enclosed = region.parts(region.all() & !own);
    let enclosed = enclosed.filter(|part| part & hostile == 0).count() as u32;
    let eyes = empty & !hostile;
    let untouched = eyes & !region.around_set(other);
    let outer_liberties = empty & hostile & region.around_set(own);
    [
        1,
        liberties.count_ones().min(10),
        enclosed.min(3),
        own_chains,
        own_in_atari.min(6),
        (other & !walls).count_ones(),
        loose_chains,
        loose_in_atari,
        eyes.count_ones(),
        untouched.count_ones(),
        outer_liberties.count_ones(),
    ]
    .map(|n| n as f32)
}
