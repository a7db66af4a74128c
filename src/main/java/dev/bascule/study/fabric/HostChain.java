package dev.bascule.study.fabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chain of devices as they are used today: the CPU takes each device's completion, writes the next device's descriptor
 * and rings its doorbell; data lies in host memory between any two of them. The first device is a card that receives.
 */
public final class HostChain {
    private static final int ENTRIES = 256;

    /**
     * One device's part.
     *
     * @param port the device
     * @param command what it is to do
     * @param parameter with what
     * @param offset where its bytes begin in the item
     */
    public record Step(RingPort port, int command, int parameter, int offset) {}

    private final Fabric fabric;
    private final HostMemory memory;
    private final RingPort card;
    private final int slotBytes;
    private final long slots;
    private final long arrivals;
    private final List<Ring> rings = new ArrayList<>();
    private final Deque<Long> leaving = new ArrayDeque<>();
    private final Deque<Long> arriving = new ArrayDeque<>();
    private long taken;
    private long ended;
    private long rejected;

    /**
     * A chain.
     *
     * @param card the card whose frames enter it
     * @param slotBytes longest item
     */
    public HostChain(Fabric fabric, RingPort card, int slotBytes, List<Step> steps) {
        this.fabric = fabric;
        this.card = card;
        this.slotBytes = slotBytes;
        memory = fabric.host().memory();
        slots = memory.allocate(ENTRIES * slotBytes);
        arrivals = memory.allocate(ENTRIES * Long.BYTES);
        card.configure(RingPort.SLOTS, slots);
        card.configure(RingPort.SLOT_COUNT, ENTRIES);
        card.configure(RingPort.SLOT_BYTES, slotBytes);
        card.configure(RingPort.ARRIVALS, arrivals);
        grant(card, slots, (long) ENTRIES * slotBytes);
        grant(card, arrivals, ENTRIES * Long.BYTES);
        memory.watch(arrivals, ENTRIES * Long.BYTES, this::arrived);
        for (Step step : steps) {
            rings.add(new Ring(step));
        }
        for (int i = 0; i + 1 < rings.size(); i++) {
            rings.get(i).next = rings.get(i + 1);
        }
    }

    /** Bytes of host memory that a chain of so many steps takes; they are multiples of 64 if the slots are. */
    public static int memoryBytes(int steps, int slotBytes) {
        int ring = RingPort.DESCRIPTOR_BYTES + RingPort.COMPLETION_BYTES + 2 * slotBytes;
        return ENTRIES * (slotBytes + Long.BYTES + steps * ring);
    }

    private void grant(RingPort port, long base, long sizeBytes) {
        fabric.access().grant(port, base, sizeBytes);
    }

    /** Whether the card has a slot for another frame. */
    public boolean hasRoom() {
        return card.hasSlot();
    }

    /** A frame arrives at the card; false if it finds no room there. */
    public boolean receive(byte[] frame) {
        if (!card.receive(frame)) {
            return false;
        }
        arriving.add(fabric.time().now());
        return true;
    }

    /** The last device is done with an item: ps since the card received it. Items leave in order. */
    public long left() {
        return fabric.time().now() - leaving.remove();
    }

    /** Items that came out at the end. */
    public long ended() {
        return ended;
    }

    /** Items that a device rejected. */
    public long rejected() {
        return rejected;
    }

    /** A card's frames are in host memory. */
    private void arrived() {
        for (;;) {
            long slot = taken & ENTRIES - 1;
            long word = memory.getLong(arrivals + slot * Long.BYTES);
            if (word >>> 32 != (taken + 1 & 0xffff_ffffL)) {
                return;
            }
            taken++;
            fabric.host().acted();
            byte[] frame = memory.get(slots + slot * slotBytes, (int) word);
            card.configure(RingPort.SLOTS_FREED, taken);
            rings.getFirst().submit(arriving.remove(), new byte[0], frame);
        }
    }

    /** The CPU's end of a device's ring. */
    private final class Ring {
        private record Work(long born, byte[] head, byte[] body) {}

        private final Step step;
        private final long ring = memory.allocate(ENTRIES * RingPort.DESCRIPTOR_BYTES);
        private final long completions = memory.allocate(ENTRIES * RingPort.COMPLETION_BYTES);
        private final long inputs = memory.allocate(ENTRIES * slotBytes);
        private final long results = memory.allocate(ENTRIES * slotBytes);
        private final byte[][] heads = new byte[ENTRIES][];
        private final long[] births = new long[ENTRIES];
        private final Deque<Work> waiting = new ArrayDeque<>();
        private @Nullable Ring next;
        private long tail;
        private long done;

        Ring(Step step) {
            this.step = step;
            RingPort port = step.port();
            port.configure(RingPort.RING, ring);
            port.configure(RingPort.ENTRIES, ENTRIES);
            port.configure(RingPort.COMPLETIONS, completions);
            grant(port, ring, ENTRIES * RingPort.DESCRIPTOR_BYTES);
            grant(port, completions, ENTRIES * RingPort.COMPLETION_BYTES);
            grant(port, inputs, (long) ENTRIES * slotBytes);
            grant(port, results, (long) ENTRIES * slotBytes);
            memory.watch(completions, ENTRIES * RingPort.COMPLETION_BYTES, this::completed);
        }

        /** {@code head} and {@code body} are the item; the device gets what is behind its offset. */
        void submit(long born, byte[] head, byte[] body) {
            waiting.add(new Work(born, head, body));
            submitWaiting();
        }

        private void submitWaiting() {
            while (!waiting.isEmpty() && tail - done < ENTRIES) {
                Work work = waiting.remove();
                byte[] item = joined(work.head, work.body);
                int offset = Math.min(step.offset(), item.length);
                int slot = (int) tail & ENTRIES - 1;
                heads[slot] = Arrays.copyOf(item, offset);
                births[slot] = work.born;
                if (next == null) {
                    leaving.add(work.born);
                }
                long input = inputs + (long) slot * slotBytes;
                memory.put(input, item, offset, item.length - offset);
                long descriptor = ring + (long) slot * RingPort.DESCRIPTOR_BYTES;
                memory.putLong(descriptor, input);
                memory.putLong(descriptor + 8, results + (long) slot * slotBytes);
                memory.putLong(descriptor + 16, item.length - offset | (long) step.command() << 32
                        | (long) step.parameter() << 48);
                tail++;
                fabric.host().acted();
                fabric.host().mmioWrite(step.port().address(RingPort.TAIL), tail);
            }
        }

        private void completed() {
            for (;;) {
                int slot = (int) done & ENTRIES - 1;
                long at = completions + (long) slot * RingPort.COMPLETION_BYTES;
                if (done == tail || memory.getLong(at) != done + 1) {
                    return;
                }
                done++;
                fabric.host().acted();
                int status = (int) memory.getLong(at + 8);
                Ring following = next;
                if (status == Accelerator.REJECTED) {
                    rejected++;
                } else if (following == null || status == Accelerator.NOTHING) {
                    ended++;
                } else {
                    following.submit(births[slot], heads[slot], memory.get(results + (long) slot * slotBytes, status));
                }
                submitWaiting(); // the slot is free
            }
        }

        private static byte[] joined(byte[] head, byte[] body) {
            byte[] whole = Arrays.copyOf(head, head.length + body.length);
            System.arraycopy(body, 0, whole, head.length, body.length);
            return whole;
        }
    }
}
