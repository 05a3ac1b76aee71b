//! The description of the registers as the blocks here read it: each takes the registers that it builds.

pub use railyard_spec::registers::Access as Kind;
use railyard_spec::registers::{registers, Access, Legal, Register, RegisterField};
use railyard_spec::Shape;

/// Bits of a register.
pub const WORD: usize = 32;

/// Registers of the description that no block has taken yet, and the number of groups that took some.
pub struct Description {
    left: Vec<Register>,
    groups: usize,
}

impl Description {
    /// The registers of a switch of the given shape.
    pub fn of(shape: &Shape) -> Description {
        Description { left: registers(shape), groups: 0 }
    }

    /// Takes the register of this name, if the switch has it, for a block that builds it with this access.
    pub fn take(&mut self, name: &str, access: Access) -> Option<Described> {
        let place = self.left.iter().position(|register| register.name == name && register.access == access)?;
        Some(Described(self.left.remove(place)))
    }

    /// The place at the decoder of a group that is built.
    pub fn place(&mut self) -> usize {
        self.groups += 1;
        self.groups - 1
    }

    /// Nothing is left: a register that no block builds is an error here. The number of groups with a place.
    pub fn finish(self) -> usize {
        let left: Vec<&str> = self.left.iter().map(|register| register.name).collect();
        assert!(left.is_empty(), "no block builds these registers of the description: {left:?}");
        self.groups
    }
}

/// A register of the description.
pub struct Described(Register);

impl Described {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// The name of what it is the low word of.
    pub fn stem(&self) -> &'static str {
        self.0.name.trim_end_matches("_low")
    }

    /// Byte address (of the first of an array).
    pub fn address(&self) -> u32 {
        self.0.address
    }

    /// Words: 1, or the entries of an array.
    pub fn count(&self) -> usize {
        self.0.count as usize
    }

    /// Bits of its fields.
    pub fn mask(&self) -> u32 {
        self.mask_but(&[])
    }

    /// Bits of its fields but these.
    pub fn mask_but(&self, others: &[&str]) -> u32 {
        let fields = self.0.fields.iter().filter(|field| !others.contains(&field.name));
        fields.fold(0, |sum, field| sum | (u32::MAX >> (32 - field.bits)) << field.low)
    }

    /// Value after reset.
    pub fn reset(&self) -> u32 {
        self.0.fields.iter().fold(0, |sum, field| sum | field.reset << field.low)
    }

    /// Number of its fields.
    pub fn field_count(&self) -> usize {
        self.0.fields.len()
    }

    /// Whether it has a field of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.fields.iter().any(|field| field.name == name)
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> &RegisterField {
        let found = self.0.fields.iter().find(|field| field.name == name);
        found.unwrap_or_else(|| panic!("register `{}` of the description has no field `{name}`", self.0.name))
    }

    /// Lowest bit and width of that field.
    pub fn place(&self, name: &str) -> (usize, usize) {
        let field = self.field(name);
        (field.low as usize, field.bits as usize)
    }

    /// The first value that is too much for that field.
    pub fn limit(&self, name: &str) -> usize {
        match self.field(name).legal {
            Legal::Below(limit) => limit as usize,
            ref other => panic!("field `{name}` of `{}` has no limit: {other:?}", self.0.name),
        }
    }

    /// The values of that field: bit v is 1 if v is one.
    pub fn choices(&self, name: &str) -> u32 {
        match &self.field(name).legal {
            Legal::OneOf(list) => list.iter().fold(0, |sum, value| sum | 1 << value),
            other => panic!("field `{name}` of `{}` has no list of values: {other:?}", self.0.name),
        }
    }
}
