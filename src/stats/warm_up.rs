//! Where the warm-up ends: how much of a run's start is not yet the steady state.
//!
//! Two methods that look at different things: [`mser5`] at the spread of one series, [`welch`]
//! at the mean of many. When they disagree, someone should look at the plot.

use std::fmt;

/// The run is too short, or has no steady state: more than half of it would be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSteadyState;

impl fmt::Display for NoSteadyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the warm-up takes more than half of the run: make the run longer, or the load lower \
             if it exceeds what the system can serve"
        )
    }
}

impl std::error::Error for NoSteadyState {}

/// Observations to a batch of [`mser5`].
const BATCH: usize = 5;

/// Fewest batches that [`mser5`] judges a spread by.
const FEWEST_BATCHES: usize = 5;

/// How many observations to delete at the start: the marginal standard error rule in batches of 5.
///
/// With batch means Y₁ … Yₙ, the d that makes the estimated standard error of the mean of the
/// rest smallest:
///
/// ```text
/// MSER(d) = Σᵢ₌d₊₁ⁿ (Yᵢ − Ȳ(d))² / (n − d)²
/// ```
///
/// All d are tried that leave five batches; a minimum in the second half is no answer.
///
/// Source: K. P. White, M. J. Cobb and S. C. Spratt, "A comparison of five steady-state
/// truncation heuristics for simulation", Winter Simulation Conference 2000.
///
/// # Errors
///
/// [`NoSteadyState`] if the minimum lies in the second half, or with fewer than ten batches.
pub fn mser5(series: &[f64]) -> Result<usize, NoSteadyState> {
    let batches: Vec<f64> =
        series.chunks_exact(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let deleted = least_marginal_error(&batches).ok_or(NoSteadyState)?;
    if 2 * deleted > batches.len() { Err(NoSteadyState) } else { Ok(BATCH * deleted) }
}

/// The number of batches whose deletion makes MSER smallest; the least such number.
fn least_marginal_error(batches: &[f64]) -> Option<usize> {
    if batches.len() < 2 * FEWEST_BATCHES {
        return None;
    }
    let mut best = (f64::INFINITY, 0);
    // Welford's recurrence from the end gives every d in one pass.
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for (deleted, batch) in batches.iter().enumerate().rev() {
        count += 1.0;
        let step = batch - mean;
        mean += step / count;
        squares += step * (batch - mean);
        let error = squares / (count * count);
        if count >= FEWEST_BATCHES as f64 && error <= best.0 {
            best = (error, deleted);
        }
    }
    best.0.is_finite().then_some(best.1)
}

/// How many observations to delete at the start: Welch's moving average of the mean over replications.
///
/// `replications` are series of one quantity at the same instants. Their mean is smoothed by a
/// moving average of `2·window + 1` (less at the start). The warm-up ends where it first stays,
/// for the width of the average, within three standard deviations of the level around
/// which the second half moves. Welch leaves that last step to the eye.
///
/// Source: P. D. Welch, "The Statistical Analysis of Simulation Results", in S. S. Lavenberg
/// (ed.), Computer Performance Modeling Handbook, Academic Press 1983; A. M. Law, "Simulation
/// Modeling and Analysis", 5th ed., section 9.5.1.
///
/// # Errors
///
/// [`NoSteadyState`] if it takes more than half of the series, or if there are fewer than 20
/// instants that all replications have.
pub fn welch(replications: &[Vec<f64>], window: usize) -> Result<usize, NoSteadyState> {
    let smoothed = moving_average(&mean_over(replications), window);
    if smoothed.len() < 20 {
        return Err(NoSteadyState);
    }
    let steady = &smoothed[smoothed.len() / 2..];
    let count = steady.len() as f64;
    let level = steady.iter().sum::<f64>() / count;
    let spread = (steady.iter().map(|x| (x - level).powi(2)).sum::<f64>() / count).sqrt();
    // A drift in the second half is no spread around a level.
    if has_drift(steady, spread) {
        return Err(NoSteadyState);
    }
    let width = 2 * window + 1;
    // A narrower average varies more, by the square root of the widths.
    let spread_at = |i: usize| spread * (width as f64 / (2 * i + 1).min(width) as f64).sqrt();
    let is_off = |i: usize| (smoothed[i] - level).abs() > 3.0 * spread_at(i);
    let mut settled_since = 0;
    for i in 0..smoothed.len() / 2 {
        if is_off(i) {
            settled_since = i + 1;
        } else if i - settled_since >= width {
            break;
        }
    }
    if 2 * settled_since >= smoothed.len() { Err(NoSteadyState) } else { Ok(settled_since) }
}

/// Whether the two halves of `steady` differ by more than a level that `spread` describes would.
fn has_drift(steady: &[f64], spread: f64) -> bool {
    let (one, other) = steady.split_at(steady.len() / 2);
    let mean = |half: &[f64]| half.iter().sum::<f64>() / half.len() as f64;
    // A straight line has half-means √3 spreads apart.
    (mean(one) - mean(other)).abs() > 1.5 * spread
}

fn mean_over(replications: &[Vec<f64>]) -> Vec<f64> {
    let length = replications.iter().map(Vec::len).min().unwrap_or(0);
    let count = replications.len() as f64;
    (0..length).map(|i| replications.iter().map(|series| series[i]).sum::<f64>() / count).collect()
}

/// Welch's moving average: over `2·window + 1` values, and symmetrically fewer near the start.
fn moving_average(series: &[f64], window: usize) -> Vec<f64> {
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(series.iter().scan(0.0, |sum, x| {
            *sum += x;
            Some(*sum)
        }))
        .collect();
    (0..series.len().saturating_sub(window))
        .map(|i| {
            let reach = window.min(i);
            (sums[i + reach + 1] - sums[i - reach]) / (2 * reach + 1) as f64
        })
        .collect()
}

/// What the two methods say about the same replications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// Observations to delete by [`mser5`] of the mean over the replications.
    pub mser5: usize,
    /// Observations to delete by [`welch`].
    pub welch: usize,
    /// Observations in a series.
    pub length: usize,
}

