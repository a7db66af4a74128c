package dev.bascule.bench;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.corundum.MqnicRegisters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A Corundum card that is memory: its registers are a picture of a model's, doorbells are stores, device addresses are
 * addresses of this process. The C function {@code corundum_peer} plays the device.
 */
final class CorundumPeer extends BenchCard {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final long RX_COMPLETIONS = 0x200000;
    private static final long TX_COMPLETIONS = 0x200010;
    private static final long TX_QUEUE = 0x400000;
    private static final long RX_QUEUE = 0x600000;

    private final MemorySegment bar = Arena.global().allocate(MqnicRegisters.BAR0_BYTES, 4096);
    private final MemorySegment config = Arena.global().allocate(4096, 8);

    CorundumPeer() {
        CorundumModel model = new CorundumModel(CorundumConfig.builder().ports(1).schedulers(1).build(),
                List.of(WireEnd.OPEN), false);
        for (long at = 0; at < bar.byteSize(); at += 4) {
            bar.set(INT, at, (int) model.read(0, at, 4));
        }
        bar.set(INT, TX_QUEUE + MqnicRegisters.WORK_QUEUE_CONFIG, 3 << 28); // what a driver finds when it asks
        bar.set(INT, RX_QUEUE + MqnicRegisters.WORK_QUEUE_CONFIG, 3 << 28);
    }

    /** The state of {@code corundum_peer} for queue 0 of either kind, once the driver has set them up. */
    MemorySegment state(int ringEntries, int logCompletions) {
        MemorySegment state = Arena.global().allocate(12 * 8, 64);
        long[] words = { base(RX_QUEUE), base(RX_COMPLETIONS), base(TX_QUEUE), base(TX_COMPLETIONS),
                bar.address() + RX_QUEUE + MqnicRegisters.WORK_QUEUE_COMMAND,
                bar.address() + TX_QUEUE + MqnicRegisters.WORK_QUEUE_COMMAND, 0, 0, ringEntries - 1, logCompletions };
        for (int i = 0; i < words.length; i++) {
            state.setAtIndex(LONG, i, words[i]);
        }
        // enabling was the last command, and hides how many buffers were posted
        bar.set(INT, RX_QUEUE + MqnicRegisters.WORK_QUEUE_COMMAND,
                MqnicRegisters.COMMAND_SET_PRODUCER | ringEntries);
        bar.set(INT, TX_QUEUE + MqnicRegisters.WORK_QUEUE_COMMAND, MqnicRegisters.COMMAND_SET_PRODUCER);
        return state;
    }

    private long base(long queue) {
        return bar.get(INT, queue) & 0xFFFFFFFFL | (long) bar.get(INT, queue + 4) << 32;
    }

    @Override
    public DeviceInfo info() {
        return new DeviceInfo("peer", "memory", null, MqnicRegisters.VENDOR_ID, MqnicRegisters.DEVICE_ID,
                MqnicRegisters.CLASS_CODE, -1);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.memory(0, bar.byteSize()));
    }

    @Override
    public Registers registers(int index) {
        return new Plain(bar);
    }

    @Override
    public Registers config() {
        return new Plain(config);
    }

    @Override
    public MemorySegment memory(int index, long offset, long lengthBytes) {
        return bar.asSlice(offset, lengthBytes);
    }

    @Override
    public Window window(int index, MemoryType type) {
        return new DirectWindow(bar);
    }

    @Override
    public void reset() {
        bar.fill((byte) 0);
    }

    /** Device addresses are those of this process. */
    @Override
    public Iova map(MappableMemory memory, DmaDirection direction) {
        return new Iova(memory.segment().address());
    }

    @Override
    public void mapAt(Iova iova, MappableMemory memory, DmaDirection direction) {
        throw new IllegalStateException("addresses of this card cannot be chosen");
    }

    @Override
    public void unmap(Iova iova) {}

    /** Memory as registers. */
    private record Plain(MemorySegment memory) implements Registers {
        @Override
        public long sizeBytes() {
            return memory.byteSize();
        }

        @Override
        public long read(long offset, int widthBytes) {
            return widthBytes == 4 ? memory.get(INT, offset) & 0xFFFFFFFFL : memory.get(ValueLayout.JAVA_SHORT, offset);
        }

        @Override
        public void write(long offset, int widthBytes, long value) {
            if (widthBytes == 4) {
                memory.set(INT, offset, (int) value);
            } else {
                memory.set(ValueLayout.JAVA_SHORT, offset, (short) value);
            }
        }
    }
}
