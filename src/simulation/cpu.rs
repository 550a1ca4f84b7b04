//! The cores of a node, and what it takes to wake a sleeping thread.
//!
//! Threads run to the end of a piece of work without being preempted, in the order in
//! which they became runnable; work longer than a scheduler slice is cut into slices by
//! its owner, so that long computations share the cores evenly. A node with more
//! runnable threads than cores thus makes them wait.
//!
//! Left out here: weights, CFS quota. Source of the slice: Linux 6.6,
//! `kernel/sched/fair.c`, `sysctl_sched_base_slice` = 0.75 ms × (1 + ⌊log₂ cores⌋), at
//! most 8 cores counted.

use rand::RngExt;

use crate::cost::CostModel;
use crate::engine::Stream;
use crate::units::{SimDuration, SimTime};

/// The cores of one node.
#[derive(Clone, Debug)]
pub(crate) struct NodeCores {
    /// When each core is free again.
    free_at: Vec<SimTime>,
    slice: SimDuration,
}

impl NodeCores {
    /// `cores` idle cores; at least 1.
    pub(crate) fn new(cores: u32) -> Self {
        let doublings = u64::from(cores.clamp(1, 8).ilog2());
        Self {
            free_at: vec![SimTime::ZERO; cores.max(1) as usize],
            slice: SimDuration::from_micros(750 * (1 + doublings)),
        }
    }

    /// The longest a thread runs while others wait.
    pub(crate) fn slice(&self) -> SimDuration {
        self.slice
    }

    /// Takes a core for `length` as soon as there is one from `ready` on; returns when.
    #[inline]
    pub(crate) fn reserve(&mut self, ready: SimTime, length: SimDuration) -> SimTime {
        let mut earliest = 0;
        for core in 1..self.free_at.len() {
            if self.free_at[core] < self.free_at[earliest] {
                earliest = core;
            }
        }
        let start = self.free_at[earliest].max(ready);
        self.free_at[earliest] = start + length;
        start
    }

    /// Lets nothing new run before `until`.
    pub(crate) fn stall(&mut self, until: SimTime) {
        for free_at in &mut self.free_at {
            *free_at = until.max(*free_at);
        }
    }
}

/// The price of having slept: `min(max, base + slope √gap)`, give or take some jitter.
///
/// Source: calibration, section on idle wake-ups: sleep states, the scheduler and cold
/// caches make the first work after a gap slower, with the square root of the gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WakeUp {
    base_ns: f64,
    /// Nanoseconds per square root of a nanosecond of gap.
    slope: f64,
    max_ns: f64,
    jitter: f64,
}

impl WakeUp {
    /// The wake-up that `costs` describe.
    pub(crate) fn new(costs: &CostModel) -> Self {
        Self {
            base_ns: costs.wake_base * 1e3,
            slope: costs.wake_per_sqrt_ms * 1e3 / 1e6_f64.sqrt(),
            max_ns: costs.wake_max * 1e3,
            jitter: costs.wake_jitter,
        }
    }

    /// How long a thread takes on the average to wake that has slept for `gap`, in nanoseconds.
    #[inline]
    pub(crate) fn mean_ns(&self, gap: SimDuration) -> f64 {
        (self.base_ns + self.slope * (gap.as_nanos() as f64).sqrt()).min(self.max_ns)
    }

    /// How long a thread takes to wake that has slept for `gap`.
    #[inline]
    pub(crate) fn after(&self, gap: SimDuration, rng: &mut Stream) -> SimDuration {
        let mean = self.mean_ns(gap);
        let factor = 1.0 + self.jitter * (2.0 * rng.random::<f64>() - 1.0);
        SimDuration::from_nanos((mean * factor) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_micros(micros)
    }

    #[test]
    fn a_third_thread_on_two_cores_waits_for_the_first_to_finish() {
        let mut cores = NodeCores::new(2);
        let ten = SimDuration::from_micros(10);
        assert_eq!(cores.reserve(at(0), ten), at(0));
        assert_eq!(cores.reserve(at(1), ten), at(1));
        assert_eq!(cores.reserve(at(2), ten), at(10));
        assert_eq!(cores.reserve(at(30), ten), at(30));
    }

    #[test]
    fn nothing_starts_during_a_stall() {
        let mut cores = NodeCores::new(2);
        cores.stall(at(50));
        assert_eq!(cores.reserve(at(1), SimDuration::from_micros(10)), at(50));
    }

    #[test]
    fn the_slice_grows_with_the_cores_as_in_linux() {
        for (cores, micros) in [(1, 750), (2, 1500), (4, 2250), (8, 3000), (64, 3000)] {
            assert_eq!(NodeCores::new(cores).slice(), SimDuration::from_micros(micros));
        }
    }
}
