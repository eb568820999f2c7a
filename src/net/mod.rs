//! KataGo networks on the CPU: file loader, features, inference.

mod area;
mod attention;
mod batches;
mod blocks;
mod buffer;
mod features;
mod file;
mod forward;
pub mod kernels;
mod ladders;
mod layers;
pub mod model;
mod network;
mod output;
mod packed;
mod planes;
mod server;
mod symmetry;
mod workspace;

pub use features::{RECENT, Situation, encode};
pub use file::NetError;
pub use kernels::{InstructionSet, MOST_AT_ONCE};
pub use model::{Activation, Model};
pub use network::{Evaluation, EvaluationOptions, Network};
pub use output::{Output, Reading};
pub use packed::{Layers, MOST_LEAVES};
pub use planes::Features;
pub use symmetry::Symmetry;
pub use workspace::{Raw, Workspace};
