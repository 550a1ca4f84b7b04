//! A path of the path table, compiled for one caller: who forwards, who relays, who chooses.
//!
//! A path is cut at every hop that speaks HTTP. Each piece, a *stage*, is one kind of
//! connection: opened by one HTTP speaker, accepted by the next, relayed by the ztunnels and
//! blind Envoys in between.

use crate::mesh::Enrolment;
use crate::mesh::path::{
    self, Actor, Balancing, Chosen, DataPlane, Hop, Layer, Path, Per, Reporter, Wire,
};
use crate::mesh::protocol::Protocol;

use super::connection::Setup;

/// Which pod a choice settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StageChoice {
    /// Among what.
    pub(crate) of: Chosen,
    /// What is chosen among.
    pub(crate) target: u32,
    /// Who chooses.
    pub(crate) chooser: Actor,
    /// Whether it falls per request; else per connection.
    pub(crate) per_request: bool,
}

/// A process on the way of a stage, and the leg that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StageHop {
    /// Who.
    pub(crate) actor: Actor,
    /// How the leg to it is opened.
    pub(crate) setup: Setup,
    /// Whether that leg's first packet runs through kube-proxy.
    pub(crate) kube_proxy: bool,
}

/// One kind of connection of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// Who opens it.
    pub(crate) from: Actor,
    /// The processes it runs through, the accepting one last.
    pub(crate) hops: Vec<StageHop>,
    /// The choices that settle its pods, in order.
    pub(crate) choices: Vec<StageChoice>,
    /// What its opener, if it is a proxy, chooses among for each request.
    pub(crate) request_target: u32,
    /// Whether its connections carry many requests at once.
    pub(crate) multiplexes: bool,
    /// Who reports the requests that its accepting end parses.
    pub(crate) reporter: Option<Reporter>,
}

impl Stage {
    /// The choice that falls for every request, if there is one.
    pub(crate) fn request_choice(&self) -> Option<StageChoice> {
        self.choices.iter().copied().find(|choice| choice.per_request)
    }
}

/// What of a server's enrolment decides the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    data_plane: DataPlane,
    takes_hbone: bool,
}

impl Capture {
    /// How a pod enrolled like this is captured.
    pub(crate) fn of(enrolment: &Enrolment) -> Self {
        let Enrolment { data_plane, hbone, .. } = *enrolment;
        Self { data_plane, takes_hbone: hbone && data_plane == DataPlane::Sidecar }
    }
}

/// How one caller gets to those pods of one target that are captured alike.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The calling pod; none for a client outside the cluster.
    pub(crate) source_pod: Option<u32>,
    /// The pod that was addressed by its IP.
    pub(crate) addressed_pod: Option<u32>,
    /// Its stages in order; the last ends at the serving application.
    pub(crate) stages: Vec<Stage>,
    /// The routes to pods of the target that are captured otherwise. Up to the choice of the
    /// server they are the same.
    pub(crate) others: Vec<(Capture, u32)>,
}

/// What can be chosen among, by position in the world's list of targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteTargets {
    /// The pods of the gateway, if the path has one.
    pub(crate) gateway: u32,
    /// The pods of the waypoint, if the path has one.
    pub(crate) waypoint: u32,
    /// The endpoints of the service, or the pod addressed.
    pub(crate) server: u32,
    /// A sidecar's own application.
    pub(crate) own_pod: u32,
}

impl RouteTargets {
    fn of(&self, chosen: Chosen) -> u32 {
        match chosen {
            Chosen::GatewayPod => self.gateway,
            Chosen::WaypointPod => self.waypoint,
            Chosen::ServerPod => self.server,
        }
    }
}

/// Cuts `path` into stages whose choices are among `targets`.
pub(crate) fn compile(path: &Path, targets: &RouteTargets) -> Vec<Stage> {
    path.connections().into_iter().map(|connection| stage(path, connection, targets)).collect()
}

