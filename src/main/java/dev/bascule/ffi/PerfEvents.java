package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Events the kernel counts for the thread that opened them, in user mode only (perf_event_open, linux/perf_event.h):
 * instructions and cache misses where the machine has counters for them. Counts stand still until {@link #start}.
 * <p>
 * Thread rule: the thread that opens them, which is the one that is counted, alone or with the threads that it starts. A machine without such a counter, or a
 * kernel that does not let this user have it, is a {@link NativeException} of {@link #open}: ENOENT, EOPNOTSUPP or
 * EACCES.
 */
public final class PerfEvents implements AutoCloseable {
    /** Events that can be counted. */
    public enum Event {
        /** Instructions that were retired. */
        INSTRUCTIONS(0, 1),
        /** Loads that look into the first-level data cache. */
        L1_LOADS(3, 0),
        /** Of these, those that miss. */
        L1_LOAD_MISSES(3, 0x10000),
        /** Accesses of the cache the kernel calls "the" cache: the second level on AMD, the last on Intel and Arm. */
        CACHE_REFERENCES(0, 2),
        /** Of these, those that miss. */
        CACHE_MISSES(0, 3),
        /** Page faults: counted by the kernel itself, on every machine. */
        PAGE_FAULTS(1, 2);

        private final int type;
        private final long config;

        Event(int type, long config) {
            this.type = type;
            this.config = config;
        }
    }

    private static final int PERF_EVENT_OPEN = Linux.AARCH64 ? 241 : 298;
    private static final int ATTRIBUTE_BYTES = 112; // the fifth version, Linux 4.1
    private static final int SIZE = 4;
    private static final int CONFIG = 8;
    private static final int READ_FORMAT = 32;
    private static final int FLAGS = 40;
    private static final long WITH_TIMES = 3;
    private static final long DISABLED = 1;
    private static final long INHERIT = 2;
    private static final long USER_MODE_ONLY = 0x60; // neither kernel nor hypervisor
    private static final int CLOSE_ON_EXEC = 8;
    private static final int ENABLE = 0x2400;
    private static final int DISABLE = 0x2401;
    private static final int READ_BYTES = 24;

    private final List<Fd> counters = new ArrayList<>();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment read = arena.allocate(READ_BYTES, 8);

    private PerfEvents() {}

    /** Counters of {@code events} for the calling thread, at zero and standing still. */
    public static PerfEvents open(Event... events) {
        return open(0, events);
    }

    /**
     * Counters of {@code events} for the calling thread, at zero and standing still. Threads that it starts from now
     * on, and those that these start, are counted with it.
     */
    public static PerfEvents openWithThreads(Event... events) {
        return open(INHERIT, events);
    }

    private static PerfEvents open(long flags, Event... events) {
        PerfEvents result = new PerfEvents();
        try {
            for (Event event : events) {
                result.counters.add(open(event, flags));
            }
            return result;
        } catch (RuntimeException e) {
            result.close();
            throw e;
        }
    }

    private static Fd open(Event event, long flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTE_BYTES, 8);
            attributes.set(ValueLayout.JAVA_INT, 0, event.type);
            attributes.set(ValueLayout.JAVA_INT, SIZE, ATTRIBUTE_BYTES);
            attributes.set(ValueLayout.JAVA_LONG, CONFIG, event.config);
            attributes.set(ValueLayout.JAVA_LONG, READ_FORMAT, WITH_TIMES);
            attributes.set(ValueLayout.JAVA_LONG, FLAGS, DISABLED | USER_MODE_ONLY | flags);
            int fd = (int) NativeCall.syscall7(PERF_EVENT_OPEN, attributes, NativeCall.word(0), NativeCall.word(-1),
                    NativeCall.word(-1), NativeCall.word(CLOSE_ON_EXEC), MemorySegment.NULL);
            if (fd < 0) {
                int errno = NativeCall.errno();
                throw new NativeException("perf_event_open", event.name(), errno, remedy(errno));
            }
            return Fd.adopt(fd, "counter of " + event);
        }
    }

    private static String remedy(int errno) {
        return errno == Errno.EACCES || errno == Errno.EPERM
                ? "Let users count what they run: sudo sysctl kernel.perf_event_paranoid=1"
                : "This machine has no such counter, as most virtual machines; count on a real one";
    }

    /** Counts from here on. */
    public void start() {
        all(ENABLE);
    }

    /** Stands still. */
    public void stop() {
        all(DISABLE);
    }

    private void all(int request) {
        for (Fd counter : counters) {
            counter.ioctl("PERF_EVENT_IOC", request, 0);
        }
    }

    /**
     * Counts since opening, in the order of {@link #open}; where the machine has fewer counters than were asked for
     * they take turns, and the count is scaled to the whole time.
     */
    public long[] counts() {
        long[] counts = new long[counters.size()];
        for (int i = 0; i < counts.length; i++) {
            if (counters.get(i).read(read) != READ_BYTES) {
                throw new IllegalStateException(counters.get(i) + " cannot be read");
            }
            long enabled = read.get(ValueLayout.JAVA_LONG, 8);
            long running = read.get(ValueLayout.JAVA_LONG, 16);
            long count = read.get(ValueLayout.JAVA_LONG, 0);
            counts[i] = running == 0 || running == enabled ? count : Math.round((double) count * enabled / running);
        }
        return counts;
    }

    @Override
    public void close() {
        counters.forEach(Fd::close);
        counters.clear();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
