//! The part of the queue that is sorted, popped from its start.

use super::Entry;

/// Most entries that an insertion moves out of its way.
pub(super) const MOVED_AT_ONCE: usize = 24;

/// Most entries that an insertion moves towards the start, into the place of what has been removed.
const NEAR_START: usize = 4;

/// Entries by time, equal times in the order of insertion.
#[derive(Debug)]
pub(super) struct Front<E> {
    /// Entries before `start` have been removed; they go when room is needed.
    entries: Vec<Entry<E>>,
    start: usize,
}

impl<E: Copy> Front<E> {
    pub(super) fn new() -> Self {
        Self { entries: Vec::with_capacity(256), start: 0 }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.start == self.entries.len()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    #[inline]
    pub(super) fn first(&self) -> Option<Entry<E>> {
        self.entries.get(self.start).copied()
    }

    #[inline]
    pub(super) fn remove_first(&mut self) {
        self.start += 1;
    }

    /// Puts `entry` behind all that are due no later.
    #[inline]
    pub(super) fn insert(&mut self, entry: Entry<E>) {
        if self.is_near_start(entry.due) {
            self.insert_from_start(entry);
        } else {
            self.insert_from_end(entry);
        }
    }

    /// Whether an insertion would have to move more than [`MOVED_AT_ONCE`] entries.
    #[inline]
    pub(super) fn is_far_from_ends(&self, due: u64) -> bool {
        let pending = &self.entries[self.start..];
        pending.len() > MOVED_AT_ONCE
            && pending[pending.len() - 1 - MOVED_AT_ONCE].due > due
            && !self.is_near_start(due)
    }

    /// Whether there is room at the start, and only a few entries have to move there.
    #[inline]
    fn is_near_start(&self, due: u64) -> bool {
        let pending = &self.entries[self.start..];
        self.start > 0 && pending.len() > 2 * NEAR_START && pending[NEAR_START].due > due
    }

    #[inline]
    fn insert_from_start(&mut self, entry: Entry<E>) {
        self.start -= 1;
        let pending = &mut self.entries[self.start..];
        let mut place = 0;
        while place + 1 < pending.len() && pending[place + 1].due <= entry.due {
            pending[place] = pending[place + 1];
            place += 1;
        }
        pending[place] = entry;
    }

    #[inline]
    fn insert_from_end(&mut self, entry: Entry<E>) {
        if self.entries.len() == self.entries.capacity() {
            self.make_room();
        }
        self.entries.push(entry);
        let pending = &mut self.entries[self.start..];
        let mut place = pending.len() - 1;
        while place > 0 && pending[place - 1].due > entry.due {
            pending[place] = pending[place - 1];
            place -= 1;
        }
        pending[place] = entry;
    }

    /// The entries due after `due`.
    pub(super) fn later_than(&self, due: u64) -> &[Entry<E>] {
        &self.entries[self.first_later_than(due)..]
    }

    pub(super) fn remove_later_than(&mut self, due: u64) {
        self.entries.truncate(self.first_later_than(due));
    }

    fn first_later_than(&self, due: u64) -> usize {
        self.start + self.entries[self.start..].partition_point(|entry| entry.due <= due)
    }

    /// Overwrites what has been removed; grows only if that would be soon needed again.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.entries.drain(..self.start);
        self.start = 0;
        if self.entries.len() > self.entries.capacity() / 2 {
            self.entries.reserve(self.entries.len());
        }
    }
}
