//! From objects to a model, step by step.

use std::collections::{BTreeMap, BTreeSet};

use super::behaviors::behaviors;
use super::coverage::{Assumption, Warning};
use super::data_plane::{self, Concurrency};
use super::gateways::{PlannedWaypoint, add_gateways};
use super::inventory::{Inventory, Namespaces};
use super::model::{Model, VariantOverrides};
use super::nodes::{Machines, machines};
use super::numbering::Numbering;
use super::placement::{ambient_agents, assume_agents, place};
use super::plan::{Plan, Planned, Replicas, plan};
use super::resources::application_resources;
use super::services::{PlannedService, services};
use super::waypoints::{Binder, add_waypoints};
use crate::cluster::scheduler::{Placement, Requests};
use crate::cluster::{Node, NodeId, Pod, PodId, Resources, Role, Service, Workload, WorkloadId};
use crate::import::manifests::Object;
use crate::mesh::path::{Addressed, DataPlane};
use crate::mesh::{Enrolment, Waypoint};
use crate::scenario::problem::{Problem, Problems};

/// Builds the model that `objects` describe, changed as `overrides` want.
///
/// # Errors
///
/// Everything that is wrong with the objects. What merely has no effect, or finds no room, is a
/// warning of the model's [`super::Coverage`].
pub fn build(objects: &[Object], overrides: VariantOverrides) -> Result<Model, Problems> {
    let mut inventory = Inventory::of(objects);
    let draft = Draft::new(&mut inventory, overrides);
    if let Some(problem) = draft.too_many_pods() {
        inventory.notes.problems.push(problem);
        return inventory.notes.problems.or_ok(Model::default());
    }
    let mut model = draft.into_model(&mut inventory);
    let problems = std::mem::take(&mut inventory.notes.problems);
    model.coverage.warnings = problems.warnings().map(Warning::from).collect();
    problems.or_ok(model)
}

/// The cluster as planned, its pods without nodes. Entries refer to each other by position.
struct Draft<'o> {
    plan: Plan<'o>,
    services: Vec<PlannedService<'o>>,
    waypoints: Vec<PlannedWaypoint>,
}

impl<'o> Draft<'o> {
    fn new(inventory: &mut Inventory<'o>, overrides: VariantOverrides) -> Self {
        let mut plan = plan(inventory);
        let mut gateways = add_gateways(inventory, &mut plan);
        for workload in &mut plan.workloads {
            check_annotations(workload, inventory);
            workload.enrol(&inventory.namespaces, overrides.wanted_data_plane());
        }
        let defaults = match overrides.wanted_waypoints() {
            Some(kind) if !overrides.forbids_waypoints() => {
                let namespaces = ambient_namespaces(&plan.workloads);
                add_waypoints(namespaces.into_iter(), kind, &mut gateways, &mut plan)
            }
            _ => BTreeMap::new(),
        };
        let services = services(inventory, &gateways, &plan.workloads);
        let mut draft = Self { plan, services, waypoints: gateways.waypoints };
        if !overrides.forbids_waypoints() {
            draft.bind_to_waypoints(inventory, &defaults);
        }
        if !overrides.is_empty() {
            draft.leave_out_unused_waypoints();
        }
        draft.forget_waypoints_for_nothing();
        draft
    }

    fn bind_to_waypoints(
        &mut self,
        inventory: &mut Inventory<'_>,
        defaults: &BTreeMap<String, usize>,
    ) {
        let Inventory { namespaces, notes, .. } = inventory;
        let binder = Binder { namespaces, waypoints: &self.waypoints, defaults };
        for service in self.services.iter_mut().filter(|service| service.gateway.is_none()) {
            let bound = binder.waypoint(&service.labels, &service.namespace, Addressed::Service);
            service.waypoint = bound.unwrap_or_else(|sentence| {
                let problem = Problem::statement("metadata.labels", sentence).warning();
                notes.problems.extend(service.object.map(|object| object.locate(problem)));
                None
            });
            service.ingress_use_waypoint = binder.ingress_uses_it(service);
        }
        let applications = |w: &&mut Planned<'_>| w.role == Role::Application;
        for workload in self.plan.workloads.iter_mut().filter(applications) {
            let labels = &workload.template.metadata.labels;
            let bound = binder.waypoint(labels, &workload.namespace, Addressed::PodIp);
            workload.waypoint = bound.unwrap_or_else(|sentence| {
                notes.problems.push(workload.warning(sentence));
                None
            });
        }
    }

