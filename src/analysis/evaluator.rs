//! What evaluates positions: a network, loaded in the background, or playouts.

use crate::net::{InstructionSet, Model, NetError, Network};
use crate::search::PoolError;
use crate::types::BoardSize;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What is to evaluate positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EvaluatorChoice {
    /// The network of our own that lies in the program (`training/README.md`), with a
    /// specialist for 9x9. It knows boards as it was trained on, see
    /// [`EvaluatorChoice::suits`].
    #[default]
    Embedded,
    /// The network in a file.
    File(PathBuf),
    /// Playouts.
    Playouts,
}

/// The network in the program.
static EMBEDDED: &[u8] = include_bytes!("../../training/networks/b10c64.bin.gz");

/// Another of its shape that has learned 9x9 alone, where it evaluates in its place.
static EMBEDDED_9X9: &[u8] = include_bytes!("../../training/networks/b10c64-9x9.bin.gz");

fn embedded() -> Result<Network, NetError> {
    let read = |file| -> Result<Network, NetError> {
        let model = Model::read(Cursor::new(file))?;
        Ok(Network::new(model, InstructionSet::best()))
    };
    // Both at once, for the first move waits for them.
    let (network, specialist) = rayon::join(|| read(EMBEDDED), || read(EMBEDDED_9X9));
    Ok(network?.with_specialist(BoardSize::square(9), specialist?))
}

/// Opens a network.
type Open = Arc<dyn Fn() -> Result<Network, NetError> + Send + Sync>;

impl EvaluatorChoice {
    /// How to open the network, if it is one.
    fn opener(&self) -> Option<Open> {
        match self.clone() {
            EvaluatorChoice::Embedded => Some(Arc::new(embedded)),
            EvaluatorChoice::File(path) => Some(Arc::new(move || Network::open(&path))),
            EvaluatorChoice::Playouts => None,
        }
    }

    /// Is it made for boards of this size? The network in the program is for sides from 7
    /// to 19, on which it was trained; on others playouts evaluate instead. A network in a
    /// file is used on all.
    pub fn suits(&self, size: BoardSize) -> bool {
        let trained = |side: u8| (7..=19).contains(&side);
        match self {
            EvaluatorChoice::Embedded => trained(size.width()) && trained(size.height()),
            EvaluatorChoice::File(_) => true,
            EvaluatorChoice::Playouts => false,
        }
    }

    /// The network, if it is one.
    ///
    /// # Errors
    /// [`NetError`] says what is wrong with it.
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

/// Every constant that depends on what evaluates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Does the search know for itself when to pass? Otherwise, when the board looks
    /// settled, a judgement is asked whether its move is of any use.
    pub knows_when_to_pass: bool,
    /// Playouts of a search of fixed length, where no number is set.
    pub short_playouts: u64,
    /// Playouts, or visits, of the two searches of a judgement, for each side moving first:
    /// of all chains, and at most of those that the first leaves in doubt.
    pub judgement: [u64; 2],
}

impl Profile {
    /// With playouts.
    pub const PLAYOUTS: Profile = Profile {
        knows_when_to_pass: false,
        short_playouts: 2000,
        judgement: [1000, 0],
    };

    /// With the network in the program, which is small.
    pub const EMBEDDED: Profile = Profile {
        judgement: [16, 400],
        ..Profile::NETWORK
    };

    /// With a network, which is less noisy.
    pub const NETWORK: Profile = Profile {
        knows_when_to_pass: true,
        short_playouts: 200,
        judgement: [8, 40],
    };
}

/// How often a network that is being loaded is looked for.
const LOOK: Duration = Duration::from_millis(1);

/// A network that is being loaded, and what has become of it.
pub(super) struct NetworkFile {
    /// Its name in messages.
    name: String,
    open: Open,
    loading: Option<JoinHandle<Result<Network, NetError>>>,
    loaded: Option<Result<Arc<Network>, NetError>>,
    /// Has somebody been told that it cannot be used?
    told: bool,
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
    /// Begin to load the network of a choice; `None` if it is none.
    pub fn load(choice: &EvaluatorChoice) -> Option<NetworkFile> {
        let open = choice.opener()?;
        let in_background = open.clone();
        let loading = thread::Builder::new()
            .name("network".into())
            .spawn(move || in_background());
        // Without a thread of its own it is loaded when it is needed.
        Some(NetworkFile {
            name: choice.to_string(),
            open,
            loading: loading.ok(),
            loaded: None,
            told: false,
        })
    }

    /// The network in the program, loaded in this time: for tests.
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
            told: false,
        }
    }

    /// Has it been loaded, well or not?
    pub fn is_here(&self) -> bool {
        self.loaded.is_some() || self.loading.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Wait until loading has finished, until this time or until `stop` is raised. Returns
    /// whether loading has finished.
    pub fn wait(&self, until: Option<Instant>, stop: &AtomicBool) -> bool {
        while !self.is_here() {
            if until.is_some_and(|until| Instant::now() >= until) || stop.load(Relaxed) {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    /// The network, once it has been loaded.
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

    /// What is wrong with it, once, when that has shown.
    pub fn complaint(&mut self) -> Option<Complaint> {
        if self.told || !self.is_here() {
            return None;
        }
        let error = self.get().as_ref().err().cloned()?;
        self.told = true;
        Some(Complaint::Network {
            name: self.name.clone(),
            error,
        })
    }
}

/// Why positions are not evaluated as the settings ask.
#[derive(Clone, Debug)]
pub enum Complaint {
    /// The network cannot be read; playouts evaluate instead.
    Network {
        /// Its name: the path of its file.
        name: String,
        /// What is wrong with it.
        error: NetError,
    },
    /// It makes so few evaluations a second that a search finds little.
    Slow {
        /// Its name: the path of its file.
        name: String,
        /// Evaluations a second on one thread.
        rate: f64,
    },
    /// The system refuses threads for another evaluator; the present one goes on.
    Threads(PoolError),
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Complaint::Network { name, error } => {
                write!(f, "network {name}: {error}; playing without it")
            }
            Complaint::Slow { name, rate } => write!(
                f,
                "network {name} makes {rate:.1} evaluations a second on one thread; the network \
                 in the program is much faster: start without -model (KaTrain: Override Engine \
                 Command: ponnuki analysis)"
            ),
            Complaint::Threads(error) => write!(f, "{error}; evaluating as before"),
        }
    }
}

impl std::error::Error for Complaint {}
