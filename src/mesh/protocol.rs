//! Which protocol the mesh takes a Service port to carry, and what follows for its traffic.
//!
//! What is declared wins: `appProtocol`, else the port name's prefix. What is not declared is
//! detected from the client's first bytes, which tells HTTP/1.1 and HTTP/2 and nothing else.
//! A port that is not HTTP is opaque: routing, retries and HTTP metrics are lost there, and
//! endpoints are chosen per connection. In ambient without a waypoint everything is opaque
//! anyway, whatever the port says.
//!
//! Source: istio/istio `pkg/config/kube/conversion.go` and `pkg/config/protocol/instance.go`
//! (1.31), istio.io "Protocol Selection". The `mongo`, `mysql` and `redis` filters are
//! experimental and off by default; their ports are opaque here.

use serde::{Deserialize, Serialize};

use crate::cluster::ServicePort;
use crate::units::SimDuration;

/// Ports whose well-known protocols let the server speak first, which detection cannot handle:
/// SMTP, DNS, MySQL, MongoDB. Undeclared, they are TCP.
const SERVER_FIRST_PORTS: [u16; 4] = [25, 53, 3306, 27017];

/// The protocol of a Service port, in Istio's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// HTTP/2 in plaintext.
    Http2,
    /// HTTP inside the application's own TLS: ciphertext to the mesh.
    Https,
    /// A byte stream.
    Tcp,
    /// The application's own TLS: ciphertext to the mesh.
    Tls,
    /// gRPC, that is HTTP/2.
    Grpc,
    /// gRPC-Web, treated as HTTP/2.
    GrpcWeb,
    /// MongoDB; opaque by default.
    Mongo,
    /// MySQL; opaque by default.
    #[serde(rename = "mysql")]
    MySql,
    /// Redis; opaque by default.
    Redis,
    /// Datagrams; not proxied at all.
    Udp,
    /// Not declared: detected per connection.
    Auto,
}

/// The transport protocol of a Service port (`ports[].protocol`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Transport {
    /// Kubernetes' default.
    #[default]
    Tcp,
    /// Not proxied.
    Udp,
}

/// What a Service says about one of its ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortDeclaration<'a> {
    /// `port`.
    pub number: u16,
    /// `name`, if given.
    pub name: Option<&'a str>,
    /// `appProtocol`, if given. It silences the name, even when Istio does not know its value.
    pub app_protocol: Option<&'a str>,
    /// `protocol`.
    pub transport: Transport,
}

impl<'a> From<&'a ServicePort> for PortDeclaration<'a> {
    fn from(port: &'a ServicePort) -> Self {
        Self {
            number: port.port,
            name: Some(port.name.as_str()).filter(|name| !name.is_empty()),
            app_protocol: port.app_protocol.as_deref(),
            transport: Transport::Tcp,
        }
    }
}

impl PortDeclaration<'_> {
    /// The protocol the mesh takes this port to carry.
    pub fn protocol(&self) -> Protocol {
        if self.transport == Transport::Udp {
            return Protocol::Udp;
        }
        let declared = match self.app_protocol {
            Some(app_protocol) => kubernetes_app_protocol(app_protocol)
                .or_else(|| Protocol::from_declaration(app_protocol)),
            None => self.name.and_then(Protocol::from_declaration),
        };
        declared.unwrap_or(if SERVER_FIRST_PORTS.contains(&self.number) {
            Protocol::Tcp
        } else {
            Protocol::Auto
        })
    }
}

/// The values of `appProtocol` that Kubernetes itself defines and Istio knows.
fn kubernetes_app_protocol(value: &str) -> Option<Protocol> {
    match value {
        "kubernetes.io/h2c" => Some(Protocol::Http2),
        "kubernetes.io/ws" => Some(Protocol::Http),
        "kubernetes.io/wss" => Some(Protocol::Https),
        _ => None,
    }
}

/// What a client and a server in fact send over a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2 with prior knowledge, gRPC included.
    Http2,
    /// Anything else of which the client sends the first byte, TLS included.
    ClientFirst,
    /// Anything of which the server sends the first byte.
    ServerFirst,
}

