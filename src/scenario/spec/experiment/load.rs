//! Load generators as written.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::Value;

use super::super::UrlSpec;
use super::super::behavior::check_size;
use super::super::check::{Check, quoted};
use crate::scenario::problem::{Problem, Problems};
use crate::units::{Quantity, SimDuration};

/// Rates above this are taken for a slip: no single client of a cluster sends as much. Per second.
const HIGHEST_RATE: f64 = 1e6;

/// One load generator.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoadSpec {
    /// The calling workload (`client`, `shop/client`); left out or `external`, a client outside
    /// the cluster.
    pub from: Option<String>,
    /// Whom it calls: `http://echo:8080/echo`, `grpc://cart:7070`, `tcp://db:5432`.
    pub to: UrlSpec,
    /// The gateway that it goes through (`shop/ingress`), if any.
    pub via: Option<String>,
    /// HTTP method.
    #[serde(default = "get")]
    pub method: String,
    /// Requests per second over all pods of `from`: a number, or phases of it.
    pub rate: Option<RateSpec>,
    /// Connections per calling pod; of open loops the most there may be.
    #[schemars(range(min = 1, max = 100_000))]
    pub connections: Option<u32>,
    /// When requests start.
    #[serde(default)]
    pub arrivals: ArrivalsSpec,
    /// Whether a connection that fell behind sends at once until it has caught up.
    #[serde(default = "yes")]
    pub catch_up: bool,
    /// Whether a connection serves more than one request.
    #[serde(default = "yes")]
    pub keep_alive: bool,
    /// Whether a connection is opened anew after any answer but 200, as Fortio does.
    #[serde(default = "yes")]
    pub reopen_after_error: bool,
    /// How long the client waits for an answer (Fortio's default: 3s).
    #[serde(default = "three_seconds")]
    pub timeout: SimDuration,
    /// Body of each request.
    pub request_size: Option<Quantity>,
}

/// When requests want to start.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalsSpec {
    /// All connections send at the same instants, as Fortio does.
    InStep,
    /// The connections take turns, evenly spaced (Fortio's `-uniform`).
    Uniform,
    /// As `in-step`, each interval up to 10 % longer or shorter (Fortio's `-jitter`).
    Jitter,
    /// Independent of each other and of answers: what many users together look like.
    #[default]
    Poisson,
    /// Evenly spaced and independent of answers.
    Constant,
    /// Users who wait for the answer and think before the next request.
    Closed(ClosedLoopSpec),
    /// Instants from a file.
    Trace(TraceSpec),
}

/// A closed loop.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClosedLoopSpec {
    /// Users per calling pod, each with a connection.
    #[schemars(range(min = 1, max = 100_000))]
    pub users: u32,
    /// Mean time between an answer and the next request; exponential.
    #[serde(default)]
    pub think_time: SimDuration,
}

/// Recorded arrivals.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TraceSpec {
    /// File with one duration since the start a line, relative to this file.
    pub file: String,
}

/// Offered load over time.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSpec {
    /// Phases by start, the first at 0s.
    pub phases: Vec<RatePhaseSpec>,
    /// Whether it is written as a list.
    is_list: bool,
}

/// The rate from an instant on.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RatePhaseSpec {
    /// Since the start of the run, warm-up included.
    pub at: SimDuration,
    /// Requests per second.
    pub is: f64,
}

impl RateSpec {
    /// The same rate, in requests per second, all the time.
    pub fn constant(rate: f64) -> Self {
        Self { phases: vec![RatePhaseSpec { at: SimDuration::ZERO, is: rate }], is_list: false }
    }
}

/// What a variant changes about every load.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LoadOverrideSpec {
    /// The calling workload; `external` for a client outside the cluster.
    pub from: Option<String>,
    /// Whom it calls.
    pub to: Option<UrlSpec>,
    /// The gateway that it goes through.
    pub via: Option<String>,
    /// Requests per second.
    pub rate: Option<RateSpec>,
    /// Connections per calling pod.
    pub connections: Option<u32>,
    /// When requests start.
    pub arrivals: Option<ArrivalsSpec>,
    /// Whether a connection that fell behind catches up.
    pub catch_up: Option<bool>,
    /// Whether a connection serves more than one request.
    pub keep_alive: Option<bool>,
    /// Whether a connection is opened anew after an error.
    pub reopen_after_error: Option<bool>,
    /// How long the client waits for an answer.
    pub timeout: Option<SimDuration>,
    /// Body of each request.
    pub request_size: Option<Quantity>,
}

