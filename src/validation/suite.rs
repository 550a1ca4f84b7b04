//! Claims that are simulated and told together.

use crate::scenario::problem::Problems;

use super::claim::{Claim, Kind};
use super::effort::Effort;

/// Claims that are simulated and told together.
pub struct Suite {
    /// Where their references come from.
    pub kind: Kind,
    /// A heading.
    pub title: &'static str,
    /// What is simulated, and how.
    pub method: &'static str,
    /// Where the predictions are poor, and which mechanism is missing; empty if there is nothing
    /// to say.
    pub remark: &'static str,
    /// Simulates them.
    pub(super) simulate: fn(Effort) -> Result<Vec<Claim>, Problems>,
}

impl Suite {
    /// Simulates the claims, on all threads of the current rayon pool. The same effort gives the
    /// same claims on any number of threads.
    ///
    /// # Errors
    ///
    /// What is wrong with the models and calibrations that come with the program: nothing, as
    /// tests see to.
    pub fn claims(&self, effort: Effort) -> Result<Vec<Claim>, Problems> {
        (self.simulate)(effort)
    }
}
