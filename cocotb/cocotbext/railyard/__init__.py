"""Drivers and monitors for switches that Railyard generates.

`Design` reads the manifest of a design. `Links` sends and receives packets at all ports, `Streams` at the AXI4-Streams
of a chip. `Cam` answers lookups, `Apb` and `AxiLite` reach the registers, and `Registers` reaches them by name.
"""

from .cam import Cam, Route
from .design import Design, Packet, Pin
from .links import Links, ProtocolError
from .registers import Apb, AxiLite, BusError, Registers, register_bus
from .streams import StreamPacket, Streams

__all__ = [
    "Apb",
    "AxiLite",
    "BusError",
    "Cam",
    "Design",
    "Links",
    "Packet",
    "Pin",
    "ProtocolError",
    "Registers",
    "Route",
    "StreamPacket",
    "Streams",
    "register_bus",
]
