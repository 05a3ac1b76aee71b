"""Streams into and out of a chip, with random packets and random stalls on both sides.

cocotbext-axi drives the streams and the registers. All that is taken must come out once, whole and in order; what is
bad must be dropped, and no more than that.
"""

import json
import logging
import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

SETTING = json.loads(os.environ["RAILYARD_STREAMS"])
PORTS, VCS, FLIT_BYTES = SETTING["ports"], SETTING["vcs"], SETTING["flit_bytes"]
PAYLOAD_FLITS, CUT_THROUGH = SETTING["payload_flits"], SETTING["cut_through"]
PACKETS_AHEAD = 4


def stalls(rng):
    """Stalls in bursts: how likely one is changes from time to time."""
    while True:
        share = rng.choice([0, 0.1, 0.5, 0.9])
        for _ in range(rng.randrange(1, 200)):
            yield rng.random() < share


class Traffic:
    """Packets under way, by where they come from and where they go."""

    def __init__(self, dut, rng):
        self.rng = rng
        self.under_way = {}
        self.numbers = [0] * PORTS
        self.sent = self.received = self.dropped = 0
        names = range(PORTS)
        self.sources = [AxiStreamSource(AxiStreamBus.from_prefix(dut, f"in{p}_axis"), dut.clock, dut.reset) for p in names]
        self.sinks = [AxiStreamSink(AxiStreamBus.from_prefix(dut, f"out{p}_axis"), dut.clock, dut.reset) for p in names]
        stalling = self.sinks + ([] if CUT_THROUGH else self.sources)
        self.stalling = [(end, stalls(random.Random(rng.random()))) for end in stalling]

    async def stall(self, clock):
        """Stalls both sides until `stop_stalling`. One task for all ends: a task for each would cost a third of the time."""
        while self.stalling:
            for end, draws in self.stalling:
                end.pause = next(draws)
            await RisingEdge(clock)

    def stop_stalling(self):
        for end, _ in self.stalling:
            end.pause = False
        self.stalling = []

    def send(self, port):
        """Queues a packet. Its first byte says where it comes from, and its number."""
        rng = self.rng
        vc, to = rng.randrange(VCS), rng.randrange(PORTS)
        length = rng.choice([1, FLIT_BYTES, rng.randint(1, PAYLOAD_FLITS * FLIT_BYTES)])
        if CUT_THROUGH:
            length = rng.randint(1, PAYLOAD_FLITS) * FLIT_BYTES
        data = bytes([port << 5 | self.numbers[port] % 32]) + rng.randbytes(length - 1)
        self.numbers[port] += 1
        self.under_way.setdefault((port, to, vc), deque()).append(data)
        self.sent += 1
        self.sources[port].send_nowait(AxiStreamFrame(data, tid=vc, tdest=to))

    def send_bad(self, port):
        """Queues a packet that is too long, or has a byte in its middle that does not count."""
        beats = PAYLOAD_FLITS + self.rng.randint(1, 3)
        keep = None
        if self.rng.random() < 0.5:
            beats, keep = 2, [1] * FLIT_BYTES * 2
            keep[self.rng.randrange(FLIT_BYTES)] = 0
        self.dropped += 1
        frame = AxiStreamFrame(self.rng.randbytes(beats * FLIT_BYTES), tkeep=keep, tid=0, tdest=0)
        self.sources[port].send_nowait(frame)

    def receive(self, port):
        """Takes what has come out: each packet is the oldest of its source for that place."""
        while not self.sinks[port].empty():
            frame = self.sinks[port].recv_nowait(compact=False)
            count = sum(frame.tkeep)
            assert list(frame.tkeep) == [1] * count + [0] * (len(frame.tkeep) - count), frame
            data, vc = bytes(frame.tdata[:count]), first(frame.tid)
            assert len(frame.tdata) - count < FLIT_BYTES and count > 0, frame
            queue = self.under_way.get((data[0] >> 5, port, vc))
            assert queue, f"out of port {port} on VC {vc} comes {data.hex()}, which nothing sent"
            expected = queue.popleft()
            assert data == expected, f"out of port {port} on VC {vc}: {data.hex()} for {expected.hex()}"
            self.received += 1


def first(value):
    return value[0] if isinstance(value, list) else value


async def start(dut):
    """Clock and reset, and traffic with stalls."""
    logging.getLogger("cocotb.bench").setLevel(logging.WARNING)
    dut.error_clear.value = 0
    dut.reset.value = 1
    cocotb.start_soon(Clock(dut.clock, 2, "step").start())
    traffic = Traffic(dut, random.Random(SETTING["seed"]))
    cocotb.start_soon(traffic.stall(dut.clock))
    await ClockCycles(dut.clock, 5)
    dut.reset.value = 0
    await ClockCycles(dut.clock, 5)
    return traffic


