//! A queue in memory: an entry pushed in cycle t can be popped from t + 2 on.
//!
//! Header queues (switch reference, section 4.2) and route queues (section 5) are of this kind. Each entry carries the
//! cycle of its push, so that nothing has to be done in a cycle without a push or pop.

/// Cycles from a push until the entry can be popped.
pub const POP_DELAY: u64 = 2;

/// A queue of up to `depth` entries. At most one push in a cycle.
#[derive(Clone, Debug)]
pub struct DelayFifo<T> {
    entries: Vec<(u64, T)>,
    read: u32,
    length: u32,
}

impl<T: Copy + Default> DelayFifo<T> {
    /// An empty queue; `depth` is a power of two.
    pub fn new(depth: usize) -> Self {
        assert!(depth.is_power_of_two());
        DelayFifo { entries: vec![(0, T::default()); depth], read: 0, length: 0 }
    }

    /// Whether there is no entry at all, poppable or not.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Number of entries, poppable or not.
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// The oldest entry, if it can be popped in cycle `now`.
    #[inline]
    pub fn front(&self, now: u64) -> Option<T> {
        if self.length == 0 {
            return None;
        }
        let (pushed, entry) = self.entries[self.read as usize];
        (pushed + POP_DELAY <= now).then_some(entry)
    }

    /// Takes out the oldest entry, if it can be popped in cycle `now`.
    #[inline]
    pub fn pop(&mut self, now: u64) -> Option<T> {
        let front = self.front(now)?;
        self.read = (self.read + 1) & (self.entries.len() as u32 - 1);
        self.length -= 1;
        Some(front)
    }

    /// Appends an entry in cycle `now`. The queue must not be full.
    #[inline]
    pub fn push(&mut self, now: u64, entry: T) {
        let depth = self.entries.len() as u32;
        assert!(self.length < depth, "a queue overflowed");
        let at = (self.read + self.length) & (depth - 1);
        self.entries[at as usize] = (now, entry);
        self.length += 1;
    }

    /// Reset: the queue is empty.
    pub fn clear(&mut self) {
        (self.read, self.length) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_waits_two_cycles() {
        let mut queue = DelayFifo::new(4);
        queue.push(10, 'a');
        assert_eq!(queue.front(10), None);
        queue.push(11, 'b');
        assert_eq!(queue.pop(11), None);
        assert_eq!(queue.pop(12), Some('a'));
        assert_eq!(queue.pop(12), None);
        assert!(!queue.is_empty());
        assert_eq!(queue.pop(13), Some('b'));
        assert!(queue.is_empty());
    }

    #[test]
    fn full_throughput_and_wrap_around() {
        let mut queue = DelayFifo::new(2);
        for t in 0..100u64 {
            assert_eq!(queue.pop(t), t.checked_sub(2));
            queue.push(t, t);
        }
        assert_eq!(queue.len(), 2);
        queue.clear();
        assert_eq!(queue.pop(1000), None);
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn a_full_queue_takes_nothing() {
        let mut queue = DelayFifo::new(1);
        queue.push(0, ());
        queue.push(1, ());
    }
}
