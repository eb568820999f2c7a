//! Cache of network evaluations.

use crate::net::Output;
use crate::types::BoardSize;
use crate::util::locked;
use std::mem::take;
use std::sync::Mutex;

/// A cached evaluation.
#[derive(Debug)]
struct Entry {
    key: u64,
    policy: Vec<f32>,
    /// Ownership in units of 1/[`OWNERSHIP`].
    ownership: Vec<i8>,
    /// The output, except its policy and ownership, which are empty.
    rest: Output,
}

/// Units per point in which ownership is stored.
const OWNERSHIP: f32 = 127.0;

/// Evaluations by key. Each key has one slot; a new entry replaces the old one.
#[derive(Debug)]
pub struct EvaluationCache {
    slots: Vec<Mutex<Option<Box<Entry>>>>,
}

/// Size of an entry for the largest board, in bytes: for each point four of the policy and one of the
/// ownership, the entry itself, and what the allocator adds.
const ENTRY_BYTES: usize =
    BoardSize::MAX as usize * BoardSize::MAX as usize * 5 + size_of::<Entry>() + 64;

impl EvaluationCache {
    /// Create a cache of at most `bytes` bytes.
    pub fn new(bytes: usize) -> EvaluationCache {
        let slots = bytes / ENTRY_BYTES;
        EvaluationCache {
            slots: (0..slots).map(|_| Mutex::default()).collect(),
        }
    }

    /// Remove all entries.
    pub fn clear(&self) {
        for slot in &self.slots {
            *locked(slot) = None;
        }
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<Box<Entry>>>> {
        let n = self.slots.len() as u64;
        self.slots.get(key.checked_rem(n)? as usize)
    }

    /// Copy the entry of a key into an output. Returns false if there is none.
    pub fn get(&self, key: u64, size: BoardSize, to: &mut Output) -> bool {
        let Some(slot) = self.slot(key) else {
            return false;
        };
        let slot = locked(slot);
        let Some(known) = slot.as_ref().filter(|k| k.key == key) else {
            return false;
        };
        for ((p, policy), own) in size.points().zip(&known.policy).zip(&known.ownership) {
            to.policy[p.index()] = *policy;
            to.ownership[p.index()] = f32::from(*own) / OWNERSHIP;
        }
        *to = Output {
            policy: take(&mut to.policy),
            ownership: take(&mut to.ownership),
            ..known.rest
        };
        true
    }

    /// Store an output, and round its ownership to what is stored, so that an output is the same
    /// when it is read again.
    pub fn put(&self, key: u64, size: BoardSize, output: &mut Output) {
        for own in &mut output.ownership {
            *own = (*own * OWNERSHIP).round() / OWNERSHIP;
        }
        let Some(slot) = self.slot(key) else {
            return;
        };
        let rest = || Output {
            policy: Vec::new(),
            ownership: Vec::new(),
            ..*output
        };
        let mut slot = locked(slot);
        let known = slot.get_or_insert_with(|| {
            Box::new(Entry {
                key,
                policy: Vec::new(),
                ownership: Vec::new(),
                rest: rest(),
            })
        });
        known.key = key;
        known.policy.clear();
        known.ownership.clear();
        known.policy.reserve_exact(size.area());
        known.ownership.reserve_exact(size.area());
        for p in size.points() {
            known.policy.push(output.policy[p.index()]);
            let own = output.ownership[p.index()] * OWNERSHIP;
            known.ownership.push(own.round() as i8);
        }
        known.rest = rest();
    }
}
