"""Both ends of all links of a design: senders with credits at `rx_*`, receivers that give them back at `tx_*`."""

import random
from collections import deque

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import RisingEdge

from .design import Packet, elements, packed


class ProtocolError(AssertionError):
    """The design broke a rule of the links."""


class Sender:
    """What is in front of one port: a queue of packets for each VC, and the credits."""

    def __init__(self, design):
        self.design = design
        self.queues = [deque() for _ in range(design.vcs)]
        self.restart()

    def restart(self):
        """As after reset: all credits are there. Packets that were not begun stay."""
        self.credits = [self.design.least_buffer_flits] * self.design.vcs
        self.totals = [0] * self.design.vcs
        self.begun = [None] * self.design.vcs
        self.turn = 0

    def credit(self, vc, value):
        """A credit report of the design."""
        if self.design.absolute_credits:
            modulus = 1 << self.design.pins["rx_credit"].bits
            self.credits[vc] += (value - self.totals[vc]) % modulus
            self.totals[vc] = value
        else:
            self.credits[vc] += value
        if self.credits[vc] > self.design.least_buffer_flits:
            raise ProtocolError(f"VC {vc} reports more free places than there are")

    def flit(self):
        """The flit of this cycle: VC, head, tail, bits; or `None`. A packet begins with credit for all of it."""
        for step in range(self.design.vcs):
            vc = (self.turn + step) % self.design.vcs
            queue = self.queues[vc]
            if self.begun[vc] is None and queue and self.credits[vc] >= len(queue[0].flits):
                self.begun[vc] = deque(queue.popleft().flits)
                head = True
            elif self.begun[vc] is not None:
                head = False
            else:
                continue
            bits = self.begun[vc].popleft()
            tail = not self.begun[vc]
            if tail:
                self.begun[vc] = None
            self.credits[vc] -= 1
            self.turn = vc + 1
            return vc, int(head), int(tail), bits
        return None

    def is_idle(self):
        """Whether nothing is left to send."""
        return not any(self.queues) and not any(self.begun)


class Receiver:
    """What is behind one port: a buffer for each VC, which frees its flits one by one."""

    def __init__(self, design):
        self.design = design
        self.packets = Queue()
        self.restart()

    def restart(self):
        """As after reset: the buffers are empty."""
        self.open = [None] * self.design.vcs
        self.held = [0] * self.design.vcs
        self.totals = [0] * self.design.vcs
        self.marks = [deque() for _ in range(self.design.vcs)]
        self.mark = [0] * self.design.vcs
        self.min_totals = [0] * self.design.vcs

    def flit(self, vc, head, tail, bits):
        """A flit of the design."""
        if vc >= self.design.vcs:
            raise ProtocolError(f"a flit on VC {vc}, which carries no packets")
        if self.held[vc] == self.design.buffer_flits:
            raise ProtocolError(f"a flit on VC {vc} without credit")
        if head != (self.open[vc] is None):
            raise ProtocolError(f"VC {vc}: a head inside of a packet, or a flit outside of one")
        self.held[vc] += 1
        if head and self.design.minimal_bit is not None:
            self.mark[vc] = bits >> self.design.minimal_bit & 1
        self.marks[vc].append(self.mark[vc])
        self.open[vc] = [bits] if head else self.open[vc] + [bits]
        if len(self.open[vc]) > self.design.max_flits:
            raise ProtocolError(f"VC {vc}: a packet of more than {self.design.max_flits} flits")
        if tail:
            self.packets.put_nowait(Packet(vc, tuple(self.open[vc])))
            self.open[vc] = None

    def credit(self, vc):
        """Frees a flit; the value of the report."""
        self.held[vc] -= 1
        self.min_totals[vc] += self.marks[vc].popleft()
        if not self.design.absolute_credits:
            return 1
        self.totals[vc] = (self.totals[vc] + 1) % (1 << self.design.pins["tx_credit"].bits)
        return self.totals[vc]


