//! The one vocabulary of random lengths of time: everything a user may write where a
//! duration varies.

use std::sync::Arc;

use rand::Rng;
use rand::RngExt;
use rand_distr::{Distribution as _, Exp1, Gamma, StandardNormal, Weibull};
use statrs::function::gamma::gamma;

use crate::units::SimDuration;

/// z of the 99th percentile of the standard normal distribution.
const Z_99: f64 = 2.326_347_874_040_841;

/// A random length of time. All lengths are in seconds inside, nanoseconds outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant(SimDuration),
    /// Uniform between two lengths, seconds.
    Uniform {
        /// Shortest.
        min: f64,
        /// Longest; at least `min`.
        max: f64,
    },
    /// Exponential with this mean, seconds.
    Exponential {
        /// Mean, above zero.
        mean: f64,
    },
    /// Lognormal: `exp(mu + sigma z)` seconds.
    Lognormal {
        /// Logarithm of the median in seconds.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Gamma, seconds.
    Gamma {
        /// Mean, seconds.
        mean: f64,
        /// The ready sampler.
        sampler: Gamma<f64>,
    },
    /// Weibull, seconds.
    Weibull {
        /// Mean, seconds.
        mean: f64,
        /// The ready sampler.
        sampler: Weibull<f64>,
    },
    /// One of the measured lengths, each as likely as the next.
    Empirical(Arc<[SimDuration]>),
    /// One of several distributions, by weight.
    Mixture(Arc<[(f64, Distribution)]>),
}

impl Distribution {
    /// No time at all.
    pub const ZERO: Self = Self::Constant(SimDuration::ZERO);

    /// The lognormal with this median and 99th percentile, both above zero, in seconds.
    ///
    /// `sigma = ln(p99/p50) / z₀.₉₉`, from the quantile function of the normal distribution.
    pub fn lognormal_p50_p99(p50: f64, p99: f64) -> Self {
        Self::Lognormal { mu: p50.ln(), sigma: (p99 / p50).ln() / Z_99 }
    }

    /// The gamma distribution with this mean in seconds and coefficient of variation.
    ///
    /// Shape `1/cv²`, scale `mean cv²`. `None` unless both are positive and finite.
    pub fn gamma(mean: f64, cv: f64) -> Option<Self> {
        let sampler = Gamma::new(1.0 / (cv * cv), mean * cv * cv).ok()?;
        Some(Self::Gamma { mean, sampler })
    }

    /// The Weibull distribution with this scale in seconds and shape; its mean is
    /// `scale Γ(1 + 1/shape)`. `None` unless both are positive and finite.
    pub fn weibull(scale: f64, shape: f64) -> Option<Self> {
        let sampler = Weibull::new(scale, shape).ok()?;
        Some(Self::Weibull { mean: scale * gamma(1.0 + 1.0 / shape), sampler })
    }

    /// Draws one length.
    pub fn sample(&self, rng: &mut impl Rng) -> SimDuration {
        match self {
            Self::Constant(length) => *length,
            Self::Empirical(lengths) => lengths[rng.random_range(0..lengths.len())],
            Self::Mixture(parts) => Self::pick(parts, rng.random()).sample(rng),
            _ => {
                let seconds = self.sample_seconds(rng);
                SimDuration::try_from_secs_f64(seconds).unwrap_or(SimDuration::MAX)
            }
        }
    }

    fn sample_seconds(&self, rng: &mut impl Rng) -> f64 {
        match self {
            Self::Uniform { min, max } => min + (max - min) * rng.random::<f64>(),
            Self::Exponential { mean } => {
                let unit: f64 = Exp1.sample(rng);
                mean * unit
            }
            Self::Lognormal { mu, sigma } => {
                let z: f64 = StandardNormal.sample(rng);
                (mu + sigma * z).exp()
            }
            Self::Gamma { sampler, .. } => sampler.sample(rng),
            Self::Weibull { sampler, .. } => sampler.sample(rng),
            Self::Constant(_) | Self::Empirical(_) | Self::Mixture(_) => {
                unreachable!("drawn without seconds")
            }
        }
    }

    fn pick(parts: &[(f64, Distribution)], share: f64) -> &Distribution {
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let mut left = share * total;
        for (weight, part) in parts {
            left -= weight;
            if left < 0.0 {
                return part;
            }
        }
        &parts[parts.len() - 1].1
    }

    /// The mean, in seconds; infinite where it has none.
    pub fn mean_seconds(&self) -> f64 {
        match self {
            Self::Constant(length) => length.as_secs_f64(),
            Self::Uniform { min, max } => (min + max) / 2.0,
            Self::Exponential { mean } | Self::Gamma { mean, .. } | Self::Weibull { mean, .. } => {
                *mean
            }
            Self::Lognormal { mu, sigma } => (mu + sigma * sigma / 2.0).exp(),
            Self::Empirical(lengths) => {
                lengths.iter().map(|l| l.as_secs_f64()).sum::<f64>() / lengths.len() as f64
            }
            Self::Mixture(parts) => {
                let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
                parts.iter().map(|(weight, part)| weight / total * part.mean_seconds()).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    fn every_kind() -> Vec<Distribution> {
        let ms = SimDuration::from_millis;
        vec![
            Distribution::Constant(ms(3)),
            Distribution::Uniform { min: 0.001, max: 0.005 },
            Distribution::Exponential { mean: 0.002 },
            Distribution::lognormal_p50_p99(0.002, 0.012),
            Distribution::gamma(0.002, 0.5).unwrap(),
            Distribution::weibull(0.002, 1.5).unwrap(),
            Distribution::Empirical([ms(1), ms(2), ms(6)].into()),
            Distribution::Mixture(
                [(0.9, Distribution::Constant(ms(1))), (0.1, Distribution::Constant(ms(20)))]
                    .into(),
            ),
        ]
    }

    #[test]
    fn sample_means_meet_the_stated_means_within_four_standard_errors() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for distribution in every_kind() {
            let draws: Vec<f64> =
                (0..20_000).map(|_| distribution.sample(&mut rng).as_secs_f64()).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 19_999.0;
            let error = (variance / 20_000.0).sqrt();
            let stated = distribution.mean_seconds();
            assert!((mean - stated).abs() <= 4.0 * error + 1e-9, "{distribution:?}: {mean}");
        }
    }

    #[test]
    fn a_lognormal_has_the_quantiles_it_was_given() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let distribution = Distribution::lognormal_p50_p99(0.002, 0.012);
        let mut draws: Vec<_> = (0..20_000).map(|_| distribution.sample(&mut rng)).collect();
        draws.sort();
        // Binomial: 200 ± 4·14 of 20,000 lie above the 99th percentile.
        let above = draws.iter().filter(|d| d.as_millis_f64() > 12.0).count();
        assert!((144..=256).contains(&above), "{above} of 20,000 above the 99th percentile");
        assert!((draws[10_000].as_millis_f64() - 2.0).abs() < 0.1);
    }
}
