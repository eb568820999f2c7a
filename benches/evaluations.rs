//! Evaluate one position a given number of times without output, for programs that count
//! instructions.
//!
//! ```text
//! evaluations NETWORK SIZE INSTRUCTION-SET TIMES
//! ```
//!
//! The difference of two counts with different TIMES is due to the evaluations alone. `.ci/count`
//! does that for 64-bit ARM.

use ponnuki::cli::random_position;
use ponnuki::net::{Evaluation, EvaluationOptions, InstructionSet, Model, Network, Situation};
use ponnuki::types::BoardSize;
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, size, set, times] = &arguments[..] else {
        return println!("usage: evaluations NETWORK SIZE INSTRUCTION-SET TIMES");
    };
    let model = Model::open(Path::new(path)).expect("a network");
    let named = |s: &InstructionSet| s.name().eq_ignore_ascii_case(set);
    let available = InstructionSet::available();
    let set = available.into_iter().find(named).expect("available");
    let network = Network::new(model, set);
    let size = BoardSize::square(size.parse().expect("a size"));
    let situation = Situation::of(&random_position(size));
    let mut evaluation = Evaluation::default();
    for _ in 0..times.parse().expect("a number") {
        evaluation.run(&network, &situation, EvaluationOptions::default(), |_| true);
    }
}
