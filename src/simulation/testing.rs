//! A small cluster for tests: one client pod on one node, servers on another, and costs without
//! any chance in them, so that response times can be added up by hand.

use std::sync::Arc;

use crate::cluster::kube_proxy::KubeProxyMode;
use crate::cluster::{
    Node, NodeId, Pod, PodId, Resources, Role, Service, ServiceId, ServicePort, Workload,
    WorkloadId,
};
use crate::cost::CostModel;
use crate::mesh::path::{DataPlane, WaypointFor};
use crate::mesh::{Enrolment, Waypoint};
use crate::scenario::Scenario;
use crate::units::SimDuration;
use crate::workload::{Arrivals, Behavior, Distribution, Load, RatePhase, Target};

/// CPU time of the application, in microseconds.
pub(crate) const APP_CPU_US: u64 = 20;

/// Costs without spread, jitter or wake-ups.
pub(crate) fn exact_costs() -> CostModel {
    CostModel {
        name: "exact".into(),
        sidecar_workers: 2.0,
        waypoint_workers: 2.0,
        gateway_workers: 2.0,
        ztunnel_workers: 2.0,
        client_workers: 2.0,
        sidecar_outbound_cpu: 340.0,
        sidecar_inbound_cpu: 360.0,
        waypoint_cpu: 200.0,
        gateway_cpu: 300.0,
        ztunnel_cpu: 80.0,
        envoy_tcp_cpu: 60.0,
        envoy_request_share: 0.5,
        envoy_response_share: 0.3,
        ztunnel_forward_share: 0.25,
        telemetry_cpu: 70.0,
        access_log_cpu: 40.0,
        payload_cpu: 0.0,
        client_cpu: 40.0,
        work_cv: 0.0,
        wake_base: 0.0,
        wake_per_sqrt_ms: 0.0,
        wake_max: 250.0,
        wake_jitter: 0.0,
        wake_cpu_share: 0.0,
        hop_same_pod: 8.0,
        hop_same_node: 30.0,
        hop_same_zone: 50.0,
        hop_cross_zone: 400.0,
        hop_sigma: 0.0,
        hop_cross_zone_sigma: 0.0,
        tls_client_cpu: 300.0,
        tls_server_cpu: 250.0,
        iptables_base: 10.0,
        iptables_per_1000_services: 0.0,
        nftables_base: 15.0,
        sidecar_idle_cpu: 0.0,
        ztunnel_idle_cpu: 0.0,
        waypoint_idle_cpu: 0.0,
        stall_interval: 0.0,
        stall_median: 6.0,
        stall_sigma: 0.4,
        launch_spacing: 0.0,
        launch_wake_share: 0.0,
        sidecar_memory: 45.0,
        waypoint_memory: 60.0,
        ztunnel_memory: 12.0,
        memory_per_cluster: 100.0,
        memory_per_connection: 20.0,
        ztunnel_memory_per_workload: 3.0,
        ztunnel_memory_per_connection: 6.0,
    }
}

/// What a service's pods do: a fixed CPU time and nothing else.
pub(crate) fn echo_behavior() -> Behavior {
    Behavior {
        cpu_time: Distribution::Constant(SimDuration::from_micros(APP_CPU_US)),
        wait_time: Distribution::ZERO,
        workers: 16,
        queue_limit: None,
        calls: Vec::new(),
        failures: None,
        response_bytes: 0,
    }
}

/// A scenario under construction.
pub(crate) struct Builder {
    pub(crate) scenario: Scenario,
    plane: DataPlane,
}

impl Builder {
    /// Two nodes of four cores; every pod added takes part in the mesh as `plane` says.
    pub(crate) fn new(plane: DataPlane) -> Self {
        let scenario = Scenario {
            nodes: vec![node("client-node"), node("server-node")],
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
            costs: Arc::new(exact_costs()),
            warm_up: SimDuration::from_secs(1),
            duration: SimDuration::from_secs(10),
        };
        Self { scenario, plane }
    }

