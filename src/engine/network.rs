//! The network of the settings: loaded in the background, put to use when a search
//! first needs it.

use super::{Engine, Settings};
use crate::net::{Evaluation, NetError, Network, Output, Query, Situation};
use crate::search::{NetworkEvaluator, PoolError, Search, SearchParams};
use crate::types::{Color, Move, Point};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// A network file and what has become of it.
pub(super) struct NetworkFile {
    path: PathBuf,
    loading: Option<JoinHandle<Result<Network, NetError>>>,
    loaded: Option<Result<Arc<Network>, NetError>>,
    /// Is it used by the searches, or known to be unusable?
    settled: bool,
    /// Has somebody been told that it cannot be used?
    told: bool,
}

impl fmt::Debug for NetworkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkFile")
            .field("path", &self.path)
            .field("loaded", &self.loaded)
            .finish_non_exhaustive()
    }
}

impl NetworkFile {
    /// Begin to load a file.
    pub fn load(path: &Path) -> NetworkFile {
        let file = path.to_owned();
        let loading = thread::Builder::new()
            .name("network".into())
            .spawn(move || Network::open(&file));
        // Without a thread of its own it is loaded when it is needed.
        NetworkFile {
            path: path.to_owned(),
            loading: loading.ok(),
            loaded: None,
            settled: false,
            told: false,
        }
    }

    /// Has it been loaded, well or not?
    fn is_here(&self) -> bool {
        self.loaded.is_some() || self.loading.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// The network, once it has been loaded.
    fn get(&mut self) -> &Result<Arc<Network>, NetError> {
        let NetworkFile { path, loading, .. } = self;
        self.loaded.get_or_insert_with(|| {
            let loaded = match loading.take().map(JoinHandle::join) {
                Some(Ok(loaded)) => loaded,
                _ => Network::open(path),
            };
            loaded.map(Arc::new)
        })
    }
}

/// The searches of an engine.
pub(super) struct Searches {
    /// For the game.
    pub game: Search,
    /// With one thread, for what is asked besides, if a network is used.
    pub aside: Option<Search>,
}

/// The searches that settings ask for, with this network or without.
pub(super) fn searches(
    settings: &Settings,
    network: Option<&Arc<Network>>,
) -> Result<Searches, PoolError> {
    let (threads, memory) = (settings.threads, settings.memory);
    let params = &settings.params;
    let mut game = match network {
        None => Search::new(threads, memory, params.clone())?,
        Some(network) => judged(network, threads, memory, settings.net_cache, params)?,
    };
    game.set_visits(settings.visits);
    let aside = match network {
        None => None,
        Some(network) => {
            let cache = settings.net_cache / 4;
            Some(judged(network, 1, super::judge::MEMORY, cache, params)?)
        }
    };
    Ok(Searches { game, aside })
}

fn judged(
    network: &Arc<Network>,
    threads: usize,
    memory: usize,
    cache: usize,
    params: &SearchParams,
) -> Result<Search, PoolError> {
    let evaluator = NetworkEvaluator::new(network.clone(), params.clone(), cache);
    Search::with_evaluator(threads, memory, params.clone(), Arc::new(evaluator))
}

impl Engine {
    /// The network in use; waits until it has been loaded.
    ///
    /// # Errors
    /// `None` if there is none, or why the one of the settings cannot be used.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        match self.network.as_mut().map(NetworkFile::get) {
            None => Err(None),
            Some(Ok(network)) => Ok(network.clone()),
            Some(Err(e)) => Err(Some(e.clone())),
        }
    }

    /// What is wrong with the network, the first time that this is asked after it
    /// has shown. The engine plays on without it.
    pub fn network_complaint(&mut self) -> Option<String> {
        let file = self.network.as_mut()?;
        if file.told || !file.is_here() {
            return None;
        }
        let complaint = file.get().as_ref().err().map(ToString::to_string);
        let path = file.path.display();
        let complaint = complaint.map(|e| format!("network {path}: {e}; playing without it"));
        file.told = complaint.is_some();
        complaint
    }

    /// Before a search: put a network that has been loaded to use.
    pub(super) fn use_network(&mut self) {
        let Some(file) = self.network.as_mut().filter(|f| !f.settled) else {
            return;
        };
        file.settled = true;
        if let Ok(network) = file.get() {
            let network = network.clone();
            // If the system refuses more threads, those of the playouts go on.
            if let Ok(searches) = searches(&self.settings, Some(&network)) {
                self.search = searches.game;
                self.aside = searches.aside;
                self.judgement = None;
            }
        }
    }

    /// The same, unless it is still being loaded.
    pub(super) fn use_network_if_here(&mut self) -> bool {
        let here = self.network.as_ref().is_none_or(NetworkFile::is_here);
        if here {
            self.use_network();
        }
        here
    }

    /// The network that the searches use, for new ones.
    pub(super) fn network_in_use(&mut self) -> Option<Arc<Network>> {
        let file = self.network.as_mut().filter(|f| f.settled)?;
        file.get().as_ref().ok().cloned()
    }
}

impl Engine {
    /// What the network says of the position with `c` to move: raw outputs in one
    /// symmetry, with this weight of the optimistic policy.
    ///
    /// # Errors
    /// As [`Engine::network`].
    pub fn raw_evaluation(
        &mut self,
        c: Color,
        symmetry: u8,
        optimism: Option<f32>,
    ) -> Result<Output, Option<NetError>> {
        let network = self.network()?;
        let position = self.with_to_move(c);
        let situation = Situation::of(&position);
        let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
        let query = Query {
            symmetry,
            optimism: optimism.unwrap_or(self.settings.params.root_optimism),
            ..Query::default()
        };
        let mut evaluation = Evaluation::new(&network);
        evaluation.run(&network, &situation, query, legal);
        Ok(evaluation.output)
    }
}
