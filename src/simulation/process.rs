//! A process that takes part in requests: application, load generator or proxy.

use crate::cost::CostModel;
use crate::engine::Stream;
use crate::units::SimDuration;

/// Kinds of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProcessKind {
    /// A load generator.
    Client,
    /// An application container.
    App,
    /// A sidecar Envoy.
    Sidecar,
    /// A node's ztunnel.
    Ztunnel,
    /// A waypoint Envoy.
    Waypoint,
    /// A gateway Envoy.
    Gateway,
}

/// CPU time of one pass through a thread, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PassCost {
    /// Until the bytes leave, in nanoseconds.
    pub(crate) forward_ns: f64,
    /// After that, in nanoseconds.
    pub(crate) afterwards_ns: f64,
    /// Per byte beyond the first 1 KB, before the bytes leave, in nanoseconds.
    pub(crate) per_byte_ns: f64,
}

/// What a process does with what comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Parse a request and choose where it goes.
    Request,
    /// Take the answer from upstream and give it downstream.
    Response,
    /// Pass bytes on, either way.
    Bytes,
}

/// CPU times of a process by kind of pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PassCosts {
    request: PassCost,
    response: PassCost,
    bytes: PassCost,
}

impl PassCosts {
    /// An Envoy that burns `cpu_us` microseconds per HTTP request.
    pub(crate) fn envoy(cpu_us: f64, costs: &CostModel) -> Self {
        let total = cpu_us * 1e3;
        let forwards = total * costs.envoy_request_share;
        let answers = total * costs.envoy_response_share;
        let per_byte_ns = costs.payload_cpu;
        Self {
            request: PassCost { forward_ns: forwards, afterwards_ns: 0.0, per_byte_ns },
            response: PassCost {
                forward_ns: answers,
                afterwards_ns: total - forwards - answers,
                per_byte_ns,
            },
            bytes: PassCost {
                forward_ns: costs.envoy_tcp_cpu * 1e3 / 2.0,
                afterwards_ns: 0.0,
                per_byte_ns,
            },
        }
    }

    /// A ztunnel.
    pub(crate) fn ztunnel(costs: &CostModel) -> Self {
        let pass = costs.ztunnel_cpu * 1e3 / 2.0;
        let bytes = PassCost {
            forward_ns: pass * costs.ztunnel_forward_share,
            afterwards_ns: pass * (1.0 - costs.ztunnel_forward_share),
            per_byte_ns: costs.payload_cpu,
        };
        Self { bytes, ..Self::default() }
    }

    /// A load generator: half of its CPU time to send, half to take the answer.
    pub(crate) fn client(costs: &CostModel) -> Self {
        let half = costs.client_cpu * 1e3 / 2.0;
        let pass = PassCost { forward_ns: half, ..PassCost::default() };
        Self { request: pass, response: pass, bytes: PassCost::default() }
    }

    /// The cost of one kind of pass.
    pub(crate) fn of(&self, pass: Pass) -> &PassCost {
        match pass {
            Pass::Request => &self.request,
            Pass::Response => &self.response,
            Pass::Bytes => &self.bytes,
        }
    }
}

/// What a process did and burnt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    /// CPU time in nanoseconds.
    pub(crate) cpu_ns: u64,
    /// Sum of the times that work waited for a thread or core, in nanoseconds.
    pub(crate) queue_wait_ns: u64,
    /// Pieces of work done.
    pub(crate) visits: u64,
    /// Requests answered or passed on.
    pub(crate) requests: u64,
    /// Of these, passed on as bytes.
    pub(crate) relayed: u64,
    /// Requests that waited for a worker of an application.
    pub(crate) queued: u64,
    /// Requests that found the queue of an application full.
    pub(crate) refused: u64,
    /// Attempts sent upstream.
    pub(crate) attempts: u64,
    /// Connections accepted since the start.
    pub(crate) connections_accepted: u64,
    /// Connections opened upstream since the start.
    pub(crate) connections_opened: u64,
    /// Connections passed on as bytes since the start.
    pub(crate) connections_relayed: u64,
    /// Connections through it now, either side.
    pub(crate) connections_active: u64,
}

impl Account {
    /// What was added since `before`.
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns - before.cpu_ns,
            queue_wait_ns: self.queue_wait_ns - before.queue_wait_ns,
            visits: self.visits - before.visits,
            requests: self.requests - before.requests,
            relayed: self.relayed - before.relayed,
            queued: self.queued - before.queued,
            refused: self.refused - before.refused,
            attempts: self.attempts - before.attempts,
            connections_accepted: self.connections_accepted - before.connections_accepted,
            connections_opened: self.connections_opened - before.connections_opened,
            connections_relayed: self.connections_relayed - before.connections_relayed,
            connections_active: self.connections_active,
        }
    }
}

/// A process that takes part in requests.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// What it is.
    pub(crate) kind: ProcessKind,
    /// `namespace/pod`, or `istio-system/ztunnel-NODE`.
    pub(crate) name: String,
    /// The node it runs on.
    pub(crate) node: u32,
    /// Its pod; none for a ztunnel or a client outside the cluster.
    pub(crate) pod: Option<u32>,
    /// Its first station; the rest follow.
    pub(crate) first_station: u32,
    /// Stations: one per worker of an Envoy, one for a shared queue, none for an application.
    pub(crate) station_count: u32,
    /// Threads over all stations.
    pub(crate) thread_count: u32,
    /// CPU times as a client-side or only proxy.
    pub(crate) costs: PassCosts,
    /// CPU times as the proxy in front of its own application.
    pub(crate) inbound_costs: PassCosts,
    /// CPU burnt without requests, in thousandths of a core.
    pub(crate) idle_millicores: f64,
    /// What it did.
    pub(crate) account: Account,
    /// How much more or less than the average each piece of work takes.
    pub(crate) work_rng: Stream,
    /// Delays of what it sends.
    pub(crate) network_rng: Stream,
    /// Wake-ups.
    pub(crate) wake_rng: Stream,
    /// Which worker accepts a connection.
    pub(crate) accept_rng: Stream,
    /// HBONE tunnels that each station holds, for exact balance.
    pub(crate) tunnels_accepted: Vec<u32>,
}

/// A lognormal factor: e^(µ + σZ) with Z standard normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    mu: f64,
    sigma: f64,
}

impl Spread {
    /// Mean 1 and this coefficient of variation: σ² = ln(1 + cv²), µ = −σ²/2.
    pub(crate) fn from_cv(cv: f64) -> Self {
        let variance = (cv * cv).ln_1p();
        Self { mu: -variance / 2.0, sigma: variance.sqrt() }
    }

    /// Median 1 and this standard deviation of the logarithm.
    pub(crate) fn around_median(sigma: f64) -> Self {
        Self { mu: 0.0, sigma }
    }

    /// Draws a length: `length_ns` nanoseconds times the factor.
    #[inline]
    pub(crate) fn draw(&self, length_ns: f64, rng: &mut Stream) -> SimDuration {
        let z: f64 = rand_distr::Distribution::sample(&rand_distr::StandardNormal, rng);
        SimDuration::from_nanos((length_ns * (self.mu + self.sigma * z).exp()) as u64)
    }
}
