//! Load generators as written into load generators as simulated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::trace::{self, Trace};
use crate::cluster::{Role, WorkloadId};
use crate::import::kubernetes::Model;
use crate::mesh::protocol::PortDeclaration;
use crate::scenario::problem::{Problem, Problems, SourceFile};
use crate::scenario::spec::{ArrivalsSpec, LoadOverrideSpec, LoadSpec, Scheme};
use crate::units::{SimDuration, SimTime};
use crate::workload::{Arrivals, Load, RatePhase, Target};

/// The `from` of a client outside the cluster, if it is written at all.
const EXTERNAL: &str = "external";

/// The namespace of clients that have none.
const DEFAULT_NAMESPACE: &str = "default";

/// The traces of arrivals that were read, each once.
#[derive(Debug, Default)]
pub(super) struct Traces {
    read: BTreeMap<PathBuf, Trace>,
}

impl Traces {
    /// The files, in the order of their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = &Arc<SourceFile>> {
        self.read.values().map(|(file, _)| file)
    }

    fn get(&mut self, path: PathBuf) -> Result<Arc<[SimDuration]>, Box<Problem>> {
        if !self.read.contains_key(&path) {
            let read = trace::read(&path)?;
            self.read.insert(path.clone(), read);
        }
        Ok(Arc::clone(&self.read[&path].1))
    }
}

/// Where a load stands in the file, and what a variant changes about it.
pub(super) struct Place<'a> {
    /// Position of the load.
    pub(super) load: usize,
    /// Position of the variant, and its changes.
    pub(super) variant: Option<(usize, &'a LoadOverrideSpec)>,
}

impl Place<'_> {
    /// The path of `field`, where it was last written.
    fn path_of(&self, field: &str) -> String {
        let own = format!("spec.load[{}].{field}", self.load);
        let Some((index, change)) = self.variant else { return own };
        let is_changed = match field {
            "from" => change.from.is_some(),
            "to" => change.to.is_some(),
            "via" => change.via.is_some(),
            "arrivals" => change.arrivals.is_some(),
            _ => false,
        };
        if is_changed { format!("spec.variants[{index}].load.{field}") } else { own }
    }
}

/// What a load is resolved against.
pub(super) struct Surroundings<'a> {
    /// The cluster.
    pub(super) model: &'a Model,
    /// Where the names of the experiment are looked up first, if it says so.
    pub(super) namespace: Option<&'a str>,
    /// The folder that file names are relative to.
    pub(super) folder: &'a Path,
    /// When the run ends.
    pub(super) end: SimTime,
}

