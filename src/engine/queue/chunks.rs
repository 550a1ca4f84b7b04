//! Lists of entries in chunks of one shared pool.
//!
//! Memory follows the number of pending events, not the largest number that each
//! bucket ever held; once the pool has grown, appending allocates nothing.

use std::ops::Range;

use super::Entry;

/// Entries to a chunk: 256 bytes, four cache lines.
const CHUNK: usize = 16;

/// Ends a list of chunks.
const NONE: u32 = u32::MAX;

/// Entries in the order in which they were appended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket {
    first_chunk: u32,
    /// Where in the pool the next entry goes; at the start of a chunk, it needs a chunk first.
    next: u32,
    len: u32,
}

impl Bucket {
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The positions in the pool of the entries in the first chunk; `None` if there are none.
    #[inline]
    pub(super) fn first_chunk(&self) -> Option<Range<usize>> {
        let start = self.first_chunk as usize * CHUNK;
        (self.len > 0).then(|| start..start + CHUNK.min(self.len as usize))
    }
}

/// The chunks of all buckets.
#[derive(Debug)]
pub(super) struct ChunkPool<E> {
    entries: Vec<Entry<E>>,
    /// For each chunk the one that follows it, in a bucket or among the vacant ones.
    following: Vec<u32>,
    /// The chunk vacated last is used first, because it is still in the cache.
    first_vacant: u32,
}

impl<E: Copy> ChunkPool<E> {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), following: Vec::new(), first_vacant: NONE }
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    #[inline]
    pub(super) fn append(&mut self, bucket: &mut Bucket, entry: Entry<E>) {
        if (bucket.next as usize).is_multiple_of(CHUNK) {
            self.append_chunk(bucket, entry);
        }
        self.entries[bucket.next as usize] = entry;
        bucket.next += 1;
        bucket.len += 1;
    }

    #[inline]
    fn append_chunk(&mut self, bucket: &mut Bucket, filler: Entry<E>) {
        if self.first_vacant == NONE {
            self.grow(filler);
        }
        let chunk = self.first_vacant;
        self.first_vacant = self.following[chunk as usize];
        if bucket.len == 0 {
            bucket.first_chunk = chunk;
        } else {
            self.following[bucket.next as usize / CHUNK - 1] = chunk;
        }
        bucket.next = chunk * CHUNK as u32;
    }

    /// Adds one vacant chunk.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, filler: Entry<E>) {
        let entries = self.entries.len() + CHUNK;
        assert!(entries < NONE as usize, "fewer than 2^32 events are pending");
        self.entries.resize(entries, filler);
        self.first_vacant = self.following.len() as u32;
        self.following.push(NONE);
    }

    /// When the first entry of `bucket` is due, and all bits in which another differs from it.
    pub(super) fn due_and_differing_bits(&self, bucket: &Bucket) -> (u64, u64) {
        let mut rest = *bucket;
        let mut first = None;
        let mut differing = 0;
        while let Some(positions) = rest.first_chunk() {
            let entries = &self.entries[positions];
            let due = *first.get_or_insert(entries[0].due);
            differing |= entries.iter().fold(0, |bits, entry| bits | (entry.due ^ due));
            rest.first_chunk = self.following[rest.first_chunk as usize];
            rest.len -= entries.len() as u32;
        }
        (first.unwrap_or_default(), differing)
    }

    #[inline]
    pub(super) fn entry_at(&self, position: usize) -> Entry<E> {
        self.entries[position]
    }

    /// Takes the first chunk out of `bucket`, which is not empty.
    #[inline]
    pub(super) fn vacate_first_chunk(&mut self, bucket: &mut Bucket) {
        let chunk = bucket.first_chunk;
        let following = &mut self.following[chunk as usize];
        bucket.first_chunk = std::mem::replace(following, self.first_vacant);
        bucket.len -= bucket.len.min(CHUNK as u32);
        self.first_vacant = chunk;
    }
}
