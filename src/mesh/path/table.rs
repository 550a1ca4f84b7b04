//! The path table: 26 ways from a client to a server, as data.
//!
//! A row names the hops of an HTTP request with Istio's defaults (1.31) and the listener that
//! its gateway usually has; [`lookup`](super::lookup) bends it to the protocol and the listener
//! at hand. Choices the table leaves open are in `docs/decisions/0003-path-table.md`.

use super::hop::Hop;
use super::parts::{
    A, A_DIALS_POD, CE, CE_PASSES, CE_PICKS_GW, CZ, CZ_PICKS, CZ_PICKS_GW, CZ_PICKS_W, GW, GW_HTTP,
    GW_HTTP_PICKS_W, GW_MTLS, GW_PICKS_W, KP, LB, S, SE, SE_HBONE, SE_PLAIN, SZ, SZ_PLAIN, W,
    W_FIXED,
};
use super::query::{Addressed, Client, DataPlane, PathQuery, WaypointFor};

use Addressed::{PodIp, Service};
use DataPlane::{Ambient, None as NoMesh, Sidecar};
use WaypointFor::{All, Service as ServiceOnly, Workload};

/// What stands between the client's side and the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// No gateway; `addressed` is what the client dials.
    Nothing {
        /// What the client dials.
        addressed: Addressed,
    },
    /// A gateway that goes to the server's pods.
    Gateway,
    /// A gateway that goes to the Service's waypoint.
    GatewayThenWaypoint,
}

/// Which kinds of waypoint a row covers; `None` stands for having no waypoint.
pub type Waypoints = &'static [Option<WaypointFor>];

const ANY: Waypoints = &[None, Some(ServiceOnly), Some(Workload), Some(All)];
const NO_WAYPOINT: Waypoints = &[None];
const NONE_FOR_SERVICES: Waypoints = &[None, Some(Workload)];
const FOR_SERVICES: Waypoints = &[Some(ServiceOnly), Some(All)];
const FOR_WORKLOADS: Waypoints = &[Some(Workload), Some(All)];
const SOME: Waypoints = &[Some(ServiceOnly), Some(Workload), Some(All)];

/// One row: the conditions it covers and the hops it consists of.
#[derive(Clone, Copy, Debug)]
pub struct PathRow {
    /// 1 to 26.
    pub number: u8,
    /// Who calls.
    pub client: Client,
    /// How the server's pods are captured.
    pub server: DataPlane,
    /// Whether the server's sidecars must, or must not, accept HBONE; `None` where it is all one.
    pub server_accepts_hbone: Option<bool>,
    /// What is addressed or stands in between.
    pub between: Between,
    /// The kinds of waypoint the row covers.
    pub waypoints: Waypoints,
    /// The hops in the order a request passes them.
    pub hops: &'static [Hop],
}

impl PathRow {
    /// Whether this row answers `query`. At most one row does.
    pub fn covers(&self, query: &PathQuery) -> bool {
        self.client == query.client
            && self.server == query.server
            && self.server_accepts_hbone.is_none_or(|needed| needed == query.server_accepts_hbone)
            && self.between == between(query)
            && self.waypoints.contains(&query.waypoint)
    }
}

fn between(query: &PathQuery) -> Between {
    match query.gateway {
        None => Between::Nothing { addressed: query.addressed },
        Some(_) if query.crosses_waypoint() => Between::GatewayThenWaypoint,
        Some(_) => Between::Gateway,
    }
}

/// A row for a pod that calls without a gateway.
const fn direct(
    number: u8,
    client: DataPlane,
    server: DataPlane,
    addressed: Addressed,
    waypoints: Waypoints,
    hops: &'static [Hop],
) -> PathRow {
    PathRow {
        number,
        client: Client::Pod(client),
        server,
        server_accepts_hbone: None,
        between: Between::Nothing { addressed },
        waypoints,
        hops,
    }
}

