//! A request between two HTTP speakers, from its first byte to its answer.
//!
//! What a client asks once becomes one exchange per HTTP speaker on its path: client to
//! sidecar, sidecar to sidecar, sidecar to application. Each knows the one it serves.

use crate::units::{SimDuration, SimTime};

use super::connection::NO_POD;
use super::event::{ConnectionId, ExchangeId};

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A connection of a load generator.
    Client(u32),
    /// An open-loop load generator.
    Generator(u32),
    /// An Envoy, on behalf of the exchange it serves.
    Proxy(ExchangeId),
    /// An application, while it serves another exchange.
    Call(ExchangeId),
}

/// What an application still has to do for a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Serving {
    /// CPU time left of the burst it is in.
    pub(crate) burst_left: SimDuration,
    /// CPU time after the calls.
    pub(crate) second_burst: SimDuration,
    /// Whether the calls are done.
    pub(crate) calls_done: bool,
    /// The step of calls it is in.
    pub(crate) step: u16,
    /// Calls of that step without an answer.
    pub(crate) outstanding: u16,
    /// Whether a call failed.
    pub(crate) call_failed: bool,
}

/// A request between two HTTP speakers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// Who waits for the answer.
    pub(crate) owner: Owner,
    /// The edge of the call graph it belongs to.
    pub(crate) edge: u32,
    /// How its client gets to its server; known for good once the serving pod is.
    pub(crate) route: u32,
    /// How far on that route this exchange stands.
    pub(crate) stage: u8,
    /// Position among the stations of its connection.
    pub(crate) position: u8,
    /// Whether the answer is on its way back.
    pub(crate) returning: bool,
    /// Whether nobody waits for the answer any more.
    pub(crate) abandoned: bool,
    /// The connection, once it has one.
    pub(crate) connection: Option<ConnectionId>,
    /// The pool it waits in or got its connection from.
    pub(crate) pool: u32,
    /// Upstream cluster and host whose `active` counts it, if any.
    pub(crate) counted_at: Option<(u32, u32)>,
    /// The pod that serves it, once chosen.
    pub(crate) endpoint: u32,
    /// HTTP status of the answer; 0 is none.
    pub(crate) status: u16,
    /// Envoy's response flags, as bits of [`super::flags`].
    pub(crate) flags: u16,
    /// Attempts at the serving application so far.
    pub(crate) attempts: u16,
    /// Further calls of the same kind to make after this one.
    pub(crate) repeats_left: u16,
    /// Bytes of the request.
    pub(crate) request_bytes: u32,
    /// Bytes of the answer.
    pub(crate) response_bytes: u32,
    /// When the request was to start.
    pub(crate) intended_start: SimTime,
    /// The application's part.
    pub(crate) serving: Serving,
}

impl Exchange {
    /// A new request along `route`, which was to start at `intended_start`.
    pub(crate) fn new(owner: Owner, edge: u32, route: u32, intended_start: SimTime) -> Self {
        Self {
            owner,
            edge,
            route,
            stage: 0,
            position: 0,
            returning: false,
            abandoned: false,
            connection: None,
            pool: 0,
            counted_at: None,
            endpoint: NO_POD,
            status: 0,
            flags: 0,
            attempts: 0,
            repeats_left: 0,
            request_bytes: 0,
            response_bytes: 0,
            intended_start,
            serving: Serving::default(),
        }
    }

    /// The same request as the next HTTP speaker on its way will see it.
    pub(crate) fn onward(&self) -> Self {
        Self {
            endpoint: self.endpoint,
            request_bytes: self.request_bytes,
            ..Self::new(self.owner, self.edge, self.route, self.intended_start)
        }
    }

    /// The connection of an exchange that is on its way.
    pub(crate) fn line(&self) -> ConnectionId {
        self.connection.expect("an exchange on its way has a connection")
    }

    /// Whether it ended without an answer or with a server error.
    pub(crate) fn has_failed(&self) -> bool {
        self.status == 0 || self.status >= 500
    }
}
