//! A client and a server under a calibration: what the simulator says where others measured.

use std::sync::Arc;

use crate::cluster::ServiceId;
use crate::cost::CostModel;
use crate::import::kubernetes::{Model, VariantOverrides, build};
use crate::import::manifests::{Object, load_text};
use crate::scenario::Scenario;
use crate::scenario::problem::{Problem, Problems};
use crate::scenario::spec::{DataPlaneSpec, WaypointSpec};
use crate::simulation::summary::{ProxyKind, ProxySummary, RunSummary};
use crate::units::SimDuration;
use crate::workload::{Arrivals, Distribution, Load, RatePhase, Target};

use super::effort::Effort;
use super::replication::observe;

/// The four data planes that publications compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Plane {
    None,
    AmbientL4,
    Sidecar,
    AmbientL7,
}

impl Plane {
    /// As variants of experiments are called, and data rows.
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("none", Self::None),
        ("ambient-l4", Self::AmbientL4),
        ("sidecar", Self::Sidecar),
        ("ambient-l7", Self::AmbientL7),
    ];

    /// The data plane of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, plane)| plane)
    }

    fn overrides(self) -> VariantOverrides {
        let (data_plane, waypoint) = match self {
            Self::None => (DataPlaneSpec::None, None),
            Self::Sidecar => (DataPlaneSpec::Sidecar, None),
            Self::AmbientL4 => (DataPlaneSpec::Ambient, None),
            Self::AmbientL7 => (DataPlaneSpec::Ambient, Some(WaypointSpec::Service)),
        };
        VariantOverrides { data_plane: Some(data_plane), waypoint }
    }
}

/// What the client sends.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    /// Requests per second.
    pub(super) rate: f64,
    /// Connections.
    pub(super) connections: u32,
    /// When requests start.
    pub(super) arrivals: Arrivals,
    /// Whether a connection serves more than one request.
    pub(super) keep_alive: bool,
    /// Bytes of a request body.
    pub(super) request_bytes: u64,
}

impl Traffic {
    /// Requests without a body over connections that stay open.
    pub(super) fn new(rate: f64, connections: u32, arrivals: Arrivals) -> Self {
        Self { rate, connections, arrivals, keep_alive: true, request_bytes: 0 }
    }
}

/// One Service, called by the workload `client`, under one calibration.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    objects: Vec<Object>,
    service: &'static str,
    /// What everything costs.
    pub(super) costs: CostModel,
    /// Cores of every node; the model's own if none.
    cores: Option<u32>,
    /// CPU time of a request at the server; the model's own if none.
    cpu_time: Option<Distribution>,
    /// Time that a request waits at the server.
    wait_time: Distribution,
}

/// The cluster of the EKS study.
const ECHO: [(&str, &str); 5] = [
    ("models/echo/behavior.yaml", include_str!("../../models/echo/behavior.yaml")),
    ("models/echo/client.yaml", include_str!("../../models/echo/client.yaml")),
    ("models/echo/cluster.yaml", include_str!("../../models/echo/cluster.yaml")),
    ("models/echo/echo.yaml", include_str!("../../models/echo/echo.yaml")),
    ("models/echo/waypoint.yaml", include_str!("../../models/echo/waypoint.yaml")),
];

/// The layout of Istio's own measurements.
const TWO_PODS: [(&str, &str); 1] =
    [("models/two-pods/two-pods.yaml", include_str!("../../models/two-pods/two-pods.yaml"))];

/// Simulated time before measuring begins.
const WARM_UP: SimDuration = SimDuration::from_secs(1);

impl Bench {
    /// The cluster of the EKS study.
    ///
    /// # Errors
    ///
    /// None, as a test sees to.
    pub(super) fn echo(costs: CostModel) -> Result<Self, Problems> {
        Self::new(&ECHO, "echo", costs)
    }

    /// One client pod and one server pod.
    ///
    /// # Errors
    ///
    /// None, as a test sees to.
    pub(super) fn two_pods(costs: CostModel) -> Result<Self, Problems> {
        Self::new(&TWO_PODS, "server", costs)
    }

