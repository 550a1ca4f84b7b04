//! Kubernetes entities as a run sees them: nodes, workloads, pods, services, kube-proxy.
//!
//! Everything stands in a `Vec` and is named by a small typed id, its index there.

pub mod kube_proxy;
pub mod scheduler;
pub mod selector;
pub mod taint;

use std::net::Ipv4Addr;

use taint::Taint;

/// Index into a scenario's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Index into a scenario's pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodId(pub u32);

/// Index into a scenario's workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkloadId(pub u32);

/// Index into a scenario's services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u32);

macro_rules! index {
    ($($id:ident),*) => {$(
        impl $id {
            /// The position in the scenario's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
index!(NodeId, PodId, WorkloadId, ServiceId);

/// A machine of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique in the cluster.
    pub name: String,
    /// `topology.kubernetes.io/zone`.
    pub zone: String,
    /// Region of the zone (`topology.kubernetes.io/region`).
    pub region: String,
    /// CPU cores that run threads side by side. At least 1.
    pub cores: u32,
    /// Allocatable CPU in thousandths of a core.
    pub allocatable_millicores: u64,
    /// Allocatable memory in bytes.
    pub allocatable_bytes: u64,
    /// Most pods the kubelet takes.
    pub max_pods: u32,
    /// Labels, sorted by key.
    pub labels: Vec<(String, String)>,
    /// What keeps pods away.
    pub taints: Vec<Taint>,
}

/// What a pod asks of its node: the sum over its containers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Requested CPU in thousandths of a core.
    pub request_millicores: u64,
    /// CPU limit in thousandths of a core, if any.
    pub limit_millicores: Option<u64>,
    /// Requested memory in bytes.
    pub request_bytes: u64,
    /// Memory limit in bytes, if any.
    pub limit_bytes: Option<u64>,
}

/// What a workload is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Issues or serves requests of its own.
    Application,
    /// An ambient waypoint proxy.
    Waypoint,
    /// A gateway proxy, ingress or internal.
    Gateway,
}

/// What runs as pods: a Deployment, StatefulSet, DaemonSet, ReplicaSet, Job or bare Pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The object's name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its kind, such as `Deployment`.
    pub kind: String,
    /// What it is there for.
    pub role: Role,
    /// Labels of its pod template, sorted by key.
    pub labels: Vec<(String, String)>,
    /// Its pods, in order of their ordinal.
    pub pods: Vec<PodId>,
    /// The application container's resources (of a proxy workload: the proxy's).
    pub resources: Resources,
    /// Position in the scenario's behaviors.
    pub behavior: usize,
}

impl Workload {
    /// `namespace/name`, the way users name it.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// One replica of a workload, bound to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    /// `workload-N`; unique within its namespace.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// What it is a replica of.
    pub workload: WorkloadId,
    /// Where it runs.
    pub node: NodeId,
    /// Its address.
    pub ip: Ipv4Addr,
    /// `spec.serviceAccountName`; the mesh identity is made of it.
    pub service_account: String,
}

impl Pod {
    /// `namespace/name`, the way users name it.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// A Service: one name in front of endpoints.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// The object's name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its ports.
    pub ports: Vec<ServicePort>,
    /// The ready pods its selector matches, in order of `PodId`.
    pub endpoints: Vec<PodId>,
    /// `clusterIP: None`.
    pub headless: bool,
}

impl Service {
    /// `namespace/name`, the way users name it.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

/// One port of a Service.
#[derive(Clone, Debug, PartialEq)]
pub struct ServicePort {
    /// Its name; empty if it has none.
    pub name: String,
    /// The port clients dial.
    pub port: u16,
    /// The port the pods listen on.
    pub target_port: u16,
    /// `appProtocol`, if written.
    pub app_protocol: Option<String>,
}