fn stage(path: &Path, connection: path::Connection, targets: &RouteTargets) -> Stage {
    let first = connection.from.map_or(0, |from| from + 1);
    let opener = connection.from.map(|from| &path.hops[from]);
    let from = opener.map_or(Actor::ClientApp, |hop| hop.actor);
    let relays = &path.hops[first..connection.to];
    let choices: Vec<_> =
        opener.into_iter().chain(relays).filter_map(|hop| choice(hop, targets)).collect();
    let request_choice = choices.iter().find(|choice| choice.per_request);
    let request_target = match (from, request_choice) {
        (_, Some(choice)) => choice.target,
        (Actor::ServerSidecar, None) => targets.own_pod,
        (_, None) => targets.server,
    };
    Stage {
        from,
        hops: stage_hops(&path.hops[first..=connection.to]),
        choices,
        request_target,
        multiplexes: matches!(path.query.protocol, Protocol::Http2 | Protocol::Grpc),
        reporter: reporter_of(path, connection.to),
    }
}

fn choice(hop: &Hop, targets: &RouteTargets) -> Option<StageChoice> {
    let choice = hop.chooses.filter(|choice| choice.by != Balancing::Caller)?;
    Some(StageChoice {
        of: choice.of,
        target: targets.of(choice.of),
        chooser: hop.actor,
        per_request: choice.per == Per::Request,
    })
}

fn reporter_of(path: &Path, hop: usize) -> Option<Reporter> {
    path.hops[hop].measures.filter(|measures| measures.layer == Layer::L7).map(|m| m.reporter)
}

/// The processes among `hops`: the rules of kube-proxy and a load balancer outside are none.
fn stage_hops(hops: &[Hop]) -> Vec<StageHop> {
    let mut kube_proxy = false;
    let mut through_client_tls = false;
    let mut stage = Vec::new();
    for hop in hops {
        match hop.actor {
            Actor::KubeProxy => kube_proxy = true,
            Actor::LoadBalancer => through_client_tls = hop.arrives == Some(Wire::ClientTls),
            actor => {
                let setup = match hop.arrives {
                    Some(Wire::Hbone) => Setup::Hbone,
                    Some(Wire::Mtls) => Setup::Mtls,
                    Some(Wire::ClientTls) => Setup::Mtls,
                    _ if through_client_tls => Setup::Mtls,
                    _ => Setup::Tcp,
                };
                stage.push(StageHop { actor, setup, kube_proxy });
                (kube_proxy, through_client_tls) = (false, false);
            }
        }
    }
    stage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::path::{
        Addressed, Client, Gateway, GatewayListener, PathQuery, WaypointFor, lookup,
    };

    const PLANES: [DataPlane; 3] = [DataPlane::None, DataPlane::Sidecar, DataPlane::Ambient];
    const TARGETS: RouteTargets = RouteTargets { gateway: 1, waypoint: 2, server: 3, own_pod: 0 };

    /// Calls of a Service by every kind of client, past and through gateways and waypoints.
    fn queries() -> Vec<PathQuery> {
        let clients = PLANES.map(Client::Pod).into_iter().chain([Client::External]);
        let mut queries = Vec::new();
        for client in clients {
            for waypoint in [None, Some(WaypointFor::Service)] {
                for gateway in [None, Some(Gateway::new(GatewayListener::Http))] {
                    queries.extend([Protocol::Http, Protocol::Tcp].map(|protocol| PathQuery {
                        waypoint,
                        gateway,
                        protocol,
                        ..PathQuery::new(client, DataPlane::None, Addressed::Service)
                    }));
                }
            }
        }
        queries
    }

    #[test]
    fn routes_to_pods_captured_differently_are_the_same_up_to_the_choice_of_the_pod() {
        for query in queries() {
            let routes = PLANES.map(|server| {
                let stages = compile(&lookup(&PathQuery { server, ..query }), &TARGETS);
                let chooses =
                    |stage: &Stage| stage.choices.iter().any(|c| c.of == Chosen::ServerPod);
                let at = stages.iter().position(chooses).expect("someone chooses the server");
                let Stage { from, choices, request_target, .. } = stages[at].clone();
                (stages[..at].to_vec(), from, choices, request_target)
            });
            assert!(routes.iter().all(|route| *route == routes[0]), "{query:?}");
        }
    }
}
