"""The card of ../example/nic.v in a cocotb testbench, as a vfio-user device.

    python3 nic_cocotb.py SOCKET [FOLDER]    builds it with Icarus Verilog in FOLDER and serves one client

Registers go in as AXI-Lite, DMA comes out as AXI. With cocotbext-axi the two classes here are its AxiLiteMaster and AxiRam.
"""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bascule_cosim
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotb.utils import get_sim_time

CYCLE_NS = 4
LOOK_CYCLES = 16
ERROR = 2


class Registers:
    """An AXI-Lite master, and the design as the bridge sees it."""

    def __init__(self, dut):
        self.dut = dut
        for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
            getattr(dut, "s_axil_" + name).value = 0

    async def write(self, bar, offset, size, value):
        dut = self.dut
        dut.s_axil_awaddr.value = offset & ~3
        dut.s_axil_wdata.value = value << 8 * (offset % 4)
        dut.s_axil_wstrb.value = ((1 << size) - 1) << offset % 4
        dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = dut.s_axil_bready.value = 1
        await until(dut.clk, dut.s_axil_awready)
        dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 0
        await until(dut.clk, dut.s_axil_bvalid)
        dut.s_axil_bready.value = 0

    async def read(self, bar, offset, size):
        dut = self.dut
        dut.s_axil_araddr.value = offset & ~3
        dut.s_axil_arvalid.value = dut.s_axil_rready.value = 1
        await until(dut.clk, dut.s_axil_arready)
        dut.s_axil_arvalid.value = 0
        await until(dut.clk, dut.s_axil_rvalid)
        dut.s_axil_rready.value = 0
        return number(dut.s_axil_rdata) >> 8 * (offset % 4)

    async def settle(self):
        """A write returns with the design's answer."""

    async def reset(self):
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0


def number(signal):
    """Its value; what is unknown, as lanes that are not written, counts as 0."""
    return int("".join(bit if bit in "01" else "0" for bit in str(signal.value)), 2)


async def until(clk, ready):
    """The next edge at which it is high."""
    await RisingEdge(clk)
    while not number(ready):
        await RisingEdge(clk)


class HostMemory:
    """An AXI slave, behind which is the host."""

    def __init__(self, dut, bridge):
        self.dut, self.bridge = dut, bridge
        for name in ("awready", "wready", "bvalid", "bresp", "bid", "arready", "rvalid", "rdata", "rresp", "rlast", "rid"):
            getattr(dut, "m_axi_" + name).value = 0
        cocotb.start_soon(self.reads())
        cocotb.start_soon(self.writes())

    async def reads(self):
        dut = self.dut
        while True:
            dut.m_axi_arready.value = 1
            await until(dut.clk, dut.m_axi_arvalid)
            dut.m_axi_arready.value = 0
            beats = number(dut.m_axi_arlen) + 1
            try:
                data, answer = await self.bridge.read(number(dut.m_axi_araddr), 8 * beats), 0
            except bascule_cosim.DmaError:
                data, answer = bytes(8 * beats), ERROR
            for beat in range(beats):
                dut.m_axi_rdata.value = int.from_bytes(data[8 * beat:8 * beat + 8], "little")
                dut.m_axi_rresp.value = answer
                dut.m_axi_rlast.value = int(beat == beats - 1)
                dut.m_axi_rvalid.value = 1
                await until(dut.clk, dut.m_axi_rready)
            dut.m_axi_rvalid.value = 0

    async def writes(self):
        dut = self.dut
        while True:
            dut.m_axi_awready.value = 1
            await until(dut.clk, dut.m_axi_awvalid)
            dut.m_axi_awready.value = 0
            address = number(dut.m_axi_awaddr)
            data, enabled = bytearray(), []
            dut.m_axi_wready.value = 1
            for _ in range(number(dut.m_axi_awlen) + 1):
                await until(dut.clk, dut.m_axi_wvalid)
                data += number(dut.m_axi_wdata).to_bytes(8, "little")
                strobes = number(dut.m_axi_wstrb)
                enabled += [strobes >> lane & 1 for lane in range(8)]
            dut.m_axi_wready.value = 0
            dut.m_axi_bresp.value = await self.store(address, data, enabled)
            dut.m_axi_bvalid.value = 1
            await until(dut.clk, dut.m_axi_bready)
            dut.m_axi_bvalid.value = 0

    async def store(self, address, data, enabled):
        """Each run of enabled bytes by itself."""
        at = 0
        while at < len(data):
            end = at
            while end < len(data) and enabled[end]:
                end += 1
            if end > at:
                try:
                    await self.bridge.write(address + at, bytes(data[at:end]))
                except bascule_cosim.DmaError:
                    return ERROR
            at = end + 1
        return 0


@cocotb.test()
async def serve(dut):
    """Serves one client, then ends the simulation."""
    card = bascule_cosim.Card(vendor=0x1234, device=0xB1C5, bars={0: 4096}, vectors=2, msix_table=0x800,
                              msix_pending=0xC00, msix_in_design=True)
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, CYCLE_NS, "ns").start())
    bridge = bascule_cosim.Bridge(os.environ["BASCULE_SOCKET"], card, Registers(dut),
                                  time_ns=lambda: get_sim_time("ns"))
    HostMemory(dut, bridge)
    await ClockCycles(dut.clk, 2)
    await bridge.serve(lambda: ClockCycles(dut.clk, LOOK_CYCLES), clients=1)


def main(path, folder):
    try:
        from cocotb_tools.runner import get_runner  # cocotb 2
    except ImportError:
        from cocotb.runner import get_runner
    here = pathlib.Path(__file__).resolve().parent
    design = os.environ.get("BASCULE_NIC", here.parent / "example" / "nic.v")
    runner = get_runner("icarus")
    runner.build(sources=[design], hdl_toplevel="nic", build_dir=folder, timescale=("1ns", "1ps"))
    runner.test(hdl_toplevel="nic", test_module=pathlib.Path(__file__).stem, build_dir=folder, test_dir=here,
                results_xml=os.path.join(os.path.abspath(folder), "results.xml"), extra_env={"BASCULE_SOCKET": path})


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
