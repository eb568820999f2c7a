//! Counts of lines that passes have ended.

use crate::position::Line;
use crate::search::policy::LeafValue;
use crate::util::locked;
use std::collections::HashMap;
use std::sync::Mutex;

/// Black's margin in the count of a line that passes have ended, given Black's ownership of each
/// point (by [`Point::index`](crate::types::Point::index), from −1 to 1). `None` if the ownership
/// leaves a chain in doubt.
pub type Count = fn(&Line, &[f32]) -> Option<f32>;

/// Counts kept at most; then all are dropped.
const MOST: usize = 1 << 14;

/// The counts of one search. A line that passes have ended is a leaf of the tree for good and is
/// visited again and again.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// How to count; without it nothing is counted.
    pub count: Option<Count>,
    /// By [`Line::key`].
    known: Mutex<HashMap<u64, Option<f32>>>,
}

impl Counts {
    pub fn new(count: Option<Count>) -> Counts {
        Counts {
            count,
            known: Mutex::default(),
        }
    }

    /// Clear the counts before the search of another position.
    pub fn clear(&self) {
        locked(&self.known).clear();
    }

    /// The winner by the count, as [`LeafValue::black_wins`]; `None` if it is in doubt.
    pub fn black_wins(&self, line: &Line, ownership: &[f32]) -> Option<f32> {
        let count = self.count?;
        let key = line.key();
        let known = key.and_then(|key| locked(&self.known).get(&key).copied());
        let margin = known.unwrap_or_else(|| {
            let margin = count(line, ownership);
            if let Some(key) = key {
                let mut known = locked(&self.known);
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(key, margin);
            }
            margin
        });
        Some(LeafValue::of_margin(margin?).black_wins)
    }
}
