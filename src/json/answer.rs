//! Reports in the format of KataGo's analysis protocol. GTP's analysis commands use another
//! format (`report` in [`crate::gtp`]).

use super::hash;
use super::query::Query;
use crate::analysis::{AnalysisReport, MoveReport, ScoreReport, Solution, Variation};
use crate::net::Output;
use crate::playout::Ownership;
use crate::position::Position;
use crate::types::{BoardSize, Color, Move, Point};
use serde_json::{Map, Number, Value, json};

/// The answer for a turn that was not searched.
pub fn no_results(id: &str, turn: usize) -> Value {
    json!({"id": id, "isDuringSearch": false, "noResults": true, "turnNumber": turn})
}

/// The answer for a turn, during its search or after it.
pub fn answer(
    query: &Query,
    turn: usize,
    position: &Position,
    report: &AnalysisReport,
    during: bool,
) -> Value {
    let player = query.options.perspective.player(report.color);
    let report = report.seen_by(player);
    let view = View {
        query,
        size: position.size(),
        player,
    };
    let visited = report.moves.iter().filter(|m| m.visits > 0);
    let most = report.moves.iter().map(|m| m.visits).max().unwrap_or(0);
    let moves: Vec<Value> = visited
        .enumerate()
        .map(|(order, m)| view.of_move(m, order, most))
        .collect();
    let mut answer = Map::new();
    let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
    put("id", json!(query.id));
    put("isDuringSearch", json!(during));
    put("turnNumber", json!(turn));
    put("moveInfos", Value::Array(moves));
    put("rootInfo", view.root(position, &report));
    if query.options.ownership {
        put("ownership", view.owners(&report.ownership));
    }
    if query.options.ownership_deviation {
        put("ownershipStdev", view.deviations(&report.ownership));
    }
    if query.policy {
        put("policy", view.policy(&report));
    }
    Value::Object(answer)
}

/// A report while a question about a group is searched.
pub fn solving(query: &Query, turn: usize, report: &AnalysisReport) -> Value {
    let player = query.options.perspective.player(report.color);
    let report = report.seen_by(player);
    let best = report.moves.first().map_or(Move::Pass, |m| m.mv);
    json!({
        "id": query.id, "isDuringSearch": true, "turnNumber": turn, "move": best.to_string(),
        "winrate": number(report.win_rate.into()), "visits": report.visits,
    })
}

/// The answer to a question about a group.
pub fn solution(query: &Query, turn: usize, found: &Solution, variations: &[Variation]) -> Value {
    let player = query.options.perspective.player(found.first);
    let report = found.framed.seen_by(player);
    let vertices =
        |points: &[Point]| -> Vec<String> { points.iter().map(Point::to_string).collect() };
    let turns = |moves: &[(Color, Move)]| -> Vec<(char, String)> {
        let pairs = moves.iter().map(|(c, m)| (c.letter(), m.to_string()));
        pairs.collect()
    };
    let variations = variations
        .iter()
        .map(|v| json!({"moves": turns(&v.moves), "right": v.is_right, "proved": v.is_proved}));
    let (reply, result, proved) = found.opponents_result();
    let opponent = json!({
        "move": reply.map(|p| p.to_string()), "result": result, "proved": proved,
    });
    json!({
        "id": query.id, "isDuringSearch": false, "turnNumber": turn,
        "currentPlayer": found.first.letter(),
        "move": found.best.to_string(),
        "result": found.result(),
        "proved": found.proved,
        "rightMoves": vertices(found.right_moves()),
        "pv": turns(&found.line()),
        "opponentFirst": opponent,
        "groupPlayer": found.problem.defender().letter(),
        "group": vertices(found.problem.group()),
        "regionSize": found.problem.points().len(),
        "winrate": number(report.win_rate.into()),
        "visits": report.visits,
        "variations": variations.collect::<Vec<_>>(),
        "text": found.to_string(),
    })
}

/// How a report is presented.
struct View<'a> {
    query: &'a Query,
    size: BoardSize,
    /// The player whose point of view is reported.
    player: Color,
}

