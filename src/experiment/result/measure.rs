//! The quantities an experiment reports, and how each follows from one run.
//!
//! Sums over sources or proxies are taken before ratios; quantiles come from merged
//! histograms, never from averages of quantiles.

use std::collections::BTreeMap;

use crate::simulation::summary::{
    NodeSummary, ProxyKind, ProxySummary, RunSummary, SourceSummary, WorkloadSummary,
};
use crate::stats::ResponseTimes;
use crate::units::SimDuration;

/// Envoy's counter of endpoints that outlier detection took out.
pub const EJECTIONS_COUNTER: &str = "outlier_detection.ejections_enforced_total";

/// The event of a run that tells of an ejection.
pub const EJECTION_EVENT: &str = "endpoint_ejected";

macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $unit:literal;)*) => {
        /// A quantity of `summary.csv`. The order is the order of its rows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Metric {
            $($(#[$doc])* $variant,)*
        }

        impl Metric {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its unit in files.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit,)* }
            }
        }
    };
}

metrics! {
    /// Time from sending a request to its HTTP answer, as the client sees it.
    ResponseTime = "response_time", "ms";
    /// Response time less the baseline's at the same sweep point, paired by replication.
    ResponseTimeAdded = "response_time_added", "ms";
    /// Requests that ended in the measured part; of a workload: that it served.
    Requests = "requests", "count";
    /// Requests that ended without an answer or with a status of 500 and above.
    FailedRequests = "failed_requests", "count";
    /// Failed requests per request.
    FailureShare = "failure_share", "fraction";
    /// Requests of which an attempt failed and a later one succeeded.
    MaskedFailures = "masked_failures", "count";
    /// Attempts that reached the last HTTP server of the path, per request.
    AttemptsPerRequest = "attempts_per_request", "1";
    /// Requests per second that ended and did not fail.
    Goodput = "goodput", "req/s";
    /// CPU that proxies used.
    ProxyCpu = "proxy_cpu", "cores";
    /// CPU that application containers used.
    AppCpu = "app_cpu", "cores";
    /// CPU that everything on the nodes used.
    NodeCpu = "node_cpu", "cores";
    /// Memory of proxies at the end of the run.
    ProxyMemory = "proxy_memory", "MiB";
    /// Endpoints that outlier detection took out, summed over all proxies.
    Ejections = "ejections", "count";
    /// From the start of the measured part to the first ejection.
    TimeToFirstEjection = "time_to_first_ejection", "s";
}

impl Metric {
    /// The metric of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.name() == name)
    }
}

/// What is taken of a quantity within one run. All but `response_time` have a mean only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Statistic {
    /// The run's mean, total or rate.
    Mean,
    /// Median.
    P50,
    /// 90th percentile.
    P90,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    P999,
}

impl Statistic {
    /// All of them, in order.
    pub const ALL: &[Self] = &[Self::Mean, Self::P50, Self::P90, Self::P99, Self::P999];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
        }
    }

    /// The statistic of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|statistic| statistic.name() == name)
    }

    /// The quantile it is, 0 to 1; none for the mean.
    pub const fn quantile(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::P50 => Some(0.5),
            Self::P90 => Some(0.9),
            Self::P99 => Some(0.99),
            Self::P999 => Some(0.999),
        }
    }

    /// This statistic of `times` in milliseconds; none if there are none.
    pub fn of(self, times: &ResponseTimes) -> Option<f64> {
        let value = match self.quantile() {
            None => times.mean(),
            Some(quantile) => times.quantile(quantile),
        };
        value.map(SimDuration::as_millis_f64)
    }
}

/// Names one number of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeasureId {
    /// What is measured.
    pub metric: Metric,
    /// Of what: empty for the whole run, else `workload=…`, `proxy=…` (a kind such as
    /// `sidecar`, or `namespace/name`), `node=…`, `source=…;destination=…`.
    pub scope: String,
    /// Which statistic of it.
    pub statistic: Statistic,
}

impl MeasureId {
    /// `statistic` of `metric` over the whole run.
    pub fn whole(metric: Metric, statistic: Statistic) -> Self {
        Self { metric, scope: String::new(), statistic }
    }
}

/// The numbers of one run. Quantities that do not exist are absent: a quantile of no
/// answers, a share of no requests.
pub type Measures = BTreeMap<MeasureId, f64>;

/// Every number that one run is reported by.
pub fn measures(run: &RunSummary) -> Measures {
    let mut collected = Collector { numbers: Measures::new(), seconds: run.measured_s };
    collected.requests_of("", &run.load_generators());
    for (scope, sources) in by_pair(&run.sources) {
        collected.requests_of(&scope, &sources);
    }
    collected.proxies(&run.proxies);
    collected.applications(&run.workloads);
    collected.nodes(&run.nodes);
    collected.ejections(run);
    collected.numbers
}

/// Load generators by scope, `source=…;destination=…`: several between the same pair are one.
pub fn by_pair(sources: &[SourceSummary]) -> BTreeMap<String, Vec<&SourceSummary>> {
    let mut pairs: BTreeMap<String, Vec<&SourceSummary>> = BTreeMap::new();
    for source in sources {
        let scope = format!("source={};destination={}", source.source, source.destination);
        pairs.entry(scope).or_default().push(source);
    }
    pairs
}

