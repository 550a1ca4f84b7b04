//! What to simulate: as written (`…Spec`), as checked, with all problems found.

pub mod problem;
pub mod spec;

use std::sync::Arc;

use crate::cluster::kube_proxy::KubeProxyMode;
use crate::cluster::scheduler::Placement;
use crate::cluster::{Node, Pod, PodId, Service, ServiceId, Workload, WorkloadId};
use crate::cost::CostModel;
use crate::mesh::{Enrolment, Waypoint};
use crate::units::SimDuration;
use crate::workload::{Behavior, Load};

/// Everything one run needs. Ids are positions in these lists.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The machines.
    pub nodes: Vec<Node>,
    /// Application, waypoint and gateway workloads.
    pub workloads: Vec<Workload>,
    /// What pods of each workload ask of the scheduler; indexed by [`WorkloadId`].
    pub placements: Vec<Placement>,
    /// Their pods, bound to nodes.
    pub pods: Vec<Pod>,
    /// How each pod takes part in the mesh; indexed by [`PodId`].
    pub enrolments: Vec<Enrolment>,
    /// The services.
    pub services: Vec<Service>,
    /// The waypoints; [`Waypoint::workload`] runs them.
    pub waypoints: Vec<Waypoint>,
    /// The waypoint that a service is bound to (position in `waypoints`); indexed by
    /// [`ServiceId`].
    pub waypoint_of_service: Vec<Option<usize>>,
    /// The waypoint that a pod is bound to; indexed by [`PodId`].
    pub waypoint_of_pod: Vec<Option<usize>>,
    /// Whether gateways send a service's requests through its waypoint
    /// (`istio.io/ingress-use-waypoint`); indexed by [`ServiceId`].
    pub ingress_use_waypoint: Vec<bool>,
    /// What workloads do with requests.
    pub behaviors: Vec<Behavior>,
    /// Who sends requests.
    pub loads: Vec<Load>,
    /// How kube-proxy chooses.
    pub kube_proxy: KubeProxyMode,
    /// What everything costs.
    pub costs: Arc<CostModel>,
    /// The part of a run that is not measured.
    pub warm_up: SimDuration,
    /// The measured part of a run.
    pub duration: SimDuration,
}

impl Scenario {
    /// The pod with this id.
    pub fn pod(&self, pod: PodId) -> &Pod {
        &self.pods[pod.index()]
    }

    /// The workload with this id.
    pub fn workload(&self, workload: WorkloadId) -> &Workload {
        &self.workloads[workload.index()]
    }

    /// The service with this id.
    pub fn service(&self, service: ServiceId) -> &Service {
        &self.services[service.index()]
    }
}
