//! Which waypoint a service or pod is bound to.
//!
//! The label `istio.io/use-waypoint` on the object decides, else that on its namespace. A
//! binding takes effect only if the waypoint exists, admits the namespace and is for that kind
//! of traffic; otherwise there is none at all, without falling back.
//!
//! Source: istio/istio 1.31, `pilot/pkg/serviceregistry/ambient/waypoints.go`. Left out: canary
//! waypoints (`istio.io/use-waypoint-canary`).

use std::collections::BTreeMap;

use super::gateways::proxy_template;
use super::gateways::{Admission, Gateways, GeneratedService, HBONE_PORT, PlannedWaypoint};
use super::inventory::Namespaces;
use super::plan::{Plan, Planned};
use super::services::PlannedService;
use crate::cluster::Role;
use crate::mesh::path::{Addressed, WaypointFor};

const USE_WAYPOINT: &str = "istio.io/use-waypoint";
const USE_WAYPOINT_NAMESPACE: &str = "istio.io/use-waypoint-namespace";
const INGRESS_USE_WAYPOINT: &str = "istio.io/ingress-use-waypoint";

/// The name that `istioctl waypoint apply` gives.
const DEFAULT_NAME: &str = "waypoint";

/// What binds: labels of the object and of its namespace.
pub(super) struct Binder<'a> {
    pub(super) namespaces: &'a Namespaces,
    pub(super) waypoints: &'a [PlannedWaypoint],
    /// Waypoint of what carries no label, by namespace: a variant's wish.
    pub(super) defaults: &'a BTreeMap<String, usize>,
}

impl Binder<'_> {
    /// The waypoint of something with `labels` in `namespace`.
    ///
    /// # Errors
    ///
    /// Why a label takes no effect.
    pub(super) fn waypoint(
        &self,
        labels: &BTreeMap<String, String>,
        namespace: &str,
        addressed: Addressed,
    ) -> Result<Option<usize>, String> {
        let own = labels.get(USE_WAYPOINT);
        let inherited = || self.namespaces.get(namespace).map(|metadata| &metadata.labels);
        let labels = if own.is_some() { Some(labels) } else { inherited() };
        let Some((labels, name)) = labels.and_then(|l| Some((l, l.get(USE_WAYPOINT)?))) else {
            let default = self.defaults.get(namespace).copied();
            return Ok(default.filter(|&waypoint| self.is_for(waypoint, addressed)));
        };
        // The word is reserved: no waypoint can have this name.
        if name == "none" {
            return Ok(None);
        }
        let of = labels.get(USE_WAYPOINT_NAMESPACE).map_or(namespace, String::as_str);
        let found = self.find(of, name, namespace)?;
        if self.is_for(found, addressed) {
            return Ok(Some(found));
        }
        // A namespace's waypoint for services says nothing about pods.
        if own.is_none() && addressed == Addressed::PodIp {
            return Ok(None);
        }
        let traffic = self.waypoints[found].waypoint_for.map_or("no traffic", words);
        Err(format!("names the waypoint `{of}/{name}`, which is for {traffic}: it is not used"))
    }

    fn is_for(&self, waypoint: usize, addressed: Addressed) -> bool {
        self.waypoints[waypoint].waypoint_for.is_some_and(|kind| kind.handles(addressed))
    }

    fn find(&self, of: &str, name: &str, namespace: &str) -> Result<usize, String> {
        let is_named =
            |waypoint: &PlannedWaypoint| waypoint.namespace == of && waypoint.name == name;
        let found = self.waypoints.iter().position(is_named).ok_or_else(|| {
            format!(
                "names the waypoint `{of}/{name}`, which does not exist: nothing goes through it"
            )
        })?;
        if self.waypoints[found].admits(namespace, self.namespaces) {
            Ok(found)
        } else {
            Err(format!(
                "names the waypoint `{of}/{name}`, which does not admit the namespace `{namespace}` (`allowedRoutes`)"
            ))
        }
    }

    /// Whether gateways go through the waypoint of a service; the service's label stands before
    /// its namespace's.
    pub(super) fn ingress_uses_it(&self, service: &PlannedService<'_>) -> bool {
        let of_namespace = self.namespaces.get(&service.namespace);
        let inherited = of_namespace.and_then(|metadata| metadata.label(INGRESS_USE_WAYPOINT));
        let own = service.labels.get(INGRESS_USE_WAYPOINT).map(String::as_str);
        own.or(inherited) == Some("true")
    }
}

fn words(kind: WaypointFor) -> &'static str {
    match kind {
        WaypointFor::Service => "traffic to services",
        WaypointFor::Workload => "traffic to pods",
        WaypointFor::All => "all traffic",
    }
}

/// Gives each of `namespaces` a waypoint for `kind`: its own if it has one, else a new one of one
/// pod. Returns them by namespace.
pub(super) fn add_waypoints(
    namespaces: impl Iterator<Item = String>,
    kind: WaypointFor,
    gateways: &mut Gateways,
    plan: &mut Plan<'_>,
) -> BTreeMap<String, usize> {
    let mut defaults = BTreeMap::new();
    for namespace in namespaces {
        let existing = gateways.waypoints.iter().position(|other| other.namespace == namespace);
        let waypoint = existing.unwrap_or_else(|| add_waypoint(&namespace, gateways, plan));
        gateways.waypoints[waypoint].waypoint_for = Some(kind);
        defaults.insert(namespace, waypoint);
    }
    defaults
}

fn add_waypoint(namespace: &str, gateways: &mut Gateways, plan: &mut Plan<'_>) -> usize {
    let name = DEFAULT_NAME.to_owned();
    let template = proxy_template(BTreeMap::new(), BTreeMap::new(), &name, &name, Role::Waypoint);
    let role = Role::Waypoint;
    plan.add(Planned::of_gateway(None, name.clone(), namespace, role, 1, template));
    gateways.services.push(GeneratedService {
        name: name.clone(),
        namespace: namespace.to_owned(),
        ports: vec![("mesh".to_owned(), HBONE_PORT, "hbone".to_owned())],
        gateway: name.clone(),
    });
    gateways.waypoints.push(PlannedWaypoint {
        name,
        namespace: namespace.to_owned(),
        waypoint_for: None,
        admission: Admission::Own,
        workload: plan.workloads.len() - 1,
    });
    gateways.waypoints.len() - 1
}
