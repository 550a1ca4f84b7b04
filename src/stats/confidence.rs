//! How sure an estimate is: intervals over replications, and over batches of one long run.
//!
//! Every function is pure and takes independent observations, one per replication
//! or per batch. Where the observations say nothing (too few, not finite), the answer is `None`.
//!
//! Source of all formulas: A. M. Law, "Simulation Modeling and Analysis", 5th ed.,
//! McGraw-Hill 2015, chapters 9 and 10, unless stated otherwise.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// The share of such intervals that cover the true value: more than 0, less than 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct ConfidenceLevel(f64);

impl ConfidenceLevel {
    /// 90 of 100.
    pub const P90: Self = Self(0.90);
    /// 95 of 100, the usual choice.
    pub const P95: Self = Self(0.95);
    /// 99 of 100.
    pub const P99: Self = Self(0.99);

    /// The level `share`; `None` unless it lies between 0 and 1.
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.0 && share < 1.0).then_some(Self(share))
    }

    /// The share of intervals that cover the true value.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The probability above which the upper tail begins, such as 0.975 for 95 %.
    pub(super) fn upper_tail(self) -> f64 {
        (1.0 + self.0) / 2.0
    }
}

/// An estimate and the interval that covers the true value with the confidence asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The point estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    pub(super) fn around(estimate: f64, half_width: f64) -> Self {
        Self { estimate, low: estimate - half_width, high: estimate + half_width }
    }

    /// Half the distance between the ends.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// [`Interval::half_width`] as a share of the estimate; zero if both are, else infinite.
    pub fn relative_half_width(&self) -> f64 {
        let half_width = self.half_width();
        if half_width > 0.0 { half_width / self.estimate.abs() } else { 0.0 }
    }

    /// Whether `value` lies inside or on an end.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Mean and unbiased variance; `None` with fewer than two observations or one not finite.
pub(super) fn mean_and_variance(observations: &[f64]) -> Option<(f64, f64)> {
    if observations.len() < 2 {
        return None;
    }
    let count = observations.len() as f64;
    let mean = observations.iter().sum::<f64>() / count;
    let variance = observations.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
    variance.is_finite().then_some((mean, variance))
}

pub(super) fn student_t(observations: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, observations as f64 - 1.0)
        .expect("at least two observations leave a degree of freedom")
}

/// Student-t interval for the mean of independent observations.
///
/// x̄ ± t(n − 1, 1 − α/2) · s / √n. Exact for normal observations, and close for means and
/// quantiles of runs, which average much. An observation may itself be a quantile: then this is
/// the interval for the expected quantile of a run.
///
/// `None` with fewer than two observations, or if one is not finite.
pub fn mean_interval(observations: &[f64], level: ConfidenceLevel) -> Option<Interval> {
    let (mean, variance) = mean_and_variance(observations)?;
    let t = student_t(observations.len()).inverse_cdf(level.upper_tail());
    Some(Interval::around(mean, t * (variance / observations.len() as f64).sqrt()))
}

/// Interval for a quantile of the observations' distribution, which may be any.
///
/// The number of observations below the true quantile is binomial, so two order statistics
/// enclose it: x₍ₗ₎ with P(B < l) ≤ α/2, and x₍ᵤ₎ with P(B ≥ u) ≤ α/2, where B ~ Binomial(n, p).
/// Covers with at least the confidence asked for. Source: W. J. Conover, "Practical
/// Nonparametric Statistics", 3rd ed., Wiley 1999, section 3.2.
///
/// `probability` is 0 to 1, both excluded. `None` if it is not, if one observation is not
/// finite, or if there are too few to enclose the quantile: 6 for a median at 95 %, 368 for a
/// 99th percentile.
pub fn quantile_interval(
    observations: &[f64],
    probability: f64,
    level: ConfidenceLevel,
) -> Option<Interval> {
    let usable = probability > 0.0 && probability < 1.0;
    if !usable || observations.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut sorted = observations.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (lower, upper) = enclosing_ranks(sorted.len(), probability, level)?;
    let rank = ((probability * sorted.len() as f64).ceil() as usize).max(1);
    let [estimate, low, high] = [rank, lower, upper].map(|rank| sorted[rank - 1]);
    Some(Interval { estimate, low, high })
}

