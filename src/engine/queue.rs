//! The pending-event set: what is due next, and in which order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events that have been scheduled and have not happened, least `(due, order of pushing)` first.
#[derive(Debug)]
pub(super) struct EventQueue<E> {
    entries: BinaryHeap<Reverse<Entry<E>>>,
    next_sequence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    due: u64,
    sequence: u64,
    event: E,
}

impl<E> Entry<E> {
    fn rank(&self) -> (u64, u64) {
        (self.due, self.sequence)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl<E: Copy> EventQueue<E> {
    pub(super) fn new() -> Self {
        Self { entries: BinaryHeap::new(), next_sequence: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an event due at `due` (ns), behind all that are due at the same instant.
    pub(super) fn push(&mut self, due: u64, event: E) {
        self.entries.push(Reverse(Entry { due, sequence: self.next_sequence, event }));
        self.next_sequence += 1;
    }

    /// Takes out the first event if it is due at or before `end`.
    pub(super) fn pop_until(&mut self, end: u64) -> Option<(u64, E)> {
        let Reverse(first) = self.entries.peek()?;
        if first.due > end {
            return None;
        }
        let Reverse(first) = self.entries.pop()?;
        Some((first.due, first.event))
    }
}
