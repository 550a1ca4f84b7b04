//! What a finished world leaves behind.

use crate::cluster::Role;
use crate::units::SimTime;

use super::flags::Flags;
use super::observer::EdgeStatistics;
use super::process::{Account, Process, ProcessKind};
use super::summary::{
    NodeSummary, ProxyKind, ProxySummary, Reporter, ResponseCount, RunEvent, RunSummary,
    SourceSummary, WorkloadSummary,
};
use super::world::{Edge, MeshWorld};

const MEBIBYTE: f64 = 1024.0 * 1024.0;
const KIBIBYTE: f64 = 1024.0;

impl MeshWorld<'_> {
    /// The summary of the run that ended with this world.
    pub(crate) fn summarize(mut self, window_s: f64, event_count: u64, digest: u64) -> RunSummary {
        self.observer.finish();
        RunSummary {
            measured_s: self.scenario.duration.as_secs_f64(),
            window_s,
            proxies: self.proxies(),
            nodes: self.nodes(),
            workloads: self.workloads(),
            responses: self.responses(),
            events: self.told_events(),
            sources: self.sources(),
            event_count,
            digest,
        }
    }

    fn sources(&mut self) -> Vec<SourceSummary> {
        let edges = std::mem::take(&mut self.observer.edges);
        let loads = self.scenario.loads.len();
        let named = edges.into_iter().zip(&self.edges).enumerate();
        named.map(|(index, (statistics, edge))| source(statistics, edge, index < loads)).collect()
    }

    fn responses(&self) -> Vec<ResponseCount> {
        const REPORTERS: [Reporter; 4] =
            [Reporter::Client, Reporter::Source, Reporter::Waypoint, Reporter::Destination];
        let mut rows = Vec::new();
        for (statistics, edge) in self.observer.edges.iter().zip(&self.edges) {
            for reporter in REPORTERS {
                let counts = &statistics.responses[reporter as usize];
                rows.extend(counts.iter().map(|&(status, flags, requests)| ResponseCount {
                    source: edge.source.clone(),
                    destination: edge.destination.clone(),
                    reporter,
                    response_code: status,
                    response_flags: Flags(flags).to_string(),
                    requests,
                }));
            }
        }
        rows.sort();
        merge_equal_rows(rows)
    }

    /// What the process at `index` did in the measured part, and the CPU time in nanoseconds that
    /// it burnt, idle CPU included.
    fn measured(&self, index: usize) -> (Account, u64) {
        let (before, after) = (&self.observer.at_start[index], &self.observer.at_end[index]);
        let spent = after.since(before);
        let measured_s = self.scenario.duration.as_secs_f64();
        let idle_ns = self.processes[index].idle_millicores * 1e-3 * measured_s * 1e9;
        (spent, spent.cpu_ns + idle_ns as u64)
    }

    fn proxies(&self) -> Vec<ProxySummary> {
        let mut proxies: Vec<ProxySummary> = (0..self.processes.len())
            .filter_map(|index| {
                let kind = proxy_kind(self.processes[index].kind)?;
                Some(self.proxy(index, kind))
            })
            .collect();
        proxies.sort_by(|a, b| (a.kind, &a.proxy).cmp(&(b.kind, &b.proxy)));
        proxies
    }

    fn proxy(&self, index: usize, kind: ProxyKind) -> ProxySummary {
        let process = &self.processes[index];
        let (spent, cpu_ns) = self.measured(index);
        let workload = process.pod.map_or_else(String::new, |pod| {
            let pod = &self.scenario.pods[pod as usize];
            self.scenario.workload(pod.workload).qualified_name()
        });
        ProxySummary {
            proxy: process.name.clone(),
            kind,
            workload,
            node: self.scenario.nodes[process.node as usize].name.clone(),
            workers: process.thread_count,
            cpu_ns,
            memory_bytes: self.memory_bytes(process),
            requests: spent.requests,
            queue_wait_ns: spent.queue_wait_ns,
            visits: spent.visits,
            counters: counters(kind, &spent, &process.account),
        }
    }

    /// Memory of a proxy by its visible clusters and open connections.
    ///
    /// Formula and figures: calibration, section on memory. An Envoy without a Sidecar
    /// resource sees every service port; a ztunnel holds every workload of the mesh.
    fn memory_bytes(&self, process: &Process) -> u64 {
        let costs = &self.scenario.costs;
        let connections = process.account.connections_active as f64;
        let ports: usize = self.scenario.services.iter().map(|service| service.ports.len()).sum();
        let envoy = |fixed_mib: f64| {
            fixed_mib * MEBIBYTE
                + ports as f64 * costs.memory_per_cluster * KIBIBYTE
                + connections * costs.memory_per_connection * KIBIBYTE
        };
        let bytes = match process.kind {
            ProcessKind::Sidecar => envoy(costs.sidecar_memory),
            ProcessKind::Waypoint | ProcessKind::Gateway => envoy(costs.waypoint_memory),
            ProcessKind::Ztunnel => {
                costs.ztunnel_memory * MEBIBYTE
                    + self.scenario.pods.len() as f64 * costs.ztunnel_memory_per_workload * KIBIBYTE
                    + connections * costs.ztunnel_memory_per_connection * KIBIBYTE
            }
            ProcessKind::App | ProcessKind::Client => 0.0,
        };
        bytes as u64
    }

    fn nodes(&self) -> Vec<NodeSummary> {
        let mut nodes: Vec<NodeSummary> = self
            .scenario
            .nodes
            .iter()
            .map(|node| NodeSummary { node: node.name.clone(), cores: node.cores, cpu_ns: 0 })
            .collect();
        for (index, process) in self.processes.iter().enumerate() {
            if let Some(node) = nodes.get_mut(process.node as usize) {
                node.cpu_ns += self.measured(index).1;
            }
        }
        nodes
    }

    fn workloads(&self) -> Vec<WorkloadSummary> {
        let mut workloads: Vec<WorkloadSummary> = self
            .scenario
            .workloads
            .iter()
            .map(|workload| WorkloadSummary {
                workload: workload.qualified_name(),
                pods: workload.pods.len() as u32,
                app_cpu_ns: 0,
                requests: 0,
                queued: 0,
                refused: 0,
            })
            .collect();
        for (index, process) in self.processes.iter().enumerate() {
            let is_application = matches!(process.kind, ProcessKind::App | ProcessKind::Client);
            let Some(pod) = process.pod.filter(|_| is_application) else { continue };
            let workload = self.scenario.pods[pod as usize].workload.index();
            let (spent, cpu_ns) = self.measured(index);
            workloads[workload].app_cpu_ns += cpu_ns;
            workloads[workload].requests += spent.requests;
            workloads[workload].queued += spent.queued;
            workloads[workload].refused += spent.refused;
        }
        let is_application =
            |index: usize| self.scenario.workloads[index].role == Role::Application;
        let kept = workloads.into_iter().enumerate().filter(|(index, _)| is_application(*index));
        kept.map(|(_, workload)| workload).collect()
    }

    fn told_events(&self) -> Vec<RunEvent> {
        let starts_at = (SimTime::ZERO + self.scenario.warm_up).as_secs_f64();
        let stalls = self.observer.stalls.iter().map(|stall| RunEvent {
            t_s: stall.at.as_secs_f64() - starts_at,
            event: "node_stalled",
            subject: self.scenario.nodes[stall.node as usize].name.clone(),
            detail: format!("{:.3} ms", stall.length.as_millis_f64()),
        });
        stalls.collect()
    }
}