class Links:
    """All links of a design.

    `stall` is the chance that a receiver frees no flit of a VC in a cycle. Messages of barriers and routers are not sent or received.
    All other inputs but clock and reset are set to 0 once, when the object is made.
    """

    def __init__(self, dut, design, stall=0.0, seed=1):
        if design.ports == 0:
            raise ValueError(f"{design.top} has no links: all its ports are streams, which `Streams` drives")
        self.dut = dut
        self.design = design
        self.stall = stall
        self.random = random.Random(seed)
        self.senders = [Sender(design) for _ in range(design.ports)]
        self.receivers = [Receiver(design) for _ in range(design.ports)]
        design.rest(dut)
        self._drive([None] * design.ports, [None] * (design.ports * design.vcs))
        self.task = cocotb.start_soon(self._run())

    def send(self, port, packet):
        """Queues a packet for a link. Its number is the element of `rx_*`; that of a port, where none is a stream."""
        if not 0 <= port < self.design.ports:
            raise ValueError(f"link {port}: links of {self.design.top} are 0 to {self.design.ports - 1}")
        if packet.vc >= self.design.vcs:
            raise ValueError(f"VC {packet.vc}: packets use 0 to {self.design.vcs - 1}")
        self.senders[port].queues[packet.vc].append(packet)

    async def receive(self, port):
        """The next packet that leaves by a port."""
        return await self.receivers[port].packets.get()

    async def sent(self):
        """Returns when all packets were sent."""
        while not all(sender.is_idle() for sender in self.senders):
            await RisingEdge(getattr(self.dut, self.design.clock))

    def _read(self, name):
        return elements(getattr(self.dut, name), self.design.pins[name])

    def _write(self, name, values):
        getattr(self.dut, name).value = packed(values, self.design.pins[name].bits)

    async def _run(self):
        design = self.design
        tail = 0
        while True:
            await RisingEdge(getattr(self.dut, design.clock))
            tail = design.reset_tail if design.in_reset(self.dut) else tail - 1
            if design.in_reset(self.dut) or tail >= 0:
                for end in self.senders + self.receivers:
                    end.restart()
                self._drive([None] * design.ports, [None] * (design.ports * design.vcs))
                continue
            self._sample_credits()
            self._sample_flits()
            flits = [sender.flit() for sender in self.senders]
            credits = [self._freed(port, vc) for port in range(design.ports) for vc in range(design.vcs)]
            self._drive(flits, credits)

    def _sample_credits(self):
        reports = zip(self._read("rx_credit_valid"), self._read("rx_credit"))
        for element, (valid, value) in enumerate(reports):
            port, vc = divmod(element, self.design.vcs)
            if valid is None or (valid and value is None):
                raise ProtocolError(f"port {port}: `rx_credit*` has no value")
            if valid:
                self.senders[port].credit(vc, value)

    def _sample_flits(self):
        names = ["tx_valid", "tx_vc", "tx_head", "tx_tail", "tx_flit"]
        for port, (valid, *flit) in enumerate(zip(*map(self._read, names))):
            if valid is None or (valid and None in flit):
                raise ProtocolError(f"port {port}: `tx_*` has no value")
            is_message = valid and self.design.has_messages and flit[0] == self.design.vcs
            if valid and not is_message:
                self.receivers[port].flit(*flit)

    def _freed(self, port, vc):
        receiver = self.receivers[port]
        if receiver.held[vc] == 0 or self.random.random() < self.stall:
            return None
        return receiver.credit(vc)

    def _drive(self, flits, credits):
        columns = list(zip(*(flit or (0, 0, 0, 0) for flit in flits)))
        self._write("rx_valid", [int(flit is not None) for flit in flits])
        for name, values in zip(["rx_vc", "rx_head", "rx_tail", "rx_flit"], columns):
            self._write(name, values)
        self._write("tx_credit_valid", [int(credit is not None) for credit in credits])
        self._write("tx_credit", [credit or 0 for credit in credits])
        if "tx_min_credit" in self.design.pins:
            modulus = 1 << self.design.pins["tx_min_credit"].bits
            self._write("tx_min_credit", [total % modulus for end in self.receivers for total in end.min_totals])
