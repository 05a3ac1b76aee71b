"""Random packets between all AXI4-Streams of a chip with source routes: each arrives once, whole and in order."""

import os
import random
from collections import defaultdict, deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout

from cocotbext.railyard import Design, Links, Streams


@cocotb.test()
async def packets_arrive(dut):
    """Random payloads, with sinks that are busy at times."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    packets = int(os.environ.get("RAILYARD_PACKETS", 200))
    streams = Streams(dut, design, stall=0.3)
    if design.ports:
        Links(dut, design)  # keeps the pins of the ports that are no streams at rest
    dut.error_clear.value = 0
    cocotb.start_soon(Clock(getattr(dut, design.clock), 2, unit="ns").start())
    design.set_reset(dut, True)
    await ClockCycles(getattr(dut, design.clock), 4)
    design.set_reset(dut, False)
    draw = random.Random(7)
    longest = (design.max_flits - design.streams["header_flits"]) * design.streams["flit_bytes"]
    expected = defaultdict(deque)
    coming = defaultdict(int)
    for _ in range(packets):
        for source in streams.ports:
            destination, vc = draw.choice(streams.ports), draw.randrange(design.vcs)
            data = bytes([source]) + draw.randbytes(draw.randrange(longest))
            expected[source, destination, vc].append(data)
            coming[destination] += 1
            # The first hop of a source route is the output port.
            streams.send(source, data, to=destination, vc=vc)
    for port, count in coming.items():
        for _ in range(count):
            packet = await with_timeout(streams.receive(port), 1, "ms")
            assert packet.data == expected[packet.data[0], port, packet.vc].popleft()
    await streams.sent()
    assert int(dut.error_stream.value) == 0
