//! Kinds of files, and how large each may be.

/// What a file holds, which limits its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
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

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 16] = [
        FileKind::Description,
        FileKind::Sweep,
        FileKind::Network,
        FileKind::Tables,
        FileKind::ForeignNetwork,
        FileKind::LidTables,
        FileKind::ForwardingTable,
        FileKind::Trace,
        FileKind::Manifest,
        FileKind::FileList,
        FileKind::Verilog,
        FileKind::Liberty,
        FileKind::Memories,
        FileKind::Activity,
        FileKind::Result,
        FileKind::Model,
    ];

    /// Most MiB that such a file may have.
    pub const fn most_mib(self) -> u64 {
        match self {
            FileKind::Description | FileKind::FileList | FileKind::Memories => 1,
            // The document of a file takes up to two hundred times its size.
            FileKind::Sweep | FileKind::Network => 4,
            FileKind::ForwardingTable | FileKind::ForeignNetwork => 16,
            FileKind::Tables | FileKind::Manifest => 64,
            FileKind::LidTables | FileKind::Trace | FileKind::Verilog | FileKind::Result => 256,
            FileKind::Liberty => 512,
            FileKind::Model => 1 << 13,
            FileKind::Activity => 1 << 20,
        }
    }

    /// Most bytes that such a file may have.
    pub const fn most_bytes(self) -> u64 {
        self.most_mib() * MIB
    }

    /// What it is called, with its article.
    pub const fn name(self) -> &'static str {
        match self {
            FileKind::Description => "a switch description",
            FileKind::Sweep => "a sweep",
            FileKind::Network => "a network or its wiring",
            FileKind::Tables => "the tables of a network",
            FileKind::ForeignNetwork => "a network of another tool",
            FileKind::LidTables => "a dump of forwarding tables",
            FileKind::ForwardingTable => "a forwarding table",
            FileKind::Trace => "a file of packets",
            FileKind::Manifest => "a manifest",
            FileKind::FileList => "a file list",
            FileKind::Verilog => "the Verilog files of a design",
            FileKind::Liberty => "a cell library, unpacked",
            FileKind::Memories => "a table of memories",
            FileKind::Activity => "switching activity",
            FileKind::Result => "a result in the cache",
            FileKind::Model => "a compiled model",
        }
    }
}
