//! A model, built, and how a variant may change it.

use std::sync::Arc;

use super::coverage::Coverage;
use super::overlay::UnwrittenBehavior;
use super::plan::GATEWAY_NAME;
use crate::cluster::kube_proxy::KubeProxyMode;
use crate::cluster::scheduler::Placement;
use crate::cluster::{Node, Pod, Role, Service, Workload, WorkloadId};
use crate::cost::CostModel;
use crate::mesh::path::{DataPlane, WaypointFor};
use crate::mesh::{Enrolment, Waypoint};
use crate::scenario::Scenario;
use crate::scenario::spec::{DataPlaneSpec, VariantSpec, WaypointSpec};
use crate::units::SimDuration;
use crate::workload::{Behavior, Load};

/// What a variant changes about the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VariantOverrides {
    /// Where the proxies are; as the manifests say if left out.
    pub data_plane: Option<DataPlaneSpec>,
    /// What goes through waypoints; as the manifests say if left out.
    pub waypoint: Option<WaypointSpec>,
}

impl From<&VariantSpec> for VariantOverrides {
    fn from(variant: &VariantSpec) -> Self {
        Self { data_plane: variant.data_plane, waypoint: variant.waypoint }
    }
}

impl VariantOverrides {
    pub(super) fn wanted_data_plane(self) -> Option<DataPlane> {
        self.data_plane.map(|wanted| match wanted {
            DataPlaneSpec::None => DataPlane::None,
            DataPlaneSpec::Sidecar => DataPlane::Sidecar,
            DataPlaneSpec::Ambient => DataPlane::Ambient,
        })
    }

    /// The traffic for which waypoints are wanted.
    pub(super) fn wanted_waypoints(self) -> Option<WaypointFor> {
        match self.waypoint? {
            WaypointSpec::None => None,
            WaypointSpec::Service => Some(WaypointFor::Service),
            WaypointSpec::Workload => Some(WaypointFor::Workload),
            WaypointSpec::All => Some(WaypointFor::All),
        }
    }

    /// Whether nothing may be bound to a waypoint: no client would go to one.
    pub(super) fn forbids_waypoints(self) -> bool {
        let has_no_ztunnel =
            matches!(self.data_plane, Some(DataPlaneSpec::None | DataPlaneSpec::Sidecar));
        self.waypoint == Some(WaypointSpec::None) || has_no_ztunnel
    }

    /// Whether the model is taken as its manifests stand.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// A model, built: the cluster with its mesh and workloads, as a variant wants it. Loads, costs
/// and durations are what an experiment adds.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The machines.
    pub nodes: Vec<Node>,
    /// Application, waypoint and gateway workloads.
    pub workloads: Vec<Workload>,
    /// What pods of each workload ask of the scheduler; indexed by [`WorkloadId`].
    pub placements: Vec<Placement>,
    /// Their pods, bound to nodes.
    pub pods: Vec<Pod>,
    /// How each pod takes part in the mesh; indexed by [`crate::cluster::PodId`].
    pub enrolments: Vec<Enrolment>,
    /// The services.
    pub services: Vec<Service>,
    /// The waypoints.
    pub waypoints: Vec<Waypoint>,
    /// The waypoint of each service, by position in `waypoints`.
    pub waypoint_of_service: Vec<Option<usize>>,
    /// The waypoint of each pod, by position in `waypoints`.
    pub waypoint_of_pod: Vec<Option<usize>>,
    /// Whether gateways send a service's requests through its waypoint.
    pub ingress_use_waypoint: Vec<bool>,
    /// What workloads do with requests.
    pub behaviors: Vec<Behavior>,
    /// How kube-proxy chooses.
    pub kube_proxy: KubeProxyMode,
    /// What was understood, ignored and assumed.
    pub coverage: Coverage,
    /// Behaviors that are assumed; the user may write them.
    pub(super) unwritten: Vec<UnwrittenBehavior>,
    /// Pods whose proxies have as many workers as the charts give; indexed by pod.
    pub(super) has_default_workers: Vec<bool>,
}

