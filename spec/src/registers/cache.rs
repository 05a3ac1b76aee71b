//! Control of the routing caches.

use super::{address, field, Access, Register, RegisterField};

/// Settings of the routing caches.
pub(super) fn cache_control() -> [Register; 3] {
    let register = |name, address, access, field, meaning| Register {
        name,
        address,
        count: 1,
        access,
        fields: vec![field],
        meaning,
    };
    [
        register(
            "cache",
            address::CACHE,
            Access::ReadWrite,
            RegisterField {
                name: "enable",
                reset: 1,
                ..field(0, 1, "0: every lookup issued goes to the CAM, and its answer into no cache")
            },
            "the routing caches of all ports",
        ),
        register(
            "flush",
            address::FLUSH,
            Access::Command,
            field(0, 1, "1: empties the caches; lookups under way do not fill them").named("start"),
            "the routing caches of all ports",
        ),
        register(
            "cache_status",
            address::CACHE_STATUS,
            Access::ReadOnly,
            RegisterField {
                reset: 1,
                ..field(0, 1, "1: the caches are being emptied, after reset or a flush").named("sweeping")
            },
            "the routing caches of all ports",
        ),
    ]
}
