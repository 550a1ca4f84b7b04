//! `kind: Behavior`: what a workload does with a request.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::check::{Check, quoted};
use super::{DistributionSpec, Spec, UrlSpec};
use crate::scenario::problem::Problems;
use crate::units::{Quantity, SimDuration};

/// Largest body of a request or response, in bytes: 1 GiB.
pub const MAX_BODY: u64 = 1 << 30;

/// Longest queue that can be asked for.
const MAX_QUEUE: u32 = 1_000_000;

/// What a workload does with each request, as written. Nothing of this is in any manifest.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BehaviorSpec {
    /// Labels of the pods it is for, as in a Service.
    pub selector: BTreeMap<String, String>,
    /// CPU that a request burns in the application.
    pub cpu_time: Option<DistributionSpec>,
    /// Time it waits on something outside the model; holds a worker but no core.
    pub wait_time: Option<DistributionSpec>,
    /// Requests served at once, the rest queue; without it, as many as come.
    #[schemars(range(min = 1, max = 100_000))]
    pub workers: Option<u32>,
    /// Requests that may wait for a worker; the rest are answered 503 at once. Without it all wait.
    #[schemars(range(max = 1_000_000))]
    pub queue_limit: Option<u32>,
    /// Calls to others: steps in sequence; the calls of a list inside the list run side by side.
    pub calls: Vec<StepSpec>,
    /// Errors that the application answers by itself.
    pub failures: Option<FailuresSpec>,
    /// Body of the requests it sends, unless a call says otherwise: `1Ki`, `512`.
    pub request_size: Option<Quantity>,
    /// Body of its responses.
    pub response_size: Option<Quantity>,
    /// From the start of the container to its first answer.
    pub startup: Option<DistributionSpec>,
    /// What it does on SIGTERM.
    pub shutdown: Option<ShutdownSpec>,
}

/// One step: a call, or several side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSpec {
    /// The calls that start together.
    pub calls: Vec<CallSpec>,
    /// Whether it is written as a list.
    is_list: bool,
}

/// One call to another workload.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallSpec {
    /// Whom it calls: `http://ratings:9080/ratings`.
    pub to: UrlSpec,
    /// Chance that the call is made at all.
    #[serde(default = "certain")]
    #[schemars(range(min = 0, max = 1))]
    pub probability: f64,
    /// How many times it is made, one after another.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1000))]
    pub count: u32,
    /// Body of the request.
    pub request_size: Option<Quantity>,
}

/// Errors that the application answers by itself.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailuresSpec {
    /// HTTP status of the answer.
    #[serde(default = "internal_server_error")]
    #[schemars(range(min = 400, max = 599))]
    pub status: u16,
    /// Share of requests.
    #[schemars(range(min = 0, max = 1))]
    pub probability: f64,
}

/// What an application does on SIGTERM.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShutdownSpec {
    /// Whether it drops the requests in flight or finishes them.
    pub on_sigterm: OnSigterm,
    /// How long it waits before it stops accepting connections.
    #[serde(default)]
    pub after: SimDuration,
}

/// The two ways to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnSigterm {
    /// Exit at once: connections are reset.
    Exit,
    /// Accept nothing new, finish what is in flight, then exit.
    Drain,
}

fn certain() -> f64 {
    1.0
}

fn once() -> u32 {
    1
}

fn internal_server_error() -> u16 {
    500
}

impl<'de> Deserialize<'de> for StepSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CallOrList)
    }
}

struct CallOrList;

impl<'de> Visitor<'de> for CallOrList {
    type Value = StepSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a call such as `{to: \"http://ratings:9080/\"}`, or a list of calls made side by side",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StepSpec, A::Error> {
        let call = CallSpec::deserialize(MapAccessDeserializer::new(map))?;
        Ok(StepSpec { calls: vec![call], is_list: false })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<StepSpec, A::Error> {
        let calls = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(StepSpec { calls, is_list: true })
    }
}

impl StepSpec {
    /// The path of each call below the path of the step, with the call.
    pub fn located_calls<'a>(&'a self, path: &str) -> Vec<(String, &'a CallSpec)> {
        let locate = |(index, call)| match self.is_list {
            true => (format!("{path}[{index}]"), call),
            false => (path.to_owned(), call),
        };
        self.calls.iter().enumerate().map(locate).collect()
    }
}

impl Spec for BehaviorSpec {
    const KIND: &'static str = "Behavior";

    fn check(&self, path: &str, problems: &mut Problems) {
        self.check_distributions(path, problems);
        let mut check = Check::new(path, problems);
        check.require_that(
            !self.selector.is_empty(),
            "selector",
            "must name at least one label of the pods that behave like this",
        );
        if let Some(workers) = self.workers {
            check.require_between(workers, "workers", 1, 100_000);
        }
        if let Some(limit) = self.queue_limit {
            check.require_between(limit, "queueLimit", 0, MAX_QUEUE);
            let sentence = "must be left out without `workers`: nothing ever waits";
            check.require_that(self.workers.is_some(), "queueLimit", sentence);
        }
        if let Some(failures) = &self.failures {
            check.require_between(failures.status, "failures.status", 400, 599);
            check.require_share(failures.probability, "failures.probability");
        }
        check_size(&mut check, self.request_size, "requestSize");
        check_size(&mut check, self.response_size, "responseSize");
        for (index, step) in self.calls.iter().enumerate() {
            let step_path = format!("calls[{index}]");
            check.require_that(!step.calls.is_empty(), &step_path, "must hold at least one call");
            for (call_path, call) in step.located_calls(&step_path) {
                call.check(&mut check.part(&call_path));
            }
        }
    }
}

impl BehaviorSpec {
    fn check_distributions(&self, path: &str, problems: &mut Problems) {
        let fields = [
            ("cpuTime", &self.cpu_time),
            ("waitTime", &self.wait_time),
            ("startup", &self.startup),
        ];
        for (field, distribution) in fields {
            if let Some(distribution) = distribution {
                distribution.check(&format!("{path}.{field}"), problems);
            }
        }
    }
}

impl CallSpec {
    fn check(&self, check: &mut Check<'_>) {
        check.require_share(self.probability, "probability");
        check.require_between(self.count, "count", 1, 1000);
        check_size(check, self.request_size, "requestSize");
    }
}

/// Requires the size of a body to be whole bytes within bounds.
pub(super) fn check_size(check: &mut Check<'_>, size: Option<Quantity>, field: &str) {
    let Some(size) = size else { return };
    let shown = quoted(&format!("{} bytes", size.bytes()));
    check.require(
        !size.is_fractional(),
        field,
        "a part of a byte",
        "whole bytes, such as `128` or `1Ki`",
    );
    check.require(size.bytes() <= MAX_BODY, field, shown, "at most 1Gi");
}