struct Collector {
    numbers: Measures,
    seconds: f64,
}

impl Collector {
    fn put(&mut self, metric: Metric, scope: &str, statistic: Statistic, value: f64) {
        if value.is_finite() {
            self.numbers.insert(MeasureId { metric, scope: scope.to_owned(), statistic }, value);
        }
    }

    fn put_mean(&mut self, metric: Metric, scope: &str, value: f64) {
        self.put(metric, scope, Statistic::Mean, value);
    }

    fn requests_of(&mut self, scope: &str, sources: &[&SourceSummary]) {
        let sum = |count: fn(&SourceSummary) -> u64| {
            sources.iter().map(|source| count(source)).sum::<u64>() as f64
        };
        let requests = sum(|source| source.requests);
        let failed = sum(|source| source.failed_requests);
        self.put_mean(Metric::Requests, scope, requests);
        self.put_mean(Metric::FailedRequests, scope, failed);
        self.put_mean(Metric::MaskedFailures, scope, sum(|source| source.masked_failures));
        self.put_mean(Metric::Goodput, scope, (requests - failed) / self.seconds);
        // Without a request both are 0/0, which `put` leaves out.
        self.put_mean(Metric::FailureShare, scope, failed / requests);
        self.put_mean(Metric::AttemptsPerRequest, scope, sum(|source| source.attempts) / requests);
        self.response_times(scope, sources);
    }

    fn response_times(&mut self, scope: &str, sources: &[&SourceSummary]) {
        let mut times = ResponseTimes::default();
        for source in sources {
            times.merge(&source.response_times);
        }
        for &statistic in Statistic::ALL {
            if let Some(value) = statistic.of(&times) {
                self.put(Metric::ResponseTime, scope, statistic, value);
            }
        }
    }

    fn cores(&self, cpu_ns: u64) -> f64 {
        cpu_ns as f64 / 1e9 / self.seconds
    }

    fn proxies(&mut self, proxies: &[ProxySummary]) {
        self.proxy_group("", &proxies.iter().collect::<Vec<_>>());
        for (scope, members) in proxy_scopes(proxies) {
            self.proxy_group(&scope, &members);
        }
    }

    fn proxy_group(&mut self, scope: &str, proxies: &[&ProxySummary]) {
        let cpu_ns = proxies.iter().map(|proxy| proxy.cpu_ns).sum();
        let bytes: u64 = proxies.iter().map(|proxy| proxy.memory_bytes).sum();
        self.put_mean(Metric::ProxyCpu, scope, self.cores(cpu_ns));
        self.put_mean(Metric::ProxyMemory, scope, bytes as f64 / f64::from(1 << 20));
    }

    fn applications(&mut self, workloads: &[WorkloadSummary]) {
        let total = workloads.iter().map(|workload| workload.app_cpu_ns).sum();
        self.put_mean(Metric::AppCpu, "", self.cores(total));
        for workload in workloads {
            let scope = format!("workload={}", workload.workload);
            self.put_mean(Metric::AppCpu, &scope, self.cores(workload.app_cpu_ns));
            self.put_mean(Metric::Requests, &scope, workload.requests as f64);
        }
    }

    fn nodes(&mut self, nodes: &[NodeSummary]) {
        let total = nodes.iter().map(|node| node.cpu_ns).sum();
        self.put_mean(Metric::NodeCpu, "", self.cores(total));
        for node in nodes {
            let scope = format!("node={}", node.node);
            self.put_mean(Metric::NodeCpu, &scope, self.cores(node.cpu_ns));
        }
    }

    fn ejections(&mut self, run: &RunSummary) {
        let counters = run.proxies.iter().flat_map(|proxy| &proxy.counters);
        let ejections: u64 =
            counters.filter(|(name, _)| *name == EJECTIONS_COUNTER).map(|(_, count)| count).sum();
        self.put_mean(Metric::Ejections, "", ejections as f64);
        if let Some(first) = run.events.iter().find(|event| event.event == EJECTION_EVENT) {
            self.put_mean(Metric::TimeToFirstEjection, "", first.t_s);
        }
    }
}

/// The groups a proxy belongs to: its kind, its workload, itself.
fn proxy_scopes(proxies: &[ProxySummary]) -> BTreeMap<String, Vec<&ProxySummary>> {
    let mut groups: BTreeMap<String, Vec<&ProxySummary>> = BTreeMap::new();
    for proxy in proxies {
        groups.entry(kind_scope(proxy.kind)).or_default().push(proxy);
        groups.entry(format!("proxy={}", proxy.proxy)).or_default().push(proxy);
        if !proxy.workload.is_empty() {
            groups.entry(format!("workload={}", proxy.workload)).or_default().push(proxy);
        }
    }
    groups
}

/// The scope of all proxies of one kind, such as `proxy=sidecar`; a single proxy's has a slash.
pub fn kind_scope(kind: ProxyKind) -> String {
    format!("proxy={}", kind.label())
}
