//! What the words of `--from` and `--to` mean in a model.

use crate::cluster::{PodId, Service, WorkloadId};
use crate::import::kubernetes::Model;
use crate::scenario::spec::UrlSpec;
use crate::workload::Target;

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// A client outside the cluster.
    Outside,
    /// A pod.
    Pod(PodId),
}

/// The caller that `name` means: `external`, a pod, or the first pod of a workload.
///
/// # Errors
///
/// The end of a sentence that starts with the name.
pub(super) fn caller(model: &Model, name: &str) -> Result<Caller, String> {
    if name == "external" {
        return Ok(Caller::Outside);
    }
    if let Some(pod) = pod(model, name) {
        return Ok(Caller::Pod(pod));
    }
    let workload = model.workload(name)?;
    match model.workloads[workload.index()].pods.first() {
        Some(&pod) => Ok(Caller::Pod(pod)),
        None => Err("must name a workload with pods, and this one has none that run".to_owned()),
    }
}

/// What `text` names for `caller`: a URL, a Service with or without its port, or a workload or
/// pod, which is dialled by its IP.
///
/// # Errors
///
/// The end of a sentence that starts with the text.
pub(super) fn target(model: &Model, text: &str, caller: Caller) -> Result<Target, String> {
    let namespace = match caller {
        Caller::Outside => None,
        Caller::Pod(pod) => Some(model.pods[pod.index()].namespace.as_str()),
    };
    if text.contains("://") {
        let url: UrlSpec = text.parse().map_err(|invalid| format!("{invalid}"))?;
        return of_url(model, &url, namespace);
    }
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) => {
            let number: u16 = port.parse().map_err(|_| "must end in the number of a port")?;
            (name, Some(number))
        }
        None => (text, None),
    };
    if let Some(service) = service(model, name, namespace)? {
        return of_service(model, service, port);
    }
    let pod = match pod(model, name) {
        Some(pod) => pod,
        None => first_pod(model, name)?,
    };
    let port = port.or_else(|| listening_port(model, pod));
    let port = port.ok_or("must give a port, for no Service leads to it: `NAME:PORT`")?;
    Ok(Target::PodIp { pod, port })
}

fn of_url(model: &Model, url: &UrlSpec, namespace: Option<&str>) -> Result<Target, String> {
    let found = match namespace {
        Some(_) => None,
        None => service(model, &url.host, None)?.map(|at| model.services[at].namespace.as_str()),
    };
    model.target(url, namespace.or(found).unwrap_or("default"))
}

/// Position of the Service that `name` (`echo`, `echo.shop`, `shop/echo`) means: in `namespace`
/// before all others.
fn service(model: &Model, name: &str, namespace: Option<&str>) -> Result<Option<usize>, String> {
    let short = name.strip_suffix(".svc.cluster.local").or(name.strip_suffix(".svc"));
    let short = short.unwrap_or(name);
    let (name, own) = match (short.split_once('/'), short.split_once('.')) {
        (Some((namespace, name)), _) | (None, Some((name, namespace))) => (name, Some(namespace)),
        (None, None) => (short, None),
    };
    let called = |service: &Service| service.name == name;
    let all = model.services.iter().enumerate().filter(|(_, service)| called(service));
    let found: Vec<(usize, &Service)> =
        all.filter(|(_, service)| own.is_none_or(|own| service.namespace == own)).collect();
    let near = found.iter().find(|(_, service)| Some(service.namespace.as_str()) == namespace);
    match (near, found.as_slice()) {
        (Some((at, _)), _) | (None, [(at, _)]) => Ok(Some(*at)),
        (None, []) => Ok(None),
        (None, several) => {
            let names: Vec<String> = several.iter().map(|(_, s)| s.qualified_name()).collect();
            Err(format!("must name one Service: {}", names.join(", ")))
        }
    }
}

fn of_service(model: &Model, at: usize, port: Option<u16>) -> Result<Target, String> {
    let service = &model.services[at];
    let ports: Vec<u16> = service.ports.iter().map(|port| port.port).collect();
    let position = match (port, ports.as_slice()) {
        (Some(port), _) => ports.iter().position(|&known| known == port),
        (None, [_]) => Some(0),
        (None, _) => None,
    };
    let listed = ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let port = position.ok_or_else(|| {
        format!("must dial a port of the Service {}: {listed}", service.qualified_name())
    })?;
    Ok(Target::Service { service: crate::cluster::ServiceId(at as u32), port })
}

fn pod(model: &Model, name: &str) -> Option<PodId> {
    let is_meant = |pod: &crate::cluster::Pod| match name.split_once('/') {
        Some((namespace, name)) => pod.namespace == namespace && pod.name == name,
        None => pod.name == name,
    };
    model.pods.iter().position(is_meant).map(|at| PodId(at as u32))
}

fn first_pod(model: &Model, name: &str) -> Result<PodId, String> {
    let workload: WorkloadId = model
        .workload(name)
        .map_err(|_| "must name a Service, a workload or a pod of the model".to_owned())?;
    let pods = &model.workloads[workload.index()].pods;
    pods.first().copied().ok_or_else(|| "must name a workload with pods that run".to_owned())
}

/// The first port that a Service leads to on `pod`.
fn listening_port(model: &Model, pod: PodId) -> Option<u16> {
    let mut leading = model.services.iter().filter(|service| service.endpoints.contains(&pod));
    leading.find_map(|service| service.ports.first()).map(|port| port.target_port)
}
