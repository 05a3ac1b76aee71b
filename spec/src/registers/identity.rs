//! What switch this is.

use super::{address, field, Access, Register, RegisterField, ID};
use crate::shape::Shape;

pub(super) fn identity(shape: &Shape) -> Vec<Register> {
    let constant = |name, address, fields, meaning| Register {
        name,
        address,
        count: 1,
        access: Access::ReadOnly,
        fields,
        meaning,
    };
    let mut built = vec![
        RegisterField { name: "ports", reset: shape.ports as u32, ..field(0, 8, "number of ports") },
        RegisterField {
            name: "vcs",
            reset: shape.vcs as u32,
            ..field(8, 8, "virtual channels of a port that carry packets")
        },
    ];
    if let Some(barrier) = &shape.barrier {
        built.push(RegisterField {
            name: "barrier_groups",
            reset: barrier.groups as u32,
            ..field(16, 8, "barrier groups")
        });
    }
    vec![
        constant(
            "id",
            address::ID,
            vec![RegisterField { reset: ID, ..field(0, 32, "0x52594C44") }],
            "tells that this is a Railyard switch",
        ),
        constant("shape", address::SHAPE, built, "what was built"),
    ]
}
