//! What workloads do with requests: from `Behavior` objects, else assumed.

use std::collections::{BTreeMap, BTreeSet};

use super::coverage::Assumption;
use super::inventory::Inventory;
use super::model::Model;
use super::overlay::UnwrittenBehavior;
use super::plan::Planned;
use super::services::PlannedService;
use crate::cluster::Role;
use crate::cluster::selector::Selector;
use crate::import::durations::read_durations;
use crate::import::manifests::Object;
use crate::import::own::Own;
use crate::scenario::problem::{Problem, Problems};
use crate::scenario::spec::{BehaviorSpec, CallSpec, DistributionSpec};
use crate::units::SimDuration;
use crate::workload::{Behavior, Call, Distribution, Failures};

/// CPU time of a request at an application that says nothing: an echo server's.
///
/// Source: fit of the EKS study (Istio 1.31.2, Graviton, October 2026) to its six published P50
/// differences; a server that does real work burns a hundred times as much.
pub(super) const ASSUMED_CPU_TIME: SimDuration = SimDuration::from_micros(23);

/// Requests that an application serves at once if it sets no bound: more than any client here
/// keeps open.
const UNBOUNDED_WORKERS: u32 = 100_000;

/// Body of a response of which nothing is known, in bytes: what proxies were calibrated with.
pub(super) const ASSUMED_RESPONSE: u64 = 1024;

/// What an application without a `Behavior` does: it echoes.
fn assumed() -> Behavior {
    Behavior {
        cpu_time: Distribution::Constant(ASSUMED_CPU_TIME),
        wait_time: Distribution::ZERO,
        workers: UNBOUNDED_WORKERS,
        queue_limit: None,
        calls: Vec::new(),
        failures: None,
        response_bytes: ASSUMED_RESPONSE,
    }
}

/// Behaviors, and which one each workload has.
#[derive(Default)]
pub(super) struct Behaviors {
    pub(super) list: Vec<Behavior>,
    /// Position in `list`, by workload.
    pub(super) of_workload: Vec<usize>,
    pub(super) assumptions: Vec<Assumption>,
    /// What could be written in place of the assumptions.
    pub(super) unwritten: Vec<UnwrittenBehavior>,
}

