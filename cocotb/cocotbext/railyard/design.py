"""What the manifest of a design says, and packets for it."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pin:
    """A pin of the top module: so many elements of so many bits, element 0 lowest."""

    name: str
    count: int
    bits: int
    direction: str


@dataclass(frozen=True)
class Packet:
    """A packet: its virtual channel and its flits."""

    vc: int
    flits: tuple


class Design:
    """The manifest of a generated folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        manifest = json.loads((self.folder / "manifest.json").read_text())
        self.manifest = manifest
        self.top = manifest["top"]
        self.clock = manifest["clock"]
        self.reset = manifest["reset"]
        pins = (Pin(pin["name"], pin["count"], pin["bits"], pin["direction"]) for pin in manifest["ports"])
        self.pins = {pin.name: pin for pin in pins}
        parameters = manifest["parameters"]
        self.parameters = parameters
        # Ports with flits and credits: a chip may have streams in place of some or all of them.
        self.ports = self.pins["rx_valid"].count if "rx_valid" in self.pins else 0
        self.streams = manifest["chip"]["streams"] if manifest.get("chip") else None
        # With a synchronizer, reset goes on inside for so many cycles after its pin.
        is_synchronized = bool(manifest.get("chip")) and manifest["chip"]["reset_synchronizer"]
        self.reset_tail = 3 if is_synchronized else 0
        self.vcs = parameters["vcs"]
        self.flit_bits = parameters["flit_bits"]
        self.max_flits = parameters["max_flits"]
        self.buffer_flits = parameters["buffer_flits"]
        routing = parameters["routing"]
        # The depth with which a sender is safe at every port: kinds of ports of a Dragonfly can have their own.
        self.least_buffer_flits = min(routing.get("buffer_flits") or [self.buffer_flits])
        # Messages, which need no credit, are on a VC behind those of packets.
        self.has_messages = bool(parameters["barrier"] or routing.get("ectn") or routing.get("saturation"))
        # The bit of a header that marks minimal packets, if credit reports count their flits on their own.
        self.minimal_bit = minimal_bit(routing) if routing.get("min_credits") else None
        self.absolute_credits = parameters["flow_control"] == "absolute"
        self.active_low_reset = parameters["reset"]["active"] == "low"

    def sources(self):
        """The Verilog files, in their order."""
        return [self.folder / name for name in (self.folder / "files.f").read_text().split()]

    def in_reset(self, dut):
        """Whether the reset pin is active, or has no value yet."""
        return str(getattr(dut, self.reset).value) != ("1" if self.active_low_reset else "0")

    def set_reset(self, dut, active):
        """Drives the reset pin."""
        getattr(dut, self.reset).value = int(active != self.active_low_reset)

    def rest(self, dut):
        """Drives all inputs but clock and reset to 0, those of options too: nothing comes, no fault, no memory sleeps.

        `Links` and `Streams` call this when they are made. So set other values after that.
        """
        for pin in self.pins.values():
            if pin.direction == "input" and pin.name not in (self.clock, self.reset):
                getattr(dut, pin.name).value = 0

    def packet(self, vc, header, payload, flits):
        """A packet of so many flits: the header in its lowest bits, the payload behind it.

        The header is an address or a list of ports, as the page on the packet format says.
        """
        if not 1 <= flits <= self.max_flits:
            raise ValueError(f"{flits} flits: a packet of {self.top} has 1 to {self.max_flits}")
        routing = self.parameters["routing"]
        width = routing["address_bits"] if "address_bits" in routing else routing["route_bits"]
        if self.parameters["multicast"] is not None:
            width += 1
        whole = header | payload << width
        if header >> width or whole >> (flits * self.flit_bits):
            raise ValueError(f"header {header:#x} or payload {payload:#x} does not fit")
        mask = (1 << self.flit_bits) - 1
        return Packet(vc, tuple(whole >> (flit * self.flit_bits) & mask for flit in range(flits)))


def minimal_bit(routing):
    """The place of the mark in a Dragonfly's header: behind destination, class and phase."""
    has_class = routing["reference"]["requests"] < len(routing["reference"]["letters"])
    return routing["node_bits"] + routing["router_bits"] + routing["group_bits"] + int(has_class) + 3


def elements(signal, pin):
    """The elements of a pin as numbers; `None` for one with bits that have no value."""
    bits = str(signal.value)
    found = []
    for element in range(pin.count):
        end = len(bits) - element * pin.bits
        word = bits[end - pin.bits : end]
        found.append(int(word, 2) if set(word) <= {"0", "1"} else None)
    return found


def packed(values, bits):
    """Elements as one number, element 0 lowest."""
    return sum(value << (element * bits) for element, value in enumerate(values))
