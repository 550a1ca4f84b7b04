//! How many replications are enough.

use super::confidence::{ConfidenceLevel, mean_interval};

/// Replicate until the mean is known to a share of itself.
///
/// After each batch of replications: stop once half-width / |x̄| ≤ γ / (1 + γ), for then the
/// relative error |x̄ − µ| / |µ| is at most γ with the confidence asked for. A rule that stops
/// on what it has seen covers a little less often than its interval promises; at ten
/// replications or more the loss is small.
///
/// Source: A. M. Law, "Simulation Modeling and Analysis", 5th ed., McGraw-Hill 2015, section
/// 9.4.1; Y. S. Chow and H. Robbins, Annals of Mathematical Statistics 36(2), 1965.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Replications to make in any case; fewer than 2 count as 2.
    pub min: usize,
    /// Replications after which to give up; fewer than `min` count as `min`.
    pub max: usize,
    /// Relative error γ to reach, such as 0.01. Not positive: never reached.
    pub relative_error: f64,
    /// Confidence with which it is to be reached.
    pub level: ConfidenceLevel,
}

/// What a [`StoppingRule`] says to the observations so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The mean is known well enough.
    Reached,
    /// It is not, and `max` replications have been made.
    GaveUp,
    /// Make more, up to this many in total.
    Continue(usize),
}

impl StoppingRule {
    /// What to do after `observations`, one per replication.
    ///
    /// Asks for as many as the variance so far calls for, n · (half-width / aim)², but at most
    /// twice as many as there are: an early variance is a rough guide.
    pub fn decide(&self, observations: &[f64]) -> Decision {
        let made = observations.len();
        let min = self.min.max(2);
        if made < min {
            return Decision::Continue(min);
        }
        let found = mean_interval(observations, self.level);
        let found = found.map_or(f64::INFINITY, |interval| interval.relative_half_width());
        let aim = self.relative_error / (1.0 + self.relative_error);
        if found <= aim {
            return Decision::Reached;
        }
        if made >= self.max {
            return Decision::GaveUp;
        }
        // A cast saturates, also from infinity.
        let called_for = (made as f64 * (found / aim).powi(2)).ceil() as usize;
        Decision::Continue(called_for.clamp(made + 1, 2 * made).min(self.max))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    const RULE: StoppingRule =
        StoppingRule { min: 10, max: 200, relative_error: 0.05, level: ConfidenceLevel::P95 };

    #[test]
    fn the_minimum_is_made_in_any_case() {
        assert_eq!(RULE.decide(&[]), Decision::Continue(10));
        assert_eq!(RULE.decide(&[7.0; 9]), Decision::Continue(10));
        assert_eq!(RULE.decide(&[7.0; 10]), Decision::Reached);
    }

    #[test]
    fn what_varies_around_zero_is_given_up() {
        let around_zero: Vec<f64> = (0..200).map(|n| f64::from(n % 2) * 2.0 - 1.0).collect();
        assert_eq!(RULE.decide(&around_zero), Decision::GaveUp);
        assert_eq!(RULE.decide(&around_zero[..50]), Decision::Continue(100));
        assert_eq!(RULE.decide(&[f64::NAN; 150]), Decision::Continue(200));
    }

    #[test]
    fn the_next_step_follows_from_the_variance() {
        let spread: Vec<f64> = (0..40).map(|n| 10.0 + f64::from(n % 2) * 3.6).collect();
        let Decision::Continue(next) =
            StoppingRule { relative_error: 0.04, ..RULE }.decide(&spread)
        else {
            panic!("half-width is above the aim");
        };
        assert!((41..80).contains(&next), "{next}");
    }

    /// The promise of the rule: within γ of the true mean, about 95 times in 100.
    #[test]
    fn the_true_mean_is_within_the_relative_error() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(5);
        let experiments = 1_000;
        let mut within = 0;
        for _ in 0..experiments {
            let mut made: Vec<f64> = Vec::new();
            while let Decision::Continue(total) = RULE.decide(&made) {
                made.resize_with(total, || {
                    let z: f64 = StandardNormal.sample(&mut stream);
                    10.0 + 1.5 * z
                });
            }
            let mean = made.iter().sum::<f64>() / made.len() as f64;
            within += usize::from((mean - 10.0).abs() <= 0.05 * 10.0);
        }
        let share = within as f64 / f64::from(experiments);
        assert!((0.92..=0.99).contains(&share), "{share}");
    }
}
