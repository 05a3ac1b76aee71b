//! Where the ports are in a copy of their values, which goes from process to process.

use crate::{design::PinDirection, design::TopPort};

/// Bytes of a line of the cache: what two processors write has lines of its own.
pub(crate) const LINE: usize = 64;

/// The places of a design's ports in two blocks of memory, one of all inputs and one of all outputs. The shim has the
/// same places as constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// For each port of the port list, its place in the block of its direction, in bytes.
    pub offsets: Vec<usize>,
    /// Size of the block of inputs, whole lines.
    pub inputs: usize,
    /// Size of the block of outputs, whole lines.
    pub outputs: usize,
}

impl Layout {
    pub fn new(ports: &[TopPort]) -> Layout {
        let (mut inputs, mut outputs) = (0usize, 0usize);
        let mut place = |port: &TopPort| {
            let end = match port.direction {
                PinDirection::Input => &mut inputs,
                PinDirection::Output => &mut outputs,
            };
            let bytes = storage_bytes(port.width);
            let offset = end.next_multiple_of(bytes.next_power_of_two().min(8));
            *end = offset + bytes;
            offset
        };
        let offsets = ports.iter().map(&mut place).collect();
        Layout { offsets, inputs: inputs.next_multiple_of(LINE), outputs: outputs.next_multiple_of(LINE) }
    }
}

/// Bytes of Verilator's storage of a port: 1, 2, 4, 8, or a number of 32-bit words.
pub(crate) fn storage_bytes(width: usize) -> usize {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => width.div_ceil(32) * 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_aligned_and_apart() {
        let widths = [1, 200, 9, 64, 33, 8, 17, 65, 1];
        let ports = |direction| widths.map(|width| TopPort { name: "p".into(), width, direction });
        let all = [ports(PinDirection::Input), ports(PinDirection::Output)].concat();
        let layout = Layout::new(&all);
        assert_eq!(layout.inputs, layout.outputs);
        let mut end = 0;
        for (offset, width) in layout.offsets.iter().zip(widths) {
            let bytes = storage_bytes(width);
            assert!(*offset >= end && offset % bytes.min(8).next_power_of_two().min(4) == 0, "{layout:?}");
            end = offset + bytes;
        }
        assert!(end <= layout.inputs && layout.inputs % LINE == 0);
        assert_eq!(Layout::new(&[]), Layout { offsets: Vec::new(), inputs: 0, outputs: 0 });
    }
}
