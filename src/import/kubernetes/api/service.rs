//! Services.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Unexpected, Visitor};

use super::meta::ObjectMeta;

/// `v1` Service.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Service {
    pub(crate) metadata: ObjectMeta,
    pub(crate) spec: ServiceSpec,
}

/// `spec` of a Service.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ServiceSpec {
    pub(crate) selector: BTreeMap<String, String>,
    pub(crate) ports: Vec<ServicePort>,
    #[serde(rename = "clusterIP")]
    pub(crate) cluster_ip: Option<String>,
    #[serde(rename = "type")]
    pub(crate) service_type: Option<String>,
    pub(crate) external_name: Option<String>,
}

/// A port of a Service.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServicePort {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) port: u16,
    pub(crate) target_port: Option<IntOrString>,
    pub(crate) app_protocol: Option<String>,
    pub(crate) protocol: Option<String>,
}

/// A port by number or by the name a container gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IntOrString {
    Int(u16),
    String(String),
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Port;

        impl Visitor<'_> for Port {
            type Value = IntOrString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a port, 1 to 65535, or the name of one")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<IntOrString, E> {
                let port = u16::try_from(number).ok().filter(|port| *port > 0);
                port.map(IntOrString::Int)
                    .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<IntOrString, E> {
                // The API server takes a number in quotes for a name; it means the number.
                Ok(text
                    .parse()
                    .map_or_else(|_| IntOrString::String(text.to_owned()), IntOrString::Int))
            }
        }

        deserializer.deserialize_any(Port)
    }
}
