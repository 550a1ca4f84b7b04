//! What one would write without an engine: a heap of times and events.
//!
//! Entries are 16 bytes. Ties leave in any order, which the engine does not allow itself.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An event at a time; the earlier is the greater, as `BinaryHeap` wants it.
#[derive(Clone, Copy)]
pub(crate) struct Entry<E> {
    pub(crate) due: u64,
    pub(crate) event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.due.cmp(&self.due)
    }
}

/// Pending events of a hand-written loop.
pub(crate) trait Heap<E> {
    fn new() -> Self;
    fn push(&mut self, entry: Entry<E>);
    fn pop(&mut self) -> Option<Entry<E>>;
    /// The first entry; `new` takes its place.
    fn replace_first(&mut self, new: impl FnOnce(Entry<E>) -> Entry<E>);
}

/// The standard library's heap.
pub(crate) struct BinaryHeapLoop<E>(BinaryHeap<Entry<E>>);

impl<E: Copy> Heap<E> for BinaryHeapLoop<E> {
    fn new() -> Self {
        Self(BinaryHeap::new())
    }

    #[inline]
    fn push(&mut self, entry: Entry<E>) {
        self.0.push(entry);
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry<E>> {
        self.0.pop()
    }

    /// Pop and push: measured to be faster than `peek_mut`, which sifts from the top.
    #[inline]
    fn replace_first(&mut self, new: impl FnOnce(Entry<E>) -> Entry<E>) {
        if let Some(first) = self.0.pop() {
            self.0.push(new(first));
        }
    }
}

/// A heap with four children to a node: half as deep, and siblings share a cache line.
pub(crate) struct FourAryHeapLoop<E>(Vec<Entry<E>>);

impl<E: Copy> FourAryHeapLoop<E> {
    fn sift_down(&mut self, entry: Entry<E>) {
        let heap = self.0.as_mut_slice();
        let mut hole = 0;
        loop {
            let first = 4 * hole + 1;
            let Some(children) = heap.get(first..heap.len().min(first + 4)) else { break };
            let Some((offset, child)) = children.iter().enumerate().min_by_key(|(_, c)| c.due)
            else {
                break;
            };
            if child.due >= entry.due {
                break;
            }
            heap[hole] = *child;
            hole = first + offset;
        }
        heap[hole] = entry;
    }
}

impl<E: Copy> Heap<E> for FourAryHeapLoop<E> {
    fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    fn push(&mut self, entry: Entry<E>) {
        let mut hole = self.0.len();
        self.0.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.0[parent].due <= entry.due {
                break;
            }
            self.0[hole] = self.0[parent];
            hole = parent;
        }
        self.0[hole] = entry;
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry<E>> {
        let last = self.0.pop()?;
        let Some(&first) = self.0.first() else { return Some(last) };
        self.sift_down(last);
        Some(first)
    }

    #[inline]
    fn replace_first(&mut self, new: impl FnOnce(Entry<E>) -> Entry<E>) {
        if let Some(&first) = self.0.first() {
            self.sift_down(new(first));
        }
    }
}