/// Ranks, counted from 1, of the observations that enclose a quantile.
fn enclosing_ranks(
    count: usize,
    probability: f64,
    level: ConfidenceLevel,
) -> Option<(usize, usize)> {
    let below = Binomial::new(probability, count as u64).ok()?;
    let tail = 1.0 - level.upper_tail();
    // The largest rank with P(B < rank) <= tail, and the smallest with P(B >= rank) <= tail.
    let lower = (1..=count).take_while(|&rank| below.cdf(rank as u64 - 1) <= tail).last()?;
    let upper = (lower..=count).find(|&rank| below.sf(rank as u64 - 1) <= tail)?;
    Some((lower, upper))
}

/// Means of `batches` equally long, consecutive parts of one long run.
///
/// The parts must be long enough for their means to be nearly independent, which
/// [`lag_one_autocorrelation`] tells; then [`mean_interval`] applies to them. What is left over
/// at the start is dropped, for that is nearest to the warm-up. Law recommends some 20 batches.
///
/// `None` if there are no batches, or fewer observations than batches.
pub fn batch_means(observations: &[f64], batches: usize) -> Option<Vec<f64>> {
    let length = observations.len().checked_div(batches).filter(|&length| length > 0)?;
    let kept = &observations[observations.len() - batches * length..];
    Some(kept.chunks_exact(length).map(|batch| batch.iter().sum::<f64>() / length as f64).collect())
}

/// Correlation of each observation with the next, −1 to 1.
///
/// Σ (xᵢ − x̄)(xᵢ₊₁ − x̄) / Σ (xᵢ − x̄)². About 2/√n is within chance for independent ones.
///
/// `None` with fewer than two observations, or if all are equal.
pub fn lag_one_autocorrelation(observations: &[f64]) -> Option<f64> {
    let (mean, variance) = mean_and_variance(observations)?;
    let products = observations.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean));
    let squares = variance * (observations.len() as f64 - 1.0);
    (squares > 0.0).then(|| products.sum::<f64>() / squares)
}

