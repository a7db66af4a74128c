package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class CellRecordTest {
    private static final int RUNS = 1000;

    private final Line[] memory = SharedLines.lines(CellRecord.LINES);
    private final CellRecord record = new CellRecord(memory[0], memory[1], memory[2]);
    private final HostState state = new HostState(4);
    private final HostState found = new HostState(4);

    CellRecordTest() {
        state.epoch = 7;
        state.add(Token.of(1, 0));
        record.format(state);
    }

    private void change(long last, long... tokens) {
        state.last = last;
        state.heldCount = 0;
        for (long token : tokens) {
            state.add(token);
        }
    }

    private void flip(int line, int bit) {
        memory[line].set(bit / 64, memory[line].get(bit / 64) ^ 1L << bit % 64);
    }

    private int reload() {
        return new CellRecord(memory[0], memory[1], memory[2]).load(found);
    }

    @Test
    void theCommitWordKeepsItsFields() {
        long word = CommitWord.of(0xFFFF, 0xFFFF_FFFEL, 1);
        assertThat(CommitWord.intact(word)).isTrue();
        assertThat(CommitWord.epoch(word)).isEqualTo(0xFFFF);
        assertThat(CommitWord.n(word)).isEqualTo(0xFFFF_FFFEL);
        assertThat(CommitWord.slot(word)).isOne();
    }

    @Test
    void upToFiveFlippedBitsOfTheCommitWordAreFound() {
        for (int a = 0; a < 64; a++) {
            long one = CommitWord.of(3, 1234, 0) ^ 1L << a;
            assertThat(CommitWord.intact(one)).isFalse();
            for (int b = a + 1; b < 64; b++) {
                assertThat(CommitWord.intact(one ^ 1L << b)).isFalse();
                for (int c = b + 1; c < 64; c++) {
                    assertThat(CommitWord.intact(one ^ 1L << b ^ 1L << c)).isFalse();
                }
            }
        }
        Random random = new Random(5);
        for (int run = 0; run < 100_000; run++) {
            long flips = 0;
            while (Long.bitCount(flips) < 5) {
                flips |= 1L << random.nextInt(64);
            }
            assertThat(CommitWord.intact(CommitWord.of(random.nextInt(65536), random.nextInt(), 1) ^ flips)).isFalse();
        }
    }

    @Test
    void freshMemoryAndAllOnesAreDamaged() {
        assertThat(CommitWord.intact(0)).isFalse();
        assertThat(CommitWord.intact(-1)).isFalse();
        assertThat(new CellRecord(SharedLines.line(), SharedLines.line(), SharedLines.line()).load(found))
                .isEqualTo(CellRecord.LOST);
        assertThat(found.epoch).isZero();
    }

    @Test
    void aFilledSlotWithoutCommitChangesNothing() {
        change(1, Token.of(2, 0), Token.of(3, 0));
        record.prepare(state);
        assertThat(reload()).isEqualTo(CellRecord.CLEAN);
        assertThat(found.last).isZero();
        assertThat(found.holds(Token.of(1, 0))).isTrue();
        assertThat(found.heldCount).isOne();
    }

    @Test
    void theCommitWordMakesTheFilledSlotTrue() {
        change(1, Token.of(2, 0), Token.of(3, 0));
        record.prepare(state);
        record.commit(state);
        assertThat(reload()).isEqualTo(CellRecord.CLEAN);
        assertThat(found.epoch).isEqualTo(7);
        assertThat(found.last).isOne();
        assertThat(found.heldCount).isEqualTo(2);
        assertThat(found.holds(Token.of(3, 0))).isTrue();
    }

    @Test
    void aDamagedCommitWordIsRebuiltFromItsMirror() {
        for (int bit = 0; bit < 64; bit++) {
            flip(2, bit);
            assertThat(reload()).as("bit " + bit).isEqualTo(CellRecord.FROM_MIRROR);
            assertThat(found.epoch).isEqualTo(7);
            assertThat(found.holds(Token.of(1, 0))).isTrue();
            flip(2, bit);
        }
    }

    @Test
    void damageIsNoticedByTheLivingHost() {
        assertThat(record.undamaged()).isTrue();
        flip(2, 17);
        assertThat(record.undamaged()).isFalse();
    }

    @Test
    void withoutBothWordsTheNewerSlotBoundsTheEpoch() {
        change(9, Token.of(2, 0));
        record.prepare(state);
        record.commit(state);
        flip(2, 3);
        flip(2, 64 + 3);
        assertThat(reload()).isEqualTo(CellRecord.FROM_SLOT);
        assertThat(found.epoch).isEqualTo(7);
        assertThat(found.last).isEqualTo(9);
        assertThat(found.holds(Token.of(2, 0))).isTrue();
    }

    @Test
    void aDamagedSlotLosesTheTokensButNotTheEpoch() {
        flip(0, 70);
        assertThat(reload()).isEqualTo(CellRecord.LOST);
        assertThat(found.epoch).isEqualTo(7);
        assertThat(found.heldCount).isZero();
    }

    @Test
    void randomDamageIsNeverTakenForAnotherState() {
        long seed = 77;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            change(run + 1, Token.of(random.nextInt(100), 0), Token.of(100 + random.nextInt(100), 1));
            record.prepare(state);
            record.commit(state);
            int line = random.nextInt(3);
            int bit = random.nextInt(line == 2 ? 128 : 512);
            flip(line, bit);
            int how = reload();
            boolean same = found.epoch == 7 && found.last == run + 1 && found.heldCount == 2
                    && found.holds(state.held[0]) && found.holds(state.held[1]);
            assertThat(same || how == CellRecord.LOST).as("seed " + seed + " run " + run).isTrue();
            flip(line, bit);
        }
    }
}
