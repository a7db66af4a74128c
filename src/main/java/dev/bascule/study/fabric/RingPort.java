package dev.bascule.study.fabric;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A device as devices are today: it takes commands from a ring in memory. A write to its tail register has it read a
 * descriptor, then the data that this points to; it writes the result, and right behind it a completion. A card with
 * frames that arrive writes each into the next of a row of slots ({@link #receive}).
 */
public final class RingPort extends Port {
    /** Register: where the ring is. */
    public static final int RING = 0;
    /** Register: descriptors of the ring, a power of two. */
    public static final int ENTRIES = 8;
    /** Register: descriptors written so far. */
    public static final int TAIL = 16;
    /** Register: where the ring of completions is, as many as descriptors. */
    public static final int COMPLETIONS = 24;
    /** Register: where the first slot for received frames is. */
    public static final int SLOTS = 32;
    /** Register: slots, a power of two. */
    public static final int SLOT_COUNT = 40;
    /** Register: bytes of a slot. */
    public static final int SLOT_BYTES = 48;
    /** Register: slots given back so far. */
    public static final int SLOTS_FREED = 56;
    /** Register: where the ring of received frames' lengths is, 8 bytes each. */
    public static final int ARRIVALS = 64;
    /** Bytes of the registers. */
    public static final int REGISTER_BYTES = 4096;
    /** Bytes of a descriptor: source, destination, length 32 | command 16 | parameter 16, and 40 unused. */
    public static final int DESCRIPTOR_BYTES = 64;
    /** Bytes of a completion: number of the descriptor, result; both plus one, so that 0 is none. */
    public static final int COMPLETION_BYTES = 16;

    private final Accelerator accelerator;
    private final int lanes;
    private final long[] registers = new long[REGISTER_BYTES / Long.BYTES];
    private final Deque<Job> jobs = new ArrayDeque<>();
    private @Nullable RingAdapter adapter;
    private long base;
    private long head;
    private int busy;
    private long received;
    private long lost;
    private long worked;

    /** A command under way. */
    private static final class Job {
        private final long number;
        private long destination;
        private byte[] result = new byte[0];
        private int status;
        private boolean done;

        Job(long number) {
            this.number = number;
        }
    }

    private final class Registers implements Target {
        @Override
        public void write(long offset, byte[] data) {
            if (data.length == Long.BYTES && (offset & 7) == 0) {
                registers[(int) offset / Long.BYTES] = Bytes.get(data, 0);
                work();
            }
        }

        @Override
        public void read(long offset, byte[] to, int at, int lengthBytes) {
            for (int i = 0; i < lengthBytes; i++) {
                int place = (int) offset + i;
                to[at + i] = (byte) (registers[place / Long.BYTES] >>> 8 * (place % Long.BYTES));
            }
        }
    }

    private final Target target = new Registers();

    RingPort(Fabric fabric, int number, String name, Accelerator accelerator, int lanes) {
        super(fabric, number, name);
        this.accelerator = accelerator;
        this.lanes = lanes;
    }

    void map(AddressMap addresses) {
        base = addresses.add(REGISTER_BYTES, this, target).base();
    }

    /** Where a register is. */
    long address(int register) {
        return base + register;
    }

    /** Control path: sets a register as a driver does at start. */
    void configure(int register, long value) {
        registers[register / Long.BYTES] = value;
    }

    /** The doorbell as the switch rings it. */
    void ringFromSwitch(long tail) {
        fabric().writeFromSwitch(this, target, TAIL, Bytes.of(tail), Traffic.Kind.MMIO_WRITE);
    }

    /** Has the switch drive this device in the CPU's place from now on. */
    RingAdapter adapter() {
        RingAdapter current = adapter;
        if (current == null) {
            current = new RingAdapter(this);
            adapter = current;
        }
        return current;
    }

    /** Frames that found no slot. */
    public long lost() {
        return lost;
    }

    /** Commands worked on so far. */
    public long worked() {
        return worked;
    }

    private long register(int register) {
        return registers[register / Long.BYTES];
    }

    /** Whether there is a slot for another frame. */
    boolean hasSlot() {
        return received - register(SLOTS_FREED) < register(SLOT_COUNT);
    }

    /** A frame arrives from outside; false if it is lost. */
    public boolean receive(byte[] frame) {
        long slots = register(SLOT_COUNT);
        if (isRemoved() || !hasSlot() || frame.length > register(SLOT_BYTES)) {
            lost++;
            return false;
        }
        long slot = received++ & slots - 1;
        long now = time().now();
        fabric().write(this, now, register(SLOTS) + slot * register(SLOT_BYTES), frame, 0, frame.length,
                Traffic.Kind.DMA_WRITE);
        fabric().write(this, now, register(ARRIVALS) + slot * Long.BYTES, Bytes.of(received << 32 | frame.length), 0,
                Long.BYTES, Traffic.Kind.COMPLETION);
        return true;
    }

    private void work() {
        long entries = register(ENTRIES);
        while (entries != 0 && busy < lanes && head != register(TAIL) && !isRemoved()) {
            Job job = new Job(head);
            long at = register(RING) + (head & entries - 1) * DESCRIPTOR_BYTES;
            head++;
            busy++;
            jobs.add(job);
            fabric().read(this, time().now(), at, DESCRIPTOR_BYTES, Traffic.Kind.DMA_READ,
                    descriptor -> fetch(job, descriptor));
        }
    }

    private void fetch(Job job, byte @Nullable [] descriptor) {
        int length = descriptor == null ? -1 : (int) Bytes.get(descriptor, 16);
        if (descriptor == null || length < 0 || length > 1 << 24) {
            finished(job, Accelerator.REJECTED);
            return;
        }
        job.destination = Bytes.get(descriptor, 8);
        int command = (int) (Bytes.get(descriptor, 16) >>> 32) & 0xffff;
        int parameter = (int) (Bytes.get(descriptor, 16) >>> 48);
        fabric().read(this, time().now(), Bytes.get(descriptor, 0), length, Traffic.Kind.DMA_READ,
                data -> run(job, command, parameter, data));
    }

    private void run(Job job, int command, int parameter, byte @Nullable [] data) {
        if (data == null) {
            finished(job, Accelerator.REJECTED);
            return;
        }
        byte[] out = new byte[accelerator.mostResult(data.length)];
        int bytes = accelerator.run(command, parameter, data, 0, data.length, out);
        worked++;
        job.result = bytes > 0 ? Arrays.copyOf(out, bytes) : job.result;
        time().at(time().now() + accelerator.workPs(command, data.length), _ -> finished(job, bytes));
    }

    private void finished(Job job, int status) {
        job.status = status;
        job.done = true;
        busy--;
        while (!jobs.isEmpty() && jobs.element().done) {
            complete(jobs.remove());
        }
        work();
    }

    private void complete(Job job) {
        long now = time().now();
        if (job.result.length > 0) {
            fabric().write(this, now, job.destination, job.result, 0, job.result.length, Traffic.Kind.DMA_WRITE);
        }
        byte[] completion = new byte[COMPLETION_BYTES];
        Bytes.put(completion, 0, job.number + 1);
        Bytes.put(completion, 8, job.status);
        long at = register(COMPLETIONS) + (job.number & register(ENTRIES) - 1) * COMPLETION_BYTES;
        fabric().write(this, now, at, completion, 0, COMPLETION_BYTES, Traffic.Kind.COMPLETION);
    }
}
