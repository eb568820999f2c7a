//! A network ready for evaluation, and the per-thread evaluation state.

use super::batches::{Backend, Batches, Task, WaitSlot};
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
use std::iter;
use std::path::Path;
use std::sync::Arc;

/// A network, laid out for this machine and shared by threads. With large networks, concurrent
/// requests beyond the number of processors are evaluated in batches, which is faster and gives the
/// same results.
pub struct Network {
    model: Model,
    layers: Layers,
    /// Evaluates instead of the layers, if set.
    server: Option<Server>,
    batches: Batches,
    /// Networks that evaluate boards of one size instead of this one.
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
    /// Load a network from a file in KataGo's format.
    ///
    /// # Errors
    /// [`NetError`] names the layer and the problem.
    pub fn open(path: &Path) -> Result<Network, NetError> {
        let network = Network::new(Model::open(path)?, InstructionSet::best());
        network.check()?;
        Ok(network)
    }

    /// Check that the empty board evaluates to finite numbers; finite weights may still
    /// overflow.
    fn check(&self) -> Result<(), NetError> {
        let empty = Situation::new(BoardSize::square(9), Ruleset::default());
        let mut evaluation = Evaluation::default();
        evaluation.run(self, &empty, EvaluationOptions::default(), |_| true);
        match evaluation.finite {
            true => Ok(()),
            false => Err(NetError::new(
                "",
                "the evaluation of the empty board is not finite: a weight is too large",
            )),
        }
    }

    /// Lay out a model for an instruction set.
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

    /// Add a specialist: a network that evaluates all boards of this size.
    #[must_use]
    pub fn with_specialist(mut self, size: BoardSize, specialist: Network) -> Network {
        self.specialists.push((size, specialist));
        self
    }

    /// Evaluate with a server at `HOST:PORT` that has this network, with at most `connections`
    /// batches at once (see `net/server.rs`).
    ///
    /// # Errors
    /// If there is no server, or it does not have this network.
    pub fn served_by(mut self, address: &str, connections: usize) -> std::io::Result<Network> {
        self.server = Some(Server::connect(address, &self.model)?);
        self.batches = Batches::new(connections);
        Ok(self)
    }

    /// Return why the server stopped evaluating; `None` while it works, or without one.
    pub fn server_failure(&self) -> Option<String> {
        self.server.as_ref()?.failure()
    }

    fn backend(&self) -> Backend<'_> {
        Backend {
            layers: &self.layers,
            server: self.server.as_ref(),
        }
    }

    /// List the board sizes that specialists evaluate, with the names of these networks.
    pub fn specialists(&self) -> impl Iterator<Item = (BoardSize, &str)> {
        self.specialists.iter().map(|(size, n)| (*size, n.name()))
    }

    /// The names of this network and of its specialists.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        iter::once(self.name()).chain(self.specialists().map(|(_, name)| name))
    }

    /// Return the network that evaluates boards of this size: this one, or a specialist.
    fn network_for(&self, size: BoardSize) -> &Network {
        let of_size = self.specialists.iter().find(|(of, _)| *of == size);
        of_size.map_or(self, |(_, specialist)| specialist)
    }

    /// Lay out the network and its specialists for another instruction set.
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

    /// Let at most `most` (at least 1) threads evaluate at once, instead of one per processor.
    /// Other threads wait, and their requests are batched. There is no limit where batching
    /// gains nothing ([`Network::most_at_once`] is 1).
    pub fn limit_threads(&self, most: usize) {
        self.batches.limit(most);
        for (_, specialist) in &self.specialists {
            specialist.limit_threads(most);
        }
    }

    /// Return the largest batch worth evaluating at once on boards of this size; 1 if batching
    /// gains nothing.
    pub fn most_at_once(&self, size: BoardSize) -> usize {
        self.network_for(size).backend().most_at_once(size.dims())
    }

    /// Return the number of leaves that a thread should evaluate at once on boards of this size,
    /// from 1 to [`MOST_LEAVES`](crate::net::MOST_LEAVES); 1 if more gain nothing. The thread
    /// chooses these leaves itself; [`Network::most_at_once`] is for threads that wait for each
    /// other.
    pub fn leaves_at_once(&self, size: BoardSize) -> usize {
        self.network_for(size).backend().leaves_at_once(size.dims())
    }

    /// Evaluate [prepared](Evaluation::prepare) positions together, all on boards of this size.
    pub fn evaluate(&self, size: BoardSize, prepared: &mut [&mut Evaluation]) {
        let network = self.network_for(size);
        let Some(slot) = prepared.first().map(|first| first.slot.clone()) else {
            return;
        };
        let tasks = prepared.iter_mut().map(|p| std::mem::take(&mut p.task));
        let tasks = network
            .batches
            .run(network.backend(), &slot, tasks.collect());
        for (evaluation, task) in prepared.iter_mut().zip(tasks) {
            evaluation.task = task;
        }
    }

    /// Name of the network.
    pub fn name(&self) -> &str {
        &self.model.name
    }

    /// Version of the file format.
    pub fn version(&self) -> usize {
        self.model.version
    }

    /// Hash every bit of the raw outputs for some positions (FNV-1a), evaluated by portable
    /// code. The hash is the same on every machine if the dense layers use ReLU and attention does
    /// not rotate; otherwise it depends on the system's mathematical functions.
    pub fn signature(&self, situations: impl IntoIterator<Item = Situation>) -> u64 {
        let network = self.laid_out_for(InstructionSet::Portable(Portable));
        let mut evaluation = Evaluation::default();
        let mut hash = 0xcbf2_9ce4_8422_2325;
        for situation in situations {
            evaluation.run(&network, &situation, EvaluationOptions::default(), |_| true);
            let raw = evaluation.task.raw.numbers();
            for byte in raw.flat_map(|x| x.to_bits().to_le_bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }

    /// The instruction set that the network runs on.
    pub fn instruction_set(&self) -> InstructionSet {
        self.layers.instruction_set()
    }
}

/// Options of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationOptions {
    /// Symmetry to apply to the board, from 0 to 7.
    pub symmetry: u8,
    /// Weight of the optimistic policy, from 0 to 1.
    pub optimism: f32,
    /// Temperature of the policy.
    pub temperature: f32,
}