    fn new(
        files: &[(&str, &str)],
        service: &'static str,
        costs: CostModel,
    ) -> Result<Self, Problems> {
        let mut objects = Vec::new();
        for (name, text) in files {
            let manifests = load_text(name, text);
            objects.extend(manifests.problems.or_ok(manifests.objects)?);
        }
        Ok(Self {
            objects,
            service,
            costs,
            cores: None,
            cpu_time: None,
            wait_time: Distribution::ZERO,
        })
    }

    /// The same on nodes with so many cores.
    pub(super) fn with_cores(self, cores: u32) -> Self {
        Self { cores: Some(cores), ..self }
    }

    /// Lets a request take that much CPU time at the server.
    pub(super) fn server_computes(&mut self, cpu_time: Distribution) {
        self.cpu_time = Some(cpu_time);
    }

    /// Lets a request wait that long at the server.
    pub(super) fn server_waits(&mut self, wait_time: Distribution) {
        self.wait_time = wait_time;
    }

    /// What the client sends to the service in that data plane, measured for `seconds`.
    ///
    /// # Errors
    ///
    /// None, as a test sees to.
    pub(super) fn scenario(
        &self,
        plane: Plane,
        traffic: &Traffic,
        seconds: u64,
    ) -> Result<Scenario, Problems> {
        let mut model = build(&self.objects, plane.overrides())?;
        if let Some(cores) = self.cores {
            model.nodes.iter_mut().for_each(|node| node.cores = cores);
        }
        let load = self.load(&model, traffic)?;
        for behavior in &mut model.behaviors {
            behavior.wait_time = self.wait_time.clone();
            if let Some(cpu_time) = &self.cpu_time {
                behavior.cpu_time = cpu_time.clone();
            }
        }
        let costs = Arc::new(self.costs.clone());
        Ok(model.into_scenario(vec![load], costs, WARM_UP, SimDuration::from_secs(seconds)))
    }

    fn load(&self, model: &Model, traffic: &Traffic) -> Result<Load, Problems> {
        let client = model.workload("client").map_err(|_| missing("client"))?;
        let position = model.services.iter().position(|service| service.name == self.service);
        let service = position.ok_or_else(|| missing(self.service))?;
        Ok(Load {
            from: Some(client),
            to: Target::Service { service: ServiceId(service as u32), port: 0 },
            via: None,
            rate: vec![RatePhase { from: SimDuration::ZERO, rate: traffic.rate }],
            connections: traffic.connections,
            arrivals: traffic.arrivals.clone(),
            catch_up: true,
            keep_alive: traffic.keep_alive,
            reopen_after_error: true,
            timeout: SimDuration::from_secs(3),
            request_bytes: traffic.request_bytes,
            url: format!("http://{}:8080/", self.service),
        })
    }

    /// What `statistic` says of each replication, in their order.
    ///
    /// # Errors
    ///
    /// None, as a test sees to.
    pub(super) fn observe<T: Send>(
        &self,
        plane: Plane,
        traffic: &Traffic,
        effort: Effort,
        statistic: impl Fn(&RunSummary) -> T + Sync,
    ) -> Result<Vec<T>, Problems> {
        let seconds = effort.seconds(full_length(traffic.rate));
        let scenario = self.scenario(plane, traffic, seconds)?;
        Ok(observe(&scenario, effort.replications_of_measurements(), statistic))
    }
}

fn missing(what: &str) -> Problems {
    let mut problems = Problems::default();
    problems.push(Problem::statement(what, "is not in the model"));
    problems
}

/// Seconds of a replication at full effort: some 5000 requests, or a minute.
fn full_length(rate: f64) -> u64 {
    ((5_000.0 / rate) as u64).clamp(2, 60)
}

/// A quantile of the client's response times in milliseconds.
pub(super) fn quantile_ms(run: &RunSummary, quantile: f64) -> f64 {
    let times = &run.sources[0].response_times;
    times.quantile(quantile).unwrap_or_default().as_millis_f64()
}

/// Whether `proxy` is the sidecar of a workload called so.
pub(super) fn is_sidecar_of(proxy: &ProxySummary, workload: &str) -> bool {
    let name = proxy.workload.rsplit('/').next();
    proxy.kind == ProxyKind::Sidecar && name == Some(workload)
}
