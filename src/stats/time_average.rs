//! Areas under step functions: utilization, number in system, and Little's law.
//!
//! Levels are integers and instants are nanoseconds, so the areas are exact and the
//! conservation law below holds to the last bit.

use crate::units::{SimDuration, SimTime};

/// An integer that changes at instants, such as busy workers or requests in system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeAverage {
    level: u64,
    /// Largest level since `since`.
    max: u64,
    since: SimTime,
    changed: SimTime,
    /// Level times nanoseconds, from `since` to `changed`.
    area: u128,
}

impl TimeAverage {
    /// A level of zero from `start` on.
    pub const fn new(start: SimTime) -> Self {
        Self { level: 0, max: 0, since: start, changed: start, area: 0 }
    }

    /// The level is `level` from `now` on. Instants must not go back.
    #[inline]
    pub fn set(&mut self, now: SimTime, level: u64) {
        self.area = self.area_at(now);
        self.changed = now;
        self.level = level;
        self.max = self.max.max(level);
    }

    /// The level rises by one.
    #[inline]
    pub fn increment(&mut self, now: SimTime) {
        self.set(now, self.level + 1);
    }

    /// The level falls by one; it must not be zero.
    #[inline]
    pub fn decrement(&mut self, now: SimTime) {
        self.set(now, self.level - 1);
    }

    /// The level at the last change.
    pub fn level(&self) -> u64 {
        self.level
    }

    /// The largest level since the start.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Level times nanoseconds, from the start to `now`.
    #[inline]
    pub fn area_at(&self, now: SimTime) -> u128 {
        self.area + u128::from(self.level) * u128::from(now.since(self.changed).as_nanos())
    }

    /// Mean level from the start to `now`; zero if no time has passed.
    pub fn mean_at(&self, now: SimTime) -> f64 {
        match now.since(self.since).as_nanos() {
            0 => 0.0,
            length => self.area_at(now) as f64 / length as f64,
        }
    }

    /// Share of `capacity` in use from the start to `now`, 0 to 1; zero without capacity.
    pub fn utilization_at(&self, now: SimTime, capacity: u64) -> f64 {
        if capacity == 0 { 0.0 } else { self.mean_at(now) / capacity as f64 }
    }

    /// Forgets everything before `now` but the level: the warm-up is over.
    pub fn restart(&mut self, now: SimTime) {
        *self = Self { level: self.level, max: self.level, since: now, changed: now, area: 0 };
    }
}

/// What passes through a station or a whole system, for Little's law.
///
/// On every path of every queue, whatever its distributions,
///
/// ```text
/// area under the number in system = sum of the times in system
/// ```
///
/// where what has not left yet counts with the time it has spent. [`Flow::imbalance`] is the
/// difference, zero in a program that loses and doubles nothing. Divided by the length T of the
/// run this is Little's law L = λ·W.
///
/// Source: J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations
/// Research 9(3), 1961; S. Stidham, "A Last Word on L = λW", Operations Research 22(2), 1974.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    in_system: TimeAverage,
    arrivals: u64,
    departures: u64,
    /// Sum of the times in system of what has left, in nanoseconds.
    time_in_system: u128,
}

impl Flow {
    /// Nothing inside, from `start` on.
    pub const fn new(start: SimTime) -> Self {
        Self { in_system: TimeAverage::new(start), arrivals: 0, departures: 0, time_in_system: 0 }
    }

    /// Something enters.
    #[inline]
    pub fn arrive(&mut self, now: SimTime) {
        self.in_system.increment(now);
        self.arrivals += 1;
    }

    /// What entered at `arrived` leaves.
    #[inline]
    pub fn depart(&mut self, now: SimTime, arrived: SimTime) {
        self.in_system.decrement(now);
        self.departures += 1;
        self.time_in_system += u128::from(now.since(arrived).as_nanos());
    }

    /// The number in system.
    pub fn in_system(&self) -> &TimeAverage {
        &self.in_system
    }

    /// How many have entered.
    pub fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// How many have left.
    pub fn departures(&self) -> u64 {
        self.departures
    }

