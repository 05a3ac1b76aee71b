//! Files of other tools: what is read, and what is refused with its line.

use super::*;
use crate::description::Input;
use crate::tables::Entry;
use crate::wiring::Port;
use std::path::Path;

fn read(format: Format, text: &str) -> Imported {
    import(format, text, Extra::default()).unwrap()
}

/// The network file is one that `network check` takes.
fn checked(network: &Imported) -> Input {
    Input::read(&network.network_file(None, None), Path::new(".")).unwrap()
}

/// Line, value and a part of the rule of the first fault.
fn is_refused(format: Format, text: &str, [line, value, rule]: [&str; 3]) {
    let faults = import(format, text, Extra::default()).unwrap_err();
    let fault = &faults.first[0];
    assert!(fault.path == line && fault.value == value && fault.rule.contains(rule), "{fault:?}");
}

fn ends(network: &Imported) -> Vec<[(usize, usize); 2]> {
    let pair = |Port { switch, port }: Port| (switch, port);
    network.links.links.iter().map(|link| link.ends.map(pair)).collect()
}

#[test]
fn anynet_has_nodes_first_and_a_latency_a_link() {
    let text = "router 0 node 0 node 1 router 1 15 router 2\n\nrouter 1 node 2 router 0 9\nnode 3 router 2\n";
    let network = read(Format::AnyNet, text);
    assert_eq!((network.ports, network.link_latency), (4, Some(1)));
    assert_eq!(ends(&network), [[(0, 2), (1, 1)], [(0, 3), (2, 1)]]);
    let latencies: Vec<Option<u64>> = network.links.links.iter().map(|link| link.latency).collect();
    assert_eq!(latencies, [Some(15), None]);
    assert_eq!(network.nodes, ["node 0", "node 1", "node 2", "node 3"]);
    assert!(network.notes[0].starts_with("The directions of 1 links"), "{:?}", network.notes);
    let input = checked(&network);
    assert_eq!(input.blueprint.wiring.latency((1, 1).into(), 1), 15);
}

#[test]
fn anynet_refuses_with_the_line() {
    let refused = |text: &str, fault| is_refused(Format::AnyNet, text, fault);
    refused("router 0 node 0\nrouter 1 nodes 1", ["line 2", "nodes", "neither"]);
    refused("router 0 node", ["line 1", "router 0 node", "ends without"]);
    refused("router 0 node 0 0", ["line 1", "0", "from 1 to 1000"]);
    refused("router 0 node 99999999999999999999", ["line 1", "99999999999999999999", "whole number"]);
    refused("router 0 node 0\n\nrouter 1 node 0", ["line 3", "node 0", "to router 0"]);
    refused("node 0 node 1", ["line 1", "node 1", "to a node"]);
    refused("router 0 router 0", ["line 1", "router 0", "itself"]);
    refused("router 1 node 0 node 1", ["line 1", "router 1", "router 0 is not"]);
    refused("router 0 node 0", ["", "1", "too few"]);
    let wide: String = (0..65).map(|node| format!(" node {node}")).collect();
    refused(&format!("router 0{wide}"), ["line 1", "router 0", "more than 64 ports"]);
}

const FABRIC: &str = r#"#
# Topology file: generated on Mon Nov 30 04:00:00 2026
#
# Initiated from node 0000000000100000 port 0000000000100001

vendid=0x0
devid=0x0
sysimgguid=0x200001
switchguid=0x200001(200001)
Switch	8 "S-0000000000200001"		# "leaf "two"" base port 0 lid 3 lmc 0
[1]	"H-0000000000100003"[1](100004) 		# "host2 HCA-1" lid 5 4xEDR
[4]	"S-0000000000200000"[3][ext 2]		# "leaf1" lid 1 4xEDR

