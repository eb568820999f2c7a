//! The inner loops of inference, generic over the instruction set.
//!
//! A kernel takes a token ([`Simd`]) as its first argument, then slices.
//! Tensors are `[point][channel]` in `f32`, channels padded to a multiple of
//! [`PAD`], so that every row is a whole number of vectors of any instruction set.
//! Each kernel has a plain twin in [`scalar`], which the tests compare it with on
//! every instruction set that the machine has.
//!
//! All `unsafe` code is in [`simd`], where each token is proof for its instruction set.
#![allow(
    clippy::needless_range_loop,
    reason = "an iterator that is not inlined would keep sums in memory"
)]

mod attention;
mod epilogue;
mod gemm;
mod pool;
mod rows;
pub mod scalar;
pub mod simd;
mod tiles;
mod weights;
mod winograd;

pub use attention::{RmsNorm, gate, rms_norm, softmax};
pub use epilogue::{Epilogue, Input, NextInput, ScaleBias, apply, gather};
pub use gemm::{GemmScratch, Matrix, Pointwise, multiply, multiply_rounded};
pub use pool::pool;
pub use rows::{Rows, Write};
pub use simd::{Amx, Bf16, InstructionSet, Line, Simd};
pub use tiles::{Layout, Starts, Tiled};
pub use weights::{PAD, Packed, Quantized, Rounded, padded};
pub use winograd::{Grid, MOST_AT_ONCE, Tiling, Transformed, convolve, output_transform};