    /// Mean time in system of what has left; zero if nothing has.
    pub fn mean_time_in_system(&self) -> SimDuration {
        match u128::from(self.departures) {
            0 => SimDuration::ZERO,
            count => SimDuration::from_nanos((self.time_in_system / count) as u64),
        }
    }

    /// Area under the number in system less the sum of the times in system, in nanoseconds.
    ///
    /// `inside` are the arrival instants of what the world holds at `now`. Not zero if the world
    /// lost something, holds it twice, or let it leave with an arrival that was not its own.
    pub fn imbalance(&self, now: SimTime, inside: impl IntoIterator<Item = SimTime>) -> i128 {
        let spent = |arrived: SimTime| u128::from(now.since(arrived).as_nanos());
        let spent_inside: u128 = inside.into_iter().map(spent).sum();
        let area = self.in_system.area_at(now);
        area as i128 - (self.time_in_system + spent_inside) as i128
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    #[test]
    fn the_mean_weighs_each_level_with_the_time_it_lasted() {
        let mut busy = TimeAverage::new(at(100));
        busy.set(at(100), 2);
        busy.increment(at(130));
        busy.set(at(140), 0);

        assert_eq!(busy.area_at(at(200)), 2 * 30 + 3 * 10);
        assert!((busy.mean_at(at(200)) - 0.9).abs() < 1e-12);
        assert!((busy.utilization_at(at(200), 3) - 0.3).abs() < 1e-12);
        assert_eq!((busy.level(), busy.max()), (0, 3));
    }

    #[test]
    fn a_restart_keeps_the_level_and_nothing_else() {
        let mut busy = TimeAverage::new(at(0));
        busy.set(at(0), 9);
        busy.set(at(5), 4);
        busy.restart(at(10));

        assert_eq!((busy.max(), busy.area_at(at(13))), (4, 12));
    }

    #[test]
    fn no_time_has_no_mean() {
        assert_eq!(TimeAverage::new(at(7)).mean_at(at(7)).to_bits(), 0.0_f64.to_bits());
    }

    proptest! {
        /// Little's law on a path: each visit is one step up and one step down.
        #[test]
        fn the_area_is_the_sum_of_the_times_in_system(
            visits in prop::collection::vec((0..1000u64, 0..1000u64), 0..50),
        ) {
            let mut changes = Vec::new();
            for &(arrived, length) in &visits {
                changes.push((arrived, 0, arrived));
                changes.push((arrived + length, 1, arrived));
            }
            changes.sort_unstable();
            let mut flow = Flow::new(at(0));
            let mut inside = Vec::new();
            for (now, kind, arrived) in changes {
                if kind == 0 {
                    flow.arrive(at(now));
                    inside.push(at(arrived));
                } else {
                    flow.depart(at(now), at(arrived));
                    let place = inside.iter().position(|&other| other == at(arrived)).unwrap();
                    inside.swap_remove(place);
                }
                prop_assert_eq!(flow.imbalance(at(now), inside.iter().copied()), 0);
                prop_assert_eq!(flow.imbalance(at(now + 17), inside.iter().copied()), 0);
            }
            prop_assert_eq!(flow.arrivals(), flow.departures());
            let total: u64 = visits.iter().map(|visit| visit.1).sum();
            prop_assert_eq!(flow.in_system().area_at(at(5000)), u128::from(total));
        }
    }

    #[test]
    fn what_is_lost_doubled_or_mistaken_is_an_imbalance() {
        let mut flow = Flow::new(at(0));
        flow.arrive(at(10));
        flow.arrive(at(20));
        assert_eq!(flow.imbalance(at(30), [at(10), at(20)]), 0);
        assert_eq!(flow.imbalance(at(30), [at(20)]), 20, "lost");
        assert_eq!(flow.imbalance(at(30), [at(10), at(10), at(20)]), -20, "doubled");
        flow.depart(at(30), at(11));
        assert_eq!(flow.imbalance(at(30), [at(20)]), 1, "mistaken");
    }
}
