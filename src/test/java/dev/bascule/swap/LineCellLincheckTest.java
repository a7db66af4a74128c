package dev.bascule.swap;

import dev.bascule.memory.HeapWindow;
import dev.bascule.memory.Window;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of the two-line cell: dispatcher (offer, commit, close), timer (reverse) and agent (reflect) on
 * production lines, on memory that the checker can see, against a table. What an agent learns late is no operation here; what the host decides is.
 */
@Tag("process")
class LineCellLincheckTest {
    private static final long A = Token.of(1, 0);
    private static final long B = Token.of(2, 0);

    /** Groups keep the thread rule: one dispatcher, one agent; the timer is free. */
    public static class Cell {
        private static final long AGENT = Window.LINE_BYTES;
        private static final long RECORD = 2 * Window.LINE_BYTES;

        private final HeapWindow memory = HeapWindow.allocate(RECORD + CellRecord.SIZE_BYTES);
        private final HeapWindow nic = memory.again();
        private final Line hostLine = new WindowLine(nic, 0);
        private final HostCell host = HostCell.create(0, 1, 1, new WindowLine(memory, 0),
                new Line[] { new WindowLine(memory, AGENT) }, CellRecord.over(memory, RECORD), SwapLimits.DEFAULT,
                SwapLedger.OFF);
        private final AgentCell agent = new AgentCell(0, 1, 1, hostLine, new WindowLine(nic, AGENT), SwapLedger.OFF);

        public Cell() {
            host.admit(A);
        }

        @Operation(nonParallelGroup = "dispatcher")
        public boolean offer() {
            long a = host.heldCount() == 0 ? Token.NONE : host.held(0);
            return (host.offer(a, 0, Token.NONE, 0, 0) & SwapAction.WRITE) != 0;
        }

        @Operation(nonParallelGroup = "agent")
        public boolean reflect() {
            boolean asked = (agent.poll() & SwapAction.DECIDE) != 0;
            while (!asked && SwapLine.numberOf(hostLine.get(0)) > agent.number()) {
                asked = (agent.poll() & SwapAction.DECIDE) != 0; // half an offer: read again
            }
            return asked && (agent.reflect(agent.offer().offered() == A ? B : A, 0, 0) & SwapAction.WRITE) != 0;
        }

        @Operation(nonParallelGroup = "dispatcher")
        public boolean commit() {
            return (host.poll(0) & SwapAction.COMMITTED) != 0;
        }

        @Operation(nonParallelGroup = "dispatcher")
        public boolean close() {
            return (host.close(0, 0) & SwapAction.WRITE) != 0;
        }

        @Operation(nonParallelGroup = "timer")
        public boolean reverse() {
            return (host.reverse() & SwapAction.REVERSED) != 0;
        }
    }

    /** Sequentially: an offer is open or not, and answered or not. */
    public static class Table {
        private boolean open;
        private boolean offered;
        private boolean seen = true;
        private boolean answered;

        public boolean offer() {
            if (open) {
                return false;
            }
            open = true;
            offered = true;
            seen = false;
            answered = false;
            return true;
        }

        /** An agent may answer an offer that was reversed meanwhile; nobody will look at the answer. */
        public boolean reflect() {
            if (seen) {
                return false;
            }
            seen = true;
            answered = true;
            return true;
        }

        public boolean commit() {
            boolean done = open && answered;
            open &= !done;
            return done;
        }

        /** Writes over the offer: an agent that has not read it will not. */
        public boolean close() {
            boolean done = !open && offered;
            seen |= done;
            return done;
        }

        public boolean reverse() {
            boolean done = open;
            open = false;
            return done;
        }
    }

    @Test
    void theHostsDecisionsAreLinearizableUnderStress() {
        new StressOptions().iterations(8).invocationsPerIteration(300).threads(3).actorsPerThread(3).actorsBefore(2)
                .sequentialSpecification(Table.class).check(Cell.class);
    }

    @Tag("stress")
    @Test
    void theHostsDecisionsAreLinearizableInManyInterleavings() {
        new StressOptions().iterations(40).invocationsPerIteration(3_000).threads(3).actorsPerThread(4).actorsBefore(2)
                .sequentialSpecification(Table.class).check(Cell.class);
        new ModelCheckingOptions().iterations(30).invocationsPerIteration(1_000).threads(3).actorsPerThread(2)
                .actorsBefore(2)
                .sequentialSpecification(Table.class).check(Cell.class);
    }
}
