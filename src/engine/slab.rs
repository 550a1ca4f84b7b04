//! Slots with generations, for short-lived entities such as requests and attempts.
//!
//! A timer or a message may outlive what it was meant for. Its [`SlotId`] names
//! the slot *and* the generation that held it, so [`Slab::get`] answers `None`
//! once the entity has gone, even when the slot has a new tenant.
//!
//! An id never comes to mean something else: a slot that has used up its 2²⁴
//! generations is retired. The slot freed last is filled first, because it is
//! still in the cache.

use std::fmt;

/// The name of one tenant of one slot: 7 bytes, aligned to 1.
///
/// It leaves the eighth byte to the tag of an event enum. Alongside, a `u32` fits:
///
/// ```
/// use meshsim::engine::SlotId;
///
/// #[derive(Clone, Copy)]
/// enum Event {
///     RequestServed(SlotId),
///     SweepDue(u32),
/// }
/// assert_eq!(size_of::<Event>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C, packed)]
pub struct SlotId {
    generation: [u8; 3],
    index: u32,
}

/// Generations that fit the 24 bits of a [`SlotId`].
const GENERATIONS: u32 = 1 << 24;

impl SlotId {
    fn new(index: u32, generation: u32) -> Self {
        let [low, middle, high, _] = generation.to_le_bytes();
        Self { generation: [low, middle, high], index }
    }

    /// The slot, counted from 0; slots are reused.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }

    /// How many tenants the slot had before this one: less than 2²⁴.
    #[inline]
    pub fn generation(self) -> u32 {
        let [low, middle, high] = self.generation;
        u32::from_le_bytes([low, middle, high, 0])
    }

    /// Slot and generation in one number below 2⁵⁶, such as an event digest wants.
    #[inline]
    pub fn code(self) -> u64 {
        u64::from(self.generation()) << 32 | u64::from(self.index)
    }
}

impl fmt::Debug for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.index(), self.generation())
    }
}

/// Entities in slots, found by [`SlotId`] without hashing; grows, and never shrinks.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    slots: Vec<Slot<T>>,
    vacant: Vec<u32>,
    len: usize,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    /// Of the tenant, or of the next one; [`GENERATIONS`] once retired.
    generation: u32,
    tenant: Option<T>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slab<T> {
    /// No slots at all.
    pub const fn new() -> Self {
        Self { slots: Vec::new(), vacant: Vec::new(), len: 0 }
    }

    /// How many slots are occupied.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no slot is occupied.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Moves `tenant` into a vacant slot.
    ///
    /// # Panics
    ///
    /// If 2³² slots are occupied or retired, which takes hundreds of gigabytes.
    #[inline]
    pub fn insert(&mut self, tenant: T) -> SlotId {
        self.len += 1;
        let Some(index) = self.vacant.pop() else {
            return self.insert_into_new_slot(tenant);
        };
        let slot = &mut self.slots[index as usize];
        slot.tenant = Some(tenant);
        SlotId::new(index, slot.generation)
    }

    #[cold]
    fn insert_into_new_slot(&mut self, tenant: T) -> SlotId {
        let index = u32::try_from(self.slots.len()).expect("a slab has fewer than 2^32 slots");
        self.slots.push(Slot { generation: 0, tenant: Some(tenant) });
        SlotId::new(index, 0)
    }

    /// Moves the tenant out; `None` if `id` has gone stale.
    #[inline]
    pub fn remove(&mut self, id: SlotId) -> Option<T> {
        let slot = self.slots.get_mut(id.index as usize)?;
        if slot.generation != id.generation() {
            return None;
        }
        let tenant = slot.tenant.take()?;
        slot.generation += 1;
        if slot.generation < GENERATIONS {
            self.vacant.push(id.index);
        }
        self.len -= 1;
        Some(tenant)
    }

    /// The tenant; `None` if `id` has gone stale.
    #[inline]
    pub fn get(&self, id: SlotId) -> Option<&T> {
        let slot = self.slots.get(id.index as usize)?;
        slot.tenant.as_ref().filter(|_| slot.generation == id.generation())
    }

    /// The tenant, to be changed; `None` if `id` has gone stale.
    #[inline]
    pub fn get_mut(&mut self, id: SlotId) -> Option<&mut T> {
        let slot = self.slots.get_mut(id.index as usize)?;
        slot.tenant.as_mut().filter(|_| slot.generation == id.generation())
    }

    /// Whether the tenant that `id` names is still there.
    #[inline]
    pub fn contains(&self, id: SlotId) -> bool {
        self.get(id).is_some()
    }

    /// All tenants by index of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (SlotId, &T)> {
        self.slots.iter().zip(0..).filter_map(|(slot, index)| {
            Some((SlotId::new(index, slot.generation), slot.tenant.as_ref()?))
        })
    }

    /// All tenants by index of their slots, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (SlotId, &mut T)> {
        self.slots.iter_mut().zip(0..).filter_map(|(slot, index)| {
            Some((SlotId::new(index, slot.generation), slot.tenant.as_mut()?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_stale_id_finds_nothing_even_when_the_slot_has_a_new_tenant() {
        let mut slab = Slab::new();
        let first = slab.insert("first");
        assert_eq!(slab.remove(first), Some("first"));
        let second = slab.insert("second");

        assert_eq!(second.index(), first.index());
        assert_eq!((slab.get(first), slab.get(second)), (None, Some(&"second")));
        assert_eq!(slab.remove(first), None);
    }

    #[test]
    fn a_slot_without_generations_left_is_retired() {
        let mut slab = Slab::new();
        let first = slab.insert(0);
        slab.remove(first);
        slab.slots[0].generation = GENERATIONS - 1;

        let last = slab.insert(1);
        assert_eq!((last.index(), last.generation()), (0, GENERATIONS - 1));
        slab.remove(last);
        let next = slab.insert(2);

        assert_eq!((next.index(), next.generation()), (1, 0));
        assert_eq!((slab.get(first), slab.get(last), slab.len()), (None, None, 1));
    }

    proptest! {
        /// The obvious twin keeps every tenant under a number that is never used again.
        #[test]
        fn a_slab_is_a_map_whose_keys_are_never_used_twice(
            removals in prop::collection::vec(any::<Option<prop::sample::Index>>(), 1..200),
        ) {
            let mut slab = Slab::new();
            let mut twin = BTreeMap::new();
            let mut ids = Vec::new();
            for (number, removal) in removals.iter().enumerate() {
                match removal {
                    Some(place) if !ids.is_empty() => {
                        let id = ids[place.index(ids.len())];
                        prop_assert_eq!(slab.remove(id), twin.remove(&id));
                    }
                    _ => {
                        let id = slab.insert(number);
                        prop_assert!(!ids.contains(&id));
                        ids.push(id);
                        twin.insert(id, number);
                    }
                }
                prop_assert_eq!(slab.len(), twin.len());
            }
            let mut by_index: Vec<_> = twin.iter().map(|(&id, &number)| (id, number)).collect();
            by_index.sort_by_key(|(id, _)| id.index());
            let found: Vec<_> = slab.iter().map(|(id, &number)| (id, number)).collect();
            prop_assert_eq!(found, by_index);
            for id in ids {
                prop_assert_eq!(slab.get(id), twin.get(&id));
            }
        }
    }
}
