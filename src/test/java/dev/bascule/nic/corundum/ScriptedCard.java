package dev.bascule.nic.corundum;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.pci.ConfigSpace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A card whose registers look right, or as a test wants them, and whose queues do nothing: the test writes what a broken
 * or hostile device would write.
 */
final class ScriptedCard implements DeviceModel {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CorundumModel registers;
    private final Map<Long, Integer> overrides = new HashMap<>();
    private final Map<Long, Integer> written = new HashMap<>();
    private @Nullable DevicePort port;
    private boolean silent;

    ScriptedCard(CorundumConfig config) {
        registers = new CorundumModel(config, java.util.Collections.nCopies(config.allPorts(), WireEnd.OPEN), false);
    }

    /** A register reads as this from now on. */
    void override(long offset, int value) {
        overrides.put(offset, value);
    }

    /** Everything reads as all ones from now on. */
    void fallSilent() {
        silent = true;
    }

    int written(long offset) {
        return written.getOrDefault(offset, 0);
    }

    /** Writes a record into the ring of the queue whose registers are at {@code queue}. */
    void record(long queue, int slot, long word0, long word1, long word2, long word3) {
        long base = written(queue) & 0xFFFFFFFFL | (long) written(queue + 4) << 32;
        MemorySegment record = MemorySegment.ofArray(new byte[32]);
        record.set(LONG, 0, word0);
        record.set(LONG, 8, word1);
        record.set(LONG, 16, word2);
        record.set(LONG, 24, word3);
        DevicePort current = Objects.requireNonNull(port);
        if (!current.dma().write(base + slot * 32L, record, 0, 32)) {
            throw new AssertionError("the ring at 0x" + Long.toHexString(base) + " is not mapped");
        }
    }

    /** Completes: the first pass of a ring, so with the tag set. */
    void complete(long completionQueue, int slot, int queue, int index, int lengthBytes) {
        record(completionQueue, slot, queue & 0xFFFFL | (index & 0xFFFFL) << 16 | (lengthBytes & 0xFFFFL) << 32, 0, 0,
                1L << 63);
    }

    @Override
    public String name() {
        return "scripted";
    }

    @Override
    public List<Bar> bars() {
        return registers.bars();
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return registers.powerOnConfig();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
        registers.connect(devicePort);
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (silent) {
            return -1;
        }
        Integer value = overrides.get(offset);
        return value != null ? value : registers.read(bar, offset, widthBytes);
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        written.put(offset, (int) value);
        registers.write(bar, offset, widthBytes, value);
    }

    @Override
    public void reset() {
        registers.reset();
    }

    @Override
    public void close() {
        registers.close();
    }
}