/// What becomes of a connection in an Envoy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Parsed as HTTP: all of L7 is available.
    Http,
    /// Copied as bytes.
    Opaque,
    /// Copied as bytes once detection has given up.
    OpaqueAfter(SimDuration),
    /// Never forwarded: the Envoy waits for the client's first bytes, the client for the server's.
    Hangs,
    /// Answered with 400 and flag `DPE`: the port says HTTP, the bytes do not.
    ProtocolError,
    /// Not captured by the mesh.
    NotProxied,
}

impl Protocol {
    /// Reads a port name (`<protocol>` or `<protocol>-<suffix>`) or a plain `appProtocol`,
    /// ignoring case; `None` if Istio does not know the protocol.
    pub fn from_declaration(declaration: &str) -> Option<Self> {
        let declaration = declaration.to_ascii_lowercase();
        if declaration.starts_with("grpc-web") {
            return Some(Self::GrpcWeb);
        }
        let (protocol, _suffix) = declaration.split_once('-').unwrap_or((&declaration, ""));
        Some(match protocol {
            "http" => Self::Http,
            "http2" => Self::Http2,
            "https" => Self::Https,
            "tcp" => Self::Tcp,
            "tls" => Self::Tls,
            "grpc" => Self::Grpc,
            "mongo" => Self::Mongo,
            "mysql" => Self::MySql,
            "redis" => Self::Redis,
            "udp" => Self::Udp,
            _ => return None,
        })
    }

