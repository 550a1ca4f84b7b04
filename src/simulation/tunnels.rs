//! HBONE tunnels: who shares them, when they are opened, how long they are kept.
//!
//! A ztunnel keeps one pool per source pod and destination; an Envoy one per worker and
//! destination. Whoever needs a tunnel that is being opened waits for it.
//!
//! Sources: istio/ztunnel 1.31 `src/proxy/pool.rs` and `src/config.rs`; istio/istio 1.31
//! `pilot/pkg/networking/core/{cluster,listener}_waypoint.go`. Left out here: PINGs, and tunnels
//! whose far end has vanished.

use crate::engine::Schedule;
use crate::units::{SimDuration, SimTime};

use super::connection::{NO_POD, Opening, Tunnel, TunnelKey};
use super::event::{ConnectionId, Event};
use super::process::ProcessKind;
use super::world::MeshWorld;

/// Streams that a ztunnel puts on one HBONE connection before it opens another.
///
/// Source: istio/ztunnel 1.31, `POOL_MAX_STREAMS_PER_CONNECTION`.
const ZTUNNEL_STREAMS: u32 = 100;

/// Streams that a ztunnel, as server, lets an Envoy open on one connection.
///
/// Source: istio/ztunnel 1.31, SETTINGS_MAX_CONCURRENT_STREAMS of its inbound listener.
const ENVOY_STREAMS: u32 = 200;

/// How long a ztunnel keeps a tunnel after its last use: `POOL_UNUSED_RELEASE_TIMEOUT`.
const ZTUNNEL_IDLE_TIMEOUT: SimDuration = SimDuration::from_secs(300);

/// How long an Envoy keeps a tunnel without streams: `meshConfig.hboneIdleTimeout`, default.
const HBONE_IDLE_TIMEOUT: SimDuration = SimDuration::from_secs(3600);

impl MeshWorld<'_> {
    /// A tunnel from the thread at `near` (of a ztunnel: from the source pod) to `pod` with
    /// room for a stream, new if need be.
    pub(crate) fn find_tunnel(
        &mut self,
        near: u32,
        source: Option<u32>,
        pod: Option<u32>,
        process: u32,
    ) -> u32 {
        let owner = self.stations[near as usize].process;
        let by_ztunnel = self.processes[owner as usize].kind == ProcessKind::Ztunnel;
        let (source, most, idle_timeout) = if by_ztunnel {
            (source.unwrap_or(NO_POD), ZTUNNEL_STREAMS, ZTUNNEL_IDLE_TIMEOUT)
        } else {
            (NO_POD, ENVOY_STREAMS, HBONE_IDLE_TIMEOUT)
        };
        let key = (near, source, pod.unwrap_or(NO_POD));
        let known = self.tunnel_index.get(&key);
        let roomy = known.and_then(|tunnels| {
            tunnels.iter().copied().find(|&tunnel| self.tunnels[tunnel as usize].streams < most)
        });
        let tunnel = match roomy {
            Some(tunnel) => tunnel,
            None => self.create_tunnel(key, process, idle_timeout),
        };
        self.tunnels[tunnel as usize].streams += 1;
        tunnel
    }

    fn create_tunnel(&mut self, key: TunnelKey, process: u32, idle_timeout: SimDuration) -> u32 {
        let far_station = match self.processes[process as usize].kind {
            ProcessKind::Waypoint => self.accept_exactly(process),
            _ => self.accept(process),
        };
        let tunnel = self.tunnels.len() as u32;
        self.tunnels.push(Tunnel {
            key,
            far_station,
            is_opening: false,
            is_open: false,
            streams: 0,
            idle_since: SimTime::ZERO,
            idle_timeout,
            waiting: Vec::new(),
        });
        self.tunnel_index.entry(key).or_default().push(tunnel);
        tunnel
    }

    /// The waypoint's listener on 15008 balances exactly: the worker with the fewest
    /// connections takes the next.
    ///
    /// Source: istio/istio 1.31, `pilot/pkg/networking/core/listener_waypoint.go`.
    fn accept_exactly(&mut self, process: u32) -> u32 {
        let state = &mut self.processes[process as usize];
        let fewest =
            (0..state.tunnels_accepted.len()).min_by_key(|&worker| state.tunnels_accepted[worker]);
        let worker = fewest.expect("an Envoy has a worker");
        state.tunnels_accepted[worker] += 1;
        state.first_station + worker as u32
    }

    /// The tunnel under `leg` is open: this connection and all that waited send their CONNECT.
    pub(crate) fn open_tunnel(
        &mut self,
        id: ConnectionId,
        leg: usize,
        schedule: &mut Schedule<Event>,
    ) {
        let connection = self.connections.get(id).expect("a connection being opened exists");
        let tunnel = connection.tunnels[leg].expect("an HBONE leg has a tunnel") as usize;
        self.tunnels[tunnel].is_open = true;
        let waiting = std::mem::take(&mut self.tunnels[tunnel].waiting);
        self.round_trip(id, schedule);
        for other in waiting {
            if let Some(connection) = self.connections.get_mut(other) {
                connection.opening = Opening::Connect;
                self.round_trip(other, schedule);
            }
        }
    }

    /// A connection has left `tunnel`; the last one starts its idle time.
    pub(crate) fn leave_tunnel(&mut self, tunnel: u32, schedule: &mut Schedule<Event>) {
        let state = &mut self.tunnels[tunnel as usize];
        state.streams -= 1;
        if state.streams == 0 {
            state.idle_since = schedule.now();
            schedule.after(state.idle_timeout, Event::TunnelIdleDue { tunnel });
        }
    }

    /// Closes `tunnel` if it has carried nothing for its whole idle timeout.
    pub(crate) fn close_tunnel_if_idle(&mut self, tunnel: u32, schedule: &mut Schedule<Event>) {
        let state = &self.tunnels[tunnel as usize];
        let has_expired = state.streams == 0
            && state.is_open
            && schedule.now() >= state.idle_since + state.idle_timeout;
        if !has_expired {
            return;
        }
        let (key, station) = (state.key, state.far_station);
        self.tunnels[tunnel as usize].is_open = false;
        let process = &mut self.processes[self.stations[station as usize].process as usize];
        if process.kind == ProcessKind::Waypoint {
            process.tunnels_accepted[(station - process.first_station) as usize] -= 1;
        }
        if let Some(tunnels) = self.tunnel_index.get_mut(&key) {
            tunnels.retain(|&known| known != tunnel);
        }
    }
}