    /// The client on the first node and `replicas` of `echo` on the second, behind a Service with
    /// one HTTP port.
    pub(crate) fn echo(plane: DataPlane, replicas: u32) -> Self {
        let mut builder = Self::new(plane);
        builder.workload("client", 1, 0, Role::Application, echo_behavior());
        let endpoints = builder.workload("echo", replicas, 1, Role::Application, echo_behavior());
        builder.service("echo", "http", endpoints);
        builder
    }

    /// Adds `replicas` pods of a new workload on node `node`.
    pub(crate) fn workload(
        &mut self,
        name: &str,
        replicas: u32,
        node: u32,
        role: Role,
        behavior: Behavior,
    ) -> Vec<PodId> {
        let scenario = &mut self.scenario;
        let workload = WorkloadId(scenario.workloads.len() as u32);
        let first = scenario.pods.len() as u32;
        let pods: Vec<PodId> = (first..first + replicas).map(PodId).collect();
        for ordinal in 0..replicas {
            scenario.pods.push(Pod {
                name: format!("{name}-{ordinal}"),
                namespace: "test".into(),
                workload,
                node: NodeId(node),
                ip: [10, 0, node as u8, (first + ordinal) as u8].into(),
                service_account: name.into(),
            });
            let data_plane = if role == Role::Application { self.plane } else { DataPlane::None };
            scenario.enrolments.push(Enrolment {
                data_plane,
                concurrency: 2,
                ..Enrolment::default()
            });
            scenario.waypoint_of_pod.push(None);
        }
        scenario.behaviors.push(behavior);
        scenario.workloads.push(Workload {
            name: name.into(),
            namespace: "test".into(),
            kind: "Deployment".into(),
            role,
            labels: Vec::new(),
            pods: pods.clone(),
            resources: Resources::default(),
            behavior: scenario.behaviors.len() - 1,
        });
        pods
    }

    /// Adds a Service with one port of that name.
    pub(crate) fn service(&mut self, name: &str, port: &str, endpoints: Vec<PodId>) -> Target {
        let scenario = &mut self.scenario;
        scenario.services.push(Service {
            name: name.into(),
            namespace: "test".into(),
            ports: vec![ServicePort {
                name: port.into(),
                port: 8080,
                target_port: 8080,
                app_protocol: None,
            }],
            endpoints,
            headless: false,
        });
        scenario.waypoint_of_service.push(None);
        scenario.ingress_use_waypoint.push(false);
        Target::Service { service: ServiceId(scenario.services.len() as u32 - 1), port: 0 }
    }

    /// Binds the first Service to a waypoint with one pod on the second node.
    pub(crate) fn waypoint(mut self) -> Self {
        self.workload("waypoint", 1, 1, Role::Waypoint, echo_behavior());
        let workload = WorkloadId(self.scenario.workloads.len() as u32 - 1);
        self.scenario.waypoints.push(Waypoint {
            name: "waypoint".into(),
            namespace: "test".into(),
            waypoint_for: WaypointFor::Service,
            workload,
        });
        self.scenario.waypoint_of_service[0] = Some(0);
        self
    }

    /// Lets the first workload call the first Service.
    pub(crate) fn load(mut self, rate: f64, connections: u32, arrivals: Arrivals) -> Self {
        self.scenario.loads.push(Load {
            from: Some(WorkloadId(0)),
            to: Target::Service { service: ServiceId(0), port: 0 },
            via: None,
            rate: vec![RatePhase { from: SimDuration::ZERO, rate }],
            connections,
            arrivals,
            catch_up: true,
            keep_alive: true,
            reopen_after_error: true,
            timeout: SimDuration::from_secs(3),
            request_bytes: 0,
            url: "http://echo:8080/".into(),
        });
        self
    }

    /// Changes the costs.
    pub(crate) fn costs(mut self, change: impl FnOnce(&mut CostModel)) -> Self {
        change(Arc::make_mut(&mut self.scenario.costs));
        self
    }
}

fn node(name: &str) -> Node {
    Node {
        name: name.into(),
        zone: "zone-a".into(),
        region: "region".into(),
        cores: 4,
        allocatable_millicores: 4000,
        allocatable_bytes: 16 << 30,
        max_pods: 58,
        labels: Vec::new(),
        taints: Vec::new(),
    }
}
