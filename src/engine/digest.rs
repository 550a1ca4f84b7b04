//! A fingerprint of everything that happened in a run, in its order.
//!
//! Two runs with the same digest handled the same events at the same instants in
//! the same order. It stands in the manifest of a run, where it shows at a glance
//! whether a change of code changed behaviour. It is no cryptographic hash.

use crate::units::SimTime;

/// An event that can be written as one number, for [`EventDigest`].
pub trait EventCode {
    /// A number that differs between events that differ: kind and ids, no addresses.
    fn code(&self) -> u64;
}

impl EventCode for u32 {
    fn code(&self) -> u64 {
        u64::from(*self)
    }
}

impl EventCode for u64 {
    fn code(&self) -> u64 {
        *self
    }
}

/// An order-sensitive 64-bit digest over `(time, event)`.
///
/// Each step maps the state one-to-one, so a difference between two runs is never
/// forgotten; it can be cancelled by later ones with probability 2⁻⁶⁴ only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventDigest(u64);

// Odd multipliers with well-mixed bits: the fractional parts of the golden ratio, √2 and √3.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const ROOT_2: u64 = 0x6a09_e667_f3bc_c909;
const ROOT_3: u64 = 0xbb67_ae85_84ca_a73b;

impl Default for EventDigest {
    fn default() -> Self {
        Self(GOLDEN)
    }
}

impl EventDigest {
    /// Folds in that the event numbered `code` happened at `now`.
    #[inline]
    pub fn record(&mut self, now: SimTime, code: u64) {
        // The products of the operands do not wait for the state: one multiplication is in the chain.
        let what = now.as_nanos().wrapping_mul(ROOT_2) ^ code.wrapping_mul(ROOT_3).rotate_left(32);
        self.0 = (self.0.rotate_left(23) ^ what).wrapping_mul(GOLDEN);
    }

    /// The digest of everything recorded so far.
    pub fn value(self) -> u64 {
        let folded = (self.0 ^ (self.0 >> 32)).wrapping_mul(ROOT_3);
        folded ^ (folded >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn digest(events: &[(u64, u64)]) -> u64 {
        let mut digest = EventDigest::default();
        for &(nanos, code) in events {
            digest.record(SimTime::from_nanos(nanos), code);
        }
        digest.value()
    }

    /// Computed apart from the formula: manifests of different machines are compared by it.
    #[test]
    fn the_digest_of_a_sequence_is_fixed() {
        assert_eq!(digest(&[]), 0x9824_8dda_711f_ec51);
        assert_eq!(digest(&[(1, 2), (3, 4)]), 0xe94a_0f0a_d7aa_04cc);
    }

    proptest! {
        #[test]
        fn a_changed_swapped_or_missing_event_changes_the_digest(
            events in prop::collection::vec((0..1000u64, 0..50u64), 2..50),
            place in any::<prop::sample::Index>(),
        ) {
            let place = place.index(events.len() - 1);
            let original = digest(&events);

            let mut later = events.clone();
            later[place].0 += 1;
            let mut other = events.clone();
            other[place].1 += 1;
            let mut shorter = events.clone();
            shorter.remove(place);
            let mut swapped = events.clone();
            swapped.swap(place, place + 1);

            prop_assert_ne!(digest(&later), original);
            prop_assert_ne!(digest(&other), original);
            prop_assert_ne!(digest(&shorter), original);
            prop_assert!(swapped == events || digest(&swapped) != original);
        }
    }
}
