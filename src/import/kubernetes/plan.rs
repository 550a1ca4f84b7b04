//! What makes pods: each workload once, however often a dump tells of it.
//!
//! A dump holds Deployments, their ReplicaSets and their pods; by their owner references they
//! count once. Pods whose owner is not in the model stand for it. Pods that run tell where.

use std::collections::{BTreeMap, BTreeSet};

use super::api::{Controller, ObjectMeta, Pod, PodTemplate, ResourceRequirements};
use super::coverage::Assumption;
use super::data_plane::Sidecar;
use super::inventory::{Inventory, Sourced};
use crate::cluster::Role;
use crate::cluster::selector::Selector;
use crate::import::manifests::Object;
use crate::mesh::path::DataPlane;
use crate::scenario::problem::Problem;

/// Name of Istio's proxy container, whatever kind of proxy it is.
pub(super) const ISTIO_PROXY: &str = "istio-proxy";
/// Names of the init containers that capture a pod's traffic.
const ISTIO_INIT: [&str; 2] = ["istio-init", "istio-validation"];
/// Set by Istio's CNI plugin on pods whose traffic goes through ztunnel.
const REDIRECTION: &str = "ambient.istio.io/redirection";
/// The label that names the Gateway a pod belongs to.
pub(super) const GATEWAY_NAME: &str = "gateway.networking.k8s.io/gateway-name";

/// How many pods a workload has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replicas {
    /// So many.
    Count(u32),
    /// One on each node that takes it.
    PerNode,
}

/// A sidecar that manifests bring with them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Injected {
    pub(super) is_native: bool,
    pub(super) resources: ResourceRequirements,
}

/// A workload as the manifests describe it, its pods not yet placed.
#[derive(Clone, Debug)]
pub(super) struct Planned<'o> {
    /// The object it comes from; a Gateway's where no Deployment is written, none for a proxy
    /// that a variant adds.
    pub(super) object: Option<&'o Object>,
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) kind: String,
    pub(super) role: Role,
    pub(super) replicas: Replicas,
    /// Its pods, without Istio's containers.
    pub(super) template: PodTemplate,
    pub(super) injected: Option<Injected>,
    /// Nodes on which its pods run.
    pub(super) observed: Vec<String>,
    /// Whether a running pod's traffic goes through its ztunnel.
    pub(super) is_redirected: bool,
    /// What its controller selects.
    pub(super) selector: Option<Selector>,
    /// Decided once the mesh is known: which proxy takes its pods' traffic.
    pub(super) data_plane: DataPlane,
    /// The sidecar its pods get, if any.
    pub(super) sidecar: Option<Sidecar>,
    /// Position of the waypoint its pods are bound to.
    pub(super) waypoint: Option<usize>,
}

/// The workloads, and what is known of ztunnel.
#[derive(Debug, Default)]
pub(super) struct Plan<'o> {
    pub(super) workloads: Vec<Planned<'o>>,
    /// ztunnel's DaemonSet, which is implied by ambient pods and only takes room.
    pub(super) ztunnel: Option<PodTemplate>,
    pub(super) assumptions: Vec<Assumption>,
    index: BTreeMap<Key, usize>,
}

/// Kind, namespace and name of an object that makes pods.
type Key = (String, String, String);

/// Plans the workloads of `inventory`.
pub(super) fn plan<'o>(inventory: &Inventory<'o>) -> Plan<'o> {
    let mut plan = Plan::default();
    let controllers: BTreeSet<Key> = inventory.controllers.iter().map(key_of).collect();
    for controller in &inventory.controllers {
        if owner_key(&controller.value.metadata).is_some_and(|owner| controllers.contains(&owner)) {
            continue;
        }
        if controller.object.kind == "DaemonSet" && is_ztunnel(&controller.value) {
            plan.ztunnel = Some(controller.value.spec.template.clone());
        } else {
            plan.add_controller(controller, inventory);
        }
    }
    plan.add_pods(inventory);
    plan
}

fn is_ztunnel(controller: &Controller) -> bool {
    let template = &controller.spec.template.metadata;
    template.label("app") == Some("ztunnel")
        || template.label("app.kubernetes.io/name") == Some("ztunnel")
}

fn key_of(Sourced { object, value }: &Sourced<'_, Controller>) -> Key {
    (object.kind.clone(), value.metadata.namespace().to_owned(), object.name.clone())
}

/// The object that made the one with this `metadata`.
fn owner_key(metadata: &ObjectMeta) -> Option<Key> {
    let owner = metadata.controller()?;
    Some((owner.kind.clone(), metadata.namespace().to_owned(), owner.name.clone()))
}

