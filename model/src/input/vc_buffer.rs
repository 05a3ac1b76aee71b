//! The buffer of one VC of an input: flits with their head and tail marks, in order.
//!
//! A flit stored in cycle t can be popped from t + 2 on; `occupancy` counts both kinds. Payload is copied once when
//! stored and once when popped. Source: switch reference, section 3 (Buffer); Cao2016, 3.2.

const HEAD: u32 = 1;
const TAIL: u32 = 2;

/// Head and tail mark of a flit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlitMarks {
    /// First flit of a packet.
    pub head: bool,
    /// Last flit of a packet.
    pub tail: bool,
}

/// A ring of flits, each of a whole number of 32-bit words behind a word with its marks.
///
/// At most one flit is stored in a cycle, so that the last two stores tell how many flits can't be popped yet.
#[derive(Clone, Debug)]
pub struct VcBuffer {
    places: Vec<u32>,
    /// Words of a flit and its marks.
    stride: u32,
    last_place: u32,
    read: u32,
    occupancy: u32,
    /// The cycle of the last store.
    last_store: u64,
    /// The last but one store was in the cycle before.
    two_in_a_row: bool,
}

/// Copies a flit. The usual widths need no loop.
#[inline]
pub fn copy_flit(to: &mut [u32], from: &[u32]) {
    match (to, from) {
        ([a], [b]) => *a = *b,
        ([a0, a1], [b0, b1]) => (*a0, *a1) = (*b0, *b1),
        (to, from) => to.copy_from_slice(from),
    }
}

#[inline]
fn marks(mark: u32) -> FlitMarks {
    FlitMarks { head: mark & HEAD != 0, tail: mark & TAIL != 0 }
}

impl VcBuffer {
    /// An empty buffer for `depth` (a power of two) flits of `words` 32-bit words.
    pub fn new(depth: usize, words: usize) -> Self {
        assert!(depth.is_power_of_two());
        let stride = words + 1;
        VcBuffer {
            places: vec![0; depth * stride],
            stride: stride as u32,
            last_place: depth as u32 - 1,
            read: 0,
            occupancy: 0,
            last_store: 0,
            two_in_a_row: false,
        }
    }

    /// Flits stored and not yet popped.
    #[inline]
    pub fn occupancy(&self) -> u32 {
        self.occupancy
    }

    /// Stores a flit in cycle `now` and gives its place, to be changed there. The buffer must not be full.
    #[inline]
    pub fn store(&mut self, now: u64, marks: FlitMarks, flit: &[u32]) -> &mut [u32] {
        assert!(self.occupancy <= self.last_place, "a VC buffer overflowed");
        let at = ((self.read + self.occupancy) & self.last_place) as usize;
        let stride = self.stride as usize;
        let (mark, place) = self.places[at * stride..(at + 1) * stride].split_first_mut().expect("a place");
        *mark = if marks.head { HEAD } else { 0 } | if marks.tail { TAIL } else { 0 };
        copy_flit(place, flit);
        self.two_in_a_row = self.occupancy > 0 && self.last_store + 1 == now;
        self.last_store = now;
        self.occupancy += 1;
        place
    }

    /// Whether there is a flit that can be popped in cycle `now`.
    #[inline]
    pub fn can_pop(&self, now: u64) -> bool {
        let age = now - self.last_store;
        let unripe = (age <= 1) as u32 + (age == 0 && self.two_in_a_row) as u32;
        self.occupancy > unripe
    }

    /// Pops a flit into `out`, if one can be popped in cycle `now`.
    #[inline]
    pub fn pop(&mut self, now: u64, out: &mut [u32]) -> Option<FlitMarks> {
        if !self.can_pop(now) {
            return None;
        }
        let place = self.place();
        copy_flit(out, &place[1..]);
        let mark = place[0];
        self.take(mark)
    }

    /// Pops a flit and throws it away, if one can be popped in cycle `now`.
    #[inline]
    pub fn discard(&mut self, now: u64) -> Option<FlitMarks> {
        if !self.can_pop(now) {
            return None;
        }
        let mark = self.place()[0];
        self.take(mark)
    }

    /// The flit that can be popped in cycle `now`, if one can.
    #[inline]
    pub fn front(&self, now: u64) -> Option<(FlitMarks, &[u32])> {
        let (mark, flit) = self.place().split_first()?;
        self.can_pop(now).then(|| (marks(*mark), flit))
    }

    #[inline]
    fn place(&self) -> &[u32] {
        let (at, stride) = (self.read as usize, self.stride as usize);
        &self.places[at * stride..(at + 1) * stride]
    }

    #[inline]
    fn take(&mut self, mark: u32) -> Option<FlitMarks> {
        self.read = (self.read + 1) & self.last_place;
        self.occupancy -= 1;
        Some(marks(mark))
    }

    /// Reset: the buffer is empty.
    pub fn clear(&mut self) {
        (self.read, self.occupancy, self.two_in_a_row) = (0, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flit_in_and_a_flit_out_each_cycle() {
        for words in [1, 2, 3, 16] {
            let mut buffer = VcBuffer::new(4, words);
            for t in 0..50u64 {
                let mut out = vec![0; words];
                let popped = buffer.pop(t, &mut out);
                if t < 2 {
                    assert_eq!(popped, None);
                } else {
                    let s = t - 2;
                    assert_eq!(popped, Some(FlitMarks { head: s % 3 == 0, tail: s % 5 == 0 }));
                    assert_eq!(out, (0..words).map(|w| s as u32 * 100 + w as u32).collect::<Vec<_>>());
                }
                let flit: Vec<u32> = (0..words).map(|w| t as u32 * 100 + w as u32).collect();
                buffer.store(t, FlitMarks { head: t % 3 == 0, tail: t % 5 == 0 }, &flit);
                assert_eq!(buffer.occupancy(), 2.min(t as u32 + 1));
            }
            buffer.clear();
            assert!(!buffer.can_pop(1000));
        }
    }

    #[test]
    fn a_stored_flit_can_be_changed_in_place() {
        let mut buffer = VcBuffer::new(2, 2);
        buffer.store(0, FlitMarks::default(), &[1, 2])[1] = 7;
        let mut out = [0; 2];
        assert!(buffer.pop(1, &mut out).is_none());
        assert!(buffer.pop(2, &mut out).is_some());
        assert_eq!(out, [1, 7]);
    }
}
