//! CMSIS-SVD: what debuggers show registers by, and `svd2rust` and its like make code from.

use super::{mask, meaning, reset, RegisterMap, RESERVED_BITS};
use railyard_spec::registers::{Access, Legal, Register, RegisterField, APB_ADDRESS_BITS};
use svd_rs::{
    AddressBlock, AddressBlockUsage, BitRange, Device, DimElement, FieldInfo, MaybeArray, ModifiedWriteValues,
    PeripheralInfo, RegisterCluster, RegisterInfo, RegisterProperties, SvdError, ValidateLevel, WriteConstraint,
    WriteConstraintRange,
};

const CHECKED: ValidateLevel = ValidateLevel::Strict;

/// The register map as a device with one peripheral, the switch, at address 0.
pub fn text(map: &RegisterMap) -> String {
    let device = device(map).expect("names, widths and addresses of a register map are legal in SVD");
    svd_encoder::encode(&device).expect("encoding has no errors")
}

fn device(map: &RegisterMap) -> Result<Device, SvdError> {
    let registers = map.registers.iter().map(register).collect::<Result<_, _>>()?;
    let block = AddressBlock::builder().offset(0).size(1 << APB_ADDRESS_BITS).usage(AddressBlockUsage::Registers);
    let switch = PeripheralInfo::builder()
        .name(map.name.to_uppercase())
        .description(Some(format!("Registers of the switch {}. {RESERVED_BITS}", map.name)))
        .base_address(0)
        .address_block(Some(vec![block.build(CHECKED)?]))
        .registers(Some(registers))
        .build(CHECKED)?;
    Device::builder()
        .name(map.name.to_uppercase())
        .version(env!("CARGO_PKG_VERSION").into())
        .description(format!("The switch {} as a device of its own", map.name))
        .address_unit_bits(8)
        .width(32)
        .default_register_properties(RegisterProperties::new().size(Some(32)))
        .peripherals(vec![MaybeArray::Single(switch)])
        .build(CHECKED)
}

/// A register, or an array of them.
fn register(register: &Register) -> Result<RegisterCluster, SvdError> {
    let fields = register.fields.iter().map(field).collect::<Result<_, _>>()?;
    let access = match register.access {
        Access::ReadOnly => svd_rs::Access::ReadOnly,
        Access::ReadWrite | Access::WriteOneClears => svd_rs::Access::ReadWrite,
        Access::Command => svd_rs::Access::WriteOnly,
    };
    let properties = RegisterProperties::new()
        .access(Some(access))
        .reset_value(Some(reset(register).into()))
        .reset_mask(Some(register.fields.iter().map(|field| u64::from(mask(field))).sum()));
    let index = if register.count > 1 { "[%s]" } else { "" };
    let clears = register.access == Access::WriteOneClears;
    let info = RegisterInfo::builder()
        .name(format!("{}{index}", register.name))
        .description(Some(register.meaning.into()))
        .address_offset(register.address)
        .properties(properties)
        .modified_write_values(clears.then_some(ModifiedWriteValues::OneToClear))
        .fields(Some(fields))
        .build(CHECKED)?;
    Ok(RegisterCluster::Register(match register.count {
        1 => MaybeArray::Single(info),
        count => MaybeArray::Array(info, DimElement::builder().dim(count).dim_increment(4).build(CHECKED)?),
    }))
}

fn field(field: &RegisterField) -> Result<svd_rs::Field, SvdError> {
    // Legal values that are not a range are told in the description alone.
    let range = match field.legal {
        Legal::Below(limit) => Some(WriteConstraintRange { min: 0, max: u64::from(limit) - 1 }),
        _ => None,
    };
    let info = FieldInfo::builder()
        .name(field.name.into())
        .description(Some(meaning(field)))
        .bit_range(BitRange::from_offset_width(field.low, field.bits))
        .write_constraint(range.map(WriteConstraint::Range))
        .build(CHECKED)?;
    Ok(MaybeArray::Single(info))
}
