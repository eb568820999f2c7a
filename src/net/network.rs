//! A network ready for use, and what one thread needs to use it.

use super::batches::{Backend, Batches, Seat, Task};
use super::features::{Encoder, Situation, counts_area};
use super::file::NetError;
use super::kernels::InstructionSet;
use super::kernels::simd::Portable;
use super::model::Model;
use super::output::{Output, Reading};
use super::packed::Layers;
use super::server::{LEGAL, Server};
use super::symmetry::Symmetry;
use crate::rules::{KoRule, Ruleset};
use crate::types::{BoardSize, Point};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A network, laid out for this machine. Threads share it: what more of them ask for at
/// once than there are processors is evaluated together, which is faster and comes to the
/// same.
pub struct Network {
    model: Model,
    layers: Layers,
    /// Evaluates in place of the layers.
    server: Option<Server>,
    batches: Batches,
    /// Networks that evaluate boards of one size in its place.
    specialists: Vec<(BoardSize, Network)>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("name", &self.model.name)
            .field("version", &self.model.version)
            .field("instruction_set", &self.instruction_set().name())
            .finish_non_exhaustive()
    }
}

impl Network {
    /// From a file in KataGo's format.
    ///
    /// # Errors
    /// [`NetError`] names the layer and what is wrong with it.
    pub fn open(path: &Path) -> Result<Network, NetError> {
        let network = Network::new(Model::open(path)?, InstructionSet::best());
        network.check()?;
        Ok(network)
    }

    /// Weights that are numbers may still come to none.
    fn check(&self) -> Result<(), NetError> {
        let empty = Situation::new(BoardSize::square(9), Ruleset::default());
        let mut evaluation = Evaluation::default();
        evaluation.run(self, &empty, Query::default(), |_| true);
        match evaluation.sound {
            true => Ok(()),
            false => Err(NetError::new(
                "",
                "it evaluates the empty board to what is no number: a weight is too large",
            )),
        }
    }

    /// Lay out a network that has been read, for an instruction set.
    pub fn new(model: Model, set: InstructionSet) -> Network {
        let processors = std::thread::available_parallelism();
        Network {
            layers: Layers::new(&model, set),
            server: None,
            model,
            batches: Batches::new(processors.map_or(1, usize::from)),
            specialists: Vec::new(),
        }
    }

    /// Let another network, which is trained for it, evaluate boards of this size.
    #[must_use]
    pub fn with_specialist(mut self, size: BoardSize, specialist: Network) -> Network {
        self.specialists.push((size, specialist));
        self
    }

    /// Let a server at `HOST:PORT` evaluate with this network, at most `connections` batches
    /// at once (see `net/server.rs`).
    ///
    /// # Errors
    /// If there is no server, or it does not have this network.
    pub fn served_by(mut self, address: &str, connections: usize) -> std::io::Result<Network> {
        self.server = Some(Server::connect(address, &self.model)?);
        self.batches = Batches::new(connections);
        Ok(self)
    }

    /// Why the server no longer evaluates; `None` while it does, and without one.
    pub fn server_failure(&self) -> Option<String> {
        self.server.as_ref()?.failure()
    }

