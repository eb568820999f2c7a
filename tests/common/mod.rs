//! Code shared by test programs.
#![allow(dead_code)] // each program uses a part of it

pub mod cases;
pub mod documents;
pub mod examples;
pub mod exhaustive;
pub mod folder;
pub mod fuzz;
pub mod long;
pub mod naive;
pub mod nets;
pub mod process;
pub mod replay;
pub mod shared;
