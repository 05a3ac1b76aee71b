//! Words that a language keeps for itself.

/// Reserved words of SystemRDL 2.0.
const SYSTEM_RDL: &str = "\
    abstract accesstype addressingtype addrmap alias all alternate bit boolean bothedge byte compact component \
    componentwidth constraint default encode enum external false field fullalign hw inside int internal level \
    longint mem na negedge nonsticky number onreadtype onwritetype posedge precedencetype property r rclr real ref \
    reg regalign regfile rset ruser rw rw1 shortint shortreal signal signed string struct sw this true type \
    unsigned w w1 wclr with within woclr woset wot wr wset wuser wzc wzs wzt";

/// Reserved words of Rust that `r#` makes names.
const RUST: &str = "\
    abstract as async await become box break const continue do dyn else enum extern false final fn for gen if impl \
    in let loop macro match mod move mut override priv pub ref return static struct trait true try type typeof \
    unsafe unsized use virtual where while yield";

/// Reserved words of Rust that are never names.
const RUST_PATHS: &str = "crate self super";

fn has(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// A name as SystemRDL takes it.
pub fn in_system_rdl(name: &str) -> String {
    if has(SYSTEM_RDL, name) {
        format!("\\{name}")
    } else {
        name.into()
    }
}

/// A name as Rust takes it.
pub fn in_rust(name: &str) -> String {
    match name {
        _ if has(RUST, name) => format!("r#{name}"),
        _ if has(RUST_PATHS, name) => format!("{name}_"),
        _ => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_escaped_and_others_are_not() {
        assert_eq!(in_system_rdl("level"), "\\level");
        assert_eq!(in_system_rdl("levels"), "levels");
        assert_eq!(in_rust("type"), "r#type");
        assert_eq!(in_rust("self"), "self_");
        assert_eq!(in_rust("level"), "level");
    }
}
