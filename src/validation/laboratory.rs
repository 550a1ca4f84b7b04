//! The smallest scenarios that a textbook queue can be made of: real parts, no costs.

use std::sync::Arc;

use crate::cluster::kube_proxy::KubeProxyMode;
use crate::cluster::{
    Node, NodeId, Pod, PodId, Resources, Role, Service, ServiceId, ServicePort, Workload,
    WorkloadId,
};
use crate::cost::CostModel;
use crate::mesh::Enrolment;
use crate::mesh::path::DataPlane;
use crate::scenario::Scenario;
use crate::units::SimDuration;
use crate::workload::{Arrivals, Behavior, Distribution, Load, RatePhase, Target};

/// Mean service time of every server in the laboratory.
pub(super) const SERVICE: SimDuration = SimDuration::from_millis(1);

/// The number of requests that may wait at once without limit.
const MANY: u32 = 1_000_000;

/// A scenario without any cost but the service times of its applications.
pub(super) struct Laboratory {
    scenario: Scenario,
}

impl Laboratory {
    /// An empty cluster of one node with `cores` cores.
    pub(super) fn new(cores: u32) -> Self {
        let node = Node {
            name: "node".into(),
            zone: "zone".into(),
            region: "region".into(),
            cores,
            allocatable_millicores: u64::from(cores) * 1000,
            allocatable_bytes: u64::MAX,
            max_pods: u32::MAX,
            labels: Vec::new(),
            taints: Vec::new(),
        };
        Self {
            scenario: Scenario {
                nodes: vec![node],
                workloads: Vec::new(),
                placements: Vec::new(),
                pods: Vec::new(),
                enrolments: Vec::new(),
                services: Vec::new(),
                waypoints: Vec::new(),
                waypoint_of_service: Vec::new(),
                waypoint_of_pod: Vec::new(),
                ingress_use_waypoint: Vec::new(),
                behaviors: Vec::new(),
                loads: Vec::new(),
                kube_proxy: KubeProxyMode::Iptables,
                costs: Arc::new(CostModel::free()),
                warm_up: SimDuration::from_secs(20),
                duration: SimDuration::from_secs(200),
            },
        }
    }

    /// Adds a service called `name` whose pods behave alike and stand outside the mesh.
    pub(super) fn service(&mut self, name: &str, pods: u32, behavior: Behavior) -> Target {
        self.service_in(DataPlane::None, name, pods, behavior)
    }

    /// Adds a service called `name` whose pods behave alike and take part in the mesh as `plane`
    /// says.
    pub(super) fn service_in(
        &mut self,
        plane: DataPlane,
        name: &str,
        pods: u32,
        behavior: Behavior,
    ) -> Target {
        let endpoints = self.workload(name, pods, behavior, plane).1;
        let scenario = &mut self.scenario;
        scenario.services.push(Service {
            name: name.into(),
            namespace: "lab".into(),
            ports: vec![ServicePort {
                name: "http".into(),
                port: 80,
                target_port: 80,
                app_protocol: None,
            }],
            endpoints,
            headless: false,
        });
        scenario.waypoint_of_service.push(None);
        scenario.ingress_use_waypoint.push(false);
        Target::Service { service: ServiceId(scenario.services.len() as u32 - 1), port: 0 }
    }

    /// Adds a workload of `pods` pods.
    pub(super) fn workload(
        &mut self,
        name: &str,
        pods: u32,
        behavior: Behavior,
        data_plane: DataPlane,
    ) -> (WorkloadId, Vec<PodId>) {
        let scenario = &mut self.scenario;
        let workload = WorkloadId(scenario.workloads.len() as u32);
        let first = scenario.pods.len() as u32;
        let ids: Vec<PodId> = (first..first + pods).map(PodId).collect();
        for pod in &ids {
            scenario.pods.push(Pod {
                name: format!("{name}-{}", pod.0 - first),
                namespace: "lab".into(),
                workload,
                node: NodeId(0),
                ip: (0x0a00_0000 + pod.0).into(),
                service_account: name.into(),
            });
            let enrolment = Enrolment { data_plane, concurrency: 2, ..Enrolment::default() };
            scenario.enrolments.push(enrolment);
            scenario.waypoint_of_pod.push(None);
        }
        scenario.behaviors.push(behavior);
        scenario.workloads.push(Workload {
            name: name.into(),
            namespace: "lab".into(),
            kind: "Deployment".into(),
            role: Role::Application,
            labels: Vec::new(),
            pods: ids.clone(),
            resources: Resources::default(),
            behavior: scenario.behaviors.len() - 1,
        });
        (workload, ids)
    }

    /// Lets a client outside the cluster, or `from`, send requests to `to`.
    pub(super) fn load(
        mut self,
        from: Option<WorkloadId>,
        to: Target,
        rate: f64,
        arrivals: Arrivals,
    ) -> Self {
        self.scenario.loads.push(Load {
            from,
            to,
            via: None,
            rate: vec![RatePhase { from: SimDuration::ZERO, rate }],
            connections: MANY,
            arrivals,
            catch_up: true,
            keep_alive: true,
            reopen_after_error: false,
            timeout: SimDuration::from_secs(100_000),
            request_bytes: 0,
            url: String::new(),
        });
        self
    }

    /// The scenario, measured for `length` after a tenth of it as warm-up.
    pub(super) fn measured_for(mut self, length: SimDuration) -> Scenario {
        self.scenario.warm_up = length / 10;
        self.scenario.duration = length;
        self.scenario
    }

    /// What everything costs; nothing, unless changed.
    pub(super) fn costs_mut(&mut self) -> &mut CostModel {
        Arc::make_mut(&mut self.scenario.costs)
    }

    /// Everything that can still be changed.
    pub(super) fn scenario_mut(&mut self) -> &mut Scenario {
        &mut self.scenario
    }
}

/// A server of `workers` threads that hold a request for `time` each.
pub(super) fn server(workers: u32, time: Distribution) -> Behavior {
    Behavior { wait_time: time, ..busy(workers, Distribution::ZERO) }
}

/// A server of `workers` threads that compute for `cpu` each.
pub(super) fn busy(workers: u32, cpu: Distribution) -> Behavior {
    Behavior {
        cpu_time: cpu,
        wait_time: Distribution::ZERO,
        workers,
        queue_limit: None,
        calls: Vec::new(),
        failures: None,
        response_bytes: 0,
    }
}

/// Exponential service with mean [`SERVICE`].
pub(super) fn exponential() -> Distribution {
    Distribution::Exponential { mean: SERVICE.as_secs_f64() }
}

/// Lognormal service with mean [`SERVICE`] and this coefficient of variation:
/// σ² = ln(1 + cv²), µ = ln(mean) − σ²/2.
pub(super) fn lognormal(cv: f64) -> Distribution {
    let variance = (cv * cv).ln_1p();
    let mu = SERVICE.as_secs_f64().ln() - variance / 2.0;
    Distribution::Lognormal { mu, sigma: variance.sqrt() }
}
