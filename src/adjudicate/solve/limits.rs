//! Limits of a search.

use super::Unsettled;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Time limit and stop flag of a search.
#[derive(Clone, Debug, Default)]
pub struct Cutoff {
    /// Time at which the search ends.
    pub until: Option<Instant>,
    /// Flag that ends the search when it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Cutoff {
    /// Must the search end now?
    pub fn is_reached(&self) -> bool {
        self.until.is_some_and(|t| Instant::now() >= t)
            || self.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }
}

/// A count of steps and its limit.
#[derive(Debug, Default)]
pub struct Allowance {
    pub used: u64,
    limit: u64,
}

impl Allowance {
    /// Allow `more` steps from now on.
    pub fn allow(&mut self, more: u64) {
        self.limit = self.used.saturating_add(more);
    }

    /// Use one step.
    ///
    /// # Errors
    /// [`Unsettled`] if none is left, or the cutoff is reached.
    pub fn spend(&mut self, cutoff: &Cutoff) -> Result<(), Unsettled> {
        self.used += 1;
        if self.used.is_multiple_of(CLOCK) && cutoff.is_reached() {
            self.limit = 0;
        }
        match self.used > self.limit {
            true => Err(Unsettled),
            false => Ok(()),
        }
    }
}

/// Steps between two checks of the cutoff.
const CLOCK: u64 = 1024;
