//! `meshsim path`: the way of a request through a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arguments::{PathArguments, Plane};
use super::places::{Caller, caller, target};
use super::terminal::print;
use super::{Failure, Outcome};
use crate::cluster::{PodId, Role, WorkloadId};
use crate::import::calibration::built_in_calibration;
use crate::import::kubernetes::{Model, VariantOverrides, build};
use crate::import::manifests::{Manifests, Object, load_model};
use crate::import::overrides::set_field;
use crate::import::own::load_experiment;
use crate::mesh::path::{Actor, Hop, Place, lookup};
use crate::report::output_folder::replace_file;
use crate::report::path_view::{HopName, NamedPath, drawing, json, terminal};
use crate::scenario::Scenario;
use crate::scenario::problem::Problems;
use crate::scenario::spec::{
    DataPlaneSpec, ExperimentSpec, OverridePath, Spec, VariantSpec, WaypointSpec,
};
use crate::simulation::path_query;
use crate::units::SimDuration;
use crate::workload::Target;

/// A model to be shown, as one variant of it.
struct View {
    /// For titles and file names; empty for the model as it is.
    name: &'static str,
    variant: Option<String>,
    overrides: VariantOverrides,
}

/// Shows the path in the model's own data plane, or in those asked for.
pub(super) fn path(arguments: &PathArguments) -> Result<Outcome, Failure> {
    let (objects, variant) = read(arguments)?;
    let views = views(arguments.data_plane, variant.as_ref());
    let mut paths = Vec::new();
    for view in &views {
        let model = build(&objects, view.overrides)?;
        paths.push((view, named_path(model, view, arguments)?));
    }
    match &arguments.svg {
        Some(file) => draw(&paths, file)?,
        None if arguments.json => print(&as_json(&paths)?)?,
        None => {
            let shown: Vec<String> = paths.iter().map(|(_, path)| terminal(path)).collect();
            print(&shown.join("\n\n"))?;
        }
    }
    Ok(Outcome::Fine)
}

/// The objects of the model, and the variant of the experiment that was given in its place.
fn read(arguments: &PathArguments) -> Result<(Vec<Object>, Option<VariantSpec>), Failure> {
    let model = &arguments.model;
    let file = model.join("experiment.yaml");
    let manifests = load_model(if file.is_file() { &file } else { model });
    let experiment = |object: &Object| object.kind == ExperimentSpec::KIND;
    if !manifests.objects.iter().any(experiment) {
        return match &arguments.variant {
            Some(name) => Err(Failure::argument("--variant", name, "needs an experiment as MODEL")),
            None => Ok((objects_of(manifests)?, None)),
        };
    }
    let own = load_experiment(model)?;
    let folder = Path::new(own.object.node.file().name()).parent().unwrap_or(Path::new(""));
    let mut objects = objects_of(load_model(&folder.join(&own.spec.model)))?;
    let Some(name) = &arguments.variant else { return Ok((objects, None)) };
    let Some(variant) = own.spec.variant(name) else {
        let known: Vec<&str> = own.spec.variants.iter().map(|v| v.name.as_str()).collect();
        let sentence = format!("must be one of the variants: {}", known.join(", "));
        return Err(Failure::argument("--variant", name, &sentence));
    };
    for (key, value) in &variant.set {
        let path: Result<OverridePath, _> = key.parse();
        let path = path.map_err(|error| Failure::Sentence(format!("{key} {error}")))?;
        if let Err(problem) = set_field(&mut objects, &path, value, &own.object.origin()) {
            let mut problems = Problems::default();
            problems.push(*problem);
            return Err(problems.into());
        }
    }
    Ok((objects, Some(variant.clone())))
}

fn objects_of(manifests: Manifests) -> Result<Vec<Object>, Failure> {
    Ok(manifests.problems.or_ok(manifests.objects)?)
}

fn views(plane: Option<Plane>, variant: Option<&VariantSpec>) -> Vec<View> {
    let of_plane = |plane: Plane| {
        let (name, data_plane, waypoint) = match plane {
            Plane::None => ("none", DataPlaneSpec::None, WaypointSpec::None),
            Plane::AmbientL4 => ("ambient-l4", DataPlaneSpec::Ambient, WaypointSpec::None),
            Plane::Sidecar => ("sidecar", DataPlaneSpec::Sidecar, WaypointSpec::None),
            Plane::AmbientL7 | Plane::All => {
                ("ambient-l7", DataPlaneSpec::Ambient, WaypointSpec::Service)
            }
        };
        let overrides = VariantOverrides { data_plane: Some(data_plane), waypoint: Some(waypoint) };
        View { name, variant: None, overrides }
    };
    match (plane, variant) {
        (Some(Plane::All), _) => {
            let all = [Plane::None, Plane::AmbientL4, Plane::Sidecar, Plane::AmbientL7];
            all.map(of_plane).into()
        }
        (Some(plane), _) => vec![of_plane(plane)],
        (None, variant) => vec![View {
            name: "",
            variant: variant.map(|variant| variant.name.clone()),
            overrides: variant.map(VariantOverrides::from).unwrap_or_default(),
        }],
    }
}