impl WarmUp {
    /// The larger of the two.
    pub fn deleted(&self) -> usize {
        self.mser5.max(self.welch)
    }

    /// Whether the methods differ by more than a tenth of the series: time to look at the plot.
    pub fn methods_disagree(&self) -> bool {
        10 * self.mser5.abs_diff(self.welch) > self.length
    }
}

/// Both methods on the same `replications`; see [`welch`] for `window`.
///
/// # Errors
///
/// [`NoSteadyState`] if either finds none.
pub fn warm_up(replications: &[Vec<f64>], window: usize) -> Result<WarmUp, NoSteadyState> {
    let mean = mean_over(replications);
    Ok(WarmUp { mser5: mser5(&mean)?, welch: welch(replications, window)?, length: mean.len() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    /// A level of 10 approached from `start`: the distance shrinks to 1/e in `relaxation` steps.
    fn approach(start: f64, relaxation: f64, length: usize, replication: u64) -> Vec<f64> {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(replication);
        (0..length)
            .map(|i| {
                let noise: f64 = StandardNormal.sample(&mut stream);
                10.0 + (start - 10.0) * (-(i as f64) / relaxation).exp() + noise
            })
            .collect()
    }

    fn replications(start: f64, relaxation: f64, length: usize) -> Vec<Vec<f64>> {
        (0..20).map(|replication| approach(start, relaxation, length, replication)).collect()
    }

    #[test]
    fn a_steady_series_needs_little_deletion() {
        let found = warm_up(&replications(10.0, 1.0, 1_000), 20).unwrap();
        assert!(found.deleted() <= 100 && !found.methods_disagree(), "{found:?}");
    }

    /// Ten relaxation times shrink a distance of 40 to 0.002, far below the noise of 1/√20.
    #[test]
    fn both_methods_find_the_end_of_an_exponential_approach() {
        let found = warm_up(&replications(50.0, 30.0, 2_000), 20).unwrap();
        assert!((60..=300).contains(&found.mser5), "{found:?}");
        assert!((60..=300).contains(&found.welch), "{found:?}");
        assert!(!found.methods_disagree());
    }

    #[test]
    fn a_queue_that_grows_without_end_has_no_steady_state() {
        let growing: Vec<Vec<f64>> = (0..5)
            .map(|r| {
                approach(10.0, 1.0, 500, r).iter().zip(0..).map(|(x, i)| x + f64::from(i)).collect()
            })
            .collect();
        assert_eq!(mser5(&growing[0]), Err(NoSteadyState));
        assert_eq!(welch(&growing, 10), Err(NoSteadyState));
        assert_eq!(warm_up(&growing, 10), Err(NoSteadyState));
    }

    #[test]
    fn a_series_too_short_to_judge_is_refused() {
        assert_eq!(mser5(&[1.0; 49]), Err(NoSteadyState));
        assert_eq!(mser5(&[1.0; 50]), Ok(0));
        assert_eq!(welch(&[], 5), Err(NoSteadyState));
        assert_eq!(welch(&[vec![1.0; 19]], 0), Err(NoSteadyState));
    }

    #[test]
    fn methods_that_differ_by_more_than_a_tenth_disagree() {
        let found = WarmUp { mser5: 100, welch: 250, length: 1_000 };
        assert_eq!((found.deleted(), found.methods_disagree()), (250, true));
        assert!(!WarmUp { welch: 190, ..found }.methods_disagree());
    }

    #[test]
    fn the_moving_average_is_symmetric_and_narrower_at_the_start() {
        assert_eq!(moving_average(&[3.0, 6.0, 9.0, 30.0, 3.0], 1), [3.0, 6.0, 15.0, 14.0]);
    }

    proptest! {
        /// The definition, term by term, is the twin of the one-pass recurrence.
        #[test]
        fn the_recurrence_finds_the_minimum_of_the_definition(
            batches in prop::collection::vec(-100.0..100.0f64, 10..60),
        ) {
            let mser = |deleted: usize| {
                let rest = &batches[deleted..];
                let count = rest.len() as f64;
                let mean = rest.iter().sum::<f64>() / count;
                rest.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (count * count)
            };
            let found = least_marginal_error(&batches).unwrap();
            let tried = 0..=batches.len() - FEWEST_BATCHES;
            let least = tried.map(mser).fold(f64::INFINITY, f64::min);
            prop_assert!(mser(found) <= least * (1.0 + 1e-9));
        }
    }
}
