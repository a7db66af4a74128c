package dev.bascule.study.fabric;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * A device that takes streams: one append-only input buffer, into which the switch writes each item behind the last one,
 * and work on a number of items at a time. Results go back in the order of the items. A card that receives frames is one
 * too, with {@link #push}.
 */
public final class StreamPort extends Port {
    /**
     * Bytes that the switch writes before an item: stream, node, command, parameter, sequence, length, reply address.
     */
    public static final int HEADER_BYTES = 32;
    private static final int UNIT = 64;

    private final Accelerator accelerator;
    private final int lanes;
    private final int inputBytes;
    private final Deque<Item> waiting = new ArrayDeque<>();
    private final Deque<Item> arrived = new ArrayDeque<>();
    private final Deque<Job> jobs = new ArrayDeque<>();
    private byte[] out = new byte[256];
    private int room;
    private int mostUsed;
    private int busy;
    private boolean stalled;
    private long worked;

    /** An item that is worked on. */
    private static final class Job {
        private final Item item;
        private final int lengthBytes;
        private byte[] result = new byte[0];
        private long flag;
        private boolean done;

        Job(Item item, int lengthBytes) {
            this.item = item;
            this.lengthBytes = lengthBytes;
        }
    }

    StreamPort(Fabric fabric, int number, String name, Accelerator accelerator, int inputBytes, int lanes) {
        super(fabric, number, name);
        if (lanes < 1 || inputBytes < UNIT) {
            throw new IllegalArgumentException(
                    name + ": " + lanes + " lanes and an input buffer of " + inputBytes + " bytes; 1 and 64 at least");
        }
        this.accelerator = accelerator;
        this.inputBytes = inputBytes;
        this.lanes = lanes;
        room = inputBytes;
    }

    /** Items worked on so far. */
    public long worked() {
        return worked;
    }

    /** Bytes of the input buffer in use at their most. */
    public int mostUsed() {
        return mostUsed;
    }

    /** Has the device stop taking from its input buffer, or go on. */
    public void stall(boolean isStalled) {
        stalled = isStalled;
        if (!stalled) {
            work();
        }
    }

    /**
     * The device, as the source of a stream, pushes an item by a plain write. False if the stream has no credit: it is to
     * be pushed when there is, see {@link Streams#onCredit}.
     */
    public boolean push(int stream, byte[] data, int offset, int lengthBytes) {
        if (isRemoved() || !fabric().streams().take(stream, this)) {
            return false;
        }
        writeTo(fabric().streams().sourceWindow(stream) | Streams.END, data, offset, lengthBytes);
        return true;
    }

    /** Any write of the device, as one that misbehaves makes it: the switch judges it. */
    public void writeTo(long address, byte[] data, int offset, int lengthBytes) {
        fabric().write(this, time().now(), address, data, offset, lengthBytes, Traffic.Kind.DMA_WRITE);
    }

    private static int used(Item item) {
        return HEADER_BYTES + item.length() + UNIT - 1 & -UNIT;
    }

    /** The switch has an item for the device. One that is longer than the buffer gets all of it. */
    void offer(Item item) {
        waiting.add(item);
        dispatch();
    }

    private void dispatch() {
        while (!waiting.isEmpty()) {
            Item next = waiting.element();
            int needed = Math.min(used(next), inputBytes);
            if (next.isEnded()) {
                waiting.remove();
                swallow(next);
                continue;
            }
            if (needed > room) {
                return;
            }
            waiting.remove();
            room -= needed;
            mostUsed = Math.max(mostUsed, inputBytes - room);
            time().at(down().send(time().now(), HEADER_BYTES + next.length()), _ -> {
                arrived.add(next);
                work();
            });
        }
    }

    /** An item of a closed stream never reaches the device; the switch itself settles what was to come back. */
    private void swallow(Item item) {
        fabric().streams().pushed(this, time().now(), Streams.window(item) | Streams.END,
                new byte[0]);
    }

    private void work() {
        while (busy < lanes && !stalled && !arrived.isEmpty() && !isRemoved()) {
            Item item = arrived.remove();
            Program.Node node = item.program().node(item.node());
            int offset = Math.min(node.offset(), item.length());
            Job job = new Job(item, Math.min(used(item), inputBytes));
            run(job, node, offset);
            jobs.add(job);
            busy++;
            time().at(time().now() + accelerator.workPs(node.command(), item.length() - offset), _ -> finished(job));
        }
    }

    private void run(Job job, Program.Node node, int offset) {
        int length = job.item.length() - offset;
        int most = accelerator.mostResult(length);
        if (out.length < most) {
            out = new byte[most];
        }
        int bytes = accelerator.run(node.command(), node.parameter(), job.item.data(), offset, length, out);
        worked++;
        job.flag = bytes == Accelerator.REJECTED ? Streams.REJECT : Streams.END;
        if (bytes > 0) {
            job.result = Arrays.copyOf(out, bytes);
        }
    }

    private void finished(Job job) {
        job.done = true;
        busy--;
        if (job.item.program().node(job.item.node()).ends() && job.flag == Streams.END) {
            fabric().streams().left(job.item);
        }
        while (!jobs.isEmpty() && jobs.element().done) {
            Job first = jobs.remove();
            writeTo(Streams.window(first.item) | first.flag, first.result, 0,
                    first.result.length);
            time().at(time().now() + fabric().costs().upPs(), _ -> {
                room += first.lengthBytes;
                dispatch();
            });
        }
        work();
    }
}
