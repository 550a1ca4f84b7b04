//! What a host name means inside the cluster.
//!
//! Names are resolved as a pod's resolver does it: as written after each of the search domains
//! `NAMESPACE.svc.cluster.local`, `svc.cluster.local`, `cluster.local`, then as they stand.
//! Source: kubernetes.io "DNS for Services and Pods" (1.33). A pod of a Service has the name
//! `POD.SERVICE.NAMESPACE.svc.cluster.local`; Kubernetes gives it to pods of StatefulSets behind
//! headless Services, here every pod has it, so that a pod can be addressed by its IP.

use std::net::Ipv4Addr;

use super::model::Model;
use crate::cluster::{PodId, Role, Service, ServiceId};
use crate::scenario::spec::UrlSpec;
use crate::workload::Target;

const CLUSTER_DOMAIN: &str = "cluster.local";

impl Model {
    /// What `url` names when a pod of `namespace` dials it.
    ///
    /// # Errors
    ///
    /// The end of a sentence that starts with the URL: it names nothing in the model, a port that
    /// the Service does not have, or a proxy, which answers no requests of its own.
    pub fn target(&self, url: &UrlSpec, namespace: &str) -> Result<Target, String> {
        self.resolve(url, namespace).and_then(|target| self.application(target))
    }

    /// `target`, unless it leads to a proxy.
    fn application(&self, target: Target) -> Result<Target, String> {
        let pods = match &target {
            Target::Service { service, .. } => self.services[service.index()].endpoints.as_slice(),
            Target::PodIp { pod, .. } => std::slice::from_ref(pod),
        };
        let mut workloads = pods.iter().map(|pod| self.pods[pod.index()].workload);
        let proxy = workloads.find(|id| self.workloads[id.index()].role != Role::Application);
        match proxy.map(|id| self.workloads[id.index()].qualified_name()) {
            None => Ok(target),
            Some(proxy) => Err(format!(
                "must name an application, and this is the proxy {proxy}; a load goes through a gateway by `via`"
            )),
        }
    }

    fn resolve(&self, url: &UrlSpec, namespace: &str) -> Result<Target, String> {
        if let Ok(ip) = url.host.parse::<Ipv4Addr>() {
            let pod = self.pods.iter().position(|pod| pod.ip == ip);
            return match pod {
                Some(pod) => Ok(Target::PodIp { pod: PodId(pod as u32), port: url.port }),
                None => Err(format!("must name a pod, but none has the address {ip}")),
            };
        }
        let domains = [
            format!("{namespace}.svc.{CLUSTER_DOMAIN}"),
            format!("svc.{CLUSTER_DOMAIN}"),
            CLUSTER_DOMAIN.to_owned(),
        ];
        let host = url.host.trim_end_matches('.');
        let searched = domains.iter().map(|domain| format!("{host}.{domain}"));
        searched
            .chain([host.to_owned()])
            .find_map(|name| self.named(&name, url.port))
            .unwrap_or_else(|| Err(self.unknown_host(host, namespace)))
    }

    /// What stands behind a full name; nothing if it is no name of the model's.
    fn named(&self, name: &str, port: u16) -> Option<Result<Target, String>> {
        let name = name.strip_suffix(CLUSTER_DOMAIN)?.strip_suffix(".svc.")?;
        let labels: Vec<&str> = name.split('.').collect();
        match labels.as_slice() {
            [service, namespace] => {
                let service = self.service(namespace, service)?;
                Some(self.port(service, port))
            }
            [pod, service, namespace] => {
                let service = &self.services[self.service(namespace, service)?.index()];
                let is_named = |id: &&PodId| self.pods[id.index()].name == *pod;
                let pod = *service.endpoints.iter().find(is_named)?;
                Some(Ok(Target::PodIp { pod, port }))
            }
            _ => None,
        }
    }

    fn service(&self, namespace: &str, name: &str) -> Option<ServiceId> {
        let is_named = |service: &Service| service.namespace == namespace && service.name == name;
        self.services.iter().position(is_named).map(|index| ServiceId(index as u32))
    }

    fn port(&self, service: ServiceId, port: u16) -> Result<Target, String> {
        let ports = &self.services[service.index()].ports;
        match ports.iter().position(|candidate| candidate.port == port) {
            Some(port) => Ok(Target::Service { service, port }),
            None => {
                let known: Vec<String> = ports.iter().map(|port| port.port.to_string()).collect();
                let name = self.services[service.index()].qualified_name();
                Err(format!("must dial a port of the Service {name}: {}", known.join(", ")))
            }
        }
    }

    fn unknown_host(&self, host: &str, namespace: &str) -> String {
        let first = host.split('.').next().unwrap_or(host);
        let near = self.services.iter().find(|service| service.name == first);
        match near {
            Some(service) => format!(
                "must name a Service that `{namespace}` sees; there is `{}.{}`",
                service.name, service.namespace
            ),
            None => format!("must name a Service of the model, and none is called `{first}`"),
        }
    }
}
