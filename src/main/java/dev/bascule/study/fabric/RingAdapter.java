package dev.bascule.study.fabric;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * The switch in the CPU's place at a device with a descriptor ring: it writes descriptors and rings the doorbell for items,
 * and makes completions into results of streams. Ring, data and results lie in memory of the switch, half as far from the
 * device as host memory is. Setting the device up stays with the CPU.
 */
final class RingAdapter implements Target {
    private static final int ENTRIES = 64;

    private final RingPort port;
    private final int slotBytes;
    private final byte[] memory;
    private final long base;
    private final int completionsAt;
    private final int inputsAt;
    private final int resultsAt;
    private final Deque<Item> waiting = new ArrayDeque<>();
    private final Item[] given = new Item[ENTRIES];
    private long tail;
    private long done;

    RingAdapter(RingPort port) {
        this.port = port;
        slotBytes = port.fabric().streams().limits().itemBytes();
        completionsAt = ENTRIES * RingPort.DESCRIPTOR_BYTES;
        inputsAt = completionsAt + ENTRIES * RingPort.COMPLETION_BYTES;
        resultsAt = inputsAt + ENTRIES * slotBytes;
        memory = new byte[resultsAt + ENTRIES * slotBytes];
        base = port.fabric().addMemory(memory.length, this).base();
        port.configure(RingPort.RING, base);
        port.configure(RingPort.ENTRIES, ENTRIES);
        port.configure(RingPort.COMPLETIONS, base + completionsAt);
    }

    /** The switch has an item for the device. */
    void offer(Item item) {
        waiting.add(item);
        submit();
    }

    private void submit() {
        while (!waiting.isEmpty() && tail - done < ENTRIES) {
            Item item = waiting.remove();
            Program.Node node = item.program().node(item.node());
            int offset = Math.min(node.offset(), item.length());
            int length = item.length() - offset;
            if (item.isEnded()) { // its stream was closed
                answer(item, Streams.END, new byte[0]);
                continue;
            }
            int slot = (int) tail & ENTRIES - 1;
            given[slot] = item;
            System.arraycopy(item.data(), offset, memory, inputsAt + slot * slotBytes, length);
            int descriptor = slot * RingPort.DESCRIPTOR_BYTES;
            Bytes.put(memory, descriptor, base + inputsAt + (long) slot * slotBytes);
            Bytes.put(memory, descriptor + 8, base + resultsAt + (long) slot * slotBytes);
            Bytes.put(memory, descriptor + 16,
                    length | (long) node.command() << 32 | (long) node.parameter() << 48);
            tail++;
            port.ringFromSwitch(tail);
        }
    }

    private void answer(Item item, long flag, byte[] result) {
        port.fabric().streams().pushed(port, port.time().now(), Streams.window(item) | flag,
                result);
    }

    /** The device writes a result or a completion. Anywhere else, such as into the ring, it writes nothing. */
    @Override
    public void write(long offset, byte[] data) {
        int at = (int) offset;
        if (at >= resultsAt) {
            System.arraycopy(data, 0, memory, at, data.length);
        } else if (at >= completionsAt && at < inputsAt && data.length == RingPort.COMPLETION_BYTES
                && Bytes.get(data, 0) == done + 1 && done != tail) {
            int slot = (int) done++ & ENTRIES - 1;
            completed(given[slot], (int) Bytes.get(data, 8), resultsAt + slot * slotBytes);
            submit();
        }
    }

    private void completed(Item item, int status, int resultAt) {
        boolean isSound = status >= Accelerator.NOTHING && status <= slotBytes;
        byte[] result = status > 0 && isSound
                ? Arrays.copyOfRange(memory, resultAt, resultAt + status)
                : new byte[0];
        answer(item, isSound ? Streams.END : Streams.REJECT, result);
    }

    @Override
    public void read(long offset, byte[] to, int at, int lengthBytes) {
        System.arraycopy(memory, (int) offset, to, at, lengthBytes);
    }
}