impl<'o> Plan<'o> {
    fn add_controller(
        &mut self,
        Sourced { object, value }: &Sourced<'o, Controller>,
        inventory: &Inventory<'_>,
    ) {
        let replicas = match object.kind.as_str() {
            "DaemonSet" => Replicas::PerNode,
            _ => Replicas::Count(self.replicas(object, value, inventory)),
        };
        // ReplicaSets without pods are the history of a Deployment that is not in the model.
        if object.kind == "ReplicaSet" && replicas == Replicas::Count(0) {
            return;
        }
        let Controller { metadata, spec, .. } = value;
        let mut planned = Planned::new(object, metadata, replicas, spec.template.clone());
        planned.selector = spec.selector.as_ref().map(Selector::from);
        self.add(planned);
    }

    /// Adds a workload, to be found by what it is called.
    pub(super) fn add(&mut self, planned: Planned<'o>) {
        let key = (planned.kind.clone(), planned.namespace.clone(), planned.name.clone());
        self.index.insert(key, self.workloads.len());
        self.workloads.push(planned);
    }

    /// `spec.replicas`; where an autoscaler owns the field, its minimum.
    fn replicas(
        &mut self,
        object: &Object,
        controller: &Controller,
        inventory: &Inventory<'_>,
    ) -> u32 {
        if let Some(replicas) = controller.spec.replicas {
            return replicas;
        }
        let autoscaler = inventory.autoscalers.iter().find(|autoscaler| {
            let target = &autoscaler.value.spec.scale_target_ref;
            autoscaler.value.metadata.namespace() == controller.metadata.namespace()
                && target.kind == object.kind
                && target.name == object.name
        });
        let Some(autoscaler) = autoscaler else { return controller.status.replicas.unwrap_or(1) };
        let minimum = autoscaler.value.spec.min_replicas.unwrap_or(1);
        let (replicas, source) = match controller.status.replicas {
            Some(running) => (running, "as many run"),
            None => (minimum, "an autoscaler sets the number; this is its minimum"),
        };
        self.assumptions.push(Assumption {
            subject: object.label(),
            assumed: format!("{replicas} replicas"),
            because: source.to_owned(),
            instead: "write `replicas`".to_owned(),
        });
        replicas
    }

    fn add_pods(&mut self, inventory: &Inventory<'o>) {
        let replica_sets = owners_of_replica_sets(inventory);
        for pod in &inventory.pods {
            if !is_steady(&pod.value) {
                continue;
            }
            let owner = owner_of(&pod.value.metadata, &replica_sets);
            match owner.as_ref().and_then(|owner| self.index.get(owner)) {
                Some(&workload) => self.workloads[workload].observe(&pod.value),
                None => self.add_pod(pod, owner),
            }
        }
    }

    /// A pod without an owner in the model: a workload of its own, or the first of its owner's.
    fn add_pod(&mut self, Sourced { object, value }: &Sourced<'o, Pod>, owner: Option<Key>) {
        let mut template =
            PodTemplate { metadata: value.metadata.clone(), spec: value.spec.clone() };
        // Where a pod runs is no wish of its template.
        if value.status.phase.is_some() {
            template.spec.node_name = None;
        }
        // A workload known by its pods alone counts them as they are observed.
        let count = Replicas::Count(u32::from(owner.is_none()));
        let mut planned = Planned::new(object, &value.metadata, count, template);
        if let Some((kind, _, name)) = owner {
            (planned.kind, planned.name) = (kind, name);
        }
        planned.observe(value);
        self.add(planned);
    }
}

/// Whether a pod belongs to the steady state: not ended, not about to end, not a Job's.
fn is_steady(pod: &Pod) -> bool {
    let has_ended = matches!(pod.status.phase.as_deref(), Some("Succeeded" | "Failed"));
    let is_of_job = pod.metadata.controller().is_some_and(|owner| owner.kind == "Job");
    !has_ended && !is_of_job && pod.metadata.deletion_timestamp.is_none()
}

/// The owners of ReplicaSets.
fn owners_of_replica_sets(inventory: &Inventory<'_>) -> BTreeMap<Key, Key> {
    let sets = inventory.controllers.iter().filter(|set| set.object.kind == "ReplicaSet");
    sets.filter_map(|set| Some((key_of(set), owner_key(&set.value.metadata)?))).collect()
}

/// What a pod is a replica of; nothing for a bare or static pod.
fn owner_of(metadata: &ObjectMeta, replica_sets: &BTreeMap<Key, Key>) -> Option<Key> {
    let owner = owner_key(metadata).filter(|(kind, ..)| kind != "Node")?;
    if let Some(deployment) = replica_sets.get(&owner) {
        return Some(deployment.clone());
    }
    // A Deployment names its ReplicaSets after itself and the hash of the pod template.
    let (kind, namespace, name) = &owner;
    let deployment = metadata
        .label("pod-template-hash")
        .filter(|_| kind == "ReplicaSet")
        .and_then(|hash| name.strip_suffix(hash)?.strip_suffix('-'));
    let of_deployment = |name: &str| ("Deployment".to_owned(), namespace.clone(), name.to_owned());
    Some(deployment.map(of_deployment).unwrap_or(owner))
}