#[cfg(test)]
mod tests {
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};
    use rand_distr::{Distribution, Exp1, StandardNormal};

    use super::*;

    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found} instead of {expected}");
    }

    /// Law, 5th ed., section 4.5: ten normal observations, "1.34 ± 0.24" at 90 %.
    #[test]
    fn the_interval_of_a_mean_is_that_of_the_textbook() {
        let ten = [1.20, 1.50, 1.68, 1.89, 0.95, 1.49, 1.58, 1.55, 0.50, 1.09];
        let interval = mean_interval(&ten, ConfidenceLevel::P90).unwrap();
        assert_close(interval.estimate, 1.34, 0.005);
        assert_close(interval.half_width(), 0.24, 0.005);
    }

    #[test]
    fn the_quantiles_of_student_s_t_are_those_of_the_tables() {
        for (observations, expected) in
            [(2, 12.7062), (3, 4.3027), (10, 2.2622), (31, 2.0423), (201, 1.9719)]
        {
            let t = student_t(observations).inverse_cdf(ConfidenceLevel::P95.upper_tail());
            assert_close(t, expected, 1e-4);
        }
    }

    #[test]
    fn observations_that_say_nothing_give_no_interval() {
        assert_eq!(mean_interval(&[1.0], ConfidenceLevel::P95), None);
        assert_eq!(mean_interval(&[1.0, f64::NAN], ConfidenceLevel::P95), None);
        assert_eq!(quantile_interval(&[1.0; 5], 0.5, ConfidenceLevel::P95), None);
        assert_eq!(quantile_interval(&[1.0; 50], 1.0, ConfidenceLevel::P95), None);
        assert_eq!(batch_means(&[1.0, 2.0], 3), None);
        assert_eq!(batch_means(&[1.0, 2.0], 0), None);
        assert_eq!(lag_one_autocorrelation(&[3.0, 3.0]), None);
    }

    #[test]
    fn equal_observations_give_an_interval_without_width() {
        let interval = mean_interval(&[4.0, 4.0, 4.0], ConfidenceLevel::P95).unwrap();
        assert_eq!(interval, Interval { estimate: 4.0, low: 4.0, high: 4.0 });
        assert!(interval.contains(4.0) && interval.relative_half_width() < 1e-300);
    }

    /// How many of `experiments` intervals cover the true value; within four standard errors.
    fn assert_coverage(
        least: f64,
        most: f64,
        mut covers: impl FnMut(&mut Xoshiro256PlusPlus) -> bool,
    ) {
        let experiments = 4_000;
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(7);
        let covered = (0..experiments).filter(|_| covers(&mut stream)).count();
        let share = covered as f64 / f64::from(experiments);
        let error = 4.0 * (0.95 * 0.05 / f64::from(experiments)).sqrt();
        assert!((least - error..=most + error).contains(&share), "{share} covered");
    }

    #[test]
    fn ninety_five_of_a_hundred_intervals_cover_the_mean() {
        assert_coverage(0.95, 0.95, |stream| {
            let sample: [f64; 8] = std::array::from_fn(|_| StandardNormal.sample(stream));
            mean_interval(&sample, ConfidenceLevel::P95).unwrap().contains(0.0)
        });
    }

    /// Order statistics are steps, so they cover somewhat more; how much follows from the binomial.
    #[test]
    fn at_least_ninety_five_of_a_hundred_intervals_cover_the_quantile() {
        let (lower, upper) = enclosing_ranks(60, 0.9, ConfidenceLevel::P95).unwrap();
        let below = Binomial::new(0.9, 60).unwrap();
        let exact = below.cdf(upper as u64 - 1) - below.cdf(lower as u64 - 1);
        assert!(exact >= 0.95, "{exact}");
        assert_coverage(exact, exact, |stream| {
            let sample: [f64; 60] = std::array::from_fn(|_| Exp1.sample(stream));
            let interval = quantile_interval(&sample, 0.9, ConfidenceLevel::P95).unwrap();
            interval.contains(10.0_f64.ln())
        });
    }

    #[test]
    fn so_few_observations_enclose_no_quantile_and_one_more_does() {
        let enclosed = |count, probability| {
            enclosing_ranks(count, probability, ConfidenceLevel::P95).is_some()
        };
        assert_eq!((enclosed(5, 0.5), enclosed(6, 0.5)), (false, true));
        assert_eq!((enclosed(367, 0.99), enclosed(368, 0.99)), (false, true));
    }

    #[test]
    fn batches_drop_what_is_left_over_at_the_start() {
        assert_eq!(batch_means(&[9.0, 1.0, 2.0, 3.0, 4.0], 2).unwrap(), [1.5, 3.5]);
    }

    #[test]
    fn a_process_with_memory_is_told_from_one_without() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(0);
        let mut previous = 0.0;
        let walk: Vec<f64> = (0..10_000)
            .map(|_| {
                previous = 0.7 * previous + stream.random::<f64>() - 0.5;
                previous
            })
            .collect();
        let found = lag_one_autocorrelation(&walk).unwrap();
        assert_close(found, 0.7, 4.0 * ((1.0 - 0.7 * 0.7) / 10_000.0_f64).sqrt());

        let batched = batch_means(&walk, 100).unwrap();
        assert!(lag_one_autocorrelation(&batched).unwrap().abs() < 4.0 / 10.0);
    }
}
