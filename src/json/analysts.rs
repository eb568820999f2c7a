//! The analysts that answer queries, and what they share.

use crate::analysis::Analyst;
use crate::configuration::Configuration;
use crate::katago;
use crate::net::MOST_AT_ONCE;
use crate::search::{NetworkEvaluator, PoolError};
use serde_json::Value;
use std::sync::Arc;
use std::thread;

/// Everything that answers queries: the settings, and analysts that share one network.
#[derive(Debug)]
pub struct AnalysisServer {
    pub(super) configuration: Configuration,
    pub(super) analysts: Vec<Analyst>,
    evaluator: Option<Arc<NetworkEvaluator>>,
    /// The networks, in the format of `query_models`.
    pub(super) models: Value,
    /// Total number of search threads.
    pub(super) threads: usize,
}

impl AnalysisServer {
    /// Create a server with one analyst per analysis thread of the settings. All searches
    /// together use at most one thread per processor; with a network more positions than processors
    /// may be searched, which batches evaluations. Loads the network now.
    ///
    /// # Errors
    /// If the system refuses the threads.
    pub fn new(configuration: Configuration, mut first: Analyst) -> Result<Self, PoolError> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let positions = configuration.front_end.analysis_threads;
        let positions = positions.unwrap_or_else(|| first.positions_at_once());
        let most = match first.network() {
            Ok(_) => processors * MOST_AT_ONCE,
            Err(_) => processors,
        };
        let positions = positions.clamp(1, most);
        let threads = (positions * configuration.engine.threads).min(processors);
        let analysts = first.team(positions)?;
        let network = first.network().ok();
        Ok(AnalysisServer {
            analysts,
            evaluator: first.evaluator().cloned(),
            models: katago::models(&configuration.engine, network.as_deref()),
            configuration,
            threads,
        })
    }

    /// Clear the cache of evaluations.
    pub(super) fn clear_cache(&self) {
        if let Some(evaluator) = &self.evaluator {
            evaluator.clear_cache();
        }
    }
}
