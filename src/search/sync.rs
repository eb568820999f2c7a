//! The atomics of the tree: the standard library's, or for a test by exhaustion those of
//! `loom`, which tries every order in which workers can see each other's writes.

#[cfg(all(loom, test))]
pub(super) use loom::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
#[cfg(not(all(loom, test)))]
pub(super) use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
