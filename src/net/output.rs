//! A network's evaluation of a position.

use super::model::Model;
use super::workspace::Raw;
use crate::types::{BoardSize, Color, POINTS, Point};

/// A network's evaluation of a position, from Black's point of view.
#[derive(Clone, Debug)]
pub struct Output {
    /// Probability of each play, by [`Point::index`]; negative where it is illegal.
    pub policy: Vec<f32>,
    /// Probability of a pass.
    pub pass: f32,
    /// Probability that Black wins.
    pub black_wins: f32,
    /// Probability that White wins.
    pub white_wins: f32,
    /// Probability that the game ends without result.
    pub no_result: f32,
    /// Black's lead: the additional komi that would make the game even.
    pub lead: f32,
    /// Expected final margin in a game between equals.
    pub score: f32,
    /// Standard deviation of the margin.
    pub deviation: f32,
    /// How long the winner stays unclear, from 0, in no particular unit (KataGo's variance of the
    /// time left); −1 in networks before version 9, as in KataGo.
    pub time_left: f32,
    /// Expected short-term errors of the value (probability of winning minus that of losing) and of
    /// the score; −1 if the network does not provide them.
    pub errors: [f32; 2],
    /// Expected owner of each point, by [`Point::index`], from −1 (White) to 1 (Black).
    pub ownership: Vec<f32>,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            policy: vec![-1.0; POINTS],
            pass: 0.0,
            black_wins: 0.5,
            white_wins: 0.5,
            no_result: 0.0,
            lead: 0.0,
            score: 0.0,
            deviation: 0.0,
            time_left: -1.0,
            errors: [-1.0; 2],
            ownership: vec![0.0; POINTS],
        }
    }
}

/// ln(1 + eˣ).
fn softplus(x: f32) -> f32 {
    if x > 30.0 { x } else { x.exp().ln_1p() }
}

/// Options for turning raw outputs into an [`Output`].
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The player to move.
    pub to_move: Color,
    /// Can the game end without result?
    pub no_result: bool,
    /// Weight of the optimistic policy, where there is one, from 0 to 1.
    pub optimism: f32,
    /// Policy logits are divided by this.
    pub temperature: f32,
}

impl Output {
    /// Add another evaluation of the same position; [`Output::divide`] turns the sum into a
    /// mean.
    pub fn add(&mut self, other: &Output) {
        let sum = |a: &mut [f32], b: &[f32]| {
            for (a, b) in a.iter_mut().zip(b) {
                *a += b;
            }
        };
        sum(&mut self.policy, &other.policy);
        sum(&mut self.ownership, &other.ownership);
        sum(&mut self.errors, &other.errors);
        self.pass += other.pass;
        self.black_wins += other.black_wins;
        self.white_wins += other.white_wins;
        self.no_result += other.no_result;
        self.lead += other.lead;
        self.score += other.score;
        self.deviation += other.deviation;
        self.time_left += other.time_left;
    }

    /// Divide all fields.
    pub fn divide(&mut self, by: f32) {
        let fields = [
            &mut self.pass,
            &mut self.black_wins,
            &mut self.white_wins,
            &mut self.no_result,
            &mut self.lead,
            &mut self.score,
            &mut self.deviation,
            &mut self.time_left,
        ];
        let lists = self.policy.iter_mut().chain(&mut self.ownership);
        for x in lists.chain(&mut self.errors).chain(fields) {
            *x /= by;
        }
    }

    /// Read the raw outputs of a network. If they are not finite, set an uninformative
    /// evaluation and return false. `place` gives a point's index in the raw outputs,
    /// `allowed` tells which plays are legal.
    pub fn read(
        &mut self,
        raw: &Raw,
        model: &Model,
        size: BoardSize,
        place: impl Fn(Point) -> usize,
        allowed: impl Fn(Point) -> bool,
        how: Reading,
    ) -> bool {
        self.read_policy(raw, size, &place, &allowed, how);
        self.read_result(raw, how);
        self.read_score(raw, model, how.to_move);
        let sign = how.to_move.sign() as f32;
        for p in size.points() {
            self.ownership[p.index()] = sign * raw.ownership[place(p)].tanh();
        }
        let finite = self.is_finite(size);
        if !finite {
            self.set_uninformative(size, allowed);
        }
        finite
    }

