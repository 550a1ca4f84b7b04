//! `kind: Experiment`: a question, the load, the variants and what is expected of them.

mod expectation;
mod load;
mod replications;
mod sweep;
mod variant;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Spec;
use super::check::Check;
use crate::scenario::problem::{Problem, Problems};
use crate::units::SimDuration;

pub use expectation::ExpectationSpec;
pub use load::{
    ArrivalsSpec, ClosedLoopSpec, LoadOverrideSpec, LoadSpec, RatePhaseSpec, RateSpec, TraceSpec,
};
pub use replications::{PrecisionSpec, ReplicationsSpec};
pub use sweep::{OverridePath, SweepAxis, SweepSpec};
pub use variant::{DataPlaneSpec, VariantSpec, WaypointSpec};

/// Seed of experiments that name none: any constant will do, so that runs can be repeated.
pub const DEFAULT_SEED: u64 = 20_240_611;

/// Runs longer than this are taken for a slip, warm-up included.
const LONGEST_RUN: SimDuration = SimDuration::from_secs(24 * 3600);

/// An experiment as written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExperimentSpec {
    /// What it is to answer, in a sentence.
    #[serde(default)]
    pub question: String,
    /// Folder or file with manifests, relative to this file.
    pub model: String,
    /// File with a `Calibration`, relative to this file; the built-in one if left out.
    pub calibration: Option<String>,
    /// Seed of all random streams.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Who sends what to whom, how often.
    #[serde(default)]
    pub load: Vec<LoadSpec>,
    /// What is compared; the first is the baseline. Left out, the model runs as it is.
    #[serde(default)]
    pub variants: Vec<VariantSpec>,
    /// Values to be tried, in all combinations: `load.rate: [200, 1000]`.
    #[serde(default)]
    pub sweep: SweepSpec,
    /// Start of each run that is not measured.
    #[serde(default = "default_warm_up")]
    pub warm_up: SimDuration,
    /// How long each run is measured.
    #[serde(default = "default_duration")]
    pub duration: SimDuration,
    /// How often each run is repeated under other random streams.
    #[serde(default)]
    pub replications: ReplicationsSpec,
    /// What happens during a run. Not modelled yet: must be empty.
    #[serde(default)]
    pub timeline: Vec<serde_json::Value>,
    /// What must come out; decides the exit status of `meshsim run`.
    #[serde(default)]
    pub expect: Vec<ExpectationSpec>,
}

fn default_seed() -> u64 {
    DEFAULT_SEED
}

fn default_warm_up() -> SimDuration {
    SimDuration::from_secs(10)
}

fn default_duration() -> SimDuration {
    SimDuration::from_secs(60)
}

impl Spec for ExperimentSpec {
    const KIND: &'static str = "Experiment";

    fn check(&self, path: &str, problems: &mut Problems) {
        let mut check = Check::new(path, problems);
        let check = &mut check;
        check.require_that(
            !self.model.is_empty(),
            "model",
            "must name a folder or file with manifests",
        );
        check.require_that(!self.load.is_empty(), "load", "must have at least one entry");
        self.check_durations(check);
        for (index, load) in self.load.iter().enumerate() {
            load.check(&mut check.part(&format!("load[{index}]")));
        }
        check.require_unique("variants", self.variants.iter().map(|variant| variant.name.as_str()));
        for (index, variant) in self.variants.iter().enumerate() {
            variant.check(&mut check.part(&format!("variants[{index}]")));
        }
        self.sweep.check(self.load.len(), &mut check.part("sweep"));
        self.replications.check(&mut check.part("replications"));
        for (index, expectation) in self.expect.iter().enumerate() {
            expectation.check(self, &mut check.part(&format!("expect[{index}]")));
        }
        self.check_timeline(check);
    }
}

impl ExperimentSpec {
    fn check_durations(&self, check: &mut Check<'_>) {
        check.require(!self.duration.is_zero(), "duration", self.duration, "above zero");
        let whole = self.warm_up + self.duration;
        let rule = "at most 24h together with warmUp";
        check.require(whole <= LONGEST_RUN, "duration", self.duration, rule);
    }

    fn check_timeline(&self, check: &mut Check<'_>) {
        if !self.timeline.is_empty() {
            let path = check.path_of("timeline[0]");
            let problem = Problem::statement(path, "is an event, and events are not modelled yet");
            check.push(problem.hint("remove the entries of `timeline`"));
        }
    }

    /// The variant called `name`.
    pub fn variant(&self, name: &str) -> Option<&VariantSpec> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}
