use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lock a mutex, ignoring poisoning. Use it only for data that every statement leaves
/// consistent, so that it is valid even if a thread panics while it holds the lock.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
