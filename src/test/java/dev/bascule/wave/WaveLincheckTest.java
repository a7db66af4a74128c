package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.HeapWindow;
import dev.bascule.ring.Doorbell;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Linearizability of Wave's two shared objects on heap memory: a channel against a FIFO, the slots against a table. */
@Tag("process")
class WaveLincheckTest {
    private static final int ROOM = 2;

    /** Groups keep the thread rule: one host, one agent. */
    public static class Channel {
        private final HeapWindow memory = HeapWindow.allocate(64L * (ROOM + 1));
        private final MessageSender sender = new MessageSender(memory, memory.again(), 0, ROOM, 64L * ROOM, 1);
        private final MessageReceiver receiver = new MessageReceiver(memory.again(), 0, ROOM, 64L * ROOM, 1,
                new TransportCounters());
        private final long[] out = new long[6];
        private final long[] in = new long[6];
        private long next;

        @Operation(nonParallelGroup = "host")
        public boolean send() {
            out[0] = next + 1;
            out[5] = ~out[0];
            boolean sent = sender.send(out);
            next += sent ? 1 : 0;
            return sent;
        }

        /** 0: there was none; -1: half a message. */
        @Operation(nonParallelGroup = "agent")
        public long take() {
            if (!receiver.peek(in)) {
                return 0;
            }
            receiver.consume();
            return in[5] == ~in[0] ? in[0] : -1;
        }
    }

    /** A FIFO with room for {@link #ROOM}. */
    public static class Fifo {
        private final Deque<Long> queue = new ArrayDeque<>();
        private long next;

        public boolean send() {
            return queue.size() < ROOM && queue.add(++next);
        }

        public long take() {
            Long first = queue.poll();
            return first == null ? 0 : first;
        }
    }

    /** The decision slots of one CPU, with their outcomes. */
    public static class Slots {
        private static final EnclaveShape SHAPE = new EnclaveShape(1, 64, 1, 2, ROOM);
        private final HeapWindow nic = HeapWindow.allocate(WaveHost.nicBytes(SHAPE));
        private final HeapWindow memory = HeapWindow.allocate(WaveHost.hostBytes(SHAPE));
        private final RegionHost host = WaveHost.open(new RegionLinks(nic, nic.again(), memory, List.of()), SHAPE,
                WaveOptions.ALL);
        private final RegionAgent agent = WaveAgent.attach(nic.again(), memory.again(), 0, 1, Doorbell.NONE);
        private final Transaction staged = new Transaction();
        private final Transaction taken = new Transaction();
        private int next;

        @Operation(nonParallelGroup = "agent")
        public boolean stage() {
            boolean done = agent.stage(0, staged.set(0, 1, next, next + 1));
            next += done ? 1 : 0;
            agent.commit();
            return done;
        }

        /** The task decided for, 0 for none, -1 for half a decision. */
        @Operation(nonParallelGroup = "host")
        public int decide() {
            if (!host.poll(0, taken)) {
                return 0;
            }
            host.settle(taken, Outcome.COMPLETE);
            host.commit();
            return taken.sequence() == taken.task() - 1 ? taken.task() : -1;
        }

        @Operation(nonParallelGroup = "agent")
        public int outcomes() {
            return agent.outcomes((cpu, number, identity, outcome) -> {});
        }
    }

    /** Sequentially: decisions made, taken and answered. */
    public static class Table {
        private int staged;
        private int decided;
        private int told;

        public boolean stage() {
            boolean room = staged - told < ROOM;
            staged += room ? 1 : 0;
            return room;
        }

        public int decide() {
            return decided == staged ? 0 : ++decided;
        }

        public int outcomes() {
            int news = decided - told;
            told = decided;
            return news;
        }
    }

    @Test
    void channelAndSlotsAreLinearizableUnderStress() {
        stress(2, 150).sequentialSpecification(Fifo.class).check(Channel.class);
        stress(2, 150).sequentialSpecification(Table.class).check(Slots.class);
    }

    private static StressOptions stress(int iterations, int invocations) {
        return new StressOptions().iterations(iterations).invocationsPerIteration(invocations).threads(2)
                .actorsPerThread(4).actorsBefore(2);
    }

    @Tag("stress")
    @Test
    void channelAndSlotsAreLinearizableInManyInterleavings() {
        stress(40, 3_000).sequentialSpecification(Fifo.class).check(Channel.class);
        stress(40, 3_000).sequentialSpecification(Table.class).check(Slots.class);
        explore().sequentialSpecification(Fifo.class).check(Channel.class);
        explore().sequentialSpecification(Table.class).check(Slots.class);
    }

    private static ModelCheckingOptions explore() {
        return new ModelCheckingOptions().iterations(30).invocationsPerIteration(1_000).threads(2).actorsPerThread(3)
                .actorsBefore(2);
    }
}