impl Model {
    /// The workload that `name` means to something in `namespace`: `client`, `shop/client`.
    ///
    /// # Errors
    ///
    /// The end of a sentence that starts with the name: none or several are called so.
    pub fn workload(&self, name: &str) -> Result<WorkloadId, String> {
        let is_meant = |workload: &Workload| match name.split_once('/') {
            Some((namespace, name)) => workload.namespace == namespace && workload.name == name,
            None => workload.name == name,
        };
        let mut found = self.workloads.iter().enumerate().filter(|(_, w)| is_meant(w));
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(WorkloadId(index as u32)),
            (Some((_, first)), Some((_, second))) => Err(format!(
                "must name one workload; both {} and {} are called so",
                first.qualified_name(),
                second.qualified_name()
            )),
            (None, _) => Err(format!("must name a workload of the model: {}", self.some_names())),
        }
    }

    /// The gateway that `name` means: a Gateway object (`ingress`, `shop/ingress`), or the
    /// workload that runs one.
    ///
    /// # Errors
    ///
    /// The end of a sentence that starts with the name.
    pub fn gateway(&self, name: &str) -> Result<WorkloadId, String> {
        let gateways =
            || self.workloads.iter().enumerate().filter(|(_, w)| w.role == Role::Gateway);
        let is_meant = |workload: &Workload| {
            let of_object = workload.labels.iter().find(|(key, _)| key == GATEWAY_NAME);
            let names = [of_object.map(|(_, name)| name.as_str()), Some(workload.name.as_str())];
            match name.split_once('/') {
                Some((namespace, name)) => {
                    workload.namespace == namespace && names.contains(&Some(name))
                }
                None => names.contains(&Some(name)),
            }
        };
        let found: Vec<_> = gateways().filter(|(_, workload)| is_meant(workload)).collect();
        let list = |found: &[(usize, &Workload)]| {
            found.iter().map(|(_, w)| w.qualified_name()).collect::<Vec<_>>().join(", ")
        };
        match found.as_slice() {
            [(index, _)] => Ok(WorkloadId(*index as u32)),
            [] => match gateways().collect::<Vec<_>>().as_slice() {
                [] => Err("must name a gateway, and the model has none".to_owned()),
                all => Err(format!("must name a gateway of the model: {}", list(all))),
            },
            several => Err(format!("must name one gateway: {}", list(several))),
        }
    }

    fn some_names(&self) -> String {
        const SHOWN: usize = 8;
        let mut names: Vec<String> =
            self.workloads.iter().take(SHOWN + 1).map(Workload::qualified_name).collect();
        if names.len() > SHOWN {
            names[SHOWN] = "…".to_owned();
        }
        names.join(", ")
    }

    /// The scenario of this model under `loads`, with `costs`.
    ///
    /// Proxies whose pods say nothing of their workers get as many as `costs` has.
    pub fn into_scenario(
        mut self,
        loads: Vec<Load>,
        costs: Arc<CostModel>,
        warm_up: SimDuration,
        duration: SimDuration,
    ) -> Scenario {
        self.set_default_workers(&costs);
        Scenario {
            nodes: self.nodes,
            workloads: self.workloads,
            placements: self.placements,
            pods: self.pods,
            enrolments: self.enrolments,
            services: self.services,
            waypoints: self.waypoints,
            waypoint_of_service: self.waypoint_of_service,
            waypoint_of_pod: self.waypoint_of_pod,
            ingress_use_waypoint: self.ingress_use_waypoint,
            behaviors: self.behaviors,
            loads,
            kube_proxy: self.kube_proxy,
            costs,
            warm_up,
            duration,
        }
    }

    fn set_default_workers(&mut self, costs: &CostModel) {
        for (index, pod) in self.pods.iter().enumerate() {
            if self.has_default_workers[index] {
                let workers = match self.workloads[pod.workload.index()].role {
                    Role::Application => costs.sidecar_workers,
                    Role::Waypoint => costs.waypoint_workers,
                    Role::Gateway => costs.gateway_workers,
                };
                self.enrolments[index].concurrency = (workers as u32).max(1);
            }
        }
    }
}
