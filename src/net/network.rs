//! A network ready for use, and what one thread needs to use it.

use super::features::{Encoder, Situation};
use super::file::NetError;
use super::forward::Features;
use super::kernels::InstructionSet;
use super::kernels::simd::Portable;
use super::model::Model;
use super::output::{Output, Reading};
use super::packed::Layers;
use super::symmetry::Symmetry;
use super::workspace::Workspace;
use crate::rules::{KoRule, Ruleset, Scoring};
use crate::types::{BoardSize, Point};
use std::fmt;
use std::path::Path;

/// A network, laid out for this machine. Threads share it.
pub struct Network {
    model: Model,
    layers: Layers,
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
        let mut evaluation = Evaluation::new(self);
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
        Network {
            layers: Layers::new(&model, set),
            model,
        }
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
        let portable = InstructionSet::Portable(Portable);
        let network = Network::new(self.model.clone(), portable);
        let mut evaluation = Evaluation::new(&network);
        let mut hash = 0xcbf2_9ce4_8422_2325;
        for situation in situations {
            evaluation.run(&network, &situation, Query::default(), |_| true);
            let raw = evaluation.workspace.iter().flat_map(|ws| ws.raw.numbers());
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
pub struct Evaluation {
    encoder: Encoder,
    features: Features,
    turned: Vec<u32>,
    workspace: Option<Workspace>,
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
    /// For a network.
    pub fn new(network: &Network) -> Evaluation {
        Evaluation {
            encoder: Encoder::new(network.model.area_with_suicide),
            features: Features::default(),
            turned: Vec::new(),
            workspace: None,
            output: Output::default(),
            sound: true,
        }
    }

    /// Evaluate a position. `allowed` tells the points where the player may play.
    pub fn run(
        &mut self,
        network: &Network,
        s: &Situation,
        query: Query,
        allowed: impl Fn(Point) -> bool,
    ) -> &Output {
        self.encoder.encode(s, &mut self.features);
        let size = self.features.size;
        let symmetry = Symmetry::new(query.symmetry, size);
        symmetry.apply(&mut self.features, &mut self.turned);
        let workspace = match &mut self.workspace {
            Some(workspace) if workspace.size() == size => workspace,
            other => other.insert(Workspace::new(&network.layers, size)),
        };
        network.layers.forward(&self.features, workspace);
        let place = |p: Point| {
            let row = size.1 - 1 - p.y() as usize;
            symmetry.of(row * size.0 + p.x() as usize, size)
        };
        let by_superko = s.rules.ko != KoRule::Simple && s.rules.scoring == Scoring::Area;
        let how = Reading {
            to_move: s.to_move,
            no_result: !by_superko,
            optimism: query.optimism,
            temperature: query.temperature,
        };
        let size = s.board.size();
        self.sound = self
            .output
            .read(&workspace.raw, &network.model, size, place, allowed, how);
        &self.output
    }
}