impl Surroundings<'_> {
    /// The load that `spec` describes; none after adding to `problems`.
    pub(super) fn load(
        &self,
        spec: &LoadSpec,
        place: &Place<'_>,
        traces: &mut Traces,
        problems: &mut Problems,
    ) -> Option<Load> {
        let mut refuse = |field: &str, value: &dyn std::fmt::Display, rule: String| {
            let mut problem = Problem::statement(place.path_of(field), rule);
            problem.value = Some(format!("`{value}`"));
            problems.push(problem);
        };
        let from = spec.from.as_deref().filter(|from| *from != EXTERNAL);
        let from = from.map(|name| self.caller(name).map_err(|rule| refuse("from", &name, rule)));
        let via = spec.via.as_deref();
        let via = via.map(|name| self.gateway(name).map_err(|rule| refuse("via", &name, rule)));
        let (from, via) = (from.transpose().ok()?, via.transpose().ok()?);
        let to = self.target(spec, from.or(via)).map_err(|rule| refuse("to", &spec.to, rule));
        let arrivals = self.arrivals(&spec.arrivals, traces).map_err(|problem| {
            let is_in_trace = problem.location.is_some();
            let path = format!("{}.trace.file", place.path_of("arrivals"));
            problems.push(if is_in_trace { *problem } else { Problem { path, ..*problem } });
        });
        let rate = rate(spec, place, problems);
        Some(Load {
            from,
            to: to.ok()?,
            via,
            rate: rate?,
            connections: connections(spec),
            arrivals: arrivals.ok()?,
            catch_up: spec.catch_up,
            keep_alive: spec.keep_alive,
            reopen_after_error: spec.reopen_after_error,
            timeout: spec.timeout,
            request_bytes: spec.request_size.map_or(0, |size| size.bytes()),
            url: spec.to.to_string(),
        })
    }

    /// The workload called `name`, in the experiment's own namespace before all others.
    fn workload(&self, name: &str) -> Result<WorkloadId, String> {
        let own = self.namespace.filter(|_| !name.contains('/'));
        let own =
            own.and_then(|namespace| self.model.workload(&format!("{namespace}/{name}")).ok());
        own.map_or_else(|| self.model.workload(name), Ok)
    }

    fn caller(&self, name: &str) -> Result<WorkloadId, String> {
        let workload = self.workload(name)?;
        let found = &self.model.workloads[workload.index()];
        if found.role != Role::Application {
            return Err("must name an application: proxies send no requests of their own".into());
        }
        if found.pods.is_empty() {
            return Err("must name a workload with pods, and this one has none that run".into());
        }
        Ok(workload)
    }

    /// The gateway called `name`, in the experiment's own namespace before all others.
    fn gateway(&self, name: &str) -> Result<WorkloadId, String> {
        let own = self.namespace.filter(|_| !name.contains('/'));
        let own = own.and_then(|namespace| self.model.gateway(&format!("{namespace}/{name}")).ok());
        let workload = own.map_or_else(|| self.model.gateway(name), Ok)?;
        if self.model.workloads[workload.index()].pods.is_empty() {
            return Err("must name a gateway with pods, and this one has none that run".into());
        }
        Ok(workload)
    }

    /// What is called, as the pods of `by` see it. A client outside sees what stands in the
    /// experiment's namespace, else the only Service of the name.
    fn target(&self, spec: &LoadSpec, by: Option<WorkloadId>) -> Result<Target, String> {
        let model = self.model;
        if let Some(workload) = by {
            return model.target(&spec.to, &model.workloads[workload.index()].namespace);
        }
        let own = self.namespace.unwrap_or(DEFAULT_NAMESPACE);
        let named: Vec<&str> = model
            .services
            .iter()
            .filter(|service| service.name == spec.to.host)
            .map(|service| service.namespace.as_str())
            .collect();
        match named.as_slice() {
            [only] => model.target(&spec.to, only),
            _ => model.target(&spec.to, own),
        }
    }

    fn arrivals(&self, spec: &ArrivalsSpec, traces: &mut Traces) -> Result<Arrivals, Box<Problem>> {
        Ok(match spec {
            ArrivalsSpec::InStep => Arrivals::InStep,
            ArrivalsSpec::Uniform => Arrivals::Uniform,
            ArrivalsSpec::Jitter => Arrivals::Jitter,
            ArrivalsSpec::Poisson => Arrivals::Poisson,
            ArrivalsSpec::Constant => Arrivals::Constant,
            ArrivalsSpec::Closed(closed) => Arrivals::Closed { think_time: closed.think_time },
            ArrivalsSpec::Trace(trace) => {
                Arrivals::Trace(traces.get(self.folder.join(&trace.file))?)
            }
        })
    }

    /// Whether `target` is a port that its Service declares to be HTTP.
    fn declares_http(&self, target: &Target) -> bool {
        let Target::Service { service, port } = *target else { return false };
        let port = &self.model.services[service.index()].ports[port];
        PortDeclaration::from(port).protocol().is_http()
    }

    /// What is taken for granted about a load, in sentences.
    pub(super) fn assumptions(&self, spec: &LoadSpec, load: &Load) -> Vec<String> {
        let mut sentences = Vec::new();
        if spec.method != "GET" {
            sentences.push(format!(
                "Load {}: {} is treated like GET; methods differ in nothing that is modelled.",
                spec.to, spec.method
            ));
        }
        if matches!(spec.to.scheme, Scheme::Https | Scheme::Tcp) && self.declares_http(&load.to) {
            sentences.push(format!(
                "Load {}: its port is declared HTTP, to which Envoys answer 400 (DPE) where it is \
                 none; here everything sent to the port is taken for what the port says.",
                spec.to
            ));
        }
        if spec.to.scheme == Scheme::Https {
            sentences.push(format!(
                "Load {}: the TLS that the application starts itself costs nothing here.",
                spec.to
            ));
        }
        if let Arrivals::Trace(instants) = &load.arrivals {
            let late = instants.iter().filter(|&&at| SimTime::ZERO + at > self.end).count();
            if late > 0 {
                sentences.push(format!(
                    "Load {}: {late} of the {} arrivals of its trace lie beyond the end of the run \
                     and are left out.",
                    spec.to,
                    instants.len()
                ));
            }
        }
        sentences
    }
}

/// Users of a closed loop, else connections per pod.
fn connections(spec: &LoadSpec) -> u32 {
    match &spec.arrivals {
        ArrivalsSpec::Closed(closed) => closed.users,
        _ => spec.connections(),
    }
}

/// The phases of the rate; one without requests where the arrivals have their own.
fn rate(spec: &LoadSpec, place: &Place<'_>, problems: &mut Problems) -> Option<Vec<RatePhase>> {
    let has_own = matches!(spec.arrivals, ArrivalsSpec::Closed(_) | ArrivalsSpec::Trace(_));
    match &spec.rate {
        Some(rate) => {
            let phases = rate.phases.iter();
            Some(phases.map(|phase| RatePhase { from: phase.at, rate: phase.is }).collect())
        }
        None if has_own => Some(vec![RatePhase { from: SimDuration::ZERO, rate: 0.0 }]),
        None => {
            let sentence = "is missing for the arrivals that a sweep or a variant asks for";
            problems.push(Problem::statement(place.path_of("rate"), sentence));
            None
        }
    }
}
