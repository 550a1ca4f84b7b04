//! Response times as a mergeable histogram.
//!
//! Buckets of constant relative width (HdrHistogram with three significant digits) keep
//! every quantile within 0.1 % of the sample's own; mean, minimum and maximum are exact.
//! An empty one takes no memory for buckets.
//!
//! Source: G. Tene, HdrHistogram; crate `hdrhistogram` 7.6.

use hdrhistogram::Histogram;

use crate::units::SimDuration;

/// Longest length that is told apart: 24 h. Longer ones count as 24 h, except in mean and maximum.
const LONGEST_NS: u64 = 86_400 * 1_000_000_000;

/// Lengths for which there is room at once, 1 s; room for longer ones is made when they come.
const USUAL_NS: u64 = 1_000_000_000;

/// A sample of lengths of time.
#[derive(Clone, Debug)]
pub struct ResponseTimes {
    histogram: Option<Box<Histogram<u64>>>,
    total_ns: u128,
    min: SimDuration,
    max: SimDuration,
}

impl Default for ResponseTimes {
    fn default() -> Self {
        Self::new()
    }
}

impl ResponseTimes {
    /// An empty sample.
    pub const fn new() -> Self {
        Self { histogram: None, total_ns: 0, min: SimDuration::MAX, max: SimDuration::ZERO }
    }

    /// Adds one length.
    #[inline]
    pub fn record(&mut self, length: SimDuration) {
        self.total_ns += u128::from(length.as_nanos());
        self.min = self.min.min(length);
        self.max = self.max.max(length);
        let counted = length.as_nanos().min(LONGEST_NS);
        self.buckets().record(counted).expect("room is made for up to 24 h");
    }

    fn buckets(&mut self) -> &mut Histogram<u64> {
        self.histogram.get_or_insert_with(|| {
            let mut histogram = Histogram::new_with_bounds(1, USUAL_NS, 3)
                .expect("the bounds are in order and three digits are allowed");
            histogram.auto(true);
            Box::new(histogram)
        })
    }

    /// How many lengths were recorded.
    pub fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, |histogram| histogram.len())
    }

    /// The exact mean; `None` if empty.
    pub fn mean(&self) -> Option<SimDuration> {
        let count = u128::from(self.count());
        (count > 0).then(|| SimDuration::from_nanos(((self.total_ns + count / 2) / count) as u64))
    }

    /// The shortest length; `None` if empty.
    pub fn min(&self) -> Option<SimDuration> {
        (self.count() > 0).then_some(self.min)
    }

    /// The longest length; `None` if empty.
    pub fn max(&self) -> Option<SimDuration> {
        (self.count() > 0).then_some(self.max)
    }

    /// The smallest recorded length that at least the share `quantile` (0 to 1) of all does not
    /// exceed, within 0.1 %; `None` if empty.
    pub fn quantile(&self, quantile: f64) -> Option<SimDuration> {
        let histogram = self.histogram.as_ref().filter(|histogram| !histogram.is_empty())?;
        // The middle of the bucket halves the error that its upper end would have.
        let middle = histogram.median_equivalent(histogram.value_at_quantile(quantile));
        Some(SimDuration::from_nanos(middle).clamp(self.min, self.max))
    }

    /// The share of lengths above `limit`, within the width of its bucket; 0 if empty.
    pub fn share_above(&self, limit: SimDuration) -> f64 {
        let Some(histogram) = &self.histogram else { return 0.0 };
        if histogram.is_empty() {
            return 0.0;
        }
        let within = histogram.count_between(0, limit.as_nanos().min(LONGEST_NS));
        1.0 - within as f64 / histogram.len() as f64
    }

    /// Adds everything that `other` holds.
    pub fn merge(&mut self, other: &Self) {
        self.total_ns += other.total_ns;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        if let Some(theirs) = &other.histogram {
            self.buckets().add(&**theirs).expect("room is made for up to 24 h");
        }
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        if let Some(histogram) = &mut self.histogram {
            histogram.reset();
        }
        *self = Self { histogram: self.histogram.take(), ..Self::new() };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(nanos: &[u64]) -> ResponseTimes {
        let mut sample = ResponseTimes::new();
        for &length in nanos {
            sample.record(SimDuration::from_nanos(length));
        }
        sample
    }

    #[test]
    fn an_empty_sample_has_no_quantile_and_no_mean() {
        let empty = ResponseTimes::new();
        assert_eq!(
            (empty.count(), empty.mean(), empty.quantile(0.5), empty.max()),
            (0, None, None, None)
        );
    }

    #[test]
    fn a_cleared_sample_is_empty_again() {
        let mut cleared = sample(&[5, 6]);
        cleared.clear();
        assert_eq!((cleared.count(), cleared.quantile(0.5)), (0, None));
    }

    #[test]
    fn lengths_beyond_a_day_count_and_keep_mean_and_maximum() {
        let sample = sample(&[0, 200_000 * 1_000_000_000]);
        assert_eq!(sample.min(), Some(SimDuration::ZERO));
        assert_eq!(sample.mean(), Some(SimDuration::from_secs(100_000)));
        assert_eq!(sample.max(), Some(SimDuration::from_secs(200_000)));
        assert!(sample.quantile(1.0) >= Some(SimDuration::from_secs(86_300)));
    }

    #[test]
    fn one_length_is_its_own_quantile_exactly() {
        let sample = sample(&[123_456_789; 3]);
        assert_eq!(sample.quantile(0.5), Some(SimDuration::from_nanos(123_456_789)));
    }

    proptest! {
        /// A quantile lies within 0.1 % of the order statistic it stands for; the mean is exact.
        #[test]
        fn quantiles_are_within_a_thousandth(
            mut nanos in prop::collection::vec(1..10_000_000_000u64, 1..300),
            quantile in 0.0..=1.0f64,
        ) {
            let sample = sample(&nanos);
            nanos.sort_unstable();
            let rank = ((quantile * nanos.len() as f64).ceil() as usize).max(1);
            let exact = nanos[rank - 1] as f64;
            let ours = sample.quantile(quantile).unwrap().as_nanos() as f64;
            prop_assert!((ours - exact).abs() <= exact * 1e-3 + 1.0, "{ours} for {exact}");
            let mean = nanos.iter().map(|&n| n as f64).sum::<f64>() / nanos.len() as f64;
            prop_assert!((sample.mean().unwrap().as_nanos() as f64 - mean).abs() <= 1.0);
        }

        /// Merging two samples is recording both.
        #[test]
        fn merging_loses_nothing(
            left in prop::collection::vec(1..10_000_000_000u64, 0..100),
            right in prop::collection::vec(1..10_000_000_000u64, 0..100),
        ) {
            let mut merged = sample(&left);
            merged.merge(&sample(&right));
            let both = sample(&[left, right].concat());
            prop_assert_eq!(merged.count(), both.count());
            prop_assert_eq!(merged.quantile(0.9), both.quantile(0.9));
            prop_assert_eq!(merged.mean(), both.mean());
        }
    }
}
