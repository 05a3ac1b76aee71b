"""Random packets between all AXI4-Streams of a chip: each arrives once, whole and in order.

The chip has source routes, or a CAM without node reduction in front of it.
"""

import os
import random
from collections import defaultdict, deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout

from cocotbext.railyard import Cam, Design, Links, Registers, Streams, register_bus


def answer_lookups(dut, design):
    """Makes the number of a port an address of it."""
    routing = design.parameters["routing"]
    if routing["kind"] == "source":
        return  # The first hop of a source route is the output port.
    if not routing.get("external_cam") or routing.get("reduction") is not None:
        raise ValueError(f"{design.top} has neither source routes nor a CAM for plain addresses: write its routes first")
    Cam(dut, design, {port: port for port in range(design.parameters["ports"])}, busy=0.2)


async def start(dut, design):
    """Clock and reset."""
    cocotb.start_soon(Clock(getattr(dut, design.clock), 2, unit="ns").start())
    design.set_reset(dut, True)
    await ClockCycles(getattr(dut, design.clock), 4)
    design.set_reset(dut, False)


def draw_payload(design, draw, source):
    """Bytes of a random number, the first of which is the source; whole beats with `cut_through`."""
    beat = design.streams["flit_bytes"]
    longest = (design.max_flits - design.streams["header_flits"]) * beat
    length = 1 + draw.randrange(longest)
    if design.streams["cut_through"]:
        length += -length % beat
    return bytes([source]) + draw.randbytes(length - 1)


@cocotb.test()
async def packets_arrive(dut):
    """Random payloads, with sinks that are busy at times."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    packets = int(os.environ.get("RAILYARD_PACKETS", 200))
    streams = Streams(dut, design, stall=0.3)
    answer_lookups(dut, design)
    await start(dut, design)
    draw = random.Random(7)
    expected = defaultdict(deque)
    coming = defaultdict(int)
    for _ in range(packets):
        for source in streams.ports:
            destination, vc = draw.choice(streams.ports), draw.randrange(design.vcs)
            data = draw_payload(design, draw, source)
            expected[source, destination, vc].append(data)
            coming[destination] += 1
            streams.send(source, data, to=destination, vc=vc)
    for port, count in coming.items():
        for _ in range(count):
            packet = await with_timeout(streams.receive(port), 1, "ms")
            assert packet.data == expected[packet.data[0], port, packet.vc].popleft()
            assert not packet.bad
    await streams.sent()
    assert int(dut.error_stream.value) == 0


@cocotb.test()
async def bad_packets_are_marked(dut):
    """A link sends a packet with `rx_bad` to each stream, and one without, if the chip has this pin."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    if "rx_bad" not in design.pins:
        return
    streams, links = Streams(dut, design), Links(dut, design)
    answer_lookups(dut, design)
    await start(dut, design)
    for port in streams.ports:
        for bad in [1, 0]:
            dut.rx_bad.value = bad
            links.send(0, design.packet(vc=0, header=port, payload=0, flits=design.streams["header_flits"] + 1))
            packet = await with_timeout(streams.receive(port), 1, "ms")
            assert packet.bad == bad, f"port {port}: {packet}"


@cocotb.test()
async def registers_are_reached(dut):
    """Every register that can be read answers, if a port reaches the registers."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    design.rest(dut)
    bus = register_bus(dut, design)
    if bus is None:
        return
    registers = Registers(bus, design)
    await start(dut, design)
    for name, register in registers.registers.items():
        if register["access"] != "command":
            await registers.read(name)
