//! The inner loops of inference, generic over the instruction set.
//!
//! A kernel takes a token ([`Simd`]) as its first argument, then slices.
//! Tensors are `[point][channel]` in `f32`, channels padded to a multiple of
//! [`PAD`], so that every row is a whole number of vectors of any instruction set.
//! The tests compare each kernel with plain code, mostly from [`scalar`], on every
//! instruction set that the machine has.
//!
//! # From weights to outputs
//!
//! A layer is a matrix product: a row for each point, with its inputs, times a weight matrix
//! `[input][output]`, gives rows of outputs. This is its way through the modules:
//!
//! 1. *Packing*, when a network is loaded: [`Packed`] cuts the columns of each weight matrix into
//!    panels one to three vectors wide, stored one after the other:
//!    `[matrix][panel][input][column of the panel]`. From it [`Rounded`] makes pairs of bfloat16
//!    weights, [`Integers`] and [`Quantized`] pairs of 16-bit integers; a pair belongs to two
//!    successive inputs.
//! 2. *Product*: for each panel, and each block of up to 14 rows, the sums stay in registers while
//!    the inputs are run through ([`multiply`]). The sums are written to `[row][output]`.
//!    - A 1x1 convolution is one product, with a row for each point.
//!    - A 3x3 convolution ([`convolve`]) transforms squares of the board, and the product is done
//!      for each element of a square, with a row for each square.
//!    - Any other convolution adds the products of its filter's taps.
//!    - With AMX, most convolutions are products of 16x16 tiles ([`AmxFilter`]).
//! 3. *Epilogue* ([`Epilogue`]): the outputs are added to the trunk, and the normalized and
//!    activated result is written to where the next layer reads it ([`Placement`]).
//!    [`output_transform`] or [`apply`] runs it.
//!
//! All `unsafe` code is in [`simd`], where each token is proof for its instruction set.
#![allow(
    clippy::needless_range_loop,
    reason = "an iterator that is not inlined would keep sums in memory"
)]

mod amx_filter;
mod attention;
mod epilogue;
mod gemm;
mod placement;
mod pool;
pub mod scalar;
pub mod simd;
mod weights;
mod winograd;

pub use amx_filter::{AmxFilter, AmxLayout, AmxScratch};
pub use attention::{RmsNorm, gate, rms_norm, softmax};
pub use epilogue::{Epilogue, Input, NextInput, ScaleBias, apply, gather};
pub use gemm::{GemmScratch, Matrix, Pointwise, multiply};
pub use placement::{Placement, Write};
pub use pool::pool;
pub use simd::{Amx, Bf16, InstructionSet, Int16, Line, Simd};
pub use weights::{Integers, PAD, Packed, Quantized, Rounded, padded};
pub use winograd::{Grid, MOST_AT_ONCE, Tiling, Transformed, WIDE, convolve, output_transform};
