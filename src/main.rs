//! The `ponnuki` binary.

fn main() {}