fn get() -> String {
    "GET".to_owned()
}

fn yes() -> bool {
    true
}

fn three_seconds() -> SimDuration {
    SimDuration::from_secs(3)
}

impl<'de> Deserialize<'de> for RateSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrPhases)
    }
}

struct NumberOrPhases;

impl<'de> Visitor<'de> for NumberOrPhases {
    type Value = RateSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("requests per second such as `200`, or phases such as `[{at: 0s, is: 100}, {at: 30s, is: 500}]`")
    }

    fn visit_u64<E: Error>(self, rate: u64) -> Result<RateSpec, E> {
        Ok(RateSpec::constant(rate as f64))
    }

    fn visit_i64<E: Error>(self, rate: i64) -> Result<RateSpec, E> {
        Ok(RateSpec::constant(rate as f64))
    }

    fn visit_f64<E: Error>(self, rate: f64) -> Result<RateSpec, E> {
        Ok(RateSpec::constant(rate))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<RateSpec, A::Error> {
        let phases = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(RateSpec { phases, is_list: true })
    }
}

impl RateSpec {
    fn check(&self, check: &mut Check<'_>) {
        check.require_that(!self.phases.is_empty(), "", "must have at least one phase");
        for (index, phase) in self.phases.iter().enumerate() {
            let field = if self.is_list { format!("[{index}].is") } else { String::new() };
            // A phase without requests is a pause; a load without requests is none.
            let lowest_holds = if self.is_list { phase.is >= 0.0 } else { phase.is > 0.0 };
            let holds = lowest_holds && phase.is <= HIGHEST_RATE;
            let rule = if self.is_list {
                "0 to 1000000 per second"
            } else {
                "above 0, at most 1000000 per second"
            };
            check.require(holds, &field, phase.is, rule);
        }
        if self.is_list {
            self.check_order(check);
        }
    }

    fn check_order(&self, check: &mut Check<'_>) {
        if let Some(first) = self.phases.first() {
            let rule = "0s: the first phase starts with the run";
            check.require(first.at.is_zero(), "[0].at", first.at, rule);
        }
        for (index, pair) in self.phases.windows(2).enumerate() {
            let rule = format!("later than the phase before ({})", pair[0].at);
            check.require(
                pair[0].at < pair[1].at,
                &format!("[{}].at", index + 1),
                pair[1].at,
                rule,
            );
        }
        let sends = self.phases.is_empty() || self.phases.iter().any(|phase| phase.is > 0.0);
        check.require_that(sends, "", "must have a phase with requests");
    }
}

impl ArrivalsSpec {
    /// Whether the arrivals say themselves how much is sent, so that a rate would contradict them.
    fn have_their_own_rate(&self) -> bool {
        matches!(self, Self::Closed(_) | Self::Trace(_))
    }

    fn check(&self, check: &mut Check<'_>) {
        match self {
            Self::Closed(closed) => {
                check.require_between(closed.users, "closed.users", 1, 100_000);
                let is_short = closed.think_time <= SimDuration::from_secs(3600);
                check.require(is_short, "closed.thinkTime", closed.think_time, "at most 1h");
            }
            Self::Trace(trace) => {
                let sentence = "must name a file of durations since the start";
                check.require_that(!trace.file.is_empty(), "trace.file", sentence);
            }
            _ => {}
        }
    }
}

impl LoadSpec {
    pub(super) fn check(&self, check: &mut Check<'_>) {
        check_workload(self.from.as_deref(), "from", check);
        check_workload(self.via.as_deref(), "via", check);
        let is_method =
            !self.method.is_empty() && self.method.bytes().all(|b| b.is_ascii_uppercase());
        check.require(is_method, "method", quoted(&self.method), "an HTTP method such as `GET`");
        self.check_rate(check);
        check_shared(self.connections, Some(self.timeout), self.request_size, check);
        self.arrivals.check(&mut check.part("arrivals"));
    }

    fn check_rate(&self, check: &mut Check<'_>) {
        match &self.rate {
            None => check.require_that(
                self.arrivals.have_their_own_rate(),
                "rate",
                "is missing: how many requests per second?",
            ),
            Some(_) if self.arrivals.have_their_own_rate() => check.require_that(
                false,
                "rate",
                "must be left out: a closed loop and a trace have their own",
            ),
            Some(rate) => rate.check(&mut check.part("rate")),
        }
    }

