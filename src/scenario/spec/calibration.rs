//! `kind: Calibration`: the figures of a [`CalibrationSpec`] as one of our kinds.

use super::Spec;
use crate::cost::CalibrationSpec;
use crate::scenario::problem::Problems;

impl Spec for CalibrationSpec {
    const KIND: &'static str = "Calibration";

    fn check(&self, path: &str, problems: &mut Problems) {
        for problem in Self::check(self, "").err().unwrap_or_default() {
            problems.add(format!("{path}.{}", problem.parameter), problem.found, problem.rule);
        }
    }
}
