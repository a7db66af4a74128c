package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class StatusTableTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(2, 4);

    private final DirectWindow memory = new DirectWindow(
            Arena.ofAuto().allocate(StatusTable.sizeBytes(SHAPE), Window.LINE_BYTES));
    private final StatusTable table = new StatusTable(memory, 0, SHAPE);
    private final StatusWord read = new StatusWord();

    private static StatusWord version(int n) {
        StatusWord word = new StatusWord();
        word.task = 1;
        word.barrier = n;
        word.flags = StatusWord.INUSE | StatusWord.RUNNABLE;
        word.switchNanos = n * 10L;
        word.runtimeNanos = n * 100L;
        word.affinity = -n;
        word.nice = -n % 20;
        word.taskClass = n;
        word.cpu = n % 2;
        word.deadlineNanos = n * 1000L;
        word.expectedNanos = StatusWord.MOST_EXPECTED_NANOS - n;
        return word;
    }

    private void assertIsVersion(int n) {
        StatusWord wanted = version(n);
        assertThat(read).usingRecursiveComparison().isEqualTo(wanted);
    }

    @Test
    void aWordComesBackAsWritten() {
        table.write(version(7));
        assertThat(table.read(1, read)).isTrue();
        assertIsVersion(7);
        assertThat(read.isWaiting()).isTrue();
        assertThat(table.read(2, read)).as("never written").isTrue();
        assertThat(read.isInUse()).isFalse();
    }

    @Test
    void aWriteThatStopsAfterAnyStoreIsNeverReadAsWhole() {
        for (int stores = 0; stores < Lines.WORDS; stores++) {
            table.write(version(7));
            StatusTable half = new StatusTable(new FewStores(memory, stores), 0, SHAPE);
            half.write(version(8));
            boolean whole = table.read(1, read);
            assertThat(whole).as("after %d stores", stores).isEqualTo(stores == 0);
            if (whole) {
                assertIsVersion(7);
            }
        }
    }

    @Test
    void aWriteBetweenAnyTwoLoadsIsNeverReadAsAMixture() {
        for (int loads = 0; loads <= Lines.WORDS; loads++) {
            table.write(version(7));
            StatusTable reader = new StatusTable(new WriteAfterLoads(memory, loads), 0, SHAPE);
            boolean whole = reader.read(1, read);
            assertThat(whole).as("changed after %d loads", loads).isEqualTo(loads == 0 || loads == Lines.WORDS);
            if (whole) {
                assertIsVersion(loads == 0 ? 8 : 7);
            }
        }
    }

    @Test
    void wordsOfTwoVersionsInAnyMixtureAreNeverReadAsWhole() {
        long[][] lines = { lineOf(7), lineOf(8) };
        for (int mixture = 0; mixture < 1 << Lines.WORDS; mixture++) {
            for (int i = 0; i < Lines.WORDS; i++) {
                memory.storeRelease(Window.LINE_BYTES + i * 8L, lines[mixture >> i & 1][i]);
            }
            boolean whole = table.read(1, read);
            boolean isOne = mixture == 0 || (mixture | 2) == (1 << Lines.WORDS) - 1 || mixture == 2; // word 1 is the id
            assertThat(whole).as("mixture %s", Integer.toBinaryString(mixture)).isEqualTo(isOne);
            if (whole) {
                assertIsVersion(7 + (mixture & 1));
            }
        }
    }

    private long[] lineOf(int version) {
        table.write(version(version));
        long[] line = new long[Lines.WORDS];
        memory.loadLine(Window.LINE_BYTES, line, 0);
        return line;
    }

    @Test
    void aTableThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> new StatusTable(memory, 64, SHAPE)).isInstanceOf(AgentException.class);
        assertThatThrownBy(() -> new StatusTable(memory, -64, SHAPE)).isInstanceOf(AgentException.class);
    }

    /** Forwards to memory. */
    private static class Forward extends Window {
        final Window to;

        Forward(Window to) {
            super(to.sizeBytes(), to.type());
            this.to = to;
        }

        @Override
        public long loadAcquire(long offset) {
            return to.loadAcquire(offset);
        }

        @Override
        public void storeRelease(long offset, long value) {
            to.storeRelease(offset, value);
        }

        @Override
        public void writeFence() {}
    }

    /** A host that dies after a number of stores. */
    private static final class FewStores extends Forward {
        private int left;

        FewStores(Window to, int left) {
            super(to);
            this.left = left;
        }

        @Override
        public void storeRelease(long offset, long value) {
            if (left-- > 0) {
                super.storeRelease(offset, value);
            }
        }
    }

    /** The host writes the next version after a number of the reader's loads. */
    private final class WriteAfterLoads extends Forward {
        private int left;

        WriteAfterLoads(Window to, int left) {
            super(to);
            this.left = left;
        }

        @Override
        public long loadAcquire(long offset) {
            if (left-- == 0) {
                table.write(version(8));
            }
            return super.loadAcquire(offset);
        }
    }
}
