//! Whether packets arrive in order.

/// Which packets of a source, VC and destination arrive in the order in which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketOrder {
    /// All.
    All,
    /// All requests, and all replies.
    OfClass,
    /// None.
    Nothing,
}
