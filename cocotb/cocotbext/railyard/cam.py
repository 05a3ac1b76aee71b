"""An external CAM that answers after some cycles, and may refuse requests for a while."""

import random
from collections import deque
from dataclasses import dataclass
from typing import Optional

import cocotb
from cocotb.triggers import RisingEdge

from .design import elements


@dataclass(frozen=True)
class Route:
    """Where packets go: a port, and the VC on which they leave if the design can change it."""

    port: int
    vc: Optional[int] = None


class Cam:
    """Answers the lookups of one switch from `routes`: address to `Route`, or to a port.

    `routes` may change at any time. `busy` is the chance that the CAM takes no request in a cycle.
    """

    def __init__(self, dut, design, routes, latency=4, busy=0.0, seed=1):
        self.dut = dut
        self.design = design
        self.routes = routes
        self.latency = latency
        self.busy = busy
        self.random = random.Random(seed)
        self.lookups = 0
        self.answers = {name: pin for name, pin in design.pins.items() if name.startswith("cam_response_")}
        self.dut.cam_request_ready.value = 0
        self._answer(None)
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        waiting = deque()
        cycle, ready = 0, False
        while True:
            await RisingEdge(getattr(self.dut, self.design.clock))
            cycle += 1
            if self.design.in_reset(self.dut):
                waiting.clear()
                ready = False
                self.dut.cam_request_ready.value = 0
                self._answer(None)
                continue
            if ready and self._read("cam_request_valid"):
                request = self._read("cam_request_tag"), self._read("cam_request_address")
                waiting.append((cycle + self.latency, *request))
                self.lookups += 1
            due = waiting and waiting[0][0] <= cycle
            self._answer(waiting.popleft()[1:] if due else None)
            ready = self.random.random() >= self.busy
            self.dut.cam_request_ready.value = int(ready)

    def _read(self, name):
        return elements(getattr(self.dut, name), self.design.pins[name])[0]

    def _answer(self, request):
        """Drives the answer; what it does not name is 0."""
        values = dict.fromkeys(self.answers, 0)
        if request is not None:
            tag, address = request
            route = self.routes.get(address)
            values.update(cam_response_valid=1, cam_response_tag=tag, cam_response_hit=int(route is not None))
            route = route if isinstance(route, Route) or route is None else Route(route)
            if route is not None:
                values["cam_response_port"] = route.port
                if route.vc is not None:
                    values.update(cam_response_vc_set=1, cam_response_vc=route.vc)
        for name, value in values.items():
            getattr(self.dut, name).value = value
