//! What a user may write in place of what was assumed: a file of `Behavior` objects to fill in.

use std::fmt::Write;

use super::behaviors::{ASSUMED_CPU_TIME, ASSUMED_RESPONSE};
use super::model::Model;
use super::plan::Planned;
use crate::cluster::{Service, ServicePort};
use crate::mesh::protocol::{PortDeclaration, Protocol, Transport};
use crate::scenario::spec::UrlSpec;
use crate::workload::Target;

/// A workload without a `Behavior`, and what its environment says of others.
#[derive(Clone, Debug)]
pub(super) struct UnwrittenBehavior {
    name: String,
    namespace: String,
    labels: Vec<(String, String)>,
    /// Values of its environment variables: one may be the address of a service.
    environment: Vec<String>,
}

impl UnwrittenBehavior {
    pub(super) fn of(workload: &Planned<'_>) -> Self {
        let variables = workload.template.spec.containers.iter().flat_map(|c| &c.env);
        Self {
            name: workload.name.clone(),
            namespace: workload.namespace.clone(),
            labels: workload.labels(),
            environment: variables.map(|variable| variable.value.clone()).collect(),
        }
    }

    /// Addresses in the environment that name services of the model, as calls may name them.
    fn callees(&self, model: &Model) -> Vec<String> {
        let mut callees: Vec<String> =
            self.environment.iter().filter_map(|value| self.callee(value, model)).collect();
        callees.sort();
        callees.dedup();
        callees
    }

    /// `cart:7070` or `http://cart:7070/x` as a URL, if that is a port of a service.
    fn callee(&self, value: &str, model: &Model) -> Option<String> {
        let address = value.split_once("://").map_or(value, |(_, address)| address);
        let authority = address.split('/').next().filter(|authority| authority.contains(':'))?;
        let url: UrlSpec = format!("tcp://{authority}").parse().ok()?;
        match model.target(&url, &self.namespace).ok()? {
            Target::Service { service, port } => {
                let Service { ports, .. } = &model.services[service.index()];
                Some(format!("{}://{authority}", scheme(&ports[port])))
            }
            Target::PodIp { .. } => None,
        }
    }
}

/// The scheme in which calls to a port are written.
fn scheme(port: &ServicePort) -> &'static str {
    let declaration = PortDeclaration {
        number: port.port,
        name: Some(port.name.as_str()).filter(|name| !name.is_empty()),
        app_protocol: port.app_protocol.as_deref(),
        transport: Transport::Tcp,
    };
    match declaration.protocol() {
        Protocol::Http | Protocol::Auto | Protocol::GrpcWeb => "http",
        Protocol::Grpc | Protocol::Http2 => "grpc",
        Protocol::Https | Protocol::Tls => "https",
        Protocol::Tcp | Protocol::Mongo | Protocol::MySql | Protocol::Redis | Protocol::Udp => {
            "tcp"
        }
    }
}

impl Model {
    /// A file of `Behavior` objects with all that was assumed filled in, to be completed and put
    /// beside the manifests; empty if nothing was assumed.
    ///
    /// Values of environment variables appear only where they are addresses of services.
    pub fn assumed_behaviors(&self) -> String {
        let mut text = String::new();
        for behavior in &self.unwritten {
            // Writing to a String cannot fail.
            let _ = behavior.write(self, &mut text);
        }
        text
    }
}

impl UnwrittenBehavior {
    fn write(&self, model: &Model, text: &mut String) -> std::fmt::Result {
        let Self { name, namespace, .. } = self;
        let labels: Vec<String> =
            self.labels.iter().map(|(key, value)| format!("{key}: {value:?}")).collect();
        writeln!(text, "---\napiVersion: meshsim/v1\nkind: Behavior")?;
        writeln!(text, "metadata: {{name: {name}, namespace: {namespace}}}")?;
        writeln!(text, "spec:\n  selector: {{{}}}", labels.join(", "))?;
        writeln!(text, "  cpuTime: {ASSUMED_CPU_TIME}  # assumed: an echo server's")?;
        writeln!(text, "  responseSize: {ASSUMED_RESPONSE}  # assumed")?;
        let callees = self.callees(model);
        if !callees.is_empty() {
            writeln!(
                text,
                "  # Its environment names these; say which a request calls, and how often:"
            )?;
            writeln!(text, "  # calls:")?;
        }
        for callee in callees {
            writeln!(text, "  #   - {{to: \"{callee}\", probability: 1, count: 1}}")?;
        }
        Ok(())
    }
}
