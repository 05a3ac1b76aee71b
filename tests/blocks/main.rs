//! Every hardware block on its own.