/// A row through a gateway.
const fn through(
    number: u8,
    client: Client,
    server: DataPlane,
    between: Between,
    hops: &'static [Hop],
) -> PathRow {
    let waypoints = match between {
        Between::GatewayThenWaypoint => FOR_SERVICES,
        _ => ANY,
    };
    PathRow { number, client, server, server_accepts_hbone: None, between, waypoints, hops }
}

impl PathRow {
    const fn if_server_accepts_hbone(mut self, accepts: bool) -> Self {
        self.server_accepts_hbone = Some(accepts);
        self
    }
}

/// The table, row n at index n - 1.
pub static PATHS: [PathRow; 26] = [
    direct(1, NoMesh, NoMesh, Service, ANY, &[A, KP, S]),
    direct(2, NoMesh, NoMesh, PodIp, ANY, &[A_DIALS_POD, S]),
    direct(3, NoMesh, Sidecar, Service, ANY, &[A, KP, SE_PLAIN, S]),
    direct(4, NoMesh, Sidecar, PodIp, ANY, &[A_DIALS_POD, SE_PLAIN, S]),
    direct(5, NoMesh, Ambient, Service, ANY, &[A, KP, SZ_PLAIN, S]),
    direct(6, NoMesh, Ambient, PodIp, ANY, &[A_DIALS_POD, SZ_PLAIN, S]),
    direct(7, Sidecar, NoMesh, Service, ANY, &[A, CE, S]),
    direct(8, Sidecar, Sidecar, Service, ANY, &[A, CE, SE, S]),
    direct(9, Sidecar, Sidecar, PodIp, ANY, &[A_DIALS_POD, CE_PASSES, SE_PLAIN, S]),
    direct(10, Sidecar, Ambient, Service, NO_WAYPOINT, &[A, CE, SZ, S]),
    direct(11, Sidecar, Ambient, Service, SOME, &[A, CE, SZ, S]),
    direct(12, Ambient, NoMesh, Service, NONE_FOR_SERVICES, &[A, CZ_PICKS, S]),
    direct(13, Ambient, Ambient, Service, NO_WAYPOINT, &[A, CZ_PICKS, SZ, S]),
    direct(14, Ambient, Ambient, PodIp, NO_WAYPOINT, &[A_DIALS_POD, CZ, SZ, S]),
    direct(15, Ambient, Ambient, Service, FOR_SERVICES, &[A, CZ_PICKS_W, W, SZ, S]),
    direct(16, Ambient, Ambient, PodIp, &[Some(ServiceOnly)], &[A_DIALS_POD, CZ, SZ, S]),
    direct(17, Ambient, Ambient, PodIp, FOR_WORKLOADS, &[A_DIALS_POD, CZ_PICKS_W, W_FIXED, SZ, S]),
    direct(18, Ambient, Ambient, Service, &[Some(Workload)], &[A, CZ_PICKS, SZ, S]),
    direct(19, Ambient, Sidecar, Service, NONE_FOR_SERVICES, &[A, CZ_PICKS, SE_HBONE, S])
        .if_server_accepts_hbone(true),
    direct(20, Ambient, Sidecar, Service, NONE_FOR_SERVICES, &[A, CZ_PICKS, SE_PLAIN, S])
        .if_server_accepts_hbone(false),
    through(21, Client::External, Sidecar, Between::Gateway, &[LB, GW, SE, S]),
    through(22, Client::External, Ambient, Between::Gateway, &[LB, GW, SZ, S]),
    through(
        23,
        Client::External,
        Ambient,
        Between::GatewayThenWaypoint,
        &[LB, GW_PICKS_W, W, SZ, S],
    ),
    through(24, Client::Pod(Sidecar), Sidecar, Between::Gateway, &[A, CE_PICKS_GW, GW_MTLS, SE, S]),
    through(25, Client::Pod(Ambient), Ambient, Between::Gateway, &[A, CZ_PICKS_GW, GW_HTTP, SZ, S]),
    through(
        26,
        Client::Pod(Ambient),
        Ambient,
        Between::GatewayThenWaypoint,
        &[A, CZ_PICKS_GW, GW_HTTP_PICKS_W, W, SZ, S],
    ),
];
