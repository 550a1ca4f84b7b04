//! The parameters of the cost model, each declared once: name, unit, meaning.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::{Figure, Unit};

/// Name, unit and meaning of a parameter, for reports and sensitivity studies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterInfo {
    /// As written in a calibration file.
    pub name: &'static str,
    /// Its only unit.
    pub unit: Unit,
    /// What it means.
    pub meaning: &'static str,
}

/// What is wrong with one figure of a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationProblem {
    /// The parameter, as written.
    pub parameter: &'static str,
    /// What was found.
    pub found: String,
    /// What must hold.
    pub rule: String,
}

impl fmt::Display for CalibrationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, but must be {}", self.parameter, self.found, self.rule)
    }
}

macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $field:ident $name:literal $unit:ident),* $(,)?) => {
        /// The `spec` of a `kind: Calibration` document, as written.
        #[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct CalibrationSpec {
            /// What was measured, on which hardware and versions.
            pub description: String,
            $($(#[doc = $doc])+ #[serde(rename = $name)] pub $field: Figure,)*
        }

        /// The checked parameters as plain numbers in the units their docs give.
        #[derive(Clone, Debug, PartialEq)]
        pub struct CostModel {
            /// Name of the calibration.
            pub name: String,
            $($(#[doc = $doc])+ pub $field: f64,)*
        }

        impl CostModel {
            /// All parameters in the order of the declaration.
            pub const PARAMETERS: &'static [ParameterInfo] = &[
                $(ParameterInfo { name: $name, unit: Unit::$unit, meaning: concat!($($doc),+) }),*
            ];

            /// A world in which nothing costs anything but what applications do: one thread
            /// wherever threads are counted, zero elsewhere.
            pub fn free() -> Self {
                let value = |unit| if unit == Unit::Threads { 1.0 } else { 0.0 };
                Self { name: "free".to_owned(), $($field: value(Unit::$unit)),* }
            }

            /// The parameter with this name, to be varied.
            pub fn parameter_mut(&mut self, name: &str) -> Option<&mut f64> {
                match name {
                    $($name => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }

        impl CalibrationSpec {
            /// The figures in the order of [`CostModel::PARAMETERS`].
            pub fn figures(&self) -> Vec<(ParameterInfo, &Figure)> {
                let figures = [$(&self.$field),*];
                CostModel::PARAMETERS.iter().copied().zip(figures).collect()
            }

            fn to_model(&self, name: &str) -> CostModel {
                CostModel { name: name.to_owned(), $($field: self.$field.value),* }
            }
        }
    };
}

parameters! {
    /// Worker threads of a sidecar Envoy (`concurrency`) where the pod does not say.
    sidecar_workers "sidecarWorkers" Threads,
    /// Worker threads of a waypoint Envoy where the pod does not say.
    waypoint_workers "waypointWorkers" Threads,
    /// Worker threads of a gateway Envoy where the pod does not say.
    gateway_workers "gatewayWorkers" Threads,
    /// Worker threads of a ztunnel.
    ztunnel_workers "ztunnelWorkers" Threads,
    /// Threads on which a load-generating client runs.
    client_workers "clientWorkers" Threads,
    /// CPU time of a client sidecar per HTTP request of 1 KB, access log and telemetry included.
    sidecar_outbound_cpu "sidecarOutboundCpu" Microseconds,
    /// CPU time of a server sidecar per HTTP request of 1 KB, access log and telemetry included.
    sidecar_inbound_cpu "sidecarInboundCpu" Microseconds,
    /// CPU time of a waypoint per HTTP request of 1 KB, access log and telemetry included.
    waypoint_cpu "waypointCpu" Microseconds,
    /// CPU time of a gateway per HTTP request of 1 KB, access log and telemetry included.
    gateway_cpu "gatewayCpu" Microseconds,
    /// CPU time of one ztunnel per request and response of 1 KB passed on.
    ztunnel_cpu "ztunnelCpu" Microseconds,
    /// CPU time of an Envoy per request and response passed on as plain TCP.
    envoy_tcp_cpu "envoyTcpCpu" Microseconds,
    /// Share of an Envoy's CPU time spent before it forwards the request.
    envoy_request_share "envoyRequestShare" One,
    /// Share of an Envoy's CPU time spent before it forwards the response; the rest holds the
    /// worker after the response has left (statistics, access log).
    envoy_response_share "envoyResponseShare" One,
    /// Share of a ztunnel's CPU time spent before it forwards the bytes.
    ztunnel_forward_share "ztunnelForwardShare" One,
    /// Part of an Envoy's CPU time per request that is telemetry.
    telemetry_cpu "telemetryCpu" Microseconds,
    /// Part of an Envoy's CPU time per request that is the access log.
    access_log_cpu "accessLogCpu" Microseconds,
    /// CPU time per byte beyond the first 1 KB of a request, at each proxy.
    payload_cpu "payloadCpu" NanosecondsPerByte,
    /// CPU time a client burns per request: half to send it, half to take the answer.
    client_cpu "clientCpu" Microseconds,
    /// Coefficient of variation of every piece of CPU work.
    work_cv "workCv" One,
    /// Waking a worker that has just gone to sleep.
    wake_base "wakeBase" Microseconds,
    /// Further wake-up time per square root of the idle gap in milliseconds.
    wake_per_sqrt_ms "wakePerSqrtMs" Microseconds,
    /// Longest wake-up.
    wake_max "wakeMax" Microseconds,
    /// Each wake-up is stretched or shrunk by up to this share, evenly.
    wake_jitter "wakeJitter" One,
    /// Share of a wake-up that is CPU time of the woken process.
    wake_cpu_share "wakeCpuShare" One,
    /// One way between two containers of a pod.
    hop_same_pod "hopSamePod" Microseconds,
    /// One way between two pods of a node.
    hop_same_node "hopSameNode" Microseconds,
    /// One way between two nodes of a zone.
    hop_same_zone "hopSameZone" Microseconds,
    /// One way between two zones of a region.
    hop_cross_zone "hopCrossZone" Microseconds,
    /// Sigma of the lognormal factor on every hop but those across zones.
    hop_sigma "hopSigma" One,
    /// Sigma of the lognormal factor on a hop across zones.
    hop_cross_zone_sigma "hopCrossZoneSigma" One,
    /// CPU time of a full TLS handshake at the client.
    tls_client_cpu "tlsClientCpu" Microseconds,
    /// CPU time of a full TLS handshake at the server.
    tls_server_cpu "tlsServerCpu" Microseconds,
    /// Delay of a connection's first packet through kube-proxy's iptables rules, without services.
    iptables_base "iptablesBase" Microseconds,
    /// Further delay of that packet per 1000 services.
    iptables_per_1000_services "iptablesPer1000Services" Microseconds,
    /// Delay of a connection's first packet through nftables or IPVS.
    nftables_base "nftablesBase" Microseconds,
    /// CPU a sidecar burns without any request.
    sidecar_idle_cpu "sidecarIdleCpu" Millicores,
    /// CPU a ztunnel burns without any request.
    ztunnel_idle_cpu "ztunnelIdleCpu" Millicores,
    /// CPU a waypoint or gateway burns without any request.
    waypoint_idle_cpu "waypointIdleCpu" Millicores,
    /// Mean time between two stalls of a node; 0 turns them off.
    stall_interval "stallInterval" Seconds,
    /// Median length of a stall, during which no thread of the node runs.
    stall_median "stallMedian" Milliseconds,
    /// Sigma of the lognormal length of a stall.
    stall_sigma "stallSigma" One,
    /// Time between the launches of two connections of an in-step load generator.
    launch_spacing "launchSpacing" Microseconds,
    /// Share of a wake-up, after a gap as long as the time between two bursts, that passes between
    /// the launches of two connections of an in-step load generator, besides `launchSpacing`.
    launch_wake_share "launchWakeShare" One,
    /// Memory of a sidecar (Envoy and istio-agent) before configuration and connections.
    sidecar_memory "sidecarMemory" Mebibytes,
    /// Memory of a waypoint or gateway before configuration and connections.
    waypoint_memory "waypointMemory" Mebibytes,
    /// Memory of a ztunnel before workloads and connections.
    ztunnel_memory "ztunnelMemory" Mebibytes,
    /// Memory of an Envoy per upstream cluster (service port it can see).
    memory_per_cluster "memoryPerCluster" Kibibytes,
    /// Memory of an Envoy per connection.
    memory_per_connection "memoryPerConnection" Kibibytes,
    /// Memory of a ztunnel per workload of the mesh.
    ztunnel_memory_per_workload "ztunnelMemoryPerWorkload" Kibibytes,
    /// Memory of a ztunnel per open connection.
    ztunnel_memory_per_connection "ztunnelMemoryPerConnection" Kibibytes,
}

impl CalibrationSpec {
    /// Turns the figures into a usable cost model.
    ///
    /// # Errors
    ///
    /// Every figure that has the wrong unit, is not finite, negative or outside its range,
    /// has no source, or contradicts another.
    pub fn check(&self, name: &str) -> Result<CostModel, Vec<CalibrationProblem>> {
        let mut problems: Vec<_> = self
            .figures()
            .into_iter()
            .flat_map(|(info, figure)| check_figure(info, figure))
            .collect();
        problems.extend(self.check_shares());
        if problems.is_empty() { Ok(self.to_model(name)) } else { Err(problems) }
    }

    fn check_shares(&self) -> Option<CalibrationProblem> {
        let sum = self.envoy_request_share.value + self.envoy_response_share.value;
        (sum > 1.0).then(|| CalibrationProblem {
            parameter: "envoyRequestShare",
            found: format!("{sum} together with envoyResponseShare"),
            rule: "at most 1 together".into(),
        })
    }
}

fn check_figure(info: ParameterInfo, figure: &Figure) -> Vec<CalibrationProblem> {
    let [low, high] = figure.range;
    let mut problems = Vec::new();
    let mut require = |holds: bool, found: String, rule: String| {
        if !holds {
            problems.push(CalibrationProblem { parameter: info.name, found, rule });
        }
    };
    require(figure.unit == info.unit, format!("in {}", figure.unit), format!("in {}", info.unit));
    require(
        figure.value.is_finite() && figure.value >= 0.0,
        figure.value.to_string(),
        "a finite number, at least 0".into(),
    );
    require(
        low <= figure.value && figure.value <= high,
        figure.value.to_string(),
        format!("inside its own range of {low} to {high}"),
    );
    require(!figure.source.trim().is_empty(), "without a source".into(), "given with one".into());
    if info.unit == Unit::Threads {
        require(figure.value >= 1.0, figure.value.to_string(), "at least 1".into());
    }
    problems
}
