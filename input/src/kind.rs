//! Kinds of files, and how large each may be.

/// What a file holds, which limits its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A switch description.
    Description,
    /// A sweep.
    Sweep,
    /// A network, or its wiring.
    Network,
    /// Routes and trees of a network.
    Tables,
    /// A network in the format of another tool.
    ForeignNetwork,
    /// A dump of InfiniBand's forwarding tables.
    LidTables,
    /// The forwarding table of a switch, as text.
    ForwardingTable,
    /// Packets, a line each.
    Trace,
    /// The manifest of a design.
    Manifest,
    /// The list of a design's Verilog files.
    FileList,
    /// The Verilog files of a design, all together.
    Verilog,
    /// A cell library, unpacked.
    Liberty,
    /// A table of memories.
    Memories,
    /// Switching activity. It is read in one pass and not kept, so its limit is one against files without an end.
    Activity,
    /// A result that is kept.
    Result,
    /// A file of a compiled model. It is read in one pass.
    Model,
}

const MIB: u64 = 1 << 20;

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 16] = [
        Kind::Description,
        Kind::Sweep,
        Kind::Network,
        Kind::Tables,
        Kind::ForeignNetwork,
        Kind::LidTables,
        Kind::ForwardingTable,
        Kind::Trace,
        Kind::Manifest,
        Kind::FileList,
        Kind::Verilog,
        Kind::Liberty,
        Kind::Memories,
        Kind::Activity,
        Kind::Result,
        Kind::Model,
    ];

    /// Most MiB that such a file may have.
    pub const fn most_mib(self) -> u64 {
        match self {
            Kind::Description | Kind::FileList | Kind::Memories => 1,
            // The document of a file takes up to two hundred times its size.
            Kind::Sweep | Kind::Network => 4,
            Kind::ForwardingTable | Kind::ForeignNetwork => 16,
            Kind::Tables | Kind::Manifest => 64,
            Kind::LidTables | Kind::Trace | Kind::Verilog | Kind::Result => 256,
            Kind::Liberty => 512,
            Kind::Model => 1 << 13,
            Kind::Activity => 1 << 20,
        }
    }

    /// Most bytes that such a file may have.
    pub const fn most_bytes(self) -> u64 {
        self.most_mib() * MIB
    }

    /// What it is called, with its article.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Description => "a switch description",
            Kind::Sweep => "a sweep",
            Kind::Network => "a network or its wiring",
            Kind::Tables => "the tables of a network",
            Kind::ForeignNetwork => "a network of another tool",
            Kind::LidTables => "a dump of forwarding tables",
            Kind::ForwardingTable => "a forwarding table",
            Kind::Trace => "a file of packets",
            Kind::Manifest => "a manifest",
            Kind::FileList => "a file list",
            Kind::Verilog => "the Verilog files of a design",
            Kind::Liberty => "a cell library, unpacked",
            Kind::Memories => "a table of memories",
            Kind::Activity => "switching activity",
            Kind::Result => "a result in the cache",
            Kind::Model => "a compiled model",
        }
    }
}
