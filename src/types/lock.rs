use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a lock guards, also after a thread that held it has panicked: for data that is whole
/// after every statement, so that what others have put there still counts.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