switchguid=0x200000(200000)
Switch	8 "S-0000000000200000"		# "leaf1" enhanced port 0 lid 1 lmc 0
[2]	"H-0000000000100000"[1](100001) 		# "host1 HCA-1" lid 2 4xEDR
[3][ext 2]	"S-0000000000200001"[4]		# "leaf "two"" lid 3 4xEDR

caguid=0x100003
Ca	2 "H-0000000000100003"		# "host2 HCA-1"
[1](100004) 	"S-0000000000200001"[1]		# lid 5 lmc 0 "leaf "two"" lid 3 4xEDR
"#;

/// As OpenSM writes it, and as `dump_fts` does.
const LFTS: &str = "Unicast lids [0-5] of switch Lid 1 guid 0x0000000000200000 ('leaf1'):
0x0002 002 # Channel Adapter portguid 0x0000000000100001: 'host1 HCA-1'
0x0003 003 # Switch portguid 0x0000000000200001: 'leaf \"two\"'
0x0005 003 # Channel Adapter portguid 0x0000000000100004: 'host2 HCA-1'
5 lids dumped
Unicast lids [0x0-0x5] of switch Lid 3 guid 0x0000000000200001 (leaf \"two\"):
  Lid  Out   Destination
       Port     Info
0x0002 004 : (Channel Adapter portguid 0x0000000000100001: 'host1 HCA-1')
0x0003 000 : (Switch portguid 0x0000000000200001: 'leaf')
0x0005 001 : (Channel Adapter portguid 0x0000000000100004: 'host2 HCA-1')
3 valid lids dumped
";

#[test]
fn infiniband_keeps_its_ports_and_its_routes() {
    let network = read(Format::IbNetDiscover, FABRIC);
    assert_eq!(ends(&network), [[(1, 2), (0, 3)]]);
    assert_eq!(network.links.nodes, [(0, 0), (1, 1)].map(Port::from));
    assert_eq!(network.switches, ["S-0000000000200001 leaf \"two\"", "S-0000000000200000 leaf1"]);
    assert_eq!(network.nodes[0], "H-0000000000100003[1] host2 HCA-1");
    checked(&network);
    let tables = network.tables(LFTS).unwrap();
    let route = |port| Some(Entry::Port(port));
    assert_eq!(tables.routes, [[route(0), route(3)], [route(2), route(1)]]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("lfts.json"), serde_json::to_string(&tables).unwrap()).unwrap();
    Input::read(&network.network_file(None, Some("lfts.json")), folder.path()).unwrap();
}

#[test]
fn infiniband_refuses_what_does_not_fit_together() {
    let refused = |from: &str, to: &str, fault| is_refused(Format::IbNetDiscover, &FABRIC.replacen(from, to, 1), fault);
    refused("[4]\t\"S-", "[5]\t\"S-", ["line 12", "3", "names another port in line 17"]);
    refused("[3][ext 2]\t\"S-", "# \"S-", ["line 12", "3", "does not stand there"]);
    refused("\"S-0000000000200001\"", "\"S-00000000z\"", ["line 10", "S-00000000z", "no name of a device"]);
    refused("[1]\t\"H", "[0]\t\"H", ["line 11", "[0]\t\"H-0000000000100003\"[1](100004) \t\t", "no port"]);
    refused("vendid=0x0", "DR path slid 0", ["line 6", "DR path slid 0", "no line"]);
    refused("switchguid=0x200000", "[1]\t\"H-3\"[1]\nx=", ["line 14", "1", "stands above"]);
    refused("Switch\t8", "Switch\txx", ["line 10", "xx", "whole number from 1 to 254"]);
    refused("Switch\t8", "Switch\t255", ["line 10", "255", "whole number from 1 to 254"]);
    refused("Switch\t8", "Switch\t3", ["line 12", "4", "a port of a device with 3"]);
    let network = read(Format::IbNetDiscover, FABRIC);
    let refused = |from: &str, to: &str, [line, rule]: [&str; 2]| {
        let faults = network.tables(&LFTS.replacen(from, to, 1)).unwrap_err();
        let fault = &faults.first[0];
        assert!(fault.path == line && fault.rule.contains(rule), "{fault:?}");
    };
    refused("Lid 3 guid 0x0000000000200001", "Lid 3 guid 0x07", ["line 6", "no switch of the network"]);
    refused("Lid 3 guid 0x0000000000200001", "Lid 3 guid 0x0000000000200000", ["line 6", "stands above"]);
    refused("0x0005 003", "0x0005 z", ["line 4", "no LID"]);
    refused("0x0005 003", "0x0005 200", ["line 4", "behind the last one"]);
    let unreachable = network.tables(&LFTS.replacen("0x0005 003", "0x0005 255", 1)).unwrap();
    assert_eq!(unreachable.routes[1][0], None, "255 is InfiniBand's word for no way");
    refused("Unicast lids [0-5]", "Multicast mlids", ["line 1", "no line"]);
    let first = LFTS.split_once("Unicast lids [0x").unwrap().0;
    assert_eq!(network.tables(first).unwrap_err().first[0].value, network.switches[0]);
}

const GRAPH: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="latency" attr.type="int"><default>2</default></key>
  <key id="d1" for="node" attr.name="color" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="d1">red</data></node><node id="b"/><node id="x"/><node id="y"/>
    <edge source="a" target="b" sourceport="3" targetport="east"><data key="d0"> 7 </data></edge>
    <edge source="b" target="a"/>
    <edge source="a" target="x"/>
    <edge source="y" target="b"/>
  </graph>
</graphml>"#;

#[test]
fn graphml_has_hosts_by_type_or_by_degree() {
    let network = read(Format::GraphMl, GRAPH);
    assert_eq!(
        (&network.switches[..], &network.nodes[..]),
        (&["a", "b"].map(String::from)[..], &["x", "y"].map(String::from)[..])
    );
    assert_eq!(ends(&network), [[(0, 3), (1, 1)], [(1, 2), (0, 1)]]);
    assert_eq!(network.links.links[0].latency, Some(7));
    assert_eq!(network.links.links[1].latency, Some(2));
    checked(&network);
    let typed = GRAPH.replace("attr.name=\"color\"", "attr.name=\"type\"").replace(">red<", ">switch<");
    let network = import(
        Format::GraphMl,
        &typed.replace("<node id=\"x\"/>", "<node id=\"x\"><data key=\"d1\">host</data></node>"),
        Extra::default(),
    );
    assert_eq!(network.unwrap_err().first[0].rule, "nodes are in the file, which are too few for a network");
    let extra = Extra { nodes_per_switch: Some(2), ..Extra::default() };
    let network = import(Format::GraphMl, GRAPH, extra).unwrap();
    assert_eq!((network.switches.len(), network.nodes.len(), network.links.links.len()), (4, 8, 4));
    checked(&network);
}

#[test]
fn graphml_refuses_what_is_no_network() {
    let refused = |from: &str, to: &str, fault| is_refused(Format::GraphMl, &GRAPH.replacen(from, to, 1), fault);
    refused("undirected", "directed", ["line 7", "edge", "directed"]);
    refused("target=\"x\"", "target=\"q\"", ["line 9", "q", "no vertex"]);
    refused(" 7 ", "1e3", ["line 7", "1e3", "whole cycles"]);
    let pair = "<edge source=\"a\" target=\"x\"/>\n    <edge source=\"y\" target=\"b\"/>";
    refused(pair, "<edge source=\"y\" target=\"x\"/>", ["line 9", "y", "linked to another"]);
    refused("<node id=\"b\"/>", "<node/>", ["line 6", "node", "has no attribute `id`"]);
    refused("sourceport=\"3\"", "sourceport=\"64\"", ["line 7", "64", "at most 64"]);
    refused(
        "<edge source=\"b\" target=\"a\"/>",
        "<edge source=\"b\" target=\"a\" targetport=\"3\"/>",
        ["line 8", "3", "another link"],
    );
    let itself = ("<edge source=\"a\" target=\"x\"/>", "<edge source=\"a\" target=\"a\"/>");
    refused(itself.0, itself.1, ["line 9", "a", "linked to itself"]);
    let broken = import(Format::GraphMl, "<graphml>\n<graph>", Extra::default()).unwrap_err();
    assert!(broken.first[0].path.starts_with("line "), "{broken}");
    let bomb = format!("<!DOCTYPE g [<!ENTITY a \"aa\">]>{GRAPH}");
    assert!(import(Format::GraphMl, &bomb, Extra::default()).is_err());
    import(Format::GraphMl, &"<a>".repeat(1_000_000), Extra::default()).unwrap_err();
}

#[test]
fn slurm_gives_a_tree_by_levels() {
    let text = "# a comment\nSwitchName=s0 Nodes=dev[0-2],login LinkSpeed=100\nswitchname=s1 nodes=rack[1-2]n[08-09]x # leaf\n\
        SwitchName=top Switches=s[0-1]\n";
    let extra = Extra { uplinks: 2, ..Extra::default() };
    let network = import(Format::TopologyConf, text, extra).unwrap();
    let names = ["dev0", "dev1", "dev2", "login", "rack1n08x", "rack1n09x", "rack2n08x", "rack2n09x"];
    assert_eq!(network.nodes, names);
    assert_eq!(network.switches, ["s0", "s1", "top"]);
    assert_eq!(ends(&network), [[(0, 4), (2, 0)], [(0, 5), (2, 1)], [(1, 4), (2, 2)], [(1, 5), (2, 3)]]);
    assert!(network.notes[0].contains("2 levels") && network.notes[0].contains("2 links"), "{:?}", network.notes);
    checked(&network);
}

/// A comment ends before the backslash is looked for, and a fault has the first of the joined lines.
#[test]
fn slurm_lines_go_on_behind_a_backslash() {
    let text = "# none \\\nSwitchName=s0 \\\n  Nodes=dev[0-1],\\\ndev2\nSwitchName=s1 Nodes=b # \\\nSwitchName=t \\ \nSwitches=s[0-1] \\";
    let network = read(Format::TopologyConf, text);
    assert_eq!((network.nodes.join(" "), network.switches.join(" ")), ("dev0 dev1 dev2 b".into(), "s0 s1 t".into()));
    is_refused(Format::TopologyConf, "\nSwitchName=s0 \\\n\nNode=a", ["line 4", "Node", "no parameter of"]);
    is_refused(Format::TopologyConf, "\nSwitchName=s0 \\\nNode=a", ["line 2", "Node", "no parameter of"]);
}

#[test]
fn slurm_refuses_with_the_line() {
    let refused = |text: &str, fault| is_refused(Format::TopologyConf, text, fault);
    refused("SwitchName=s0 Nodes=a[0-3", ["line 1", "a[0-3", "bracket"]);
    refused("SwitchName=s0 Nodes=a[3-0]", ["line 1", "3-0", "no range"]);
    refused("SwitchName=s0 Nodes=a[0-4294967295]", ["line 1", "0-4294967295", "more than"]);
    refused("SwitchName=s0 Nodes=a[0-999]b[0-999]c[0-999]", ["line 1", "a[0-999]b[0-999]c[0-999]", "more than"]);
    refused("SwitchName=s0 Switches=s0 Nodes=a,b", ["line 1", "s0", "below itself"]);
    refused("SwitchName=s0 Nodes=a,b\nSwitchName=s1 Nodes=b", ["line 2", "b", "stands above"]);
    refused("SwitchName=s0 Switches=s7", ["line 1", "s7", "without a line"]);
    refused("\n\nBlockName=b Nodes=a", ["line 3", "BlockName", "another plugin"]);
    refused("SwitchName=s0 Node=a", ["line 1", "Node", "no parameter of"]);
    refused("Nodes=a", ["line 1", "Nodes=a", "no name"]);
}
