//! Locks and atomics of the tree: the standard library's, or `loom`'s in exhaustive tests.
//! `loom` tries every order in which workers can see each other's writes.

#[cfg(all(every_order, test))]
pub(super) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering},
};
use std::sync::PoisonError;
#[cfg(not(all(every_order, test)))]
pub(super) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering},
};

/// See [`crate::util::locked`].
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
