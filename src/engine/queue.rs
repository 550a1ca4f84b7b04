//! The pending-event set: what is due next, in an exact order, at 16 bytes an event.
//!
//! ```text
//!  front   sorted, popped from its start           due ≤ base
//!  wheel   level 0: 64 buckets of 1 ns             due > base, and its highest 6-bit digit
//!          level 1: 64 buckets of 64 ns            that differs from base's is digit 0, 1, …
//!          level 2: 64 buckets of 4 µs …
//! ```
//!
//! An event due at or before `base` is inserted into the front. A later one is appended
//! to the bucket that its digits select. When the front is empty, the first bucket
//! that is not moves on: a small one, and one of a single instant, into the front; a large
//! one into the levels below. An event is moved once a level at most, so the cost does
//! not hang on how many are pending or how their times are spread; there is nothing to
//! tune and nothing to resize.
//!
//! **Order without sequence numbers.** Equal times select the same bucket; buckets
//! are appended to and emptied in order; the front inserts behind equals.
//!
//! The wheel is a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for
//! the shortest path problem", JACM 37(2), 1990) with the buckets of a hierarchical
//! timing wheel (Varghese and Lauck, SOSP 1987); the sorted front is that of the
//! ladder queue (Tang, Goh and Thng, ACM TOMACS 15(3), 2005). Why this one:
//! `docs/decisions/0001-event-queue.md`.

mod chunks;
mod front;
mod wheel;

use front::{Front, MOVED_AT_ONCE};
use wheel::{Place, Wheel};

/// An event and the instant at which it is due, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    due: u64,
    event: E,
}

/// Largest bucket that is sorted into the front; a larger one moves down a level.
const SORTED_AT_ONCE: usize = 24;

// Else a front just filled would be split again.
const _: () = assert!(SORTED_AT_ONCE <= MOVED_AT_ONCE);

/// Events that have been scheduled and have not happened.
#[derive(Debug)]
pub(super) struct EventQueue<E> {
    front: Front<E>,
    wheel: Wheel<E>,
    /// Everything due up to here is in the front, everything later in the wheel.
    ///
    /// All ones while the wheel is empty: a handful of events needs no wheel.
    base: u64,
    len: usize,
}

impl<E: Copy> EventQueue<E> {
    pub(super) fn new() -> Self {
        Self { front: Front::new(), wheel: Wheel::new(), base: u64::MAX, len: 0 }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds an event due at `due` (ns), behind all that are due at the same instant.
    #[inline]
    pub(super) fn push(&mut self, due: u64, event: E) {
        self.len += 1;
        let entry = Entry { due, event };
        if due <= self.base && self.front.is_far_from_ends(due) {
            self.split_front_at(due);
        }
        self.settle(entry);
    }

    /// Takes out the first event if it is due at or before `end`.
    #[inline]
    pub(super) fn pop_until(&mut self, end: u64) -> Option<(u64, E)> {
        if self.front.is_empty() {
            self.refill_front();
        }
        let first = self.front.first()?;
        if first.due > end {
            return None;
        }
        self.front.remove_first();
        self.len -= 1;
        Some((first.due, first.event))
    }

    /// Bytes held, for tests.
    #[cfg(test)]
    fn memory(&self) -> usize {
        size_of::<Entry<E>>() * (self.front.capacity() + self.wheel.capacity())
    }

    #[inline]
    fn settle(&mut self, entry: Entry<E>) {
        if entry.due <= self.base {
            self.front.insert(entry);
        } else {
            self.wheel.append(entry, self.base);
        }
    }

    /// Empties buckets until the front holds the first event, if there is any.
    #[inline(never)]
    fn refill_front(&mut self) {
        while self.front.is_empty() {
            let Some(place) = self.wheel.first() else { return };
            self.empty_bucket(place);
        }
    }

    /// Lets `base` enter the first bucket, and moves its entries to where they now belong.
    fn empty_bucket(&mut self, place: Place) {
        let bucket = self.wheel.remove(place);
        self.base = if bucket.len() as usize <= SORTED_AT_ONCE {
            place.last(self.base)
        } else {
            self.wheel.common_start(&bucket)
        };
        self.settle_all(bucket);
        if self.wheel.is_empty() {
            self.base = u64::MAX;
        }
    }

    fn settle_all(&mut self, mut bucket: chunks::Bucket) {
        while let Some(positions) = bucket.first_chunk() {
            for position in positions {
                self.settle(self.wheel.entry_at(position));
            }
            self.wheel.vacate_first_chunk(&mut bucket);
        }
    }

    /// Moves what is due after `due` from the front to the wheel.
    ///
    /// Happens when the front turns out to cover too long a time: it was filled when few
    /// events were pending, and many have come since.
    #[cold]
    #[inline(never)]
    fn split_front_at(&mut self, due: u64) {
        let level = wheel::level_of_difference(self.base, due);
        self.base = due;
        // Buckets below `level` were chosen by digits that base no longer has.
        while let Some(place) = self.wheel.first().filter(|place| place.level < level) {
            let bucket = self.wheel.remove(place);
            self.settle_all(bucket);
        }
        for &entry in self.front.later_than(due) {
            self.wheel.append(entry, due);
        }
        self.front.remove_later_than(due);
    }
}

#[cfg(test)]
mod tests;
