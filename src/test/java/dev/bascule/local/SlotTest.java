package dev.bascule.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Transaction;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SlotTest {
    private static final long CLAIM = 0;
    private static final long LINE = 64;
    private final PinnedWindow memory = new PinnedWindow(PinnedMemory.allocate(128));

    @Test
    void aDecisionIsTheHostsOrTheAgentsNeverBoth() {
        assertThat(Slot.claim(memory, CLAIM, 7, 3)).isTrue();
        assertThat(Slot.withdraw(memory, CLAIM, 7, 3)).isFalse();
        assertThat(Slot.withdraw(memory, CLAIM, 9, 3)).as("the slot's next decision").isTrue();
        assertThat(Slot.claim(memory, CLAIM, 9, 3)).isFalse();
        assertThat(Slot.claim(memory, CLAIM, 11, 3)).isTrue();
    }

    @Test
    void anAgentOfAFormerEpochUndoesNoClaimAndItsWithdrawalTakesNothingFromTheHost() {
        assertThat(Slot.withdraw(memory, CLAIM, 7, 1)).as("a late withdrawal in the same bank").isTrue();
        assertThat(Slot.claim(memory, CLAIM, 7, 3)).as("same number, later epoch").isTrue();
        assertThat(Slot.withdraw(memory, CLAIM, 9, 1)).isFalse();
        assertThat(Slot.withdraw(memory, CLAIM, 7, 3)).isFalse();
    }

    @Test
    void aDecisionComesBackAsItWasPublished() {
        Transaction decision = new Transaction().set(2, 3, 5, 4).sliceNanos(77).observedNanos(99);
        decision.slot(2, 7, 0);
        Slot.publish(memory, LINE, decision.number(), decision.words(), 3);
        assertThat(Slot.is(memory.loadAcquire(LINE), 7, 3, Slot.READY)).isTrue();
        assertThat(Slot.is(memory.loadAcquire(LINE), 8, 3, Slot.READY)).isFalse();
        assertThat(Slot.is(memory.loadAcquire(LINE), 7, 5, Slot.READY)).isFalse();
        Transaction read = new Transaction();
        Slot.read(memory, LINE, 2, 7, read);
        assertThat(read.words()).isEqualTo(decision.words());
        assertThat(read.slotCpu()).isEqualTo(2);
        assertThat(read.number()).isEqualTo(7);
    }

    @Test
    void nothingOfARegionOverlaps() {
        for (int agents = 1; agents <= 5; agents++) {
            for (int staged : new int[] { 1, 2, 3, 8, 9, 64 }) {
                nothingOverlaps(new EnclaveShape(5, 8, agents, 16, staged));
            }
        }
    }

    private static void nothingOverlaps(EnclaveShape shape) {
        int staged = shape.staged();
        LocalLayout layout = new LocalLayout(shape);
        Set<Long> taken = new TreeSet<>();
        long lines = 0;
        for (int epoch = 1; epoch <= 2; epoch++) {
            for (int agent = 0; agent < shape.agents(); agent++) {
                taken.add(layout.agentControl(epoch, agent) / 64);
                lines++;
            }
            for (int cpu = 0; cpu < 5; cpu++) {
                taken.add(layout.cpu(epoch, cpu) / 64);
                taken.add((layout.cpu(epoch, cpu) + LocalLayout.PLACE) / 64);
                lines += 2;
                for (int number = 1; number <= staged; number++) {
                    taken.add(layout.slot(epoch, cpu, number) / 64);
                    lines++;
                }
                Set<Long> words = new TreeSet<>();
                for (int number = 1; number <= staged; number++) {
                    words.add(layout.claim(epoch, cpu, number));
                    words.add(layout.outcome(epoch, cpu, number));
                }
                assertThat(words).hasSize(2 * staged);
                Set<Long> wordLines = new TreeSet<>();
                words.forEach(word -> wordLines.add(word / 64));
                lines += wordLines.size();
                taken.addAll(wordLines);
            }
            int last = shape.agentOf(4);
            assertThat(layout.cpu(epoch, 4)).isGreaterThan(layout.nicBank(epoch, last))
                    .isLessThan(layout.nicBank(epoch, last) + layout.nicBankBytes());
        }
        assertThat((long) taken.size()).as("%s", shape).isEqualTo(lines);
        assertThat(taken.stream().mapToLong(line -> line).max().orElseThrow() * 64 + 64)
                .isLessThanOrEqualTo(layout.nicBytes());
    }
}
