package dev.bascule.bench;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A cndm card of one port that is the model; or whose mailbox is the model's, whose doorbells are memory, and of
 * which the C function {@code cndm_peer} plays what moves frames. Device addresses are addresses of this process.
 */
final class CndmPeer extends BenchCard implements Registers {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final int ADDRESS_LOW = MAILBOX + 8 * Integer.BYTES;
    private static final int ADDRESS_HIGH = MAILBOX + 9 * Integer.BYTES;

    private final DeviceModel model;
    private final boolean moves;
    private final MemorySegment doorbells = Arena.global().allocate(PORT_STRIDE, 4096);
    private final List<Long> rings = new ArrayList<>();
    private int operation;
    private long address;
    private long writes;

    /** @param moves whether the model moves frames */
    CndmPeer(DeviceModel model, boolean moves) {
        this.model = model;
        this.moves = moves;
    }

    /** Writes to doorbells so far. */
    long writes() {
        return writes;
    }

    /**
     * State of {@code cndm_peer} for the one port, once the driver has set it up: it creates the completion queue and
     * the queue of receiving, then those of sending.
     */
    MemorySegment state(int ringEntries, int logCompletions) {
        long[] words = { rings.get(1), rings.get(0), rings.get(3), rings.get(2), doorbells.address() + PRODUCER,
                doorbells.address() + QUEUE_STRIDE + PRODUCER, ringEntries - 1, logCompletions, 0, 0 };
        return Arena.global().allocateFrom(ValueLayout.JAVA_LONG, words);
    }

    @Override
    public DeviceInfo info() {
        return new DeviceInfo("peer", "memory", null, VENDOR_ID, DEVICE_ID, CLASS_CODE, -1);
    }

    @Override
    public List<Bar> bars() {
        return model.bars();
    }

    @Override
    public Registers registers(int index) {
        return this;
    }

    @Override
    public long sizeBytes() {
        return BAR0_BYTES;
    }

    @Override
    public long read(long offset, int widthBytes) {
        return model.read(0, offset, widthBytes);
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        if (offset >= PORTS) {
            writes++;
            if (moves) {
                model.write(0, offset, widthBytes, value);
            } else {
                doorbells.set(INT, offset - PORTS, (int) value);
            }
        } else {
            command((int) offset, (int) value);
            model.write(0, offset, widthBytes, value);
        }
    }

    private void command(int offset, int word) {
        switch (offset) {
            case MAILBOX -> operation = word >>> 16;
            case ADDRESS_LOW -> address = word & 0xFFFF_FFFFL;
            case ADDRESS_HIGH -> address |= (long) word << 32;
            case MAILBOX_CONTROL -> {
                if (operation >= CREATE && (operation & KIND_STEP - 1) == 0) {
                    rings.add(address);
                }
            }
            default -> {
            }
        }
    }

    @Override
    public Registers config() {
        throw new UnsupportedOperationException("this card has no config space");
    }

    @Override
    public MemorySegment memory(int index, long offset, long lengthBytes) {
        throw new UnsupportedOperationException("registers of this card are no memory");
    }

    @Override
    public Window window(int index, MemoryType type) {
        throw new UnsupportedOperationException("registers of this card are no memory");
    }

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
}