impl<'o> Planned<'o> {
    fn new(
        object: &'o Object,
        metadata: &ObjectMeta,
        replicas: Replicas,
        mut template: PodTemplate,
    ) -> Self {
        let role = role_of(&template);
        let injected = (role == Role::Application).then(|| take_injected(&mut template)).flatten();
        Self {
            object: Some(object),
            name: object.name.clone(),
            namespace: metadata.namespace().to_owned(),
            kind: object.kind.clone(),
            role,
            replicas,
            template,
            injected,
            observed: Vec::new(),
            is_redirected: false,
            selector: None,
            data_plane: DataPlane::None,
            sidecar: None,
            waypoint: None,
        }
    }

    /// A proxy made for the Gateway `object`.
    pub(super) fn of_gateway(
        object: Option<&'o Object>,
        name: String,
        namespace: &str,
        role: Role,
        replicas: u32,
        template: PodTemplate,
    ) -> Self {
        Self {
            object,
            name,
            namespace: namespace.to_owned(),
            kind: "Deployment".to_owned(),
            role,
            replicas: Replicas::Count(replicas),
            template,
            injected: None,
            observed: Vec::new(),
            is_redirected: false,
            selector: None,
            data_plane: DataPlane::None,
            sidecar: None,
            waypoint: None,
        }
    }

    /// A warning about it.
    pub(super) fn warning(&self, sentence: impl Into<String>) -> Problem {
        let problem = Problem::statement("", sentence).warning();
        match self.object {
            Some(object) => object.locate(problem),
            None => problem.within(format!("{}/{}", self.kind, self.qualified_name())),
        }
    }

    /// `namespace/name`.
    pub(super) fn qualified_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// The name of the Gateway whose proxy it is, if it is one.
    pub(super) fn gateway_name(&self) -> Option<&str> {
        self.template.metadata.label(GATEWAY_NAME)
    }

    /// Whether it is part of the mesh or the cluster and serves no requests of the model.
    pub(super) fn is_infrastructure(&self) -> bool {
        self.template.metadata.label("app") == Some("istiod")
            || self.is_cni_agent()
            || self.namespace == "kube-system"
    }

    /// Whether it is Istio's CNI agent.
    pub(super) fn is_cni_agent(&self) -> bool {
        self.template.metadata.label("k8s-app") == Some("istio-cni-node")
    }

    /// Takes note of a running pod: its node, and what injection and the CNI made of it.
    fn observe(&mut self, pod: &Pod) {
        self.observed.extend(pod.spec.node_name.clone());
        self.is_redirected |= pod.metadata.annotation(REDIRECTION) == Some("enabled");
        if self.injected.is_none() && self.role == Role::Application {
            let mut template = PodTemplate { spec: pod.spec.clone(), ..PodTemplate::default() };
            self.injected = take_injected(&mut template);
        }
        let is_known_by_pods = self.object.is_some_and(|o| o.kind == "Pod") && self.kind != "Pod";
        if let (true, Replicas::Count(count)) = (is_known_by_pods, &mut self.replicas) {
            *count += 1;
        }
    }
}

/// An `istio-proxy` alone in its pod is a gateway; beside an application it is a sidecar.
fn role_of(template: &PodTemplate) -> Role {
    let is_waypoint =
        template.metadata.label("gateway.istio.io/managed") == Some("istio.io-mesh-controller");
    let is_gateway = template.metadata.annotation("inject.istio.io/templates") == Some("gateway")
        || matches!(template.spec.containers.as_slice(), [only] if only.name == ISTIO_PROXY);
    if is_waypoint {
        Role::Waypoint
    } else if is_gateway {
        Role::Gateway
    } else {
        Role::Application
    }
}

/// Removes the sidecar that an earlier injection left, and the init containers that came with it.
fn take_injected(template: &mut PodTemplate) -> Option<Injected> {
    let spec = &mut template.spec;
    let init = &mut spec.init_containers;
    init.retain(|container| !ISTIO_INIT.contains(&container.name.as_str()));
    let native = init.iter().position(|c| c.name == ISTIO_PROXY && c.is_native_sidecar());
    let (is_native, proxy) = match native {
        Some(index) => (true, init.remove(index)),
        None => {
            let index = spec.containers.iter().position(|c| c.name == ISTIO_PROXY)?;
            (false, spec.containers.remove(index))
        }
    };
    Some(Injected { is_native, resources: proxy.resources })
}