    /// Whether the port is declared to carry HTTP of some kind.
    pub const fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Http2 | Self::Grpc | Self::GrpcWeb)
    }

    /// Whether the application encrypts, so that the mesh sees ciphertext only.
    pub const fn is_application_tls(self) -> bool {
        matches!(self, Self::Https | Self::Tls)
    }

    /// What an Envoy makes of `payload` on this port.
    ///
    /// `detection_timeout` is the mesh's `protocolDetectionTimeout`; zero, Istio's default,
    /// waits for ever (releases before it became the default fell back after 5 s, then 100 ms).
    pub fn treatment(self, payload: Payload, detection_timeout: SimDuration) -> Treatment {
        match (self, payload) {
            (Self::Udp, _) => Treatment::NotProxied,
            (Self::Auto, Payload::Http1 | Payload::Http2) => Treatment::Http,
            (Self::Auto, Payload::ClientFirst) => Treatment::Opaque,
            (Self::Auto, Payload::ServerFirst) if detection_timeout > SimDuration::ZERO => {
                Treatment::OpaqueAfter(detection_timeout)
            }
            (Self::Auto, Payload::ServerFirst) => Treatment::Hangs,
            (declared, payload) if declared.is_http() => match payload {
                Payload::Http1 | Payload::Http2 => Treatment::Http,
                Payload::ClientFirst => Treatment::ProtocolError,
                Payload::ServerFirst => Treatment::Hangs,
            },
            _ => Treatment::Opaque,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Protocol {
        PortDeclaration { number: 8080, name: Some(name), ..Default::default() }.protocol()
    }

    fn declared(name: &str, app_protocol: &str) -> Protocol {
        PortDeclaration {
            number: 8080,
            name: Some(name),
            app_protocol: Some(app_protocol),
            ..Default::default()
        }
        .protocol()
    }

    fn treated(protocol: Protocol, payload: Payload) -> Treatment {
        protocol.treatment(payload, SimDuration::ZERO)
    }

    #[test]
    fn the_name_or_its_prefix_before_the_first_hyphen_declares_the_protocol() {
        for (name, protocol) in [
            ("http", Protocol::Http),
            ("http-web", Protocol::Http),
            ("HTTP2-api", Protocol::Http2),
            ("https-web", Protocol::Https),
            ("tcp-anything-http", Protocol::Tcp),
            ("tls", Protocol::Tls),
            ("grpc-reviews", Protocol::Grpc),
            ("grpc-web", Protocol::GrpcWeb),
            ("gRPC-Web-ui", Protocol::GrpcWeb),
            ("mongo-db", Protocol::Mongo),
            ("mysql", Protocol::MySql),
            ("redis-cache", Protocol::Redis),
            ("udp-dns", Protocol::Udp),
        ] {
            assert_eq!(named(name), protocol, "{name}");
        }
    }

    #[test]
    fn a_prefix_without_hyphen_declares_nothing() {
        for name in ["httpweb", "web-http", "web", "http_web", ""] {
            assert_eq!(named(name), Protocol::Auto, "{name:?}");
        }
    }

    #[test]
    fn app_protocol_wins_over_the_name() {
        assert_eq!(declared("tcp-web", "http"), Protocol::Http);
        assert_eq!(declared("http-web", "tcp"), Protocol::Tcp);
        assert_eq!(declared("web", "GRPC"), Protocol::Grpc);
    }

    #[test]
    fn the_app_protocols_that_kubernetes_defines_are_understood() {
        assert_eq!(declared("tcp", "kubernetes.io/h2c"), Protocol::Http2);
        assert_eq!(declared("tcp", "kubernetes.io/ws"), Protocol::Http);
        assert_eq!(declared("tcp", "kubernetes.io/wss"), Protocol::Https);
    }

    #[test]
    fn an_unknown_app_protocol_silences_the_name_and_leaves_it_to_detection() {
        assert_eq!(declared("http-web", "nats.io/client"), Protocol::Auto);
        assert_eq!(declared("tcp-db", "postgresql"), Protocol::Auto);
    }

    #[test]
    fn undeclared_ports_are_detected_except_where_the_server_is_known_to_speak_first() {
        for number in [25, 53, 3306, 27017] {
            let port = PortDeclaration { number, ..Default::default() };
            assert_eq!(port.protocol(), Protocol::Tcp, "{number}");
        }
        let port = PortDeclaration { number: 5432, ..Default::default() };
        assert_eq!(port.protocol(), Protocol::Auto);
        let declared = PortDeclaration { number: 3306, name: Some("http"), ..Default::default() };
        assert_eq!(declared.protocol(), Protocol::Http, "a declaration beats the number");
    }

    #[test]
    fn a_udp_port_is_not_proxied_whatever_it_is_called() {
        let port = PortDeclaration {
            number: 8080,
            name: Some("http"),
            app_protocol: Some("http"),
            transport: Transport::Udp,
        };
        assert_eq!(port.protocol(), Protocol::Udp);
        assert_eq!(treated(Protocol::Udp, Payload::ClientFirst), Treatment::NotProxied);
    }

    #[test]
    fn detection_finds_http_and_takes_other_client_first_bytes_for_tcp() {
        assert_eq!(treated(Protocol::Auto, Payload::Http1), Treatment::Http);
        assert_eq!(treated(Protocol::Auto, Payload::Http2), Treatment::Http);
        assert_eq!(treated(Protocol::Auto, Payload::ClientFirst), Treatment::Opaque);
    }

    #[test]
    fn a_server_that_speaks_first_hangs_on_a_detected_port_unless_detection_times_out() {
        assert_eq!(treated(Protocol::Auto, Payload::ServerFirst), Treatment::Hangs);
        let timeout = SimDuration::from_millis(100);
        assert_eq!(
            Protocol::Auto.treatment(Payload::ServerFirst, timeout),
            Treatment::OpaqueAfter(timeout)
        );
        assert_eq!(treated(Protocol::Tcp, Payload::ServerFirst), Treatment::Opaque);
    }

    #[test]
    fn only_http_declarations_are_parsed_and_what_is_not_http_there_is_an_error() {
        for protocol in [Protocol::Http, Protocol::Http2, Protocol::Grpc, Protocol::GrpcWeb] {
            assert_eq!(treated(protocol, Payload::Http2), Treatment::Http, "{protocol:?}");
            assert_eq!(treated(protocol, Payload::ClientFirst), Treatment::ProtocolError);
        }
        let opaque = [
            Protocol::Https,
            Protocol::Tls,
            Protocol::Tcp,
            Protocol::Mongo,
            Protocol::MySql,
            Protocol::Redis,
        ];
        for protocol in opaque {
            assert_eq!(treated(protocol, Payload::Http1), Treatment::Opaque, "{protocol:?}");
        }
    }
}
