//! The catalogue of events.

use crate::engine::{EventCode, SlotId};

/// A request between two HTTP speakers, from its first byte to its answer.
pub(crate) type ExchangeId = SlotId;

/// A connection between two HTTP speakers, proxies that only pass bytes included.
pub(crate) type ConnectionId = SlotId;

/// Everything that can happen in a run, named for what has happened or is due.
///
/// An event carries ids only; the state lives in the world. Timers are never taken
/// out of the queue: when the id an event carries has gone stale, its handler returns
/// at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A connection of a load generator wants to send its next request.
    BeatDue { client: u32 },
    /// An open-loop load generator has its next arrival.
    ArrivalDue { generator: u32 },
    /// The bytes of a request or its answer reached the next process on their way.
    HopArrived { exchange: ExchangeId },
    /// A thread forwarded what it worked on.
    WorkDone { thread: u32 },
    /// A thread that had work to do after forwarding is free for what waits.
    ThreadFreed { thread: u32 },
    /// An application used up a slice of CPU time for a request.
    SliceUsed { exchange: ExchangeId },
    /// An application's wait on the outside world is over.
    WaitOver { exchange: ExchangeId },
    /// A handshake message reached the other side.
    HandshakeArrived { connection: ConnectionId },
    /// The client has waited as long as it is willing to.
    TimeoutExpired { exchange: ExchangeId },
    /// A connection may have been idle for too long.
    IdleTimeoutDue { connection: ConnectionId },
    /// A tunnel may have carried nothing for too long.
    TunnelIdleDue { tunnel: u32 },
    /// A node stands still.
    NodeStalled { node: u32 },
    /// The warm-up is over.
    MeasurementStarted,
    /// No further requests start.
    MeasurementEnded,
}

// The queue copies events as it sorts them, together with eight bytes of time.
const _: () = assert!(size_of::<Event>() == 8);

impl EventCode for Event {
    fn code(&self) -> u64 {
        let (kind, id) = match *self {
            Self::BeatDue { client } => (1, u64::from(client)),
            Self::ArrivalDue { generator } => (2, u64::from(generator)),
            Self::HopArrived { exchange } => (3, exchange.code()),
            Self::WorkDone { thread } => (4, u64::from(thread)),
            Self::ThreadFreed { thread } => (5, u64::from(thread)),
            Self::SliceUsed { exchange } => (6, exchange.code()),
            Self::WaitOver { exchange } => (7, exchange.code()),
            Self::HandshakeArrived { connection } => (8, connection.code()),
            Self::TimeoutExpired { exchange } => (9, exchange.code()),
            Self::IdleTimeoutDue { connection } => (10, connection.code()),
            Self::NodeStalled { node } => (11, u64::from(node)),
            Self::TunnelIdleDue { tunnel } => (14, u64::from(tunnel)),
            Self::MeasurementStarted => (12, 0),
            Self::MeasurementEnded => (13, 0),
        };
        // A slot's code takes 56 bits.
        kind << 56 | id
    }
}
