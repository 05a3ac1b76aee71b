//! What can be wrong with a block.

/// A block that has no meaning in hardware; names the block and the signal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {block}, signal {signal}: {message}")]
pub struct ElaborationError {
    /// Name of the block's kind.
    pub block: String,
    /// The signal, as the Rust source names it.
    pub signal: String,
    /// What is wrong.
    pub message: String,
}
