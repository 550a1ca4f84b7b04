//! How an Envoy chooses among the endpoints of an upstream cluster.

pub mod least_request;
