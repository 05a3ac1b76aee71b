"""Registers over APB or AXI4-Lite, by address or by name."""

from cocotb.triggers import RisingEdge


class BusError(RuntimeError):
    """The design answered an access with an error."""


class Apb:
    """An APB master at the pins `<prefix>_*`."""

    def __init__(self, dut, clock="clock", prefix="apb"):
        self.clock = getattr(dut, clock)
        names = ["psel", "penable", "pwrite", "paddr", "pwdata", "pready", "prdata", "pslverr"]
        self.pins = {name: getattr(dut, f"{prefix}_{name}") for name in names}
        for name in names[:5]:
            self.pins[name].value = 0

    async def write(self, address, data):
        """Writes a word."""
        await self._transfer(address, data)

    async def read(self, address):
        """Reads a word."""
        return await self._transfer(address, None)

    async def _transfer(self, address, data):
        pins = self.pins
        pins["psel"].value = 1
        pins["pwrite"].value = int(data is not None)
        pins["paddr"].value = address
        pins["pwdata"].value = data or 0
        await RisingEdge(self.clock)
        pins["penable"].value = 1
        await RisingEdge(self.clock)
        while str(pins["pready"].value) != "1":
            await RisingEdge(self.clock)
        word, error = str(pins["prdata"].value), str(pins["pslverr"].value)
        pins["psel"].value = 0
        pins["penable"].value = 0
        if error != "0":
            raise BusError(f"{'write' if data is not None else 'read'} of address {address:#x} is refused")
        return int(word, 2) if data is None else None


class AxiLite:
    """An AXI4-Lite master at the pins `<prefix>_*` of a chip, by the package cocotbext-axi."""

    def __init__(self, dut, design, prefix="axil"):
        from cocotbext.axi import AxiLiteBus, AxiLiteMaster

        bus = AxiLiteBus.from_prefix(dut, prefix)
        clock, reset = getattr(dut, design.clock), getattr(dut, design.reset)
        self.master = AxiLiteMaster(bus, clock, reset, reset_active_level=not design.active_low_reset)

    async def write(self, address, data):
        """Writes a word."""
        answer = await self.master.write(address, data.to_bytes(4, "little"))
        if answer.resp:
            raise BusError(f"write of address {address:#x} is refused")

    async def read(self, address):
        """Reads a word."""
        answer = await self.master.read(address, 4)
        if answer.resp:
            raise BusError(f"read of address {address:#x} is refused")
        return int.from_bytes(answer.data, "little")


def register_bus(dut, design):
    """The master for the register port that the design has; `None` if it has none."""
    if "axil_awvalid" in design.pins:
        return AxiLite(dut, design)
    return Apb(dut, design.clock) if "apb_psel" in design.pins else None


class Registers:
    """The registers of a design by name, over `Apb` or `AxiLite`."""

    def __init__(self, bus, design):
        self.bus = bus
        self.registers = {register["name"]: register for register in design.manifest["registers"]}

    def address(self, name, index=0):
        """The address of a register, or of a word of an array."""
        register = self.registers[name]
        if not 0 <= index < register["count"]:
            raise IndexError(f"{name} has {register['count']} words")
        return register["address"] + 4 * index

    async def write(self, name, data, index=0):
        """Writes a register."""
        await self.bus.write(self.address(name, index), data)

    async def read(self, name, index=0):
        """Reads a register."""
        return await self.bus.read(self.address(name, index))