    /// Connections per calling pod: as written, else one per user of a closed loop, Fortio's 4 for
    /// loops that belong to connections, and as many as an open loop is ever likely to need (1000).
    pub fn connections(&self) -> u32 {
        self.connections.unwrap_or(match &self.arrivals {
            ArrivalsSpec::Closed(closed) => closed.users,
            ArrivalsSpec::InStep | ArrivalsSpec::Uniform | ArrivalsSpec::Jitter => 4,
            ArrivalsSpec::Poisson | ArrivalsSpec::Constant | ArrivalsSpec::Trace(_) => 1000,
        })
    }

    /// The load as a variant changes it.
    #[must_use]
    pub fn with(&self, change: &LoadOverrideSpec) -> Self {
        let mut load = self.clone();
        load.from = change.from.clone().or(load.from);
        load.to = change.to.clone().unwrap_or(load.to);
        load.via = change.via.clone().or(load.via);
        load.rate = change.rate.clone().or(load.rate);
        load.connections = change.connections.or(load.connections);
        load.arrivals = change.arrivals.clone().unwrap_or(load.arrivals);
        load.catch_up = change.catch_up.unwrap_or(load.catch_up);
        load.keep_alive = change.keep_alive.unwrap_or(load.keep_alive);
        load.reopen_after_error = change.reopen_after_error.unwrap_or(load.reopen_after_error);
        load.timeout = change.timeout.unwrap_or(load.timeout);
        load.request_size = change.request_size.or(load.request_size);
        if load.arrivals.have_their_own_rate() {
            load.rate = None;
        }
        load
    }
}

impl LoadOverrideSpec {
    /// The change that sets one `field` (`rate`, `keepAlive`) to `value`.
    ///
    /// # Errors
    ///
    /// What the value must be instead: the end of "must be …".
    pub fn of_field(field: &str, value: &Value) -> Result<Self, String> {
        let change = serde_json::json!({ field: value });
        serde_json::from_value(change).map_err(|error| {
            let sentence = error.to_string();
            let (_, expected) = sentence.split_once("expected ").unwrap_or(("", &sentence));
            expected.to_owned()
        })
    }

    pub(super) fn check(&self, check: &mut Check<'_>) {
        check_workload(self.from.as_deref(), "from", check);
        check_workload(self.via.as_deref(), "via", check);
        if let Some(rate) = &self.rate {
            rate.check(&mut check.part("rate"));
        }
        if let Some(arrivals) = &self.arrivals {
            arrivals.check(&mut check.part("arrivals"));
        }
        check_shared(self.connections, self.timeout, self.request_size, check);
    }

    /// The same checks where the value of the only field that is set stands by itself.
    pub(super) fn check_alone(&self, check: &mut Check<'_>) {
        let mut found = Problems::default();
        self.check(&mut Check::new("", &mut found));
        for problem in found {
            let field = problem.path.trim_start_matches(|c: char| c != '[');
            let path = check.path_of(field);
            check.push(Problem { path, ..problem });
        }
    }
}

fn check_shared(
    connections: Option<u32>,
    timeout: Option<SimDuration>,
    request_size: Option<Quantity>,
    check: &mut Check<'_>,
) {
    if let Some(connections) = connections {
        check.require_between(connections, "connections", 1, 100_000);
    }
    if let Some(timeout) = timeout {
        check.require(!timeout.is_zero(), "timeout", timeout, "above zero");
        check.require(timeout <= SimDuration::from_secs(3600), "timeout", timeout, "at most 1h");
    }
    check_size(check, request_size, "requestSize");
}

fn check_workload(name: Option<&str>, field: &str, check: &mut Check<'_>) {
    let rule = "the name of a workload, with its namespace if need be: `shop/client`";
    if let Some(name) = name {
        check.require(is_workload_name(name), field, quoted(name), rule);
    }
}

fn is_workload_name(name: &str) -> bool {
    let is_name = |part: &str| {
        let letters =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
        !part.is_empty() && part.bytes().all(letters)
    };
    match name.split_once('/') {
        Some((namespace, name)) => is_name(namespace) && is_name(name),
        None => is_name(name),
    }
}
