//! KataGo networks on the CPU: file loader, features, inference.

mod area;
mod features;
mod file;
mod forward;
pub mod kernels;
mod ladders;
mod layers;
pub mod model;
mod network;
mod output;
mod symmetry;

pub use features::{Situation, encode};
pub use file::NetError;
pub use forward::{Features, Raw, Workspace};
pub use layers::Layers;
pub use model::{Activation, Model};
pub use network::{Evaluation, Network, Query, check};
pub use output::{Output, Reading};
pub use symmetry::Symmetry;