/// Gives every workload a behavior. `model` is complete but for them, so calls can be resolved.
pub(super) fn behaviors(
    inventory: &mut Inventory<'_>,
    workloads: &[Planned<'_>],
    services: &[PlannedService<'_>],
    model: &Model,
) -> Behaviors {
    let mut behaviors = Behaviors { list: vec![assumed()], ..Behaviors::default() };
    let Inventory { own, notes, .. } = inventory;
    let written = &own.behaviors;
    // Calls are resolved in the namespace of the caller, so one object may make several.
    let mut known: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    // What is behind no Service only calls others.
    let called: BTreeSet<usize> =
        services.iter().flat_map(|service| service.workloads.iter().copied()).collect();
    for (index, workload) in workloads.iter().enumerate() {
        let position = match choose(workload, written) {
            None => {
                if called.contains(&index) {
                    behaviors.assume_echo(workload);
                }
                0
            }
            Some(index) => *known.entry((index, &workload.namespace)).or_insert_with(|| {
                let Own { object, spec, .. } = &written[index];
                let resolving = Resolving { object, model, namespace: &workload.namespace };
                behaviors.list.push(resolving.behavior(spec, &mut notes.problems));
                behaviors.list.len() - 1
            }),
        };
        behaviors.of_workload.push(position);
    }
    warn_of_unused(written, &known, &mut notes.problems);
    behaviors
}

/// The `Behavior` with the most labels that selects the workload; of equals the last, as with
/// objects of one name.
fn choose(workload: &Planned<'_>, written: &[Own<BehaviorSpec>]) -> Option<usize> {
    if workload.role != Role::Application {
        return None;
    }
    let labels = workload.labels();
    let selects = |behavior: &Own<BehaviorSpec>| {
        behavior.namespace.as_deref().is_none_or(|namespace| namespace == workload.namespace)
            && !behavior.spec.selector.is_empty()
            && Selector::of_labels(&behavior.spec.selector).matches(&labels)
    };
    let selecting = written.iter().enumerate().filter(|(_, behavior)| selects(behavior));
    selecting.max_by_key(|(_, behavior)| behavior.spec.selector.len()).map(|(index, _)| index)
}

fn warn_of_unused(
    written: &[Own<BehaviorSpec>],
    known: &BTreeMap<(usize, &str), usize>,
    problems: &mut Problems,
) {
    for (index, behavior) in written.iter().enumerate() {
        if known.keys().all(|(used, _)| *used != index) {
            let sentence =
                "selects no workload, or another Behavior selects the same with more labels";
            let problem = Problem::statement("spec.selector", sentence).warning();
            problems.push(behavior.object.locate(problem));
        }
    }
}

impl Behaviors {
    fn assume_echo(&mut self, workload: &Planned<'_>) {
        if workload.role != Role::Application || workload.is_infrastructure() {
            return;
        }
        let labels = &workload.template.metadata.labels;
        let labels: Vec<String> =
            labels.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        self.assumptions.push(Assumption {
            subject: workload.qualified_name(),
            assumed: format!("cpuTime: {ASSUMED_CPU_TIME}, no waitTime, no calls"),
            because: "no `Behavior` selects it".to_owned(),
            instead: format!("add a `kind: Behavior` with `selector: {{{}}}`", labels.join(", ")),
        });
        self.unwritten.push(UnwrittenBehavior::of(workload));
    }
}

/// Turns a spec into a behavior for the workloads of one namespace.
struct Resolving<'a> {
    object: &'a Object,
    model: &'a Model,
    namespace: &'a str,
}

impl Resolving<'_> {
    fn behavior(&self, spec: &BehaviorSpec, problems: &mut Problems) -> Behavior {
        let assumed = assumed();
        let mut found = Problems::default();
        let mut time = |field: &str, spec: &Option<DistributionSpec>, assumed: Distribution| {
            let path = format!("spec.{field}");
            let mut read_file = |file: &str| read_durations(&self.object.origin(), file);
            let read = spec.as_ref().map(|spec| spec.resolve(&path, &mut read_file, &mut found));
            read.flatten().unwrap_or(assumed)
        };
        let behavior = Behavior {
            cpu_time: time("cpuTime", &spec.cpu_time, assumed.cpu_time),
            wait_time: time("waitTime", &spec.wait_time, assumed.wait_time),
            workers: spec.workers.unwrap_or(assumed.workers).max(1),
            queue_limit: spec.queue_limit,
            calls: self.calls(spec, &mut found),
            failures: spec.failures.as_ref().map(|failures| Failures {
                status: failures.status,
                probability: failures.probability,
            }),
            response_bytes: spec.response_size.map_or(assumed.response_bytes, |size| size.bytes()),
        };
        problems.extend(found.into_iter().map(|problem| self.object.locate(problem)));
        behavior
    }

    fn calls(&self, spec: &BehaviorSpec, problems: &mut Problems) -> Vec<Vec<Call>> {
        let request_bytes = spec.request_size.map_or(0, |size| size.bytes());
        let steps = spec.calls.iter().enumerate().map(|(index, step)| {
            let path = format!("spec.calls[{index}]");
            let calls = step.located_calls(&path).into_iter();
            calls
                .filter_map(|(path, call)| self.call(&path, call, request_bytes, problems))
                .collect()
        });
        steps.collect()
    }

    fn call(
        &self,
        path: &str,
        call: &CallSpec,
        request_bytes: u64,
        problems: &mut Problems,
    ) -> Option<Call> {
        match self.model.target(&call.to, self.namespace) {
            Ok(to) => Some(Call {
                to,
                probability: call.probability,
                count: call.count.max(1),
                request_bytes: call.request_size.map_or(request_bytes, |size| size.bytes()),
            }),
            Err(rule) => {
                let mut problem = Problem::statement(format!("{path}.to"), rule);
                problem.value = Some(format!("`{}`", call.to));
                problems.push(problem);
                None
            }
        }
    }
}
