package dev.bascule.study.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Models of PCI functions in a fabric, as they are. */
class FunctionPortTest {
    private static final FabricCosts COSTS = FabricCosts.PROPOSAL.withoutStages();

    private final Fabric fabric = new Fabric(COSTS, 1 << 16, StreamLimits.DEFAULT);

    /** Register 0 says where to read 64 bytes; a write to register 8 has it write them to that address, then interrupt. */
    private static final class Copier implements DeviceModel {
        private final MemorySegment buffer = Arena.ofAuto().allocate(64, 64);
        private DevicePort port;
        private long from;
        boolean read;
        boolean written;

        @Override
        public String name() {
            return "copier";
        }

        @Override
        public List<Bar> bars() {
            return List.of(Bar.registers(0, 4096));
        }

        @Override
        public ConfigSpace powerOnConfig() {
            return new ConfigSpaceBuilder(1, 1, 0, 0).memoryBar(0, 4096, false, false).build();
        }

        @Override
        public void connect(DevicePort devicePort) {
            port = devicePort;
        }

        @Override
        public long read(int bar, long offset, int widthBytes) {
            return from;
        }

        @Override
        public void write(int bar, long offset, int widthBytes, long value) {
            if (offset == 0) {
                from = value;
            } else {
                read = port.dma().read(from, buffer, 0, 64);
                written = port.dma().write(value, buffer, 0, 64);
                port.raise(3);
            }
        }

        @Override
        public void reset() {
            from = 0;
        }
    }

    @Test
    void itsDmaTakesTheWayOverTheSwitchAndItsTime() {
        Copier model = new Copier();
        FunctionPort port = fabric.plugFunction("copier", model);
        HostMemory memory = fabric.host().memory();
        byte[] bytes = MemorySegment.ofArray(new long[] { 1, 2, 3, 4, 5, 6, 7, 8 }).toArray(ValueLayout.JAVA_BYTE);
        memory.put(512, bytes, 0, 64);
        fabric.access().grant(port, 512, 64).grant(port, 1024, 64);
        List<Long> interrupts = new ArrayList<>();
        port.onInterrupt(vector -> interrupts.add(fabric.time().now()));
        fabric.host().mmioWrite(port.base(0), 512);
        fabric.host().mmioWrite(port.base(0) + 8, 1024);
        fabric.time().run();
        assertThat(memory.get(1024, 64)).isEqualTo(bytes);
        // the doorbell, a read and a write: 1/2 + 1 + 1/2 round trips; the interrupt follows the write
        assertThat(interrupts).containsExactly(4 * 379_000L);
        assertThat(fabric.traffic().halfRoundTrips()).isEqualTo(1 + 1 + 2 + 1);
    }

    @Test
    void itReachesNoMemoryThatItWasNotGranted() {
        Copier model = new Copier();
        FunctionPort port = fabric.plugFunction("copier", model);
        fabric.access().grant(port, 512, 64);
        fabric.host().mmioWrite(port.base(0), 480);
        fabric.host().mmioWrite(port.base(0) + 8, 4096);
        fabric.time().run();
        assertThat(model.read || model.written).isFalse();
        assertThat(fabric.audit().count(Audit.Reason.FORBIDDEN)).isEqualTo(2);
    }

    @Test
    void aPlainWriteOfItsIntoAWindowPushes() {
        Copier model = new Copier();
        FunctionPort port = fabric.plugFunction("copier", model);
        fabric.access().grant(port, 0, 4096);
        List<byte[]> received = new ArrayList<>();
        fabric.host().onItem((stream, data) -> received.add(data));
        int stream = fabric.streams().open(new Program("push",
                List.of(new Program.Node("in", port, 0, 0, 0, false),
                        new Program.Node("end", fabric.host(), 0, 0, 0, true)),
                0, 0, List.of(new Stage(List.of(new Stage.Entry(List.of(), List.of(Op.set(Field.NEXT, 1))))))));
        fabric.host().mmioWrite(port.base(0) + 8, fabric.streams().sourceWindow(stream) | Streams.END);
        fabric.time().run();
        assertThat(received).hasSize(1).allMatch(data -> data.length == 64);
    }

    @Test
    void aCorundumAnswersOverTheFabricAsItDoesAlone() throws Exception {
        CorundumConfig config = CorundumConfig.builder().build();
        CorundumModel alone = new CorundumModel(config, wires(config), false);
        CorundumModel plugged = new CorundumModel(config, wires(config), false);
        FunctionPort port = fabric.plugFunction("card", plugged);
        port.onAccess(plugged::poll);
        List<Long> read = new ArrayList<>();
        for (long offset = 0; offset < 256; offset += 4) {
            fabric.read(fabric.host(), fabric.time().now(), port.base(0) + offset, 4, Traffic.Kind.MMIO_READ,
                    data -> read.add(data == null
                            ? -1
                            : MemorySegment.ofArray(data).get(ValueLayout.JAVA_INT_UNALIGNED, 0)
                                    & 0xffff_ffffL));
        }
        fabric.time().run();
        List<Long> expected = new ArrayList<>();
        for (long offset = 0; offset < 256; offset += 4) {
            expected.add(alone.read(0, offset, 4));
        }
        assertThat(read).isEqualTo(expected).anyMatch(value -> value != 0);
        alone.close();
        plugged.close();
    }

    private static List<WireEnd> wires(CorundumConfig config) {
        List<WireEnd> wires = new ArrayList<>();
        for (int i = 0; i < config.allPorts(); i++) {
            wires.add(WireEnd.OPEN);
        }
        return wires;
    }
}
