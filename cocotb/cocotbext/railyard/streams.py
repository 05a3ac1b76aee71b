"""Both ends of the AXI4-Streams of a chip: sources at `axis_in_*`, sinks at `axis_out_*`."""

import random
from collections import deque
from dataclasses import dataclass

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import RisingEdge

from .design import elements, packed
from .links import ProtocolError


@dataclass(frozen=True)
class StreamPacket:
    """A packet of a stream: its virtual channel, its payload, and whether that has an error that was not corrected."""

    vc: int
    data: bytes
    bad: bool = False


class Streams:
    """All streams of a chip. They are named by the ports of the switch.

    `stall` is the chance that a sink takes no beat in a cycle. A source does not pause inside of a packet.
    All other inputs but clock and reset are set to 0 once, when the object is made.
    """

    def __init__(self, dut, design, stall=0.0, seed=1):
        if design.streams is None:
            raise ValueError(f"{design.top} has no streams: its description needs `chip.streams`")
        self.dut = dut
        self.design = design
        self.stall = stall
        self.random = random.Random(seed)
        self.ports = design.streams["ports"]
        self.bytes = design.streams["flit_bytes"]
        self.beats = [deque() for _ in self.ports]
        self.packets = [Queue() for _ in self.ports]
        design.rest(dut)
        self._restart()
        self.task = cocotb.start_soon(self._run())

    def send(self, port, data, to, vc=0, group=False):
        """Queues a packet at a port of the switch.

        `to` is an address or a list of output ports, as the page on the packet format says; with `group` it is the
        number of a multicast group.
        """
        stream = self._stream(port)
        if not data:
            raise ValueError("a packet has at least one byte")
        if self.design.streams["cut_through"] and len(data) % self.bytes:
            raise ValueError(f"{len(data)} bytes: with `cut_through` all beats are full, of {self.bytes} bytes")
        for start in range(0, len(data), self.bytes):
            part = data[start : start + self.bytes]
            self.beats[stream].append({
                "tdata": int.from_bytes(part, "little"),
                "tkeep": (1 << len(part)) - 1,
                "tlast": int(start + self.bytes >= len(data)),
                "tid": vc,
                "tdest": to,
                "tuser": int(group),
            })

    async def receive(self, port):
        """The next packet that leaves by a port of the switch."""
        return await self.packets[self._stream(port)].get()

    async def sent(self):
        """Returns when all packets were sent."""
        while any(self.beats):
            await RisingEdge(getattr(self.dut, self.design.clock))

    def _stream(self, port):
        if port not in self.ports:
            raise ValueError(f"port {port} is no stream; streams are at {self.ports}")
        return self.ports.index(port)

    def _restart(self):
        self.offered = [None] * len(self.ports)
        self.ready = [False] * len(self.ports)
        self.open = [b""] * len(self.ports)
        self._drive()

    async def _run(self):
        while True:
            await RisingEdge(getattr(self.dut, self.design.clock))
            if self.design.in_reset(self.dut):
                self._restart()
                continue
            self._take_in()
            self._take_out()
            self._drive()

    def _take_in(self):
        """A beat that the chip took makes room for the next one."""
        for stream, ready in enumerate(self._read("axis_in_tready")):
            if ready is None:
                raise ProtocolError(f"port {self.ports[stream]}: `axis_in_tready` has no value")
            if self.offered[stream] is None or ready:
                self.offered[stream] = self.beats[stream].popleft() if self.beats[stream] else None

    def _take_out(self):
        names = ["axis_out_tvalid", "axis_out_tdata", "axis_out_tlast", "axis_out_tid"]
        full = [(1 << self.bytes) - 1] * len(self.ports)
        keeps = self._read("axis_out_tkeep") if "axis_out_tkeep" in self.design.pins else full
        users = self._read("axis_out_tuser") if "axis_out_tuser" in self.design.pins else [0] * len(self.ports)
        for stream, (valid, data, last, vc) in enumerate(zip(*map(self._read, names))):
            if valid is None or (valid and (last is None or (last and users[stream] is None))):
                raise ProtocolError(f"port {self.ports[stream]}: `axis_out_*` has no value")
            if valid and self.ready[stream]:
                count = (keeps[stream] or 0).bit_length()
                self.open[stream] += (data or 0).to_bytes(self.bytes, "little")[:count]
                if last:
                    self.packets[stream].put_nowait(StreamPacket(vc, self.open[stream], bool(users[stream])))
                    self.open[stream] = b""
            self.ready[stream] = self.random.random() >= self.stall

    def _drive(self):
        self._write("axis_in_tvalid", [int(beat is not None) for beat in self.offered])
        for name in ["tdata", "tkeep", "tlast", "tid", "tdest", "tuser"]:
            if f"axis_in_{name}" in self.design.pins:
                self._write(f"axis_in_{name}", [beat[name] if beat else 0 for beat in self.offered])
        self._write("axis_out_tready", [int(ready) for ready in self.ready])

    def _read(self, name):
        return elements(getattr(self.dut, name), self.design.pins[name])

    def _write(self, name, values):
        getattr(self.dut, name).value = packed(values, self.design.pins[name].bits)
