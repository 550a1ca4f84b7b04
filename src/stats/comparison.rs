//! Which of two variants is better, and what to believe when many are compared.
//!
//! Variants are compared replication by replication under common random numbers: the same
//! arrivals and demands hit both, so what differs is the variant.
//!
//! Source: A. M. Law, "Simulation Modeling and Analysis", 5th ed., McGraw-Hill 2015, chapter 10.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::confidence::{ConfidenceLevel, Interval, mean_and_variance, mean_interval, student_t};

/// Interval for the mean of `variant` less that of `baseline`, paired by replication.
///
/// The Student-t interval of the differences; it does not assume that the two are independent.
///
/// `None` if the lengths differ, and where [`mean_interval`] gives none.
pub fn paired_difference(
    baseline: &[f64],
    variant: &[f64],
    level: ConfidenceLevel,
) -> Option<Interval> {
    mean_interval(&differences(baseline, variant)?, level)
}

/// Probability of a mean difference at least as large, in either direction, if there is none.
///
/// Two-sided paired t-test: t = d̄ / (s / √n) with n − 1 degrees of freedom. Small means: the
/// variants differ. [`holm`] corrects a list of these.
///
/// `None` if the lengths differ, with fewer than two pairs, or if one is not finite.
pub fn paired_p_value(baseline: &[f64], variant: &[f64]) -> Option<f64> {
    let differences = differences(baseline, variant)?;
    let (mean, variance) = mean_and_variance(&differences)?;
    if mean.abs() <= 0.0 {
        return Some(1.0);
    }
    let t = mean.abs() / (variance / differences.len() as f64).sqrt();
    Some(2.0 * student_t(differences.len()).sf(t))
}

fn differences(baseline: &[f64], variant: &[f64]) -> Option<Vec<f64>> {
    let pairs = baseline.iter().zip(variant);
    (baseline.len() == variant.len()).then(|| pairs.map(|(base, other)| other - base).collect())
}

/// Interval for the variance of `variant` divided by that of `baseline`, both normal.
///
/// (s²ᵥ / s²ᵦ) / F(1 − α/2) to (s²ᵥ / s²ᵦ) / F(α/2), with F(nᵥ − 1, nᵦ − 1). Tells what common
/// random numbers or a longer run gain. Very sensitive to tails heavier than normal.
///
/// `None` with fewer than two observations on a side, if one is not finite, or if `baseline` has
/// no variance.
pub fn variance_ratio(
    baseline: &[f64],
    variant: &[f64],
    level: ConfidenceLevel,
) -> Option<Interval> {
    let (_, baseline_variance) = mean_and_variance(baseline)?;
    let (_, variant_variance) = mean_and_variance(variant)?;
    if baseline_variance <= 0.0 {
        return None;
    }
    let estimate = variant_variance / baseline_variance;
    let freedom = |observations: &[f64]| observations.len() as f64 - 1.0;
    let f = FisherSnedecor::new(freedom(variant), freedom(baseline)).ok()?;
    let upper = level.upper_tail();
    Some(Interval {
        estimate,
        low: estimate / f.inverse_cdf(upper),
        high: estimate / f.inverse_cdf(1.0 - upper),
    })
}

/// Holm's correction: p-values that keep their meaning when all are looked at together.
///
/// With the p-values sorted, p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1) · p₍ⱼ₎). To call
/// different what has p̃ ≤ α errs anywhere with a probability of at most α, whatever the
/// dependence between the comparisons. Never less powerful than Bonferroni's m · p.
///
/// Answers in the order of `p_values`. Source: S. Holm, "A Simple Sequentially Rejective
/// Multiple Test Procedure", Scandinavian Journal of Statistics 6(2), 1979.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        let remaining = (p_values.len() - rank) as f64;
        largest = largest.max((remaining * p_values[index]).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found} instead of {expected}");
    }

    /// Student's own sleep data of 1908: drug 2 less drug 1.
    const DRUG_1: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const DRUG_2: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    /// As R prints it: t.test(extra ~ group, data = sleep, paired = TRUE).
    #[test]
    fn student_s_sleep_data_give_the_published_interval_and_p_value() {
        let interval = paired_difference(&DRUG_1, &DRUG_2, ConfidenceLevel::P95).unwrap();
        assert_close(interval.estimate, 1.58, 1e-9);
        assert_close(interval.low, 0.700_114_2, 1e-6);
        assert_close(interval.high, 2.459_885_8, 1e-6);
        assert_close(paired_p_value(&DRUG_1, &DRUG_2).unwrap(), 0.002_832_89, 1e-7);
    }

    #[test]
    fn lists_of_different_length_are_not_compared() {
        assert_eq!(paired_difference(&[1.0; 3], &[1.0; 4], ConfidenceLevel::P95), None);
        assert_eq!(paired_p_value(&[1.0], &[2.0]), None);
    }

    #[test]
    fn equal_pairs_do_not_differ_and_a_constant_shift_does() {
        let one = [1.0, 5.0, 9.0];
        assert_close(paired_p_value(&one, &one).unwrap(), 1.0, 1e-12);
        assert_close(paired_p_value(&one, &one.map(|x| x + 2.0)).unwrap(), 0.0, 1e-12);
    }

    /// F(9, 9) has its 97.5 % point at 4.0260, in any table.
    #[test]
    fn the_ratio_of_variances_has_an_f_interval() {
        let doubled = DRUG_1.map(|x| 2.0 * x);
        let interval = variance_ratio(&DRUG_1, &doubled, ConfidenceLevel::P95).unwrap();
        assert_close(interval.estimate, 4.0, 1e-9);
        assert_close(interval.low, 4.0 / 4.026_0, 1e-3);
        assert_close(interval.high, 4.0 * 4.026_0, 1e-2);
        assert_eq!(variance_ratio(&[1.0; 4], &DRUG_1, ConfidenceLevel::P95), None);
    }

    /// As R prints it: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    #[test]
    fn holm_multiplies_the_smallest_most_and_keeps_the_order() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert_close(*found, expected, 1e-12);
        }
        assert!(holm(&[]).is_empty());
    }

    /// With nothing to find, five comparisons at 5 % find something in about 5 of 100 experiments.
    #[test]
    fn holm_keeps_the_chance_of_any_false_alarm() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(3);
        let experiments = 2_000;
        let mut alarms = 0;
        for _ in 0..experiments {
            let mut draw =
                || std::array::from_fn::<f64, 6, _>(|_| StandardNormal.sample(&mut stream));
            let p_values: Vec<f64> =
                (0..5).filter_map(|_| paired_p_value(&draw(), &draw())).collect();
            alarms += usize::from(holm(&p_values).iter().any(|&p| p <= 0.05));
        }
        let share = alarms as f64 / f64::from(experiments);
        let error = (0.05 * 0.95 / f64::from(experiments)).sqrt();
        assert!((share - 0.05).abs() < 4.0 * error, "{share}");
    }

    proptest! {
        #[test]
        fn corrected_p_values_are_larger_but_no_larger_than_bonferroni_s(
            p_values in prop::collection::vec(0.0..=1.0f64, 1..20),
        ) {
            let count = p_values.len() as f64;
            for (p, adjusted) in p_values.iter().zip(holm(&p_values)) {
                prop_assert!(*p <= adjusted && adjusted <= 1.0);
                prop_assert!(adjusted <= (count * p).min(1.0));
            }
        }
    }
}
