//! What one run leaves behind: everything the report is made of.

use crate::stats::ResponseTimes;
use crate::units::SimDuration;

/// Outcomes of the requests of one load generator, or of one kind of call between workloads, in
/// the measured part of the run.
#[derive(Clone, Debug)]
pub struct SourceSummary {
    /// Whether a load generator sent them: the whole run is the sum of those.
    pub is_load_generator: bool,
    /// Calling workload (`namespace/name`), or `external`.
    pub source: String,
    /// Service or pod called (`namespace/name`).
    pub destination: String,
    /// Response times of the requests that got an HTTP answer, whatever its status.
    pub response_times: ResponseTimes,
    /// Requests that ended.
    pub requests: u64,
    /// Requests that ended without an answer or with one of 500 and above.
    pub failed_requests: u64,
    /// Requests of which an attempt failed and a later one succeeded.
    pub masked_failures: u64,
    /// Attempts at the last HTTP server of the path.
    pub attempts: u64,
    /// One entry per window of the measured part.
    pub windows: Vec<Window>,
}

/// What ended in one window of the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Requests that ended.
    pub requests: u64,
    /// Of these, failed.
    pub failed_requests: u64,
    /// Median response time of those that were answered; none if none was.
    pub response_time_p50: Option<SimDuration>,
    /// 99th percentile of the same.
    pub response_time_p99: Option<SimDuration>,
}

/// Who reported a response: Istio's `reporter` label, or the client itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reporter {
    /// The load generator or calling application.
    Client,
    /// The client's Envoy or ztunnel.
    Source,
    /// A waypoint.
    Waypoint,
    /// The server's Envoy or ztunnel.
    Destination,
}

impl Reporter {
    /// Istio's label value; `client` for the caller itself.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Source => "source",
            Self::Waypoint => "waypoint",
            Self::Destination => "destination",
        }
    }
}

/// Responses of one kind, as one reporter counted them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResponseCount {
    /// Calling workload (`namespace/name`), or `external`.
    pub source: String,
    /// Service or workload called (`namespace/name`).
    pub destination: String,
    /// Who counted.
    pub reporter: Reporter,
    /// HTTP status; 0 is no HTTP answer.
    pub response_code: u16,
    /// Envoy's response flags, comma separated; empty for none.
    pub response_flags: String,
    /// How many.
    pub requests: u64,
}

impl RunSummary {
    /// What load generators sent.
    pub fn load_generators(&self) -> Vec<&SourceSummary> {
        self.sources.iter().filter(|source| source.is_load_generator).collect()
    }
}

impl ResponseCount {
    /// Whether `other` counts responses of the same kind.
    pub fn has_same_labels(&self, other: &Self) -> bool {
        let labels = |row: &Self| (row.reporter, row.response_code);
        labels(self) == labels(other)
            && self.source == other.source
            && self.destination == other.destination
            && self.response_flags == other.response_flags
    }
}

/// The kinds of proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProxyKind {
    /// An Envoy beside the application.
    Sidecar,
    /// The node proxy of ambient mode.
    Ztunnel,
    /// The HTTP proxy of ambient mode.
    Waypoint,
    /// An ingress or internal gateway.
    Gateway,
}

impl ProxyKind {
    /// Lower-case name, as in the CSV files.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sidecar => "sidecar",
            Self::Ztunnel => "ztunnel",
            Self::Waypoint => "waypoint",
            Self::Gateway => "gateway",
        }
    }
}

/// What one proxy did and burnt in the measured part of the run.
#[derive(Clone, Debug)]
pub struct ProxySummary {
    /// `namespace/pod` of a sidecar, waypoint or gateway; `istio-system/ztunnel-NODE`.
    pub proxy: String,
    /// Which kind it is.
    pub kind: ProxyKind,
    /// Workload it belongs to; empty for a ztunnel.
    pub workload: String,
    /// Its node.
    pub node: String,
    /// Worker threads.
    pub workers: u32,
    /// CPU time in nanoseconds, idle CPU included.
    pub cpu_ns: u64,
    /// Memory at the end of the run in bytes.
    pub memory_bytes: u64,
    /// Requests whose response it forwarded (L4 proxies: exchanges passed on).
    pub requests: u64,
    /// Sum of the times that work waited for a worker, in nanoseconds.
    pub queue_wait_ns: u64,
    /// Pieces of work that its workers did.
    pub visits: u64,
    /// Envoy's and Istio's own counters by their names, sorted by name.
    pub counters: Vec<(&'static str, u64)>,
}

/// What one node burnt in the measured part of the run.
#[derive(Clone, Debug)]
pub struct NodeSummary {
    /// Its name.
    pub node: String,
    /// Its cores.
    pub cores: u32,
    /// CPU time of everything on it, in nanoseconds.
    pub cpu_ns: u64,
}

/// What one application workload burnt in the measured part of the run.
#[derive(Clone, Debug)]
pub struct WorkloadSummary {
    /// `namespace/name`.
    pub workload: String,
    /// Pods.
    pub pods: u32,
    /// CPU time of its application containers, in nanoseconds.
    pub app_cpu_ns: u64,
    /// Requests it served.
    pub requests: u64,
    /// Of these, requests that had to wait for a worker.
    pub queued: u64,
    /// Requests it answered 503 because its queue was full.
    pub refused: u64,
}

/// Everything one run leaves behind.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// Length of the measured part in seconds.
    pub measured_s: f64,
    /// Length of a window in seconds.
    pub window_s: f64,
    /// One per load generator, in the order of the scenario, then one per call of a behavior.
    pub sources: Vec<SourceSummary>,
    /// Sorted.
    pub responses: Vec<ResponseCount>,
    /// Sorted by kind, then name.
    pub proxies: Vec<ProxySummary>,
    /// In the order of the scenario.
    pub nodes: Vec<NodeSummary>,
    /// Application workloads in the order of the scenario.
    pub workloads: Vec<WorkloadSummary>,
    /// What happened when: seconds since the start of the measured part (negative in the
    /// warm-up), what, to whom.
    pub events: Vec<RunEvent>,
    /// Events the engine handled.
    pub event_count: u64,
    /// Digest over all events: equal digests, equal runs.
    pub digest: u64,
}

/// Something worth telling that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEvent {
    /// Seconds since the start of the measured part.
    pub t_s: f64,
    /// What happened, such as `node_stalled`.
    pub event: &'static str,
    /// To whom: a pod, proxy or node.
    pub subject: String,
    /// Further words; may be empty.
    pub detail: String,
}