@cocotb.test()
async def packets_come_out_as_they_went_in(dut):
    traffic = await start(dut)
    rng = traffic.rng
    for _ in range(SETTING["cycles"] // 8):
        await ClockCycles(dut.clock, 8)
        for port in range(PORTS):
            while traffic.sources[port].count() < PACKETS_AHEAD:
                is_bad = not CUT_THROUGH and rng.random() < SETTING["bad"]
                (traffic.send_bad if is_bad else traffic.send)(port)
            traffic.receive(port)
    traffic.stop_stalling()
    for _ in range(200):
        await ClockCycles(dut.clock, 50)
        for port in range(PORTS):
            traffic.receive(port)
        if not any(traffic.under_way.values()) and all(source.idle() for source in traffic.sources):
            break
    lost = {place: len(queue) for place, queue in traffic.under_way.items() if queue}
    assert not lost, f"lost, by source, destination and VC: {lost}"
    assert dut.unstable.value == 0, "a beat changed before it was taken"
    assert (dut.error_stream.value != 0) == (traffic.dropped > 0), "error_stream"
    assert dut.error_switch.value == 0, "an error flag of the switch"
    cocotb.log.info("%d packets, %d bad ones dropped", traffic.received, traffic.dropped)
    assert traffic.received == traffic.sent > SETTING["cycles"] // 100
    dut.error_clear.value = 1
    await ClockCycles(dut.clock, 2)
    assert dut.error_stream.value == 0, "error_stream is cleared"
    if SETTING["axi_lite"]:
        await registers_answer(dut, traffic)


@cocotb.test()
async def multicast_packets_reach_all_members(dut):
    """Packets of all ports to group 2, whose members are ports 1 and 2, and between them packets to port 0."""
    traffic = await start(dut)
    rng = traffic.rng
    axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clock, dut.reset)
    status, mask, write = [addresses[0] for addresses in SETTING["multicast"]]
    while await axi.read_dword(status) != 0:
        pass
    await axi.write_dword(mask, 0b110)
    # Group 2, also back by the port that a packet came by.
    await axi.write_dword(write, 2 | 1 << 16)
    expected = [[], [], []]
    for number in range(24):
        port, is_multicast = rng.randrange(3), rng.random() < 0.5
        data = bytes([number]) + rng.randbytes(rng.randint(1, PAYLOAD_FLITS * FLIT_BYTES - 1))
        for member in [1, 2] if is_multicast else [0]:
            expected[member].append(data)
        frame = AxiStreamFrame(data, tid=1, tdest=2 if is_multicast else 0, tuser=int(is_multicast))
        traffic.sources[port].send_nowait(frame)
    await ClockCycles(dut.clock, 3000)
    for port in range(3):
        came = []
        while not traffic.sinks[port].empty():
            frame = traffic.sinks[port].recv_nowait(compact=False)
            assert first(frame.tid) == 1, frame
            came.append(bytes(frame.tdata[: sum(frame.tkeep)]))
        assert sorted(came) == sorted(expected[port]), f"out of port {port}"
    assert dut.error_stream.value == 0 and dut.error_switch.value == 0


async def registers_answer(dut, traffic):
    """Reads by AXI4-Lite what the switch has counted; illegal accesses are refused."""
    axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clock, dut.reset)
    rng = random.Random(SETTING["seed"])
    for channel in [axi.write_if.aw_channel, axi.write_if.w_channel, axi.write_if.b_channel]:
        channel.set_pause_generator(stalls(rng))
    for channel in [axi.read_if.ar_channel, axi.read_if.r_channel]:
        channel.set_pause_generator(stalls(rng))
    snapshot, identity = SETTING["snapshot"][0], SETTING["id"][0]
    assert (await axi.write(snapshot, b"\1\0\0\0")).resp == AxiResp.OKAY
    counted = [await axi.read_dword(address) for address in SETTING["tx_packets"]]
    assert sum(counted) == traffic.received, f"{counted} packets counted"
    assert await axi.read_dword(identity) == 0x52594C44
    assert (await axi.write(snapshot, b"\1")).resp == AxiResp.SLVERR, "a part of a word"
    assert (await axi.write(identity, b"\1\0\0\0")).resp == AxiResp.SLVERR, "a register that can't be written"
    assert (await axi.read(0xFFC, 4)).resp == AxiResp.SLVERR, "no register"
    requests = [axi.init_read(identity, 4) for _ in range(8)]
    requests += [axi.init_write(snapshot, b"\2\0\0\0") for _ in range(8)]
    for request in requests:
        await request.wait()
        assert request.data.resp == AxiResp.OKAY
