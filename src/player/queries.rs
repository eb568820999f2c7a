//! Requests that do not play a move. They leave the game and the clock unchanged.

use super::settings::Settings;
use super::time::TimePlan;
use super::{Engine, SearchOptions};
use crate::adjudicate::Cutoff;
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Complaint, Critical, Explanation, Judgement, Limits, Observer,
    Solution, Thoroughness,
};
use crate::net::{NetError, Network, Output};
use crate::search::PoolError;
use crate::types::{Color, Move, Point};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pauses between two checks of the stop flag after an analysis has ended.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

impl Engine {
    /// Search the position with `c` to move and send reports until the [stop
    /// flag](Engine::stop_flag) is set. The last report is of the finished search. Limits on
    /// playouts or visits end the search, but the call still waits for the flag; `endless` ignores
    /// them. The game and the clock stay unchanged.
    pub fn analyze(&mut self, c: Color, options: SearchOptions<'_>, endless: bool) {
        let mut request = AnalysisRequest {
            include: options.include,
            restrictions: options.restrictions,
            ..self.request(self.with_to_move(c))
        };
        if endless {
            request.limits = Limits::default();
        }
        let mut params = self.settings.params.clone();
        params.puct.wide_root_noise = params.puct.analysis_wide_root_noise;
        request.params = Some(params);
        let on_report = options.on_report;
        let last = self.analyst.run(
            &request,
            &self.stop,
            &mut Observer {
                interval: options.interval,
                first: None,
                on_report,
                enough: &mut |_| false,
            },
        );
        on_report(&last);
        // Poll at growing intervals.
        let mut pause = SHORTEST_PAUSE;
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Choose a move for `c` with one thread, a fixed seed and the limits of the settings or,
    /// without any, a fixed number of playouts. The game, the search tree and the clock stay
    /// unchanged. With a time limit the choice depends on the machine.
    pub fn reg_genmove(&mut self, c: Color) -> Move {
        let found = self.side_search(c, self.settings.limits);
        self.choose(
            &self.with_to_move(c),
            &found,
            &TimePlan::without_clock(None),
        )
    }

    /// Analyse the position with `c` to move by a search of fixed length with one thread. The
    /// same game always gives the same report. Game, clock and search tree stay unchanged.
    pub fn fixed_analysis(&mut self, c: Color) -> AnalysisReport {
        let limits = Limits {
            playouts: self.settings.limits.playouts,
            ..Limits::default()
        };
        self.side_search(c, limits)
    }

    /// What is to be expected of the game: its count if passes have ended it, otherwise what
    /// [`Engine::fixed_analysis`] finds for the player to move.
    pub fn expectation(&mut self) -> AnalysisReport {
        let thoroughness = self.thoroughness();
        let counted = self.analyst.counted(&self.position, thoroughness);
        counted.unwrap_or_else(|| self.fixed_analysis(self.position.to_move()))
    }

    fn side_search(&mut self, c: Color, mut limits: Limits) -> AnalysisReport {
        // A cached evaluation may come from another order of the same moves, and differ.
        self.analyst.clear_cache();
        let position = self.with_to_move(c);
        if limits.visits.is_some() || limits.time.is_some() {
            // Only these limits end the search.
            limits.playouts.get_or_insert(u64::MAX);
        }
        self.analyst.side_search(&AnalysisRequest {
            limits,
            seed: self.settings.seed,
            ..AnalysisRequest::new(position)
        })
    }

    /// Find out whether a group lives, what kills it and what saves it, with `c` moving first.
    /// `chains` names the group by a point of each chain; if empty, it is the enclosed group. The
    /// game, the search tree and the clock stay unchanged. `None` if there is no such group.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the threads.
    pub fn solve(&mut self, c: Color, chains: &[Point]) -> Result<Option<Solution>, PoolError> {
        let settings = Settings {
            memory: self.analyst.spare_memory(),
            ..self.settings.clone()
        };
        let question = settings.question(self.with_to_move(c), chains);
        let stop = &self.stop;
        let mut analyst = self.analyst.sharing_network(settings.solving(), stop)?;
        Ok(analyst.solve(&question, stop))
    }

    /// Evaluate the position with `c` to move by the network alone: raw outputs in one
    /// symmetry, with this weight of the optimistic policy (`None`: `root_optimism`).
    ///
    /// # Errors
    /// As for [`Engine::network`].
    pub fn raw_evaluation(
        &mut self,
        c: Color,
        symmetry: u8,
        optimism: Option<f32>,
    ) -> Result<Output, Option<NetError>> {
        let position = self.with_to_move(c);
        self.analyst.evaluate(&position, symmetry, optimism)
    }

    /// The network in use. Waits until it is loaded.
    ///
    /// # Errors
    /// `None` if there is no network, otherwise its load error.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        self.analyst.network()
    }