impl Default for EvaluationOptions {
    fn default() -> Self {
        EvaluationOptions {
            symmetry: 0,
            optimism: 0.0,
            temperature: 1.0,
        }
    }
}

/// Buffers of one evaluation at a time, and its result.
#[derive(Default)]
pub struct Evaluation {
    encoder: Encoder,
    buffer: Vec<u32>,
    slot: Arc<WaitSlot>,
    task: Task,
    /// The last evaluation.
    pub output: Output,
    /// Were the raw outputs finite?
    finite: bool,
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluation").finish_non_exhaustive()
    }
}

impl Evaluation {
    /// Evaluate a position. `allowed` tells which plays are legal.
    pub fn run(
        &mut self,
        network: &Network,
        s: &Situation,
        options: EvaluationOptions,
        allowed: impl Fn(Point) -> bool,
    ) -> &Output {
        self.prepare(network, s, options, &allowed);
        network.evaluate(s.board.size(), &mut [self]);
        self.read(network, s, options, allowed)
    }

    /// Write the inputs of [`Network::evaluate`] for a position. `allowed` tells which plays are
    /// legal.
    pub fn prepare(
        &mut self,
        network: &Network,
        s: &Situation,
        options: EvaluationOptions,
        allowed: impl Fn(Point) -> bool,
    ) {
        let network = network.network_for(s.board.size());
        let features = &mut self.task.features;
        self.encoder
            .encode(s, network.model.area_with_suicide, features);
        let dims = features.size;
        let symmetry = Symmetry::new(options.symmetry, dims);
        symmetry.apply(features, &mut self.buffer);
        if network.server.is_some() {
            for p in s.board.size().points().filter(|&p| allowed(p)) {
                features.planes[place(p, symmetry, dims)] |= LEGAL;
            }
        }
    }

    /// Read what [`Network::evaluate`] wrote for the position for which this evaluation was
    /// [prepared](Evaluation::prepare), with the same arguments.
    pub fn read(
        &mut self,
        network: &Network,
        s: &Situation,
        options: EvaluationOptions,
        allowed: impl Fn(Point) -> bool,
    ) -> &Output {
        let network = network.network_for(s.board.size());
        let by_superko = s.rules.ko != KoRule::Simple && counts_area(&s.rules);
        let how = Reading {
            to_move: s.to_move,
            no_result: !by_superko,
            optimism: options.optimism,
            temperature: options.temperature,
        };
        let (size, dims) = (s.board.size(), self.task.features.size);
        let symmetry = Symmetry::new(options.symmetry, dims);
        let place = |p: Point| place(p, symmetry, dims);
        self.finite = self
            .output
            .read(&self.task.raw, &network.model, size, place, allowed, how);
        &self.output
    }
}

/// Index of a point in the inputs and outputs for a board of `dims` (columns, rows).
fn place(p: Point, symmetry: Symmetry, dims: (usize, usize)) -> usize {
    let row = dims.1 - 1 - p.y() as usize;
    symmetry.of(row * dims.0 + p.x() as usize, dims)
}
