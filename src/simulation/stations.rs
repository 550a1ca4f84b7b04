//! Threads, and the queues in front of them.
//!
//! An Envoy worker is a station with one thread: what comes over its connections waits
//! for it and nothing else. A ztunnel or a load generator is one station with several
//! threads that share a queue, as the tasks of an asynchronous runtime do.
//!
//! A thread works on one thing at a time, first in, first out. The departure is computed
//! when the work starts; what is done after forwarding (statistics, access log) keeps the
//! thread busy without an event of its own, unless something waits for it.

use std::collections::VecDeque;

use crate::units::{SimDuration, SimTime};

use super::event::{ConnectionId, ExchangeId};

/// What a piece of work is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Pass on or answer a request, or pass on its answer.
    Exchange(ExchangeId),
    /// One side's cryptography of a TLS handshake.
    Handshake(ConnectionId),
}

/// A piece of work waiting for, or done by, a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// What it is for.
    pub(crate) job: Job,
    /// CPU time until the result leaves the process.
    pub(crate) forward: SimDuration,
    /// CPU time after that.
    pub(crate) afterwards: SimDuration,
    /// When it came.
    pub(crate) arrived: SimTime,
}

impl Work {
    /// All the CPU time it takes.
    pub(crate) fn total(&self) -> SimDuration {
        self.forward + self.afterwards
    }
}

/// A thread of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    /// The queue it serves.
    pub(crate) station: u32,
    /// When it has finished, or will finish, its latest work.
    pub(crate) free_at: SimTime,
    /// What it works on, until that has left.
    pub(crate) current: Option<Work>,
    /// Whether a `ThreadFreed` is on its way.
    pub(crate) release_is_due: bool,
}

/// A queue with one or more threads.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// The process it belongs to.
    pub(crate) process: u32,
    first_thread: u32,
    thread_count: u32,
    waiting: VecDeque<Work>,
}

/// What is to be done about work that came to a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// This thread starts it now.
    Start(u32),
    /// It waits, and a thread is busy until it has departed.
    Wait,
    /// It waits for this thread, which has departed and is free at its `free_at`.
    WaitForRelease(u32),
}

impl Station {
    /// A station of `process` served by `thread_count` threads from `first_thread` on.
    pub(crate) fn new(process: u32, first_thread: u32, thread_count: u32) -> Self {
        Self { process, first_thread, thread_count, waiting: VecDeque::new() }
    }

    /// Decides what happens with work that arrives at `now`.
    ///
    /// Of several free threads the one that ran last takes it: it is the warmest. Nothing
    /// overtakes what waits already.
    #[inline]
    pub(crate) fn admit(&self, threads: &[Thread], now: SimTime) -> Admission {
        let mut warmest: Option<u32> = None;
        let mut releasing: Option<u32> = None;
        for id in self.first_thread..self.first_thread + self.thread_count {
            let thread = &threads[id as usize];
            if thread.current.is_some() || thread.release_is_due {
                continue;
            }
            let free_at = |other: u32| threads[other as usize].free_at;
            if thread.free_at > now {
                if releasing.is_none_or(|other| thread.free_at < free_at(other)) {
                    releasing = Some(id);
                }
            } else if warmest.is_none_or(|other| thread.free_at > free_at(other)) {
                warmest = Some(id);
            }
        }
        match (warmest, releasing) {
            (Some(thread), _) if self.waiting.is_empty() => Admission::Start(thread),
            (_, Some(thread)) => Admission::WaitForRelease(thread),
            _ => Admission::Wait,
        }
    }

    /// Lets `work` wait.
    pub(crate) fn enqueue(&mut self, work: Work) {
        self.waiting.push_back(work);
    }

    /// The work that has waited longest.
    pub(crate) fn next(&mut self) -> Option<Work> {
        self.waiting.pop_front()
    }

    /// What waits, the longest waiting first.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Work> {
        self.waiting.iter()
    }

    /// Whether one thread serves the queue alone.
    pub(crate) fn has_one_thread(&self) -> bool {
        self.thread_count == 1
    }

    /// Whether anything waits.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_micros(micros)
    }

    fn idle_since(micros: u64) -> Thread {
        Thread { station: 0, free_at: at(micros), current: None, release_is_due: false }
    }

    #[test]
    fn the_thread_that_ran_last_takes_new_work() {
        let threads = [idle_since(5), idle_since(9), idle_since(1)];
        assert_eq!(Station::new(0, 0, 3).admit(&threads, at(10)), Admission::Start(1));
    }

    #[test]
    fn with_all_threads_after_work_the_first_to_be_free_is_waited_for() {
        let threads = [idle_since(15), idle_since(12)];
        assert_eq!(Station::new(0, 0, 2).admit(&threads, at(10)), Admission::WaitForRelease(1));
    }
}
