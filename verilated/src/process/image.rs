//! A copy of the values of a design's ports.

use std::{
    alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout as Block},
    fmt,
    ptr::NonNull,
    slice,
};

use crate::{
    layout::{Layout, LINE},
    pins::{HasSlots, Pins, Slots},
    PinDirection, VerilogDesign,
};

/// The values of a design's ports as they are sent to its process, and as they come back from it.
pub struct Image {
    slots: Slots,
    memory: NonNull<u8>,
    block: Block,
    inputs: usize,
    outputs: usize,
}

// SAFETY: the image owns its memory.
unsafe impl Send for Image {}
// SAFETY: nothing changes behind a shared reference.
unsafe impl Sync for Image {}

impl Image {
    /// All values are 0.
    pub(super) fn new(design: &VerilogDesign, layout: &Layout) -> Image {
        let bytes = (layout.inputs + layout.outputs).max(LINE);
        let block = Block::from_size_align(bytes, LINE).expect("designs have few ports");
        // SAFETY: the block is not empty.
        let memory = NonNull::new(unsafe { alloc_zeroed(block) }).unwrap_or_else(|| handle_alloc_error(block));
        let place = |index: usize| {
            let from = match design.ports[index].direction {
                PinDirection::Input => 0,
                PinDirection::Output => layout.inputs,
            };
            // SAFETY: the layout places each port inside the block of its direction.
            unsafe { memory.as_ptr().add(from + layout.offsets[index]) }
        };
        // SAFETY: the memory is the image's own, and the layout aligns what it places.
        let slots = unsafe { Slots::new(design, place) };
        Image { slots, memory, block, inputs: layout.inputs, outputs: layout.outputs }
    }

    #[inline]
    pub(super) fn inputs(&self) -> &[u8] {
        // SAFETY: the block of inputs is at the start of the image's own memory.
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), self.inputs) }
    }

    #[inline]
    pub(super) fn outputs_mut(&mut self) -> &mut [u8] {
        // SAFETY: the block of outputs follows.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr().add(self.inputs), self.outputs) }
    }
}

impl HasSlots for Image {
    #[inline]
    fn slots(&self) -> &Slots {
        &self.slots
    }
}

impl Pins for Image {}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this block.
        unsafe { dealloc(self.memory.as_ptr(), self.block) }
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image").field("top", &self.slots.top()).finish_non_exhaustive()
    }
}
