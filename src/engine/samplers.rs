//! Lengths of time drawn from the distributions that an inner loop needs.
//!
//! Normal and exponential draws use the ziggurat of `rand_distr`, which takes one
//! table look-up in 98 of 100 cases. Draws are rounded to whole nanoseconds.
//!
//! Source: J. A. Doornik, "An Improved Ziggurat Method to Generate Normal Random
//! Samples", 2005.

use std::fmt;

use rand::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

use crate::units::SimDuration;

/// Why two numbers describe no distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InvalidDistribution {
    /// A logarithm needs a mean or median above zero.
    NotPositive,
    /// A coefficient of variation is a finite number of at least 0; this is what was given.
    CoefficientOfVariation(f64),
    /// The 99th percentile lies below the median.
    PercentilesOutOfOrder,
}

impl fmt::Display for InvalidDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPositive => write!(f, "a lognormal distribution needs a mean or p50 above 0"),
            Self::CoefficientOfVariation(found) => {
                write!(f, "a coefficient of variation must be finite and at least 0, not {found}")
            }
            Self::PercentilesOutOfOrder => write!(f, "p99 must be at least p50"),
        }
    }
}

impl std::error::Error for InvalidDistribution {}

/// Exponential distribution, the gaps of a Poisson process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    mean_ns: f64,
}

impl Exponential {
    /// Draws of `mean` on average.
    pub fn with_mean(mean: SimDuration) -> Self {
        Self { mean_ns: mean.as_nanos() as f64 }
    }
}

impl Distribution<SimDuration> for Exponential {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> SimDuration {
        let unit: f64 = Exp1.sample(rng);
        nearest(unit * self.mean_ns)
    }
}

/// Lognormal distribution: e^(µ + σZ) with Z standard normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    median_ns: f64,
    sigma: f64,
}

/// The 99th percentile of the standard normal distribution.
const Z_99: f64 = 2.326_347_874_040_841;

impl LogNormal {
    /// Draws of `mean` on average, whose standard deviation is `cv` times the mean.
    ///
    /// σ² = ln(1 + cv²), µ = ln(mean) − σ²/2.
    ///
    /// # Errors
    ///
    /// If `mean` is zero, or `cv` is negative or not finite.
    pub fn from_mean_cv(mean: SimDuration, cv: f64) -> Result<Self, InvalidDistribution> {
        if mean.is_zero() {
            return Err(InvalidDistribution::NotPositive);
        }
        if !cv.is_finite() || cv < 0.0 {
            return Err(InvalidDistribution::CoefficientOfVariation(cv));
        }
        let variance = (cv * cv).ln_1p();
        let median_ns = mean.as_nanos() as f64 * (-variance / 2.0).exp();
        Ok(Self { median_ns, sigma: variance.sqrt() })
    }

    /// Half of the draws lie below `p50`, 99 of 100 below `p99`.
    ///
    /// µ = ln(p50), σ = ln(p99/p50) / 2.326.
    ///
    /// # Errors
    ///
    /// If `p50` is zero or above `p99`.
    pub fn from_p50_p99(p50: SimDuration, p99: SimDuration) -> Result<Self, InvalidDistribution> {
        if p50.is_zero() {
            return Err(InvalidDistribution::NotPositive);
        }
        if p99 < p50 {
            return Err(InvalidDistribution::PercentilesOutOfOrder);
        }
        let median_ns = p50.as_nanos() as f64;
        Ok(Self { median_ns, sigma: (p99.as_nanos() as f64 / median_ns).ln() / Z_99 })
    }

    /// The mean: median · e^(σ²/2).
    pub fn mean(&self) -> SimDuration {
        nearest(self.median_ns * (self.sigma * self.sigma / 2.0).exp())
    }
}

impl Distribution<SimDuration> for LogNormal {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> SimDuration {
        let z: f64 = StandardNormal.sample(rng);
        nearest(self.median_ns * (self.sigma * z).exp())
    }
}

