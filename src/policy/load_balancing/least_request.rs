//! Envoy's LEAST_REQUEST with equal weights: the power of two choices.
//!
//! Two endpoints are drawn independently *with* replacement; the first stays unless the
//! second has strictly fewer active requests. Of two endpoints the busier is thus still
//! chosen one time in four. Only this proxy's own requests count.
//!
//! Source: Envoy 1.40, `source/extensions/load_balancing_policies/least_request/
//! least_request_lb.cc`, with `choice_count` 2 as Istio leaves it. Left out: unequal weights
//! and slow start, which make Envoy use a weighted schedule instead.

use rand::{Rng, RngExt};

/// Position of the chosen endpoint among `count` (at least 1); `active` tells how many requests
/// each has from this proxy.
pub fn pick(count: usize, active: impl Fn(usize) -> u32, rng: &mut impl Rng) -> usize {
    let first = rng.random_range(0..count);
    let second = rng.random_range(0..count);
    if active(second) < active(first) { second } else { first }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    fn share_of_first(active: [u32; 2]) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let picks = (0..40_000).filter(|_| pick(2, |host| active[host], &mut rng) == 0).count();
        picks as f64 / 40_000.0
    }

    #[test]
    fn the_busier_of_two_is_chosen_one_time_in_four() {
        // Four standard errors of a share of 1/4 over 40,000 draws: 0.0087.
        assert!((share_of_first([5, 1]) - 0.25).abs() < 0.0087);
    }

    #[test]
    fn equally_busy_endpoints_share_evenly() {
        assert!((share_of_first([3, 3]) - 0.5).abs() < 0.01);
    }

    #[test]
    fn a_single_endpoint_is_always_chosen() {
        assert_eq!(pick(1, |_| 9, &mut ChaCha8Rng::seed_from_u64(3)), 0);
    }
}
