//! All combinations of values.

use crate::field::Field;
use crate::sweep::Values;
use serde_json::Value;

/// A setting: what it is called in tables, and what it sets in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Setting {
    /// Values by column.
    pub values: Vec<(String, Value)>,
    /// Values by field.
    pub sets: Vec<(Field, Value)>,
}

impl Setting {
    /// One field, in a column of that name.
    pub fn one(column: &str, field: &Field, value: &Value) -> Setting {
        Setting { values: vec![(column.into(), value.clone())], sets: vec![(field.clone(), value.clone())] }
    }

    fn add(&mut self, other: &Setting) {
        self.values.extend_from_slice(&other.values);
        self.sets.extend_from_slice(&other.sets);
    }
}

/// What is set step by step.
pub(crate) type Axis = Vec<Setting>;

/// A field that takes its values one after the other; its column has a prefix.
pub(crate) fn alone(prefix: &str, name: &str, values: &[Value]) -> Axis {
    let field = Field::parse(name).expect("checked with the sweep");
    let column = format!("{prefix}{}", field.column());
    values.iter().map(|value| Setting::one(&column, &field, value)).collect()
}

/// Fields that take their first values together, then their second ones, and so on.
pub(crate) fn together(group: &Values) -> Axis {
    let axes: Vec<Axis> = group.iter().map(|(name, values)| alone("", name, values)).collect();
    let steps = axes.first().map_or(0, Vec::len);
    let at = |step: usize| {
        let mut setting = Setting::default();
        axes.iter().for_each(|axis| setting.add(&axis[step]));
        setting
    };
    (0..steps).map(at).collect()
}

/// Every combination of steps; the last axis moves fastest.
pub(crate) fn product(axes: &[Axis]) -> Vec<Setting> {
    let count: usize = axes.iter().map(Vec::len).product();
    (0..count).map(|number| combination(axes, number)).collect()
}

/// The combination of a number: its digits are steps, those of the last axis the lowest.
fn combination(axes: &[Axis], number: usize) -> Setting {
    let mut below: usize = axes.iter().map(Vec::len).product();
    let mut setting = Setting::default();
    for axis in axes {
        below /= axis.len();
        setting.add(&axis[number / below % axis.len()]);
    }
    setting
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_axis_moves_fastest_and_groups_move_in_step() {
        let group: Values = serde_json::from_value(json!({"b": [3, 4], "c": [5, 6]})).unwrap();
        let axes = [alone("", "a", &[json!(1), json!(2)]), together(&group)];
        let shown = |setting: &Setting| setting.sets.iter().map(|(f, v)| format!("{}{v}", f.column())).collect();
        let all: Vec<String> = product(&axes).iter().map(shown).collect();
        assert_eq!(all, ["a1b3c5", "a1b4c6", "a2b3c5", "a2b4c6"]);
        assert_eq!(product(&[]), [Setting::default()]);
    }
}
