//! How a pod takes part in the mesh, and the waypoints of the mesh.

use crate::cluster::{Resources, WorkloadId};

use super::path::{DataPlane, WaypointFor};

/// How a pod takes part in the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enrolment {
    /// Which proxy, if any, takes the pod's traffic.
    pub data_plane: DataPlane,
    /// Worker threads of its sidecar, or of the pod itself if it is a waypoint or gateway; at
    /// least 1 where there is such a proxy, else 0.
    pub concurrency: u32,
    /// Requests and limits of its sidecar; nothing without one. Those of a waypoint or gateway
    /// are its workload's.
    pub sidecar: Resources,
    /// Whether a sidecar is a native one (an init container with `restartPolicy: Always`).
    pub native_sidecar: bool,
    /// Whether a sidecar or gateway takes HBONE on its own port 15008.
    pub hbone: bool,
}

/// A waypoint proxy of ambient mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// Name of its Gateway object.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Which traffic it is for (`istio.io/waypoint-for`).
    pub waypoint_for: WaypointFor,
    /// The workload whose pods run it.
    pub workload: WorkloadId,
}

impl Waypoint {
    /// `namespace/name`, the way users name it.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}
