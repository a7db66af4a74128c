package dev.bascule.explore;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a region over RDMA: a whole copy on each side, and a wire in each direction that carries what a side
 * stored and fenced, in order, as long as another thread is given way to. A line arrives in two parts, word 0 first: a
 * writer stores it last. Bells ride on the agent's wire. A look at the other side's copy follows all that was sent before
 * it, and brings nothing along.
 */
final class ExploredMirror {
    private static final int WORDS = Window.LINE_BYTES / Long.BYTES;

    private final PinnedMemory hosts;
    private final PinnedMemory agents;
    private final Wire toAgent;
    private final Wire toHost;
    private @Nullable Explorer explorer;

    ExploredMirror(PinnedMemory hosts, PinnedMemory agents) {
        this.hosts = hosts;
        this.agents = agents;
        toAgent = new Wire("wire to the agent", agents);
        toHost = new Wire("wire to the host", hosts);
    }

    /** A run begins; both copies are zeroed. */
    void begin(Explorer now) {
        explorer = now;
        toAgent.begin();
        toHost.begin();
    }

    private Explorer explorer() {
        if (explorer == null) {
            throw new IllegalStateException("no run has begun");
        }
        return explorer;
    }

    /** The host's windows on both memories, for one more of its threads. */
    Windows ofHost(long nicBytes, long hostBytes) {
        return new Windows(new Writer(hosts, agents, toAgent), nicBytes, hostBytes);
    }

    /** The agent's. */
    Windows ofAgent(long nicBytes, long hostBytes) {
        return new Windows(new Writer(agents, hosts, toHost), nicBytes, hostBytes);
    }

    /** A fence of one is one of the other. */
    final class Windows {
        final Window nic;
        final Window host;

        private Windows(Writer writer, long nicBytes, long hostBytes) {
            nic = new Side(writer, 0, nicBytes);
            host = new Side(writer, nicBytes, hostBytes);
        }
    }

    /** A bell that arrives behind what was sent before. */
    Doorbell behind(Doorbell bell) {
        return cpu -> toHost.send(new Sent(-1, new long[] { cpu }, bell));
    }

    List<Explorer.Body> wires() {
        return List.of(toAgent.body(), toHost.body());
    }

    /** Words from an offset on, or a bell. */
    private record Sent(long offset, long[] words, @Nullable Doorbell bell) {}

    private final class Wire {
        private final String name;
        private final PinnedMemory to;
        private final Deque<Sent> underWay = new ArrayDeque<>();
        private int sent;
        private int delivered;

        Wire(String name, PinnedMemory to) {
            this.name = name;
            this.to = to;
        }

        void begin() {
            underWay.clear();
            sent = 0;
            delivered = 0;
        }

        void send(Sent one) {
            underWay.add(one);
            sent++;
            explorer().changed();
        }

        /** Waits until all has arrived that was sent by now. */
        void awaitDelivered() {
            int all = sent;
            if (delivered < all) {
                explorer().await(() -> delivered >= all);
            }
        }

        Explorer.Body body() {
            return new Explorer.Body(name, false, () -> {
                while (true) {
                    explorer().await(() -> !underWay.isEmpty());
                    Sent one = underWay.remove();
                    if (one.bell() != null) {
                        one.bell().ring(one.words()[0]);
                    } else {
                        ExploredMemory.place(to.address() + one.offset(), one.words());
                    }
                    explorer().fence();
                    delivered++;
                    explorer().changed();
                }
            });
        }
    }

    /** What a thread stored since its last fence, as words of lines, in the order in which the lines were stored first. */
    private final class Writer {
        private final Map<Long, BitSet> stored = new LinkedHashMap<>();
        private final PinnedMemory copy;
        private final PinnedMemory other;
        private final Wire wire;

        Writer(PinnedMemory copy, PinnedMemory other, Wire wire) {
            this.copy = copy;
            this.other = other;
            this.wire = wire;
        }

        void note(long at, long value) {
            if (explorer().running() < 0) {
                new PinnedWindow(other).storeRelease(at, value); // before anything runs
                return;
            }
            long line = at / Window.LINE_BYTES * Window.LINE_BYTES;
            stored.computeIfAbsent(line, key -> new BitSet()).set((int) (at - line) / Long.BYTES);
        }

        void fence() {
            if (stored.isEmpty()) {
                return;
            }
            VarHandle.fullFence();
            stored.forEach((line, words) -> {
                for (int first = words.nextSetBit(0); first >= 0; first = words.nextSetBit(words.nextClearBit(first))) {
                    wire.send(new Sent(line + 8L * first, IntStream.range(first, words.nextClearBit(first))
                            .mapToLong(word -> ExploredMemory.quietly(copy.address() + line + 8L * word)).toArray(),
                            null));
                }
            });
            stored.clear();
        }

        boolean isBehind(long at) {
            fence();
            wire.awaitDelivered();
            long line = at / Window.LINE_BYTES * Window.LINE_BYTES;
            return IntStream.range(0, Window.LINE_BYTES / Long.BYTES).mapToLong(word -> line + 8L * word).anyMatch(
                    word -> new PinnedWindow(other).loadAcquire(word) != new PinnedWindow(copy).loadAcquire(word));
        }
    }

    /** A window on a side's copy. */
    private static final class Side extends Window {
        private final PinnedWindow local;
        private final Writer writer;
        private final long start;

        Side(Writer writer, long start, long bytes) {
            super(bytes, MemoryType.WC);
            local = new PinnedWindow(writer.copy.slice(start, bytes));
            this.writer = writer;
            this.start = start;
        }

        @Override
        public long loadAcquire(long offset) {
            return local.loadAcquire(offset);
        }

        @Override
        public void storeRelease(long offset, long value) {
            local.storeRelease(offset, value);
            writer.note(start + offset, value);
        }

        @Override
        public void loadLine(long offset, long[] into, int at) {
            local.loadLine(offset, into, at);
        }

        @Override
        public void storeLine(long offset, long[] from, int at) {
            local.storeLine(offset, from, at);
            for (int i = 0; i < WORDS; i++) {
                writer.note(start + offset + 8L * i, from[at + i]);
            }
        }

        @Override
        public void writeFence() {
            writer.fence();
        }

        @Override
        public boolean isBehind(long offset, int agent) {
            return writer.isBehind(start + offset);
        }
    }
}
