//! A path as people read it: a table for the terminal, JSON for machines, a drawing.
//!
//! Pure functions of a [`NamedPath`], the path of `mesh` with the names of the pods and nodes
//! that its hops stand for. Nothing is printed and no file written here.

mod drawing;
mod json;
mod svg;
mod terminal;
mod words;

use std::fmt;

use crate::mesh::path::{Hop, Path};

pub use drawing::drawing;
pub use json::json;
pub use terminal::terminal;

/// What stands for a hop in the model at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HopName {
    /// The pod; `None` for kube-proxy's rules and for the cloud's load balancer.
    pub pod: Option<String>,
    /// The node; `None` outside the cluster.
    pub node: Option<String>,
    /// The application's own port, at the server application.
    pub port: Option<u16>,
}

impl HopName {
    /// A hop that runs in `pod` on `node`.
    pub fn pod(pod: impl Into<String>, node: impl Into<String>) -> Self {
        Self { pod: Some(pod.into()), node: Some(node.into()), port: None }
    }

    /// A hop of `node` itself, without a pod: kube-proxy's rules.
    pub fn node(node: impl Into<String>) -> Self {
        Self { pod: None, node: Some(node.into()), port: None }
    }

    /// A hop outside the cluster: the load balancer.
    pub fn outside() -> Self {
        Self::default()
    }

    /// This hop with the port that its application listens on.
    pub fn listening_on(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }
}

/// A path with a title and a name for each of its hops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    title: String,
    path: Path,
    names: Vec<HopName>,
}

/// The number of names is not the number of hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameCount {
    /// Hops of the path.
    pub hops: usize,
    /// Names given.
    pub names: usize,
}

impl fmt::Display for NameCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a path of {} hops was given {} names", self.hops, self.names)
    }
}

impl std::error::Error for NameCount {}

impl NamedPath {
    /// `path` under `title`, its hops called `names`, in order.
    ///
    /// # Errors
    ///
    /// [`NameCount`] unless there is one name per hop.
    pub fn new(
        title: impl Into<String>,
        path: Path,
        names: Vec<HopName>,
    ) -> Result<Self, NameCount> {
        if names.len() == path.hops.len() {
            Ok(Self { title: title.into(), path, names })
        } else {
            Err(NameCount { hops: path.hops.len(), names: names.len() })
        }
    }

    fn hops(&self) -> impl Iterator<Item = (&Hop, &HopName)> {
        self.path.hops.iter().zip(&self.names)
    }
}

#[cfg(test)]
mod tests;
