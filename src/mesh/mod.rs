//! Istio's data plane: protocols, paths, proxies.

pub mod path;
pub mod protocol;
