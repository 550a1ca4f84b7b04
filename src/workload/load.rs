//! Load generators: who sends what, to whom, how often, over which connections.

use crate::cluster::{PodId, ServiceId, WorkloadId};
use crate::units::SimDuration;

/// What a client dials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A port of a Service, by position in its list of ports.
    Service {
        /// The service.
        service: ServiceId,
        /// Position in [`crate::cluster::Service::ports`].
        port: usize,
    },
    /// A pod by its IP.
    PodIp {
        /// The pod.
        pod: PodId,
        /// The port dialled.
        port: u16,
    },
}

/// When the requests of a load want to start.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// All connections send at the same instants, every `connections / rate` (Fortio's default).
    InStep,
    /// As `InStep`, each interval stretched or shrunk by up to 10 % (Fortio `-jitter`).
    Jitter,
    /// The connections take turns, evenly spaced (Fortio `-uniform`).
    Uniform,
    /// An open loop with exponential gaps; a request takes a free connection or a new one.
    Poisson,
    /// An open loop with equal gaps.
    Constant,
    /// `connections` users, each thinking this long between an answer and the next request.
    Closed {
        /// Mean think time; exponential.
        think_time: SimDuration,
    },
    /// Arrival instants since the start of the run, sorted, replayed once.
    Trace(std::sync::Arc<[SimDuration]>),
}

/// The rate from an instant on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePhase {
    /// Since the start of the run (warm-up included).
    pub from: SimDuration,
    /// Requests per second, at least 0.
    pub rate: f64,
}

/// One load generator: the pods of a workload calling one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The calling workload; `None` is a client outside the cluster, in front of the gateway.
    pub from: Option<WorkloadId>,
    /// Whom it calls.
    pub to: Target,
    /// The gateway workload in between, if any.
    pub via: Option<WorkloadId>,
    /// Offered load over time in requests per second over all pods of `from`, sorted by `from`;
    /// never empty.
    pub rate: Vec<RatePhase>,
    /// Connections per calling pod: fixed for Fortio-like arrivals, users for a closed loop,
    /// the pool's upper bound for open loops.
    pub connections: u32,
    /// When requests want to start.
    pub arrivals: Arrivals,
    /// Whether a connection that fell behind sends at once until it has caught up (Fortio's
    /// default) or drops the missed beats (`-nocatchup`).
    pub catch_up: bool,
    /// Whether a connection serves more than one request.
    pub keep_alive: bool,
    /// Whether a connection is closed and opened anew after any answer but 200 (Fortio).
    pub reopen_after_error: bool,
    /// How long the client waits for an answer (Fortio's default is 3 s).
    pub timeout: SimDuration,
    /// Bytes of the request body.
    pub request_bytes: u64,
    /// `http://echo:8080/echo`, as the user wrote it.
    pub url: String,
}
