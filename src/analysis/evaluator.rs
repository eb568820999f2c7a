//! Choice of the evaluator: a network, loaded in the background, or playouts.

use crate::net::{InstructionSet, Model, NetError, Network};
use crate::search::PoolError;
use crate::types::BoardSize;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Choice of the evaluator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EvaluatorChoice {
    /// The embedded network (`training/README.md`), with a specialist for 9x9. See
    /// [`EvaluatorChoice::suits`] for its board sizes.
    #[default]
    Embedded,
    /// The network in a file.
    File(PathBuf),
    /// Playouts.
    Playouts,
}

/// The embedded network.
static EMBEDDED: &[u8] = include_bytes!("../../training/networks/b10c64.bin.gz");

/// The embedded network after fine-tuning on 9x9, used there instead.
static EMBEDDED_9X9: &[u8] = include_bytes!("../../training/networks/b10c64-9x9.bin.gz");

fn embedded() -> Result<Network, NetError> {
    let read = |file| -> Result<Network, NetError> {
        let model = Model::read(Cursor::new(file))?;
        Ok(Network::new(model, InstructionSet::best()))
    };
    // In parallel, because the first move waits for them.
    let (network, specialist) = rayon::join(|| read(EMBEDDED), || read(EMBEDDED_9X9));
    Ok(network?.with_specialist(BoardSize::square(9), specialist?))
}

/// A function that opens a network.
type Open = Arc<dyn Fn() -> Result<Network, NetError> + Send + Sync>;

impl EvaluatorChoice {
    /// A function that opens the network, if the choice is one.
    fn opener(&self) -> Option<Open> {
        match self.clone() {
            EvaluatorChoice::Embedded => Some(Arc::new(embedded)),
            EvaluatorChoice::File(path) => Some(Arc::new(move || Network::open(&path))),
            EvaluatorChoice::Playouts => None,
        }
    }

    /// Does a network evaluate boards of this size? The embedded one was trained on sides from 7 to
    /// 19 and is stronger than playouts on others, too, except on boards narrower than 6, which
    /// playouts evaluate. A network in a file is for all sizes.
    pub fn suits(&self, size: BoardSize) -> bool {
        match self {
            EvaluatorChoice::Embedded => size.width().min(size.height()) >= 6,
            EvaluatorChoice::File(_) => true,
            EvaluatorChoice::Playouts => false,
        }
    }

    /// Open the network; `None` for playouts.
    ///
    /// # Errors
    /// [`NetError`] if the network is unusable.
    pub fn open(&self) -> Result<Option<Network>, NetError> {
        self.opener().map(|open| open()).transpose()
    }
}

/// `built-in`, the path of a network file, or `off` for playouts.
impl std::fmt::Display for EvaluatorChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EvaluatorChoice::Embedded => f.write_str("built-in"),
            EvaluatorChoice::File(path) => path.display().fmt(f),
            EvaluatorChoice::Playouts => f.write_str("off"),
        }
    }
}

/// Constants that depend on the evaluator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Default playouts of a [side search](super::Analyst::side_search).
    pub side_playouts: u64,
    /// Playouts (with a network, evaluations) of a judgement's two stages, for each player to move.
    /// The first is for all chains, the second for chains left in doubt. The second is shorter
    /// while a clock runs.
    pub judgement: [u64; 2],
}

impl Profile {
    /// Constants for playouts.
    pub const PLAYOUTS: Profile = Profile {
        side_playouts: 2000,
        judgement: [1000, 0],
    };

    /// Constants for the embedded network, which is small.
    pub const EMBEDDED: Profile = Profile {
        judgement: [16, 400],
        ..Profile::NETWORK
    };

    /// Constants for other networks, which are less noisy.
    pub const NETWORK: Profile = Profile {
        side_playouts: 200,
        judgement: [8, 40],
    };
}

/// Interval at which a network being loaded is polled.
const POLL: Duration = Duration::from_millis(1);

/// A network that is being loaded, then the network or its load error.
pub(super) struct NetworkFile {
    /// Name of the network in messages.
    name: String,
    open: Open,
    loading: Option<JoinHandle<Result<Network, NetError>>>,
    loaded: Option<Result<Arc<Network>, NetError>>,
    /// Has the load error been reported?
    reported: bool,
}

impl std::fmt::Debug for NetworkFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkFile")
            .field("name", &self.name)
            .field("loaded", &self.loaded)
            .finish_non_exhaustive()
    }
}

impl NetworkFile {
    /// Start to load the network of a choice; `None` for playouts.
    pub fn load(choice: &EvaluatorChoice) -> Option<NetworkFile> {
        let open = choice.opener()?;
        let in_background = open.clone();
        let loading = thread::Builder::new()
            .name("network".into())
            .spawn(move || in_background());
        // If the thread cannot start, `get` loads the network.
        Some(NetworkFile {
            name: choice.to_string(),
            open,
            loading: loading.ok(),
            loaded: None,
            reported: false,
        })
    }

    /// The embedded network, loaded with this delay.
    #[cfg(test)]
    pub fn slow(time: Duration) -> NetworkFile {
        let open: Open = Arc::new(move || {
            thread::sleep(time);
            embedded()
        });
        let in_background = open.clone();
        NetworkFile {
            name: "slow".to_owned(),
            open,
            loading: Some(thread::spawn(move || in_background())),
            loaded: None,
            reported: false,
        }
    }

    /// Has loading finished?
    pub fn is_loaded(&self) -> bool {
        self.loaded.is_some() || self.loading.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Wait until loading has finished, `until` is reached or `stop` is set. Returns whether
    /// loading has finished.
    pub fn wait(&self, until: Option<Instant>, stop: &AtomicBool) -> bool {
        while !self.is_loaded() {
            if until.is_some_and(|until| Instant::now() >= until) || stop.load(Relaxed) {
                return false;
            }
            thread::sleep(POLL);
        }
        true
    }

    /// The network or its load error; waits for it.
    pub fn get(&mut self) -> &Result<Arc<Network>, NetError> {
        let NetworkFile { open, loading, .. } = self;
        self.loaded.get_or_insert_with(|| {
            let loaded = match loading.take().map(JoinHandle::join) {
                Some(Ok(loaded)) => loaded,
                _ => open(),
            };
            loaded.map(Arc::new)
        })
    }

    /// The load error, returned only once.
    pub fn complaint(&mut self) -> Option<Complaint> {
        if self.reported || !self.is_loaded() {
            return None;
        }
        let error = self.get().as_ref().err().cloned()?;
        self.reported = true;
        Some(Complaint::Network {
            name: self.name.clone(),
            error,
        })
    }
}

/// A problem with the evaluator that the settings ask for.
#[derive(Clone, Debug, Error)]
pub enum Complaint {
    /// The network cannot be read; playouts evaluate instead.
    #[error("network {name}: {error}; playing without it")]
    Network {
        /// Name of the network: the path of its file.
        name: String,
        /// The load error.
        error: NetError,
    },
    /// The network is too slow for a useful search.
    #[error(
        "network {name} makes {rate:.1} evaluations a second on one thread; the built-in network \
         is much faster: start without -model (KaTrain: Override Engine Command: ponnuki analysis)"
    )]
    Slow {
        /// Name of the network: the path of its file.
        name: String,
        /// Evaluations per second on one thread.
        rate: f64,
    },
    /// The system refuses threads for another evaluator; the present one stays in use.
    #[error("{0}; evaluating as before")]
    Threads(PoolError),
}