    fn backend(&self) -> Backend<'_> {
        Backend {
            layers: &self.layers,
            server: self.server.as_ref(),
        }
    }

    /// Sizes of boards that others evaluate in its place, with the names of these.
    pub fn specialists(&self) -> impl Iterator<Item = (BoardSize, &str)> {
        self.specialists.iter().map(|(size, n)| (*size, n.name()))
    }

    /// What evaluates boards of this size: itself, or a specialist.
    fn on(&self, size: BoardSize) -> &Network {
        let of_size = self.specialists.iter().find(|(of, _)| *of == size);
        of_size.map_or(self, |(_, specialist)| specialist)
    }

    /// The same network with its specialists, laid out for another instruction set.
    #[must_use]
    pub fn laid_out_for(&self, set: InstructionSet) -> Network {
        let specialists = self.specialists.iter();
        Network {
            specialists: specialists
                .map(|(size, specialist)| (*size, specialist.laid_out_for(set)))
                .collect(),
            ..Network::new(self.model.clone(), set)
        }
    }

    /// Let at most so many threads, at least 1, evaluate at once instead of one on each
    /// processor; others wait and are served together. Where that gains nothing
    /// ([`Network::most_at_once`] is 1), all evaluate.
    pub fn limit_threads(&self, most: usize) {
        self.batches.limit(most);
        for (_, specialist) in &self.specialists {
            specialist.limit_threads(most);
        }
    }

    /// So many positions on such boards are best evaluated together, at most; 1 if to wait
    /// for others gains nothing.
    pub fn most_at_once(&self, size: BoardSize) -> usize {
        let dims = (usize::from(size.width()), usize::from(size.height()));
        self.on(size).backend().most_at_once(dims)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.model.name
    }

    /// The version of its format.
    pub fn version(&self) -> usize {
        self.model.version
    }

    /// A number that changes with every bit of what the network says of some positions:
    /// FNV-1a over its raw outputs, evaluated without any particular instruction set.
    /// It is the same on every machine, as far as the activations of the network's last
    /// layers are: ReLU is, others take an exponential from the system's library.
    pub fn signature(&self, situations: impl IntoIterator<Item = Situation>) -> u64 {
        let network = self.laid_out_for(InstructionSet::Portable(Portable));
        let mut evaluation = Evaluation::default();
        let mut hash = 0xcbf2_9ce4_8422_2325;
        for situation in situations {
            evaluation.run(&network, &situation, Query::default(), |_| true);
            let raw = evaluation.task.raw.numbers();
            for byte in raw.flat_map(|x| x.to_bits().to_le_bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }

    /// The instruction set that it runs on.
    pub fn instruction_set(&self) -> InstructionSet {
        self.layers.instruction_set()
    }
}

/// Does a file begin as a network that can be read?
///
/// # Errors
/// [`NetError`] says what is wrong with it.
pub fn check(path: &Path) -> Result<(), NetError> {
    Model::check(path)
}

/// How a position is to be evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// In which symmetry.
    pub symmetry: u8,
    /// Weight of the optimistic policy, from 0 to 1.
    pub optimism: f32,
    /// Temperature of the policy.
    pub temperature: f32,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            symmetry: 0,
            optimism: 0.0,
            temperature: 1.0,
        }
    }
}

/// What one thread needs to evaluate positions, and the last evaluation.
#[derive(Default)]
pub struct Evaluation {
    encoder: Encoder,
    turned: Vec<u32>,
    seat: Arc<Seat>,
    task: Task,
    /// What the network said.
    pub output: Output,
    /// Were they numbers?
    sound: bool,
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluation").finish_non_exhaustive()
    }
}

impl Evaluation {
    /// Evaluate a position. `allowed` tells the points where the player may play.
    pub fn run(
        &mut self,
        network: &Network,
        s: &Situation,
        query: Query,
        allowed: impl Fn(Point) -> bool,
    ) -> &Output {
        let network = network.on(s.board.size());
        let features = &mut self.task.features;
        self.encoder
            .encode(s, network.model.area_with_suicide, features);
        let size = features.size;
        let symmetry = Symmetry::new(query.symmetry, size);
        symmetry.apply(features, &mut self.turned);
        let place = |p: Point| {
            let row = size.1 - 1 - p.y() as usize;
            symmetry.of(row * size.0 + p.x() as usize, size)
        };
        if network.server.is_some() {
            for p in s.board.size().points().filter(|&p| allowed(p)) {
                features.planes[place(p)] |= LEGAL;
            }
        }
        let task = std::mem::take(&mut self.task);
        self.task = network.batches.run(network.backend(), &self.seat, task);
        let by_superko = s.rules.ko != KoRule::Simple && counts_area(&s.rules);
        let how = Reading {
            to_move: s.to_move,
            no_result: !by_superko,
            optimism: query.optimism,
            temperature: query.temperature,
        };
        let size = s.board.size();
        self.sound = self
            .output
            .read(&self.task.raw, &network.model, size, place, allowed, how);
        &self.output
    }
}