fn source(statistics: EdgeStatistics, edge: &Edge, is_load_generator: bool) -> SourceSummary {
    SourceSummary {
        is_load_generator,
        source: edge.source.clone(),
        destination: edge.destination.clone(),
        response_times: statistics.response_times,
        requests: statistics.requests,
        failed_requests: statistics.failed_requests,
        masked_failures: statistics.masked_failures,
        attempts: statistics.attempts,
        windows: statistics.windows,
    }
}

/// Two edges between the same ends, such as two loads, share their rows.
fn merge_equal_rows(rows: Vec<ResponseCount>) -> Vec<ResponseCount> {
    let mut merged: Vec<ResponseCount> = Vec::with_capacity(rows.len());
    for row in rows {
        match merged.last_mut() {
            Some(last) if last.has_same_labels(&row) => last.requests += row.requests,
            _ => merged.push(row),
        }
    }
    merged
}

fn proxy_kind(kind: ProcessKind) -> Option<ProxyKind> {
    match kind {
        ProcessKind::Sidecar => Some(ProxyKind::Sidecar),
        ProcessKind::Ztunnel => Some(ProxyKind::Ztunnel),
        ProcessKind::Waypoint => Some(ProxyKind::Waypoint),
        ProcessKind::Gateway => Some(ProxyKind::Gateway),
        ProcessKind::App | ProcessKind::Client => None,
    }
}

/// Counters by the names that Envoy and Istio give them. Connections count from the start of the
/// run, for those that carry the measured part were opened before it.
fn counters(kind: ProxyKind, spent: &Account, ever: &Account) -> Vec<(&'static str, u64)> {
    if kind == ProxyKind::Ztunnel {
        return vec![("istio_tcp_connections_opened_total", ever.connections_relayed)];
    }
    vec![
        ("downstream_cx_total", ever.connections_accepted),
        ("istio_requests_total", spent.requests - spent.relayed),
        ("istio_tcp_connections_opened_total", ever.connections_relayed),
        ("upstream_cx_total", ever.connections_opened),
        ("upstream_rq_total", spent.attempts),
    ]
}
