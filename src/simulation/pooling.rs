//! Which connection a request takes, and what becomes of the connection afterwards.

use crate::engine::Schedule;

use super::connection::{Connection, NO_POD, NO_STATION};
use super::event::{ConnectionId, Event, ExchangeId};
use super::exchange::Owner;
use super::flags;
use super::forwarding::sender_of;
use super::process::Pass;
use super::stations::Job;
use super::world::MeshWorld;

impl MeshWorld<'_> {
    /// Gives `id` a connection of `pool`: an idle one, or the next that is free or open.
    ///
    /// As in Envoy, a new connection is opened only while fewer are being opened than
    /// requests wait, and whichever is ready first takes the request that waits longest.
    ///
    /// Source: Envoy 1.40, `source/common/conn_pool/conn_pool_base.cc`.
    pub(crate) fn request_connection(
        &mut self,
        pool: u32,
        id: ExchangeId,
        schedule: &mut Schedule<Event>,
    ) {
        self.exchange(id).pool = pool;
        let state = &mut self.pools[pool as usize];
        if let Some(&connection) = state.idle.last() {
            self.put_on(connection, id, schedule);
            return;
        }
        state.pending.push_back(id);
        let wanted = state.pending.len() as u32 > state.connecting * state.max_streams;
        if wanted && state.connections < state.max_connections {
            self.open_connection(pool, schedule);
        }
    }

    /// Lets `id` set out: a load generator's thread has to write it first, a proxy or an
    /// application has already done its part.
    fn depart(&mut self, id: ExchangeId, station: u32, schedule: &mut Schedule<Event>) {
        let exchange = self.exchange(id);
        let bytes = exchange.request_bytes;
        if station != NO_STATION && matches!(exchange.owner, Owner::Client(_)) {
            self.submit(station, Job::Exchange(id), Pass::Request, false, bytes, schedule);
        } else {
            self.send_on(id, schedule);
        }
    }

    /// Sends `id` over `connection`, which is open and has room.
    fn put_on(&mut self, connection: ConnectionId, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let state = self.connections.get_mut(connection).expect("a pool holds open connections");
        state.streams += 1;
        let endpoint = state.endpoint;
        let pool = &mut self.pools[state.pool as usize];
        if state.streams == pool.max_streams || !pool.keep_alive {
            state.is_listed = false;
            // Mostly the last: that is where connections are taken from.
            if let Some(place) = pool.idle.iter().rposition(|&idle| idle == connection) {
                pool.idle.remove(place);
            }
        }
        let station = pool.station;
        let exchange = self.exchange(id);
        exchange.connection = Some(connection);
        if let Some((cluster, host)) = exchange.counted_at {
            self.clusters[cluster as usize].hosts[host as usize].active += 1;
        }
        self.settle_endpoint(id, endpoint);
        self.depart(id, station, schedule);
    }

    /// The connection that `id` got leads to `endpoint`, which serves it unless that was settled.
    fn settle_endpoint(&mut self, id: ExchangeId, endpoint: u32) {
        let exchange = self.exchange(id);
        if exchange.endpoint != NO_POD || endpoint == NO_POD {
            return;
        }
        exchange.endpoint = endpoint;
        let route = exchange.route;
        self.exchange(id).route = self.route_to(route, endpoint);
    }

    /// `connection` has room: it takes the request that waits longest, or idles.
    pub(crate) fn offer(&mut self, connection: ConnectionId, schedule: &mut Schedule<Event>) {
        let state = self.connections.get_mut(connection).expect("only open connections offer room");
        let pool = state.pool as usize;
        if state.streams == 0 {
            state.idle_since = schedule.now();
        }
        if !state.is_listed {
            state.is_listed = true;
            self.pools[pool].idle.push(connection);
        }
        while let Some(id) = self.next_pending(pool) {
            self.put_on(connection, id, schedule);
            if self.pools[pool].idle.last() != Some(&connection) {
                break;
            }
        }
    }

    /// The request that waits longest and that somebody still wants.
    fn next_pending(&mut self, pool: usize) -> Option<ExchangeId> {
        while let Some(id) = self.pools[pool].pending.pop_front() {
            match self.exchanges.get(id) {
                Some(exchange) if !exchange.abandoned => return Some(id),
                Some(_) => {
                    self.exchanges.remove(id);
                }
                None => {}
            }
        }
        None
    }

    /// A request has left `connection`; `reusable` tells whether its client wants to keep it.
    pub(crate) fn release(
        &mut self,
        connection: ConnectionId,
        reusable: bool,
        schedule: &mut Schedule<Event>,
    ) {
        let state = self.connections.get_mut(connection).expect("its exchange kept it");
        state.streams -= 1;
        let pool = &self.pools[state.pool as usize];
        if reusable && pool.keep_alive && !state.is_closing {
            self.offer(connection, schedule);
        } else if state.streams == 0 {
            self.close(connection, schedule);
        }
    }

    /// Takes `connection` out of its pool; it ends with the last request on it.
    pub(crate) fn retire(&mut self, connection: ConnectionId, schedule: &mut Schedule<Event>) {
        let state = self.connections.get_mut(connection).expect("its exchange kept it");
        if state.is_closing {
            return;
        }
        state.is_closing = true;
        let pool = &mut self.pools[state.pool as usize];
        if state.is_listed {
            state.is_listed = false;
            pool.idle.retain(|&idle| idle != connection);
        }
        pool.connections -= 1;
        if !pool.pending.is_empty() && pool.connections < pool.max_connections {
            let pool = state.pool;
            self.open_connection(pool, schedule);
        }
    }

    /// Ends `connection`, which carries nothing.
    fn close(&mut self, connection: ConnectionId, schedule: &mut Schedule<Event>) {
        self.retire(connection, schedule);
        self.count_connection(connection, false);
        let state = self.connections.remove(connection).expect("it was there a moment ago");
        for tunnel in state.tunnels.into_iter().flatten() {
            self.leave_tunnel(tunnel, schedule);
        }
        self.uncount(&state);
    }

    /// Counts that `connection` was opened, or closed, at every process on it.
    pub(crate) fn count_connection(&mut self, connection: ConnectionId, opened: bool) {
        let state = self.connections.get(connection).expect("it is being opened or closed");
        let last = state.length as usize - 1;
        for position in 0..=last {
            let process = sender_of(&self.stations, &self.pools, state, position);
            let account = &mut self.processes[process].account;
            let sides = u64::from(position > 0) + u64::from(position < last);
            if opened {
                account.connections_accepted += u64::from(position > 0);
                account.connections_opened += u64::from(position < last);
                account.connections_relayed += u64::from(sides == 2);
                account.connections_active += sides;
            } else {
                account.connections_active -= sides;
            }
        }
    }

    /// Nobody can be reached for what waits in `pool`: a proxy says so, a client sees a refusal.
    pub(crate) fn refuse_pending(&mut self, pool: u32, schedule: &mut Schedule<Event>) {
        while let Some(id) = self.next_pending(pool as usize) {
            let exchange = self.exchange(id);
            exchange.status = 0;
            match exchange.owner {
                Owner::Proxy(parent) => {
                    self.exchanges.remove(id);
                    self.reply_locally(parent, 503, flags::UH, schedule);
                }
                Owner::Client(_) | Owner::Generator(_) => self.finish_request(id, schedule),
                Owner::Call(caller) => self.finish_call(id, caller, schedule),
            }
        }
    }

    /// Those that chose `connection` as a whole count it no longer.
    fn uncount(&mut self, connection: &Connection) {
        for (cluster, host) in connection.counted_at.into_iter().flatten() {
            self.clusters[cluster as usize].hosts[host as usize].active -= 1;
        }
    }

    /// Ends `connection` if it has carried nothing for its pool's idle timeout; else looks again.
    pub(crate) fn close_if_idle(
        &mut self,
        connection: ConnectionId,
        schedule: &mut Schedule<Event>,
    ) {
        let Some(state) = self.connections.get(connection) else { return };
        let Some(timeout) = self.pools[state.pool as usize].idle_timeout else { return };
        let due = if state.streams == 0 { state.idle_since } else { schedule.now() } + timeout;
        if due <= schedule.now() {
            self.close(connection, schedule);
        } else {
            schedule.at(due, Event::IdleTimeoutDue { connection });
        }
    }
}