    /// Kubernetes is tested with so many pods and no more; a larger number is a slip.
    fn too_many_pods(&self) -> Option<Problem> {
        const MOST: u64 = 150_000;
        let replicas = |workload: &Planned<'_>| match workload.replicas {
            Replicas::Count(replicas) => u64::from(replicas),
            Replicas::PerNode => 0,
        };
        let total: u64 = self.plan.workloads.iter().map(replicas).sum();
        let largest = self.plan.workloads.iter().max_by_key(|workload| replicas(workload))?;
        let problem = Problem::violation("spec.replicas", replicas(largest), "a smaller number")
            .hint(format!("the model has {total} pods; Kubernetes itself is built for {MOST}"));
        let problem = match largest.object {
            Some(object) => object.locate(problem),
            None => problem,
        };
        (total > MOST).then_some(problem)
    }

    /// Under a variant, a waypoint that nothing is bound to is one of another variant.
    fn leave_out_unused_waypoints(&mut self) {
        let of_services = self.services.iter().filter_map(|service| service.waypoint);
        let of_workloads = self.plan.workloads.iter().filter_map(|workload| workload.waypoint);
        let used: BTreeSet<usize> = of_services.chain(of_workloads).collect();
        let is_kept: Vec<bool> = (0..self.waypoints.len()).map(|w| used.contains(&w)).collect();
        let mut keeps_workload = vec![true; self.plan.workloads.len()];
        for (waypoint, _) in self.waypoints.iter().zip(&is_kept).filter(|(_, kept)| !**kept) {
            keeps_workload[waypoint.workload] = false;
            self.services.retain(|service| {
                service.namespace != waypoint.namespace
                    || service.gateway.as_ref() != Some(&waypoint.name)
            });
        }
        self.keep(&is_kept, &keeps_workload);
    }

    /// A waypoint labelled `none` is a proxy that no traffic is sent to.
    fn forget_waypoints_for_nothing(&mut self) {
        let is_kept: Vec<bool> = self.waypoints.iter().map(|w| w.waypoint_for.is_some()).collect();
        self.keep(&is_kept, &vec![true; self.plan.workloads.len()]);
    }

    /// Removes the other waypoints and workloads, and renumbers what refers to them.
    fn keep(&mut self, waypoints: &[bool], workloads: &[bool]) {
        let new_waypoint = new_positions(waypoints);
        let new_workload = new_positions(workloads);
        retain(&mut self.waypoints, waypoints);
        retain(&mut self.plan.workloads, workloads);
        for waypoint in &mut self.waypoints {
            waypoint.workload = new_workload[waypoint.workload];
        }
        for service in &mut self.services {
            service.workloads.retain(|&workload| workloads[workload]);
            service.workloads.iter_mut().for_each(|workload| *workload = new_workload[*workload]);
            service.waypoint = service.waypoint.map(|waypoint| new_waypoint[waypoint]);
        }
        for workload in &mut self.plan.workloads {
            workload.waypoint = workload.waypoint.map(|waypoint| new_waypoint[waypoint]);
        }
    }

    fn into_model(self, inventory: &mut Inventory<'_>) -> Model {
        let observed = self.plan.workloads.iter().flat_map(|workload| &workload.observed);
        let observed = observed.map(String::as_str).collect();
        let Machines { nodes, kube_proxy, assumptions } = machines(inventory, &observed);
        let mut model =
            Model { nodes, kube_proxy, coverage: inventory.coverage(), ..Model::default() };
        model.coverage.assumptions = assumptions;
        model.coverage.assumptions.extend(self.plan.assumptions.iter().cloned());
        self.add_workloads(&mut model, inventory);
        self.add_services(&mut model);
        let behaviors = behaviors(inventory, &self.plan.workloads, &self.services, &model);
        for (workload, behavior) in model.workloads.iter_mut().zip(behaviors.of_workload) {
            workload.behavior = behavior;
        }
        model.behaviors = behaviors.list;
        model.coverage.assumptions.extend(behaviors.assumptions);
        model.unwritten = behaviors.unwritten;
        model.coverage.assumptions.extend(assume_no_throttling(&model.workloads));
        model
    }

    fn add_workloads(&self, model: &mut Model, inventory: &mut Inventory<'_>) {
        let workloads = &self.plan.workloads;
        let placements = self.placements(&inventory.namespaces);
        let agents = self.agents(&mut model.coverage.assumptions);
        let placed = place(&model.nodes, workloads, &placements, &agents);
        inventory.notes.problems.extend(placed.warnings);
        model.placements = placements;
        let mut numbering = Numbering::new(&model.nodes);
        for (workload, nodes) in workloads.iter().zip(placed.nodes) {
            self.add_workload(workload, nodes, &mut numbering, model);
        }
        model.waypoints = self.waypoints.iter().filter_map(PlannedWaypoint::as_waypoint).collect();
    }

    fn placements(&self, namespaces: &Namespaces) -> Vec<Placement> {
        let placement = |workload: &Planned<'_>| {
            let sidecar = workload.sidecar.as_ref().map(|sidecar| &sidecar.resources);
            workload.placement(sidecar, &self.services, namespaces)
        };
        self.plan.workloads.iter().map(placement).collect()
    }

    fn is_ambient(&self) -> bool {
        self.plan.workloads.iter().any(|workload| workload.data_plane == DataPlane::Ambient)
    }

    /// What ambient mode's agents request on each node.
    fn agents(&self, assumptions: &mut Vec<Assumption>) -> Vec<Requests> {
        if !self.is_ambient() {
            return Vec::new();
        }
        let ztunnel = self.plan.ztunnel.as_ref().map(|template| &template.spec);
        if ztunnel.is_none() {
            assumptions.push(assume_agents());
        }
        let has_cni = self.plan.workloads.iter().any(Planned::is_cni_agent);
        ambient_agents(ztunnel, has_cni)
    }

    fn add_workload(
        &self,
        planned: &Planned<'_>,
        nodes: Vec<NodeId>,
        numbering: &mut Numbering,
        model: &mut Model,
    ) {
        let id = WorkloadId(model.workloads.len() as u32);
        let mut pods = Vec::with_capacity(nodes.len());
        for (ordinal, node) in nodes.into_iter().enumerate() {
            pods.push(PodId(model.pods.len() as u32));
            let (enrolment, has_default_workers) =
                self.enrolment(planned, &model.nodes[node.index()]);
            model.enrolments.push(enrolment);
            model.has_default_workers.push(has_default_workers);
            model.waypoint_of_pod.push(planned.waypoint);
            model.pods.push(Pod {
                name: numbering.pod_name(planned, ordinal),
                namespace: planned.namespace.clone(),
                workload: id,
                node,
                ip: numbering.address(node),
                service_account: planned.service_account(),
            });
        }
        model.workloads.push(Workload {
            name: planned.name.clone(),
            namespace: planned.namespace.clone(),
            kind: planned.kind.clone(),
            role: planned.role,
            labels: planned.labels(),
            pods,
            resources: application_resources(&planned.template.spec),
            behavior: 0,
        });
    }

    /// How a pod on `node` takes part in the mesh, and whether its workers are the charts'.
    fn enrolment(&self, planned: &Planned<'_>, node: &Node) -> (Enrolment, bool) {
        let metadata = &planned.template.metadata;
        let proxy = match (planned.role, &planned.sidecar) {
            (Role::Application, Some(sidecar)) => Some(&sidecar.resources),
            (Role::Application, None) => None,
            _ => planned.template.spec.containers.first().map(|container| &container.resources),
        };
        let concurrency = proxy.map(|resources| data_plane::concurrency(metadata, resources));
        let says_so = data_plane::is_tunnel_capable(metadata);
        // Injection adds the label where the mesh was installed for ambient mode.
        let is_added = planned.injected.is_none() && planned.sidecar.is_some() && self.is_ambient();
        let enrolment = Enrolment {
            data_plane: planned.data_plane,
            concurrency: concurrency.map_or(0, |concurrency| concurrency.on(node.cores)),
            sidecar: planned
                .sidecar
                .as_ref()
                .map_or(Resources::default(), |s| s.resources.resources()),
            native_sidecar: planned.sidecar.as_ref().is_some_and(|sidecar| sidecar.is_native),
            hbone: says_so || is_added || planned.role == Role::Waypoint,
        };
        (enrolment, concurrency == Some(Concurrency::ChartDefault))
    }

    fn add_services(&self, model: &mut Model) {
        for planned in &self.services {
            let pods = planned.workloads.iter().flat_map(|&w| model.workloads[w].pods.iter());
            let mut endpoints: Vec<PodId> = pods.copied().collect();
            endpoints.sort();
            model.services.push(Service {
                name: planned.name.clone(),
                namespace: planned.namespace.clone(),
                ports: planned.ports.clone(),
                endpoints,
                headless: planned.is_headless,
            });
            model.waypoint_of_service.push(planned.waypoint);
            model.ingress_use_waypoint.push(planned.ingress_use_waypoint);
        }
    }
}