    /// Read the policy: a softmax over the legal moves.
    fn read_policy(
        &mut self,
        raw: &Raw,
        size: BoardSize,
        place: &impl Fn(Point) -> usize,
        allowed: &impl Fn(Point) -> bool,
        how: Reading,
    ) {
        let plain = &raw.policy[0];
        let optimistic = raw.policy.get(1).unwrap_or(plain);
        let logit = |i: usize| {
            let x = plain[i] + how.optimism * (optimistic[i] - plain[i]);
            x / how.temperature
        };
        let pass = logit(size.area());
        let mut most = pass;
        for p in size.points() {
            let x = match allowed(p) {
                true => logit(place(p)),
                false => f32::NEG_INFINITY,
            };
            most = most.max(x);
            self.policy[p.index()] = x;
        }
        self.pass = (pass - most).exp();
        let mut sum = self.pass;
        for p in size.points() {
            let x = &mut self.policy[p.index()];
            *x = (*x - most).exp();
            sum += *x;
        }
        self.pass /= sum;
        for p in size.points() {
            let x = &mut self.policy[p.index()];
            *x = if allowed(p) { *x / sum } else { -1.0 };
        }
    }

    /// Read the result: a softmax over win, loss and, if possible, no result.
    fn read_result(&mut self, raw: &Raw, how: Reading) {
        let [win, loss, none] = raw.result;
        let most = if how.no_result {
            win.max(loss).max(none)
        } else {
            win.max(loss)
        };
        let [win, loss] = [win, loss].map(|x| (x - most).exp());
        let none = if how.no_result {
            (none - most).exp()
        } else {
            0.0
        };
        let sum = win + loss + none;
        self.no_result = none / sum;
        (self.black_wins, self.white_wins) = match how.to_move {
            Color::Black => (win / sum, loss / sum),
            Color::White => (loss / sum, win / sum),
        };
    }

    /// Read score, lead, time left and errors, after the result.
    fn read_score(&mut self, raw: &Raw, model: &Model, to_move: Color) {
        let [mean, deviation, lead, time, value_error, score_error] = raw.score;
        let factor = &model.multipliers;
        let sign = to_move.sign() as f32;
        let counted = 1.0 - self.no_result;
        let mean = mean * factor.mean;
        let deviation = softplus(deviation) * factor.deviation;
        // Without a result, the score is 0.
        self.score = sign * mean * counted;
        let square = (mean * mean + deviation * deviation) * counted;
        self.deviation = (square - self.score * self.score).max(0.0).sqrt();
        self.lead = sign * lead * factor.lead * counted;
        (self.time_left, self.errors) = match model.version {
            ..9 => (-1.0, [-1.0; 2]),
            v => {
                let errors = [
                    (value_error, factor.value_error, 1.0),
                    (score_error, factor.score_error, 10.0),
                ];
                let errors = errors.map(|(x, factor, old)| match v {
                    14.. => softplus(x * 0.5) * factor.sqrt(),
                    10..14 => (softplus(x) * factor).sqrt(),
                    _ => softplus(x) * old,
                });
                (softplus(time) * factor.time, errors)
            }
        };
    }

    fn is_finite(&self, size: BoardSize) -> bool {
        let [value_error, score_error] = self.errors;
        let numbers = [
            self.pass,
            self.black_wins,
            self.lead,
            self.score,
            self.deviation,
            self.time_left,
            value_error,
            score_error,
        ];
        let points = size.points().map(|p| self.ownership[p.index()]);
        numbers.into_iter().chain(points).all(f32::is_finite)
    }

    /// Set an even evaluation with a uniform policy, in place of one that is not finite.
    fn set_uninformative(&mut self, size: BoardSize, allowed: impl Fn(Point) -> bool) {
        *self = Output::default();
        let plays = size.points().filter(|&p| allowed(p)).count();
        let share = 1.0 / (plays + 1) as f32;
        for p in size.points().filter(|&p| allowed(p)) {
            self.policy[p.index()] = share;
        }
        self.pass = share;
    }
}
