//! Istio's data plane: protocols, paths, proxies.

pub mod protocol;
