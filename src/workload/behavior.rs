//! What a workload does with a request: CPU, waiting, calls to others, failures.
//!
//! No manifest says this. Defaults exist and are listed as assumptions by `meshsim check`.

use super::distribution::Distribution;
use super::load::Target;

/// What a workload does with each request it serves.
#[derive(Clone, Debug, PartialEq)]
pub struct Behavior {
    /// CPU time the application burns for a request; split in two around the calls.
    pub cpu_time: Distribution,
    /// Time spent waiting on something outside the model; holds a worker but no core.
    pub wait_time: Distribution,
    /// Requests served at once; the rest queue. At least 1.
    pub workers: u32,
    /// Requests that may wait for a worker; what comes beyond is answered 503 at once. `None`
    /// lets all wait.
    pub queue_limit: Option<u32>,
    /// Steps in sequence; the calls inside one step run side by side.
    pub calls: Vec<Vec<Call>>,
    /// Share of requests answered with an error of the application's own.
    pub failures: Option<Failures>,
    /// Bytes of the response body.
    pub response_bytes: u64,
}

/// One call to another workload while serving a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Whom it calls.
    pub to: Target,
    /// Chance that the call is made at all, 0 to 1.
    pub probability: f64,
    /// How many times it is made, one after another. At least 1.
    pub count: u32,
    /// Bytes of the request body.
    pub request_bytes: u64,
}

/// Errors an application answers by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failures {
    /// HTTP status of the answer, 400 to 599.
    pub status: u16,
    /// Share of requests, 0 to 1.
    pub probability: f64,
}
