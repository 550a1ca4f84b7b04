//! What pods request and what their containers may use.
//!
//! Source: kubernetes/kubernetes, `staging/src/k8s.io/component-helpers/resource/helpers.go`
//! (a pod's requests: the larger of the sum over containers and the peak of its init
//! containers, plus overhead) and `pkg/scheduler/util/pod_resources.go` (what is assumed of
//! containers without requests). A missing request is the limit, as the API server sets it.

use super::api::{Container, PodSpec, ResourceRequirements};
use crate::cluster::Resources;
use crate::cluster::scheduler::Requests;

const CPU: &str = "cpu";
const MEMORY: &str = "memory";

/// What the scheduler's scores assume of a container that requests nothing.
const ASSUMED: Requests = Requests { millicores: 100, bytes: 200 << 20 };

impl ResourceRequirements {
    fn request(&self, resource: &str) -> Option<crate::units::Quantity> {
        self.requests.get(resource).or_else(|| self.limits.get(resource)).copied()
    }

    /// What is requested; nothing where neither request nor limit is set.
    pub(super) fn requests(&self) -> Requests {
        Requests {
            millicores: self.request(CPU).unwrap_or_default().millicores(),
            bytes: self.request(MEMORY).unwrap_or_default().bytes(),
        }
    }

    /// The same with the scheduler's assumption where neither is set.
    fn scored_requests(&self) -> Requests {
        Requests {
            millicores: self.request(CPU).map_or(ASSUMED.millicores, |cpu| cpu.millicores()),
            bytes: self.request(MEMORY).map_or(ASSUMED.bytes, |memory| memory.bytes()),
        }
    }

    /// Requests and limits as a run sees them.
    pub(super) fn resources(&self) -> Resources {
        let requests = self.requests();
        Resources {
            request_millicores: requests.millicores,
            limit_millicores: self.limits.get(CPU).map(|cpu| cpu.millicores()),
            request_bytes: requests.bytes,
            limit_bytes: self.limits.get(MEMORY).map(|memory| memory.bytes()),
        }
    }
}

impl Container {
    /// Whether an init container is a native sidecar, which runs as long as the pod.
    pub(super) fn is_native_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}

/// What a pod requests, and what scores assume it to: with the sidecar that injection adds.
pub(super) fn pod_requests(
    spec: &PodSpec,
    sidecar: Option<&ResourceRequirements>,
) -> (Requests, Requests) {
    let total = |of: fn(&ResourceRequirements) -> Requests| {
        let mut total = Requests::default();
        spec.containers.iter().for_each(|container| total += of(&container.resources));
        // Native sidecars run beside the init containers that follow them.
        let mut peak = Requests::default();
        let mut sidecars = sidecar.map(of).unwrap_or_default();
        for container in &spec.init_containers {
            let mut asked = sidecars;
            asked += of(&container.resources);
            if container.is_native_sidecar() {
                sidecars = asked;
            }
            peak = larger(peak, asked);
        }
        total += sidecars;
        let mut total = larger(total, peak);
        let overhead =
            ResourceRequirements { requests: spec.overhead.clone(), ..Default::default() };
        total += overhead.requests();
        total
    };
    (total(ResourceRequirements::requests), total(ResourceRequirements::scored_requests))
}

fn larger(a: Requests, b: Requests) -> Requests {
    Requests { millicores: a.millicores.max(b.millicores), bytes: a.bytes.max(b.bytes) }
}

/// Requests and limits of the application: the sum over its containers. There is a limit only
/// where every container has one.
pub(super) fn application_resources(spec: &PodSpec) -> Resources {
    let sidecars = spec.init_containers.iter().filter(|container| container.is_native_sidecar());
    let parts = spec.containers.iter().chain(sidecars).map(|c| c.resources.resources());
    let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
    parts
        .reduce(|a, b| Resources {
            request_millicores: a.request_millicores.saturating_add(b.request_millicores),
            limit_millicores: sum(a.limit_millicores, b.limit_millicores),
            request_bytes: a.request_bytes.saturating_add(b.request_bytes),
            limit_bytes: sum(a.limit_bytes, b.limit_bytes),
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(text: &str) -> PodSpec {
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn a_missing_request_is_the_limit_and_containers_add_up() {
        let spec = pod("containers:\n\
             - {name: a, resources: {requests: {cpu: 100m}, limits: {cpu: 1, memory: 64Mi}}}\n\
             - {name: b, resources: {limits: {cpu: 500m}}}\n");
        let (requests, scored) = pod_requests(&spec, None);
        assert_eq!(requests, Requests { millicores: 600, bytes: 64 << 20 });
        assert_eq!(scored, Requests { millicores: 600, bytes: 264 << 20 });
        let resources = application_resources(&spec);
        assert_eq!(resources.limit_millicores, Some(1500));
        assert_eq!(resources.limit_bytes, None, "container b has no memory limit");
    }

    #[test]
    fn a_large_init_container_decides_and_native_sidecars_run_beside_it() {
        let spec = pod("containers: [{name: a, resources: {requests: {cpu: 100m}}}]\n\
             initContainers:\n\
             - {name: log, restartPolicy: Always, resources: {requests: {cpu: 50m}}}\n\
             - {name: migrate, resources: {requests: {cpu: 2}}}\n");
        assert_eq!(pod_requests(&spec, None).0.millicores, 2050);
        let sidecar: ResourceRequirements =
            serde_saphyr::from_str("requests: {cpu: 100m}").unwrap();
        assert_eq!(pod_requests(&spec, Some(&sidecar)).0.millicores, 2150);
    }
}
