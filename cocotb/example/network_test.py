"""Random packets between all nodes of a network with source routes: each arrives once, whole and in order."""

import os
import random
from collections import defaultdict, deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout

from cocotbext.railyard import Design, Links


def next_hops(design):
    """Where the links out of each switch lead: for each switch, pairs of output port and what is there."""
    hops = defaultdict(list)
    for link in design.manifest["network"]["links"]:
        source, end = link["from"].split(), link["to"].split()
        if source[0] == "switch":
            there = ("node", int(end[1])) if end[0] == "node" else ("switch", int(end[1]))
            hops["switch", int(source[1])].append((int(source[3]), there))
    return hops


def routes(design):
    """A shortest list of output ports from each node to each other one."""
    hops, found = next_hops(design), {}
    entries = {}
    for link in design.manifest["network"]["links"]:
        source, end = link["from"].split(), link["to"].split()
        if source[0] == "node":
            entries[int(source[1])] = ("switch", int(end[1]))
    for node, entry in entries.items():
        reached, waiting = {entry: []}, deque([entry])
        while waiting:
            here = waiting.popleft()
            for port, there in hops[here]:
                if there not in reached:
                    reached[there] = reached[here] + [port]
                    waiting.append(there)
        found.update({(node, there[1]): ports for there, ports in reached.items() if there[0] == "node"})
    return found


@cocotb.test()
async def packets_arrive(dut):
    """Random traffic between nodes, with receivers that are busy at times."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    packets = int(os.environ.get("RAILYARD_PACKETS", 200))
    if "network" not in design.manifest or design.parameters["routing"]["kind"] != "source":
        raise ValueError(f"{design.top} is no network with source routes")
    links = Links(dut, design, stall=0.3)
    cocotb.start_soon(Clock(getattr(dut, design.clock), 2, unit="ns").start())
    design.set_reset(dut, True)
    await ClockCycles(getattr(dut, design.clock), 4)
    design.set_reset(dut, False)
    draw, ways, port_bits = random.Random(7), routes(design), design.parameters["port_bits"]
    nodes = design.manifest["network"]["nodes"]
    header_bits = design.parameters["routing"]["route_bits"] + (design.parameters["multicast"] is not None)
    expected, coming = defaultdict(deque), [0] * nodes
    for number in range(packets):
        for source in range(nodes):
            destination, vc = draw.randrange(nodes), draw.randrange(design.vcs)
            header = sum(port << (hop * port_bits) for hop, port in enumerate(ways[source, destination]))
            payload = number << 16 | source
            flits = draw.randint(-(-(header_bits + 32) // design.flit_bits), design.max_flits)
            links.send(source, design.packet(vc, header, payload, flits))
            expected[source, destination, vc].append((payload, flits))
            coming[destination] += 1
    for node, count in enumerate(coming):
        for _ in range(count):
            packet = await with_timeout(links.receive(node), 1, "ms")
            whole = sum(flit << (place * design.flit_bits) for place, flit in enumerate(packet.flits))
            payload = whole >> header_bits
            found = (payload, len(packet.flits))
            assert found == expected[payload & 0xFFFF, node, packet.vc].popleft()
    for name, pin in design.pins.items():
        if name.startswith("error_") and pin.direction == "output":
            assert int(getattr(dut, name).value) == 0, name
