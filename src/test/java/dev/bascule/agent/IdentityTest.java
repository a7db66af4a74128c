package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IdentityTest {
    private static final int LAST = (1 << 28) - 1;

    @Test
    void everyPartComesBackAndTouchesNoOther() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            int epoch = random.nextInt(1 << 16);
            int sequence = random.nextInt(1 << 28);
            int task = random.nextInt(1 << 20);
            long identity = Identity.of(epoch, sequence, task);
            assertThat(new int[] { Identity.epoch(identity), Identity.sequence(identity), Identity.task(identity) })
                    .as("seed 1, draw %d", i).containsExactly(epoch, sequence, task);
        }
    }

    @Test
    void partsThatAreTooWideAreCut() {
        long identity = Identity.of(-1, 0, 0);
        assertThat(Identity.sequence(identity)).isZero();
        assertThat(Identity.epoch(identity)).isEqualTo(0xffff);
        assertThat(Identity.epoch(Identity.of(0, -1, 0))).isZero();
        assertThat(Identity.task(Identity.of(0, -1, 0))).isZero();
        assertThat(Identity.sequence(Identity.of(0, 0, -1))).isZero();
    }

    @Test
    void theNumberAfterTheLastIsZeroAndComesLater() {
        assertThat(Identity.next(LAST)).isZero();
        assertThat(Identity.isAfter(Identity.next(LAST), LAST)).isTrue();
        assertThat(Identity.isAfter(LAST, Identity.next(LAST))).isFalse();
        assertThat(Identity.isAfter(7, 7)).isFalse();
    }

    @Test
    void laterMeansWithinHalfTheNumbers() {
        int half = 1 << 27;
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 10_000; i++) {
            int from = random.nextInt(1 << 28);
            int ahead = 1 + random.nextInt(half - 1);
            int later = from + ahead & LAST;
            assertThat(Identity.isAfter(later, from)).as("seed 2: %d is %d after %d", later, ahead, from).isTrue();
            assertThat(Identity.isAfter(from, later)).as("seed 2: %d is %d before %d", from, ahead, later).isFalse();
        }
    }

    @Test
    void specialTargetsAreNoTasks() {
        assertThat(Transaction.TARGET_AGENT).isLessThan(1 << 20).isGreaterThanOrEqualTo(Identity.MAX_TASKS);
        assertThat(Transaction.TARGET_IDLE).isGreaterThanOrEqualTo(Identity.MAX_TASKS);
        assertThat(Transaction.TARGET_NULL).isGreaterThanOrEqualTo(Identity.MAX_TASKS);
    }
}
