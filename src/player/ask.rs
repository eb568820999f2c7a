//! What is asked of the engine beside its moves; the game and the clock stay as they
//! are.

use super::pace::Pace;
use super::{Audience, Engine};
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Care, Complaint, Explanation, Judgement, Limits, Watcher,
};
use crate::net::{NetError, Network, Output};
use crate::types::{Color, Move, Point};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

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
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Choose a move for `c` with one thread, a fixed number of playouts and a
    /// fixed seed; the game, the search tree and the clock stay as they are.
    pub fn reg_genmove(&mut self, c: Color) -> Move {
        let found = self.fixed_analysis(c);
        self.choose(&self.with_to_move(c), &found, &Pace::unhurried())
    }

    /// What a search of fixed length with one thread says of the position with `c`
    /// to move, always the same of the same game; nothing changes.
    pub fn fixed_analysis(&mut self, c: Color) -> AnalysisReport {
        // One may be remembered from another order of the same moves.
        self.analyst.forget_evaluations();
        self.analyst.aside(&AnalysisRequest {
            limits: Limits {
                playouts: self.settings.playouts,
                ..Limits::default()
            },
            seed: self.settings.seed,
            ..AnalysisRequest::new(self.with_to_move(c))
        })
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
