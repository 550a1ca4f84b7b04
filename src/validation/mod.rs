//! The verification ladder: claims with a reference, what the simulator says, and a verdict.
//!
//! Theory comes first. Its claims are made of the parts the mesh uses (load generators,
//! connections, pools, application workers, Envoys, cores), with every cost that the textbook
//! does not know set to zero. Then come measurements, under the calibrations that come with the
//! program: what was used to fit a parameter is marked, the rest is predicted.

mod bench;
mod claim;
mod effort;
mod figures;
pub mod formulas;
mod laboratory;
pub mod page;
mod prediction;
mod published;
mod replication;
mod seed;
mod suite;
mod theory;

pub use claim::{Claim, Kind, Verdict};
pub use effort::Effort;
pub use figures::{Series, all_series};
pub use suite::Suite;

/// Everything that is claimed, from theory down the ladder.
pub fn suites() -> Vec<Suite> {
    let mut suites = theory::suites();
    suites.extend(seed::suites());
    suites.extend(published::suites());
    suites
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every measured claim can be simulated, and is told apart from all others. The raw runs are
    /// left out: many loads of one kind.
    #[test]
    fn every_measured_claim_gets_an_answer() {
        let mut names = BTreeSet::new();
        let measured = suites().into_iter().filter(|suite| suite.kind != Kind::Theory);
        for suite in measured.filter(|suite| !suite.title.starts_with("Raw runs")) {
            let claims =
                suite.claims(Effort::of(0.02)).unwrap_or_else(|problems| panic!("{problems}"));
            assert!(!claims.is_empty(), "{}", suite.title);
            for claim in claims {
                let numbers = [claim.reference, claim.ours, claim.ci_low, claim.ci_high];
                assert!(numbers.iter().all(|number| number.is_finite()), "{claim:?}");
                assert!(names.insert(claim.claim.clone()), "{claim:?} is claimed twice");
            }
        }
    }
}
