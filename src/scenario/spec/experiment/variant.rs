//! What is compared.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::check::Check;
use super::LoadOverrideSpec;
use super::sweep::check_override;

/// The model with some changes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VariantSpec {
    /// Its name in tables and plots.
    pub name: String,
    /// Where the proxies are; as the manifests say if left out.
    pub data_plane: Option<DataPlaneSpec>,
    /// What goes through a waypoint; as the manifests say if left out. Only with `ambient`.
    pub waypoint: Option<WaypointSpec>,
    /// Fields of objects to be set: `DestinationRule/payment:trafficPolicy.outlierDetection.interval: 5s`.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// What to change about every load.
    pub load: Option<LoadOverrideSpec>,
}

/// Where the proxies are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataPlaneSpec {
    /// Nowhere.
    None,
    /// An Envoy beside each application.
    Sidecar,
    /// A ztunnel per node, waypoints where asked for.
    Ambient,
}

/// What goes through a waypoint; values of the label `istio.io/waypoint-for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaypointSpec {
    /// Nothing.
    None,
    /// Traffic to Services.
    Service,
    /// Traffic to pod addresses.
    Workload,
    /// Both.
    All,
}

impl VariantSpec {
    pub(super) fn check(&self, check: &mut Check<'_>) {
        check.require_name(&self.name, "name");
        let asks_for_waypoint =
            self.waypoint.is_some_and(|waypoint| waypoint != WaypointSpec::None);
        let has_none =
            matches!(self.data_plane, Some(DataPlaneSpec::None | DataPlaneSpec::Sidecar));
        let sentence = "must be left out unless dataPlane is `ambient`: only ambient has waypoints";
        check.require_that(!(asks_for_waypoint && has_none), "waypoint", sentence);
        for key in self.set.keys() {
            let mut set = check.part("set");
            let sentence =
                "names a load; what a variant changes about loads stands under its `load`";
            set.require_that(!key.starts_with("load"), &format!("[\"{key}\"]"), sentence);
            if !key.starts_with("load") {
                check_override(key, &[], 0, &mut set);
            }
        }
        if let Some(load) = &self.load {
            load.check(&mut check.part("load"));
        }
    }
}