impl View<'_> {
    fn of_move(&self, m: &MoveReport, order: usize, most: u32) -> Value {
        let variation: Vec<&(Move, u32)> = m.pv.iter().take(self.query.variation.max(1)).collect();
        let names: Vec<String> = variation.iter().map(|(m, _)| m.to_string()).collect();
        let mut info = Map::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put("move", json!(m.mv.to_string()));
        put("order", json!(order));
        put("visits", json!(m.visits));
        put("edgeVisits", json!(m.visits));
        put("weight", json!(m.visits));
        put("edgeWeight", json!(m.visits));
        // The chosen move needs the highest value, even if it was chosen by its lower
        // confidence bound rather than its visits.
        let selection = if order == 0 { most } else { m.visits };
        put("playSelectionValue", json!(selection));
        put("winrate", number(m.win_rate.into()));
        put("lcb", number(m.lcb.into()));
        put("utility", number(m.utility.into()));
        put("utilityLcb", number(m.utility_lcb.into()));
        put("prior", number(m.prior.into()));
        Self::score(m.score, &mut put);
        put("scoreMean", number(m.score.lead));
        put("pv", json!(names));
        if self.query.options.no_result {
            put("noResultValue", number(m.no_result));
        }
        if self.query.options.pv_visits {
            let visits: Vec<u32> = variation.iter().map(|(_, n)| *n).collect();
            put("pvVisits", json!(visits));
            put("pvEdgeVisits", json!(visits));
        }
        if let Some(ownership) = &m.ownership {
            if self.query.options.moves_ownership {
                put("ownership", self.owners(ownership));
            }
            if self.query.options.moves_ownership_deviation {
                put("ownershipStdev", self.deviations(ownership));
            }
        }
        Value::Object(info)
    }

    fn score(score: ScoreReport, put: &mut impl FnMut(&str, Value) -> Option<Value>) {
        put("scoreLead", number(score.lead));
        put("scoreSelfplay", number(score.mean));
        put("scoreStdev", number(score.deviation));
    }

    fn root(&self, position: &Position, report: &AnalysisReport) -> Value {
        let mut info = Map::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put("currentPlayer", json!(report.color.letter()));
        put("visits", json!(report.visits));
        put("weight", json!(report.visits));
        put("winrate", number(report.mean_win_rate.into()));
        put("utility", number(report.utility.into()));
        Self::score(report.score, &mut put);
        put("symHash", json!(hash::symmetric(position)));
        if self.query.options.no_result {
            put("noResultValue", number(report.no_result));
        }
        if let Some(raw) = &report.raw {
            self.raw(raw, &mut put);
        }
        Value::Object(info)
    }

    /// Write the network's raw outputs. Outputs that the network lacks are omitted.
    fn raw(&self, raw: &Output, put: &mut impl FnMut(&str, Value) -> Option<Value>) {
        let sign = f64::from(self.player.sign());
        let wins = match self.player {
            Color::Black => raw.black_wins,
            Color::White => raw.white_wins,
        };
        put("rawWinrate", number((wins + raw.no_result / 2.0).into()));
        put("rawLead", number(sign * f64::from(raw.lead)));
        put("rawScoreSelfplay", number(sign * f64::from(raw.score)));
        put("rawScoreSelfplayStdev", number(raw.deviation.into()));
        put("rawNoResultProb", number(raw.no_result.into()));
        let [win, score] = raw.errors;
        for (key, value) in [
            ("rawStWrError", win / 2.0),
            ("rawStScoreError", score),
            ("rawVarTimeLeft", raw.time_left),
        ] {
            if value >= 0.0 {
                put(key, number(value.into()));
            }
        }
    }

    fn owners(&self, ownership: &Ownership) -> Value {
        self.points(|p| self.player.sign() as f32 * ownership.of(p))
    }

    fn deviations(&self, ownership: &Ownership) -> Value {
        self.points(|p| ownership.deviation(p))
    }

    /// A value for each point, in rows from the top.
    fn points(&self, of: impl Fn(Point) -> f32) -> Value {
        self.size
            .from_the_top()
            .map(|p| number(of(p).into()))
            .collect()
    }

    /// The network's policy, or without a network the search's priors. Illegal moves have −1; the
    /// pass comes last.
    fn policy(&self, report: &AnalysisReport) -> Value {
        let prior = |mv: Move| {
            let of = report.moves.iter().find(|m| m.mv == mv);
            of.map_or(-1.0, |m| m.prior)
        };
        let of = |p: Point| match &report.raw {
            Some(raw) => raw.policy.get(p.index()).copied().unwrap_or(-1.0),
            None => prior(Move::Play(p)),
        };
        let pass = report
            .raw
            .as_ref()
            .map_or_else(|| prior(Move::Pass), |raw| raw.pass);
        let plays = self.size.from_the_top().map(of);
        plays
            .chain([pass])
            .map(|x| number(if x < 0.0 { -1.0 } else { x.into() }))
            .collect()
    }
}

/// A number rounded to eight decimals.
fn number(x: f64) -> Value {
    let rounded = (x * 1e8).round() / 1e8;
    Number::from_f64(rounded + 0.0).map_or(Value::Null, Value::Number)
}
