//! The settings of a switch, register by register.

use railyard_spec::legal::{Letter, Masks, PacketClass};
use railyard_spec::registers::{address, registers, Legal, Register};
use railyard_spec::Shape;

/// Registers with what they hold.
#[derive(Clone, Debug)]
pub struct Words(Vec<(Register, u32)>);

impl Words {
    /// The settings of Dragonfly routing after reset, without its tables; none with other kinds of routing.
    pub fn after_reset(shape: &Shape) -> Words {
        let is_setting = |register: &Register| (address::COORDINATE..address::ROUTER_MAP).contains(&register.address);
        let list = registers(shape).into_iter().filter(|register| shape.dragonfly().is_some() && is_setting(register));
        let word = |register: &Register| register.fields.iter().fold(0, |word, field| word | field.reset << field.low);
        Words(list.map(|register| (register.clone(), word(&register))).collect())
    }

    /// Sets a field.
    ///
    /// # Errors
    /// There is no such field: none. It can't hold the value: what would be legal.
    pub fn set(&mut self, register: &str, field: &str, value: u32) -> Result<(), Option<String>> {
        let (register, word) = self.0.iter_mut().find(|(other, _)| other.name == register).ok_or(None)?;
        let field = register.fields.iter().find(|other| other.name == field).ok_or(None)?;
        let most = u32::MAX >> (32 - field.bits);
        match &field.legal {
            Legal::OneOf(values) if !values.contains(&value) => return Err(None),
            Legal::Below(limit) if value >= *limit => return Err(Some(format!("0 to {}", limit - 1))),
            _ if value > most => return Err(Some(format!("0 to {most}"))),
            _ => {}
        }
        *word = *word & !(most << field.low) | value << field.low;
        Ok(())
    }

    /// The value of a field; none if it is not built.
    pub fn get(&self, register: &str, field: &str) -> Option<u32> {
        let (register, word) = self.0.iter().find(|(other, _)| other.name == register)?;
        let field = register.fields.iter().find(|other| other.name == field)?;
        Some(word >> field.low & u32::MAX >> (32 - field.bits))
    }

    /// The legal VCs.
    pub fn masks(&self, shape: &Shape) -> Option<Masks> {
        let built = shape.dragonfly()?;
        let mut masks = built.masks();
        let names = [
            (PacketClass::Request, Letter::Local, "vc_mask_local"),
            (PacketClass::Request, Letter::Global, "vc_mask_global"),
            (PacketClass::Reply, Letter::Local, "reply_vc_mask_local"),
            (PacketClass::Reply, Letter::Global, "reply_vc_mask_global"),
        ];
        for (class, letter, name) in names.into_iter().filter(|(class, ..)| built.packet_classes().contains(class)) {
            for (case, field) in ["case_0", "case_1", "case_2", "case_3"].into_iter().enumerate() {
                masks.set(class, letter, case, self.get(name, field)? as u16);
            }
        }
        Some(masks)
    }

    /// The writes that bring a switch there.
    pub fn writes(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().map(|(register, word)| (register.address, *word))
    }
}