impl PlannedWaypoint {
    fn as_waypoint(&self) -> Option<Waypoint> {
        Some(Waypoint {
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            waypoint_for: self.waypoint_for?,
            workload: WorkloadId(self.workload as u32),
        })
    }
}

impl Planned<'_> {
    /// Decides its data plane; `wanted` is a variant's wish.
    fn enrol(&mut self, namespaces: &Namespaces, wanted: Option<DataPlane>) {
        self.data_plane = data_plane::data_plane(self, namespaces, wanted);
        let has_sidecar = self.data_plane == DataPlane::Sidecar;
        self.sidecar = has_sidecar.then(|| data_plane::sidecar(self));
    }

    fn service_account(&self) -> String {
        self.template.spec.service_account_name.clone().unwrap_or_else(|| "default".to_owned())
    }
}

/// Namespaces with applications in ambient mode, sorted.
fn ambient_namespaces(workloads: &[Planned<'_>]) -> BTreeSet<String> {
    let ambient = workloads.iter().filter(|workload| workload.data_plane == DataPlane::Ambient);
    ambient.map(|workload| workload.namespace.clone()).collect()
}

fn check_annotations(workload: &Planned<'_>, inventory: &mut Inventory<'_>) {
    let Some(object) = workload.object else { return };
    let metadata = &workload.template.metadata;
    inventory.notes.ignore_annotations(object, metadata);
    let parent = match object.kind.as_str() {
        "Pod" => "metadata",
        "Gateway" => "spec.infrastructure",
        _ => "spec.template.metadata",
    };
    for (key, value, rule) in data_plane::malformed_annotations(metadata) {
        let path = format!("{parent}.annotations[\"{key}\"]");
        let problem = Problem::violation(path, format!("`{value}`"), rule);
        inventory.notes.problems.push(object.locate(problem));
    }
}

/// The position of each kept element among the kept; of the others, anything.
fn new_positions(is_kept: &[bool]) -> Vec<usize> {
    let mut next = 0;
    let position = |kept: &bool| {
        let position = next;
        next += usize::from(*kept);
        position
    };
    is_kept.iter().map(position).collect()
}

fn retain<T>(list: &mut Vec<T>, is_kept: &[bool]) {
    let mut kept = is_kept.iter();
    list.retain(|_| kept.next().is_none_or(|kept| *kept));
}

/// CPU limits are read, for the workers of proxies among others, but stop nobody.
fn assume_no_throttling(workloads: &[Workload]) -> Option<Assumption> {
    let is_limited = |workload: &&Workload| {
        workload.role == Role::Application && workload.resources.limit_millicores.is_some()
    };
    let limited = workloads.iter().filter(is_limited).count();
    (limited > 0).then(|| Assumption {
        subject: "CPU limits".to_owned(),
        assumed: "no throttling".to_owned(),
        because: format!("CFS quota is not modelled; {limited} workloads have a CPU limit"),
        instead: "to leave room, keep CPU use well below the limits".to_owned(),
    })
}