fn named_path(model: Model, view: &View, arguments: &PathArguments) -> Result<NamedPath, Failure> {
    let refuse = |argument: &'static str, value: &str| {
        let value = value.to_owned();
        move |rule: String| Failure::argument(argument, &value, &rule)
    };
    let from = caller(&model, &arguments.from).map_err(refuse("--from", &arguments.from))?;
    let to = target(&model, &arguments.to, from).map_err(refuse("--to", &arguments.to))?;
    let gateway = gateway(&model, from, arguments)?;
    let costs = Arc::new(built_in_calibration()?);
    let scenario = model.into_scenario(Vec::new(), costs, SimDuration::ZERO, SimDuration::ZERO);
    let cast = Cast::of(&scenario, from, &to, gateway);
    let path = lookup(&path_query(&scenario, cast.client, &to, gateway));
    let names = path.hops.iter().map(|hop| cast.name(&scenario, hop)).collect();
    NamedPath::new(title(arguments, view), path, names)
        .map_err(|count| Failure::Sentence(count.to_string()))
}

/// The gateway asked for; a client outside comes through the first there is.
fn gateway(
    model: &Model,
    from: Caller,
    arguments: &PathArguments,
) -> Result<Option<WorkloadId>, Failure> {
    if let Some(name) = &arguments.via {
        let found = model.gateway(name);
        return Ok(Some(found.map_err(|rule| Failure::argument("--via", name, &rule))?));
    }
    let first = model.workloads.iter().position(|workload| workload.role == Role::Gateway);
    let first = first.filter(|_| from == Caller::Outside);
    Ok(first.map(|index| WorkloadId(index as u32)))
}

fn title(arguments: &PathArguments, view: &View) -> String {
    let via = arguments.via.as_ref().map(|via| format!(" → {via}")).unwrap_or_default();
    let way = format!("{}{via} → {}", arguments.from, arguments.to);
    match (&view.variant, view.name) {
        (Some(variant), _) => format!("{way}, variant {variant}"),
        (None, "") => format!("{way}, as the manifests say"),
        (None, "none") => format!("{way}, no mesh"),
        (None, plane) => format!("{way}, {plane}"),
    }
}

/// Which pods stand for the hops of a path: of several the first.
struct Cast {
    client: Option<PodId>,
    server: Option<PodId>,
    port: Option<u16>,
    gateway: Option<PodId>,
    waypoint: Option<PodId>,
}

impl Cast {
    fn of(scenario: &Scenario, from: Caller, to: &Target, gateway: Option<WorkloadId>) -> Self {
        let client = match from {
            Caller::Outside => None,
            Caller::Pod(pod) => Some(pod),
        };
        let (server, port, waypoint) = match *to {
            Target::Service { service, port } => {
                let found = scenario.service(service);
                (
                    found.endpoints.first().copied(),
                    found.ports.get(port).map(|port| port.target_port),
                    scenario.waypoint_of_service[service.index()],
                )
            }
            Target::PodIp { pod, port } => {
                (Some(pod), Some(port), scenario.waypoint_of_pod[pod.index()])
            }
        };
        let waypoint = waypoint.map(|at| scenario.waypoints[at].workload);
        Self {
            client,
            server,
            port,
            gateway: gateway.and_then(|id| scenario.workload(id).pods.first().copied()),
            waypoint: waypoint.and_then(|id| scenario.workload(id).pods.first().copied()),
        }
    }

    fn name(&self, scenario: &Scenario, hop: &Hop) -> HopName {
        let proxy = if hop.actor == Actor::Waypoint { self.waypoint } else { self.gateway };
        let place = match hop.node {
            Place::Client => self.client,
            Place::Server => self.server,
            Place::Anywhere => proxy,
            Place::Outside => None,
        };
        let Some(pod) = place.map(|id| scenario.pod(id)) else { return HopName::outside() };
        let node = scenario.nodes[pod.node.index()].name.as_str();
        match hop.actor {
            Actor::LoadBalancer => HopName::outside(),
            Actor::KubeProxy => HopName::node(node),
            Actor::ClientZtunnel | Actor::ServerZtunnel => HopName::pod("ztunnel", node),
            Actor::ServerApp => {
                let name = HopName::pod(&pod.name, node);
                match self.port {
                    Some(port) => name.listening_on(port),
                    None => name,
                }
            }
            _ => HopName::pod(&pod.name, node),
        }
    }
}

fn draw(paths: &[(&View, NamedPath)], file: &Path) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Ok(print(&paths.iter().map(|(_, path)| drawing(path)).collect::<String>())?);
    }
    let mut written = String::new();
    for (view, path) in paths {
        let file = if paths.len() == 1 { file.to_owned() } else { with_suffix(file, view.name) };
        replace_file(&file, drawing(path).as_bytes())?;
        written.push_str(&format!("{}\n", file.display()));
    }
    Ok(print(&written)?)
}

/// `path.svg` as `path-sidecar.svg`.
fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file.extension().map_or("svg".into(), |extension| extension.to_string_lossy());
    file.with_file_name(format!("{stem}-{suffix}.{extension}"))
}

/// One document for one path, a list of documents for several.
fn as_json(paths: &[(&View, NamedPath)]) -> Result<String, Failure> {
    let documents: Result<Vec<String>, _> = paths.iter().map(|(_, path)| json(path)).collect();
    let documents = documents?;
    match documents.as_slice() {
        [only] => Ok(only.clone()),
        several => {
            let trimmed: Vec<&str> = several.iter().map(|document| document.trim_end()).collect();
            Ok(format!("[{}]\n", trimmed.join(",\n")))
        }
    }
}
