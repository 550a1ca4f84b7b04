//! Counters and gauges in windows of equal length.

use crate::units::{SimDuration, SimTime};

/// One `T` for each window since a start: `Windows<u64>` counts, `Windows<ResponseTimes>` measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows<T> {
    start: SimTime,
    length: SimDuration,
    values: Vec<T>,
}

impl<T: Default> Windows<T> {
    /// Windows of `length` from `start` on; a length of zero counts as 1 ns.
    pub fn new(start: SimTime, length: SimDuration) -> Self {
        Self { start, length: length.max(SimDuration::from_nanos(1)), values: Vec::new() }
    }

    /// The value of the window that holds `now`; `None` before the start.
    ///
    /// A window includes its first instant and excludes its last.
    #[inline]
    pub fn at(&mut self, now: SimTime) -> Option<&mut T> {
        if now < self.start {
            return None;
        }
        let index = (now.since(self.start).as_nanos() / self.length.as_nanos()) as usize;
        if index >= self.values.len() {
            self.values.resize_with(index + 1, T::default);
        }
        self.values.get_mut(index)
    }

    /// Start and value of each window, up to the last that was touched.
    pub fn iter(&self) -> impl Iterator<Item = (SimTime, &T)> {
        self.values.iter().enumerate().map(|(index, value)| (self.start_of(index), value))
    }

    /// Length of a window.
    pub fn length(&self) -> SimDuration {
        self.length
    }

    fn start_of(&self, index: usize) -> SimTime {
        self.start + self.length.saturating_mul(index as u64)
    }
}

impl Windows<u64> {
    /// Adds `count` to the window that holds `now`, unless that is before the start.
    #[inline]
    pub fn add(&mut self, now: SimTime, count: u64) {
        if let Some(total) = self.at(now) {
            *total += count;
        }
    }

    /// Start of each window, and its count divided by its length, per second.
    pub fn rates_per_s(&self) -> impl Iterator<Item = (SimTime, f64)> {
        let seconds = self.length.as_secs_f64();
        self.iter().map(move |(start, &count)| (start, count as f64 / seconds))
    }
}

/// The time-weighted mean of an integer level in each window, such as busy workers.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowedGauge {
    /// Level times nanoseconds.
    areas: Windows<u128>,
    level: u64,
    changed: SimTime,
}

impl WindowedGauge {
    /// A level of zero, in windows of `length` from `start` on.
    pub fn new(start: SimTime, length: SimDuration) -> Self {
        Self { areas: Windows::new(start, length), level: 0, changed: start }
    }

    /// The level is `level` from `now` on. Instants must not go back; before the start, only the
    /// last one counts.
    pub fn set(&mut self, now: SimTime, level: u64) {
        self.advance(now);
        self.level = level;
    }

    /// Start and mean level of each window that is over at `now`.
    pub fn means_at(&mut self, now: SimTime) -> Vec<(SimTime, f64)> {
        self.advance(now);
        let length = self.areas.length();
        let over = self.areas.iter().filter(|&(start, _)| start + length <= now);
        over.map(|(start, &area)| (start, area as f64 / length.as_nanos() as f64)).collect()
    }

    /// Adds the area since the last change, window by window.
    fn advance(&mut self, now: SimTime) {
        while self.changed < now {
            let until = self.end_of_window(self.changed).min(now);
            let length = until.since(self.changed).as_nanos();
            if let Some(area) = self.areas.at(self.changed) {
                *area += u128::from(self.level) * u128::from(length);
            }
            self.changed = until;
        }
    }

    fn end_of_window(&self, now: SimTime) -> SimTime {
        let index = now.since(self.areas.start).as_nanos() / self.areas.length.as_nanos();
        self.areas.start_of(index as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::TimeAverage;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    const TEN: SimDuration = SimDuration::from_nanos(10);

    #[test]
    fn a_window_includes_its_first_instant_and_excludes_its_last() {
        let mut counts = Windows::new(at(100), TEN);
        for now in [99, 100, 109, 110, 135] {
            counts.add(at(now), 1);
        }
        let found: Vec<_> = counts.iter().map(|(start, &n)| (start.as_nanos(), n)).collect();

        assert_eq!(found, [(100, 2), (110, 1), (120, 0), (130, 1)]);
    }

    #[test]
    fn a_rate_is_a_count_per_second() {
        let mut counts = Windows::new(at(0), SimDuration::from_millis(500));
        counts.add(at(1), 30);
        let rates: Vec<_> = counts.rates_per_s().collect();
        assert!((rates[0].1 - 60.0).abs() < 1e-9);
    }

    #[test]
    fn a_gauge_gives_means_of_windows_that_are_over() {
        let mut gauge = WindowedGauge::new(at(0), TEN);
        gauge.set(at(5), 4);
        gauge.set(at(25), 1);
        let means: Vec<_> =
            gauge.means_at(at(38)).iter().map(|&(s, m)| (s.as_nanos(), m)).collect();

        assert_eq!(means, [(0, 2.0), (10, 4.0), (20, 2.5)]);
    }

    #[test]
    fn a_level_set_before_the_start_holds_at_the_start() {
        let mut gauge = WindowedGauge::new(at(100), TEN);
        gauge.set(at(40), 3);
        assert_eq!(gauge.means_at(at(110)), [(at(100), 3.0)]);
    }

    proptest! {
        /// The windows share out the area under the whole step function.
        #[test]
        fn the_means_of_all_windows_average_to_the_mean_of_the_whole(
            steps in prop::collection::vec((0..50u64, 0..9u64), 1..60),
        ) {
            let mut gauge = WindowedGauge::new(at(0), TEN);
            let mut whole = TimeAverage::new(at(0));
            let mut now = 0;
            for (wait, level) in steps {
                now += wait;
                gauge.set(at(now), level);
                whole.set(at(now), level);
            }
            let end = at(now.next_multiple_of(10) + 10);
            let means = gauge.means_at(end);
            let mean = means.iter().map(|pair| pair.1).sum::<f64>() / means.len() as f64;
            prop_assert_eq!(means.len() as u64, end.as_nanos() / 10);
            prop_assert!((mean - whole.mean_at(end)).abs() < 1e-9);
        }
    }
}
