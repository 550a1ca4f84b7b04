//! Independent random streams, one for each purpose of each entity.
//!
//! A stream is found by name, not by the order of creation: adding a pod or
//! swapping a load balancer leaves every other stream as it was. Two variants
//! can thus be compared under the same arrivals (common random numbers), and
//! results do not depend on how many threads ran the replications.
//!
//! The name `(seed, replication, purpose, entity)` is the 256-bit key of ChaCha8;
//! the first 256 bits of its output are the state of a xoshiro256++ generator,
//! which then draws. ChaCha makes streams of neighbouring names independent;
//! xoshiro costs some 2 ns a draw and 32 bytes a stream.
//!
//! Source: D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008; D. Blackman and
//! S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021.

use std::convert::Infallible;

use rand::rngs::{ChaCha8Rng, Xoshiro256PlusPlus};
use rand::{Rng, SeedableRng, TryRng};

/// What a stream is drawn for. The numbers are part of every seed: never reuse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub enum Purpose {
    /// Gaps between the requests of a workload.
    Arrivals = 1,
    /// CPU and waiting time of a request at a container or proxy.
    ServiceTime = 2,
    /// Choice of an endpoint.
    LoadBalancing = 3,
    /// Time on the wire.
    NetworkDelay = 4,
    /// Waking up a thread that has slept.
    WakeUp = 5,
    /// Jitter of retry backoff.
    RetryBackoff = 6,
    /// Pauses of a whole node.
    NodeStall = 7,
    /// What a workload does with a request: which calls, which failure.
    Behavior = 8,
    /// Which worker thread accepts a connection.
    ConnectionBalance = 9,
    /// Which node a pod lands on, and how long it takes to start.
    Placement = 10,
    /// Delays on the way of a change from the API server to the proxies.
    Propagation = 11,
}

/// The random streams of one replication.
#[derive(Clone, Copy, Debug)]
pub struct RandomStreams {
    seed: u64,
    replication: u64,
}

impl RandomStreams {
    /// The streams of `replication` under the experiment's `seed`.
    pub const fn new(seed: u64, replication: u64) -> Self {
        Self { seed, replication }
    }

    /// The stream for `purpose` of `entity`, a number such as [`entity_id`] gives.
    ///
    /// The four numbers fill the 256-bit key, so no two streams share a key.
    pub fn stream(&self, purpose: Purpose, entity: u64) -> Stream {
        let mut key = [0; 32];
        let words = [self.seed, self.replication, purpose as u64, entity];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut state = [0; 32];
        ChaCha8Rng::from_seed(key).fill_bytes(&mut state);
        Stream(Xoshiro256PlusPlus::from_seed(state))
    }
}

/// A fast random generator with a name; see [`RandomStreams::stream`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream(Xoshiro256PlusPlus);

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// A number for the entity called `name`, the same in every run, version and machine.
///
/// Numbering by name lets an entity keep its streams when others are added before
/// it. Two of n names collide with a probability of about n² / 2⁶⁵; they would then
/// share a stream.
///
/// Formula: 64-bit FNV-1a over the UTF-8 bytes. Source: G. Fowler, L. C. Noll, K.-P. Vo
/// and D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
pub const fn entity_id(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut place = 0;
    while place < bytes.len() {
        hash ^= bytes[place] as u64;
        hash = u64::wrapping_mul(hash, 0x0000_0100_0000_01b3);
        place += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_draw(seed: u64, replication: u64, purpose: Purpose, entity: u64) -> u64 {
        RandomStreams::new(seed, replication).stream(purpose, entity).next_u64()
    }

    #[test]
    fn drawing_from_one_stream_leaves_the_others_alone() {
        let streams = RandomStreams::new(7, 0);
        let expected = streams.stream(Purpose::Arrivals, 1).next_u64();

        streams.stream(Purpose::Arrivals, 0).next_u64();
        streams.stream(Purpose::RetryBackoff, 1).next_u64();

        assert_eq!(streams.stream(Purpose::Arrivals, 1).next_u64(), expected);
    }

    #[test]
    fn each_part_of_the_name_makes_another_stream() {
        let mut draws = [
            first_draw(7, 0, Purpose::Arrivals, 0),
            first_draw(8, 0, Purpose::Arrivals, 0),
            first_draw(7, 1, Purpose::Arrivals, 0),
            first_draw(7, 0, Purpose::ServiceTime, 0),
            first_draw(7, 0, Purpose::Arrivals, 1),
        ];
        draws.sort_unstable();
        assert!(draws.windows(2).all(|pair| pair[0] != pair[1]), "{draws:?}");
    }

    /// Published results hang on these: a change makes every saved run irreproducible.
    #[test]
    fn the_draws_of_a_named_stream_are_fixed() {
        let mut stream = RandomStreams::new(1, 2).stream(Purpose::Arrivals, 3);
        assert_eq!(
            [stream.next_u64(), stream.next_u64()],
            [0x0fad_6af8_912f_66cb, 0xa208_82de_4a9a_acc4]
        );
    }

    /// Test vectors of RFC 9923, appendix C.
    #[test]
    fn names_are_numbered_by_fnv_1a() {
        assert_eq!(entity_id(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(entity_id("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(entity_id("foobar"), 0x8594_4171_f739_67e8);
    }
}
