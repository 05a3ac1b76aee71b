"""Random packets between all ports of a switch that routes by table: each arrives once, whole and in order."""

import os
import random
from collections import defaultdict, deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout

from cocotbext.railyard import Cam, Design, Links, Registers, register_bus


async def start(dut, design):
    """Clock and reset."""
    cocotb.start_soon(Clock(getattr(dut, design.clock), 2, unit="ns").start())
    design.set_reset(dut, True)
    await ClockCycles(getattr(dut, design.clock), 4)
    design.set_reset(dut, False)


def draw_packet(design, draw, source, number):
    """A packet for a random port: number and source stand behind the address."""
    destination = draw.randrange(design.ports)
    flits = draw.randint(design.parameters["routing"]["header_flits"], design.max_flits)
    return destination, design.packet(draw.randrange(design.vcs), destination, number << 6 | source, flits)


@cocotb.test()
async def packets_arrive(dut):
    """Random traffic, with receivers and a CAM that are busy at times."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    packets = int(os.environ.get("RAILYARD_PACKETS", 200))
    links = Links(dut, design, stall=0.3)
    cam = Cam(dut, design, {port: port for port in range(design.ports)}, busy=0.2)
    await start(dut, design)
    draw = random.Random(7)
    expected = defaultdict(deque)
    coming = [0] * design.ports
    number_bits = design.flit_bits - design.parameters["routing"]["address_bits"] - 7
    for number in range(packets):
        for source in range(design.ports):
            destination, packet = draw_packet(design, draw, source, number % (1 << number_bits))
            expected[source, destination, packet.vc].append(packet)
            coming[destination] += 1
            links.send(source, packet)
    mask = (1 << design.parameters["routing"]["address_bits"]) - 1
    for port in range(design.ports):
        for _ in range(coming[port]):
            packet = await with_timeout(links.receive(port), 1, "ms")
            header = packet.flits[0]
            source = header >> (mask.bit_length() + (design.parameters["multicast"] is not None)) & 63
            assert header & mask == port, f"port {port} got a packet for {header & mask}"
            assert packet == expected[source, port, packet.vc].popleft()
    assert cam.lookups > 0
    for name in ["error_vc", "error_framing", "error_overflow", "error_length", "error_credit", "error_cam"]:
        assert int(getattr(dut, name).value) == 0, name


@cocotb.test()
async def registers_are_reached(dut):
    """Every register that can be read answers, if a port reaches the registers."""
    design = Design(os.environ["RAILYARD_DESIGN"])
    Links(dut, design)
    Cam(dut, design, {})
    bus = register_bus(dut, design)
    if bus is None:
        return
    registers = Registers(bus, design)
    await start(dut, design)
    for name, register in registers.registers.items():
        if register["access"] != "command":
            await registers.read(name)
