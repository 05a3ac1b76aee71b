//! Waveforms of a model.

/// Whether the model can write waveforms. That costs build time, and hardly any speed while no file is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Waveforms {
    /// No waveforms.
    #[default]
    None,
    /// Text, which every viewer reads.
    Vcd,
    /// Compact, for long runs; needs zlib.
    Fst,
}