    /// An unreported problem with the network; each is returned only once. The engine plays on,
    /// without the network if that cannot be read.
    pub fn network_complaint(&mut self) -> Option<Complaint> {
        self.analyst.complaint()
    }

    /// Clear all results of searches and judgements.
    pub fn clear_results(&mut self) {
        self.analyst.clear();
    }

    /// Judge which chains are alive, in seki or dead, and count. All commands get the same
    /// judgement of the same position.
    pub fn judgement(&mut self) -> &Judgement {
        let thoroughness = self.thoroughness();
        self.analyst.judge(&self.position, thoroughness)
    }

    /// The effort of a judgement: little while a clock runs.
    pub(super) fn thoroughness(&self) -> Thoroughness {
        match self.is_timed() {
            true => Thoroughness::Quick,
            false => Thoroughness::Thorough,
        }
    }

    /// Does a clock run for the player to move?
    pub fn is_timed(&self) -> bool {
        self.time.clock.left(self.position.to_move()).is_some()
    }

    /// Explain why the chain at a point is alive, in seki or dead; `None` if there is no stone. If
    /// a move could change that and no clock runs, the critical points are included.
    pub fn explain(&mut self, p: Point) -> Option<Explanation> {
        let thoroughness = self.thoroughness();
        let memory = self.analyst.spare_memory();
        let judgement = self.analyst.judge(&self.position, thoroughness);
        let mut found = judgement.explain(&self.position, p)?;
        // A status that no move can change needs no search, and a clock leaves no time for one.
        if found.is_open() && thoroughness == Thoroughness::Thorough {
            let hold = judgement.holding_chains(self.position.board(), p);
            let cutoff = Cutoff {
                until: None,
                stop: Some(self.stop.clone()),
            };
            found.critical = Critical::of(&self.position, p, &hold, memory, &cutoff);
        }
        Some(found)
    }

    /// Find the critical points of all chains whose status a move could change, longest chain
    /// first, within the time of a move. Returns them with the stones of each chain. While a clock
    /// runs, returns none.
    pub fn critical_points(&mut self) -> Vec<(Vec<Point>, Critical)> {
        if self.thoroughness() != Thoroughness::Thorough {
            return Vec::new();
        }
        let memory = self.analyst.spare_memory();
        let judgement = self.analyst.judge(&self.position, Thoroughness::Thorough);
        // The time starts after the judgement, which has its own limits.
        let cutoff = Cutoff {
            until: Some(Instant::now() + self.settings.time_per_answer()),
            stop: Some(self.stop.clone()),
        };
        let mut chains: Vec<&Vec<Point>> = judgement.chains().iter().map(|c| &c.0).collect();
        chains.sort_by_key(|stones| std::cmp::Reverse(stones.len()));
        let mut found = Vec::new();
        for stones in chains {
            let Some(&p) = stones.first() else { continue };
            let explained = judgement.explain(&self.position, p);
            if cutoff.is_reached() || !explained.is_some_and(|e| e.is_open()) {
                continue;
            }
            let hold = judgement.holding_chains(self.position.board(), p);
            let critical = Critical::of(&self.position, p, &hold, memory, &cutoff);
            found.extend(critical.map(|critical| (stones.clone(), critical)));
        }
        found
    }
}
