//! Buckets selected by the digits of a time, and which of them are occupied.

use super::Entry;
use super::chunks::{Bucket, ChunkPool};

const DIGIT_BITS: u32 = 6;
const BUCKETS_PER_LEVEL: u64 = 1 << DIGIT_BITS;
const LEVELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;

/// The entries that are due after a base, which the caller keeps.
#[derive(Debug)]
pub(super) struct Wheel<E> {
    buckets: Vec<Bucket>,
    chunks: ChunkPool<E>,
    /// Bit n: some bucket of level n is occupied.
    occupied_levels: u16,
    /// Bit n: bucket n of the level is occupied.
    occupied: [u64; LEVELS],
}

/// One bucket: what it holds has digit `digit` at `level`, and base's digits above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) level: u32,
    digit: u32,
}

/// The highest digit in which two different times differ.
#[inline]
pub(super) fn level_of_difference(one: u64, other: u64) -> u32 {
    (u64::BITS - 1 - (one ^ other).leading_zeros()) / DIGIT_BITS
}

impl Place {
    #[inline]
    fn of(due: u64, base: u64) -> Self {
        let level = level_of_difference(due, base);
        let digit = (due >> (level * DIGIT_BITS)) % BUCKETS_PER_LEVEL;
        Self { level, digit: digit as u32 }
    }

    #[inline]
    fn index(self) -> usize {
        (self.level << DIGIT_BITS | self.digit) as usize
    }

    /// The last instant of the bucket.
    #[inline]
    pub(super) fn last(self, base: u64) -> u64 {
        let shift = self.level * DIGIT_BITS;
        let digits = (base >> shift) & !(BUCKETS_PER_LEVEL - 1) | u64::from(self.digit);
        digits << shift | ((1 << shift) - 1)
    }
}

impl<E: Copy> Wheel<E> {
    pub(super) fn new() -> Self {
        Self {
            buckets: vec![Bucket::default(); LEVELS << DIGIT_BITS],
            chunks: ChunkPool::new(),
            occupied_levels: 0,
            occupied: [0; LEVELS],
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.occupied_levels == 0
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.chunks.capacity()
    }

    /// Adds `entry`, which is due after `base`.
    #[inline]
    pub(super) fn append(&mut self, entry: Entry<E>, base: u64) {
        let place = Place::of(entry.due, base);
        let bucket = &mut self.buckets[place.index()];
        if bucket.len() == 0 {
            self.occupied[place.level as usize] |= 1 << place.digit;
            self.occupied_levels |= 1 << place.level;
        }
        self.chunks.append(bucket, entry);
    }

    /// The bucket whose entries are due first: on the lowest level, for they share most digits with base.
    #[inline]
    pub(super) fn first(&self) -> Option<Place> {
        if self.is_empty() {
            return None;
        }
        let level = self.occupied_levels.trailing_zeros();
        Some(Place { level, digit: self.occupied[level as usize].trailing_zeros() })
    }

    /// Takes the bucket at `place` out of the wheel; its chunks wait to be vacated.
    #[inline]
    pub(super) fn remove(&mut self, place: Place) -> Bucket {
        let occupied = &mut self.occupied[place.level as usize];
        *occupied &= !(1 << place.digit);
        if *occupied == 0 {
            self.occupied_levels &= !(1 << place.level);
        }
        std::mem::take(&mut self.buckets[place.index()])
    }

    /// The latest instant at or before all entries of `bucket` that shares their digits as far as
    /// they agree, with zeros below. If they are all due at once, that instant.
    pub(super) fn common_start(&self, bucket: &Bucket) -> u64 {
        let (due, differing) = self.chunks.due_and_differing_bits(bucket);
        if differing == 0 {
            return due;
        }
        let agreed = (level_of_difference(differing, 0) + 1) * DIGIT_BITS;
        due.checked_shr(agreed).map_or(0, |digits| digits << agreed)
    }

    /// The entry at a position that [`Bucket::first_chunk`] of a removed bucket names.
    #[inline]
    pub(super) fn entry_at(&self, position: usize) -> Entry<E> {
        self.chunks.entry_at(position)
    }

    /// Frees the first chunk of a removed bucket, once its entries have been read.
    #[inline]
    pub(super) fn vacate_first_chunk(&mut self, bucket: &mut Bucket) {
        self.chunks.vacate_first_chunk(bucket);
    }
}