/// `nanos` (never negative) to the nearest nanosecond, at most [`SimDuration::MAX`].
#[inline]
fn nearest(nanos: f64) -> SimDuration {
    SimDuration::from_nanos((nanos + 0.5) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Purpose, RandomStreams};

    const DRAWS: usize = 200_000;

    fn sorted_draws(distribution: impl Distribution<SimDuration>) -> Vec<f64> {
        let mut stream = RandomStreams::new(1, 0).stream(Purpose::ServiceTime, 0);
        let mut draws: Vec<f64> =
            (0..DRAWS).map(|_| distribution.sample(&mut stream).as_millis_f64()).collect();
        draws.sort_unstable_by(f64::total_cmp);
        draws
    }

    /// Mean, and its standard error.
    fn mean(draws: &[f64]) -> (f64, f64) {
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, (variance / count).sqrt())
    }

    /// The share of draws below `value` is `probability`, within four standard errors.
    fn assert_share_below(draws: &[f64], value: f64, probability: f64) {
        let share = draws.partition_point(|&x| x < value) as f64 / draws.len() as f64;
        let error = (probability * (1.0 - probability) / draws.len() as f64).sqrt();
        assert!((share - probability).abs() < 4.0 * error, "{share} instead of {probability}");
    }

    #[test]
    fn an_exponential_has_its_mean_and_its_tail() {
        let draws = sorted_draws(Exponential::with_mean(SimDuration::from_millis(2)));
        let (mean, error) = mean(&draws);
        assert!((mean - 2.0).abs() < 4.0 * error, "{mean} ± {error}");
        for probability in [0.1, 0.5, 0.9, 0.99] {
            assert_share_below(&draws, -2.0 * (1.0_f64 - probability).ln(), probability);
        }
    }

    #[test]
    fn a_lognormal_has_the_mean_and_variation_it_was_asked_for() {
        let lognormal = LogNormal::from_mean_cv(SimDuration::from_millis(10), 0.8).unwrap();
        let draws = sorted_draws(lognormal);
        let (mean, error) = mean(&draws);
        let cv = error * (DRAWS as f64).sqrt() / mean;

        assert_eq!(lognormal.mean(), SimDuration::from_millis(10));
        assert!((mean - 10.0).abs() < 4.0 * error, "{mean} ± {error}");
        assert!((cv - 0.8).abs() < 0.02, "{cv}");
    }

    #[test]
    fn a_lognormal_has_the_percentiles_it_was_asked_for() {
        let (p50, p99) = (SimDuration::from_millis(2), SimDuration::from_millis(12));
        let draws = sorted_draws(LogNormal::from_p50_p99(p50, p99).unwrap());
        assert_share_below(&draws, 2.0, 0.5);
        assert_share_below(&draws, 12.0, 0.99);
    }

    #[test]
    fn without_variation_every_draw_is_the_mean() {
        let ms = SimDuration::from_millis;
        for constant in [LogNormal::from_mean_cv(ms(3), 0.0), LogNormal::from_p50_p99(ms(3), ms(3))]
        {
            let mut stream = RandomStreams::new(1, 0).stream(Purpose::ServiceTime, 0);
            assert_eq!(constant.unwrap().sample(&mut stream), ms(3));
        }
    }

    #[test]
    fn numbers_that_describe_no_distribution_are_refused() {
        let ms = SimDuration::from_millis;
        assert_eq!(LogNormal::from_mean_cv(ms(0), 1.0), Err(InvalidDistribution::NotPositive));
        assert!(LogNormal::from_mean_cv(ms(1), f64::NAN).is_err());
        assert!(LogNormal::from_mean_cv(ms(1), -0.1).is_err());
        assert_eq!(LogNormal::from_p50_p99(ms(0), ms(1)), Err(InvalidDistribution::NotPositive));
        assert_eq!(
            LogNormal::from_p50_p99(ms(2), ms(1)),
            Err(InvalidDistribution::PercentilesOutOfOrder)
        );
    }
}
