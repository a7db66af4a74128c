package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DmaAccess;
import dev.bascule.model.WireEnd;
import dev.bascule.model.parts.HostPort;
import dev.bascule.model.parts.PortFunction;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.ring.Clock;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The model with one port, whose frames the thread of a benchmark moves, and whose device addresses are those of this
 * process.
 */
public final class CndmBenchModel {
    private static final int FRAMES = 64;
    private static final CndmConfig CONFIG = CndmConfig.MICRO.withPorts(1);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    /** Memory of this process. */
    private static final class Direct implements DmaAccess {
        private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

        @Override
        public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
            MemorySegment.copy(ALL, iova, to, toOffset, lengthBytes);
            return true;
        }

        @Override
        public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
            if (lengthBytes != ENTRY_BYTES) {
                MemorySegment.copy(from, fromOffset, ALL, iova, lengthBytes);
                return true;
            }
            // the phase comes last; partner: the driver's acquire of it
            ALL.set(LONG, iova, from.get(LONG, fromOffset));
            WORD.setRelease(ALL, iova + 8, from.get(LONG, fromOffset + 8));
            return true;
        }
    }

    private final PortFunction function;
    private final DeviceModel registers;
    private final WireEnd wire;
    private final WireEnd.FrameSink sink;

    /** A model whose port is plugged into the wire. */
    public CndmBenchModel(WireEnd wire) {
        this.wire = wire;
        CndmDevice device = new CndmDevice(CONFIG, new Direct(), vector -> {},
                (port, data, lengthBytes) -> wire.transmit(data, 0, lengthBytes), Clock.system(), null, null);
        function = new PortFunction("cndm", 1, 1, new Bar(0, BAR0_BYTES, true, true, List.of()),
                () -> new ConfigSpaceBuilder(VENDOR_ID, DEVICE_ID, CLASS_CODE, 0).build(), new HostPort(), device,
                false);
        registers = function.locked();
        sink = (data, offset, lengthBytes) -> function.frame(0, data, offset, lengthBytes);
    }

    /** Registers, for any thread. */
    public DeviceModel registers() {
        return registers;
    }

    /** Moves frames; says how much was done. */
    public int work() {
        return function.work(port -> wire.poll(sink, FRAMES));
    }
}
