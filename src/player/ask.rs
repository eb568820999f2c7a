//! What is asked of the engine beside its moves; the game and the clock stay as they
//! are.

use super::pace::Pace;
use super::{Audience, Engine};
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Care, Complaint, Deadline, Explanation, Judgement, Limits,
    Watcher,
};
use crate::net::{NetError, Network, Output};
use crate::search::SearchParams;
use crate::types::{Color, Move, Point};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Between two looks at the stop flag, once the search of an analysis has ended.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

impl Engine {
    /// Search the position with `c` to move until the [stop
    /// flag](Engine::stop_flag) rises, and tell the audience, for the last time at
    /// the end. Caps on playouts or visits end the search, not the watch, and are left out
    /// of an `endless` one. The game and the clock stay as they are.
    pub fn analyze(&mut self, c: Color, audience: Audience<'_>, endless: bool) {
        let mut request = AnalysisRequest {
            include: audience.include,
            restrictions: audience.restrictions,
            ..self.request(self.with_to_move(c))
        };
        if endless {
            request.limits = Limits::default();
        }
        let params = &self.settings.params;
        request.params = Some(SearchParams {
            wide_root_noise: params.analysis_wide_root_noise,
            ..params.clone()
        });
        let tell = audience.tell;
        let last = self.analyst.run(
            &request,
            &self.stop,
            &mut Watcher {
                interval: audience.interval,
                first: None,
                tell,
                enough: &mut |_| false,
            },
        );
        tell(&last);
        // The longer nothing happens, the longer the pause.
        let mut pause = SHORTEST_PAUSE;
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Choose a move for `c` with one thread, a fixed seed and the caps of the settings, or a
    /// fixed number of playouts without any; the game, the search tree and the clock stay as
    /// they are. A cap on time makes the choice depend on the machine.
    pub fn reg_genmove(&mut self, c: Color) -> Move {
        let limits = Limits {
            playouts: self.settings.playouts,
            visits: self.settings.visits,
            time: self.settings.move_time,
        };
        let found = self.aside(c, limits);
        self.choose(&self.with_to_move(c), &found, &Pace::unhurried())
    }

    /// What a search of fixed length with one thread says of the position with `c`
    /// to move, always the same of the same game; nothing changes.
    pub fn fixed_analysis(&mut self, c: Color) -> AnalysisReport {
        let limits = Limits {
            playouts: self.settings.playouts,
            ..Limits::default()
        };
        self.aside(c, limits)
    }

    fn aside(&mut self, c: Color, mut limits: Limits) -> AnalysisReport {
        // One may be remembered from another order of the same moves.
        self.analyst.forget_evaluations();
        let position = self.with_to_move(c);
        if limits.visits.is_some() || limits.time.is_some() {
            // These alone end the search.
            limits.playouts.get_or_insert(u64::MAX);
        }
        self.analyst.prepare(position.size());
        self.analyst.set_deadline(Deadline {
            answer: limits.time.map(|time| Instant::now() + time),
            ..Deadline::default()
        });
        let found = self.analyst.aside(&AnalysisRequest {
            limits,
            seed: self.settings.seed,
            ..AnalysisRequest::new(position)
        });
        self.analyst.set_deadline(Deadline::default());
        found
    }

    /// What the network says of the position with `c` to move: raw outputs in one
    /// symmetry, with this weight of the optimistic policy.
    ///
    /// # Errors
    /// [`Engine::network`] says which.
    pub fn raw_evaluation(
        &mut self,
        c: Color,
        symmetry: u8,
        optimism: Option<f32>,
    ) -> Result<Output, Option<NetError>> {
        let position = self.with_to_move(c);
        self.analyst.evaluate(&position, symmetry, optimism)
    }

    /// The network in use; waits until it has been loaded.
    ///
    /// # Errors
    /// `None` if there is none, or why the one of the settings cannot be used.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        self.analyst.network()
    }

    /// What is wrong with the network, the first time that this is asked after it
    /// has shown. The engine plays on without it.
    pub fn network_complaint(&mut self) -> Option<Complaint> {
        self.analyst.complaint()
    }

    /// Forget what has been searched and judged.
    pub fn forget(&mut self) {
        self.analyst.forget();
    }

    /// Which chains are alive, in seki or dead, and the count that follows. One
    /// judgement a board: every command that asks gets the same, and passes do
    /// not change it.
    pub fn judgement(&mut self) -> &Judgement {
        let care = self.care();
        self.analyst.judge(&self.position, care)
    }

    /// How much a judgement may cost: little while a clock runs.
    pub(super) fn care(&self) -> Care {
        match self.clock.left(self.position.to_move()) {
            Some(_) => Care::Quick,
            None => Care::Thorough,
        }
    }

    /// Why the chain at a point is alive, in seki or dead; `None` if there is no
    /// stone.
    pub fn explain(&mut self, p: Point) -> Option<Explanation> {
        let care = self.care();
        let judgement = self.analyst.judge(&self.position, care);
        judgement.explain(&self.position, p)
    }
}
