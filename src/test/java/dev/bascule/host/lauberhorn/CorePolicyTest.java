package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.bascule.lauberhorn.CoreDemand;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A core comes quickly and leaves slowly. Times are the test's own. */
class CorePolicyTest {
    private static final long WAITS = CoreDemand.of(9, 2, 0);
    private static final long CALM = CoreDemand.of(0, 0, 1);
    private static final long BUSY = CoreDemand.of(5, 0, 0);
    private static final long BOTH = CoreDemand.of(5, 1, 1);

    private final CorePolicy policy = new CorePolicy(new CoreRange(1, 10, 500));

    @Test
    void aCoreComesWhenThreadsWaitedAtEveryLook() {
        assertThat(policy.look(WAITS, -5)).isZero();
        assertThat(policy.look(WAITS, 4)).isZero();
        assertThat(policy.look(WAITS, 5)).isEqualTo(1);
        assertThat(policy.look(WAITS, 6)).as("the next takes its time as well").isZero();
        assertThat(policy.look(WAITS, 15)).isZero();
        assertThat(policy.look(WAITS, 16)).isEqualTo(1);
    }

    @Test
    void whatWaitsForAMomentBringsNothing() {
        for (long now = 0; now < 10_000; now += 9) {
            assertThat(policy.look(now % 2 == 0 ? WAITS : BUSY, now)).isZero();
        }
    }

    @Test
    void aCoreLeavesAfterACalmTimeAndOneAtATime() {
        int left = 0;
        for (long now = 0; now <= 2_100; now += 10) {
            int change = policy.look(CALM, now);
            assertThat(change).isNotPositive();
            left -= change;
        }
        assertThat(left).as("in 2,100 of 500 each, and a look between them").isEqualTo(4);
    }

    @Test
    void oneBusyLookEndsTheCalm() {
        for (long now = 0; now < 20_000; now += 10) {
            assertThat(policy.look(now % 490 == 0 ? BUSY : CALM, now)).isZero();
        }
    }

    @Test
    void aQueueAloneOrWaitingBesideAnIdleCoreChangesNothing() {
        for (long now = 0; now < 5_000; now += 10) {
            assertThat(policy.look(BUSY, now)).isZero();
        }
        for (long now = 5_000; now < 10_000; now += 10) {
            assertThat(policy.look(BOTH, now)).isZero();
        }
    }

    /** Hysteresis: whatever comes, a core that left was calm for long, and one that came was waited for all the time. */
    @Test
    void everyChangeHasItsReason() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        long[] demands = { WAITS, CALM, BUSY, BOTH };
        long kind = BUSY;
        long sinceNanos = 0;
        int changes = 0;
        for (long now = 0; now < 1_000_000; now += 1 + random.nextInt(20)) {
            long next = random.nextInt(40) == 0 ? demands[random.nextInt(demands.length)] : kind;
            sinceNanos = next == kind ? sinceNanos : now;
            kind = next;
            int change = policy.look(kind, now);
            if (change != 0) {
                changes++;
                assertThat(kind).as("seed %d, at %d", seed, now).isEqualTo(change > 0 ? WAITS : CALM);
                assertThat(now - sinceNanos).as("seed %d, at %d", seed, now)
                        .isGreaterThanOrEqualTo(change > 0 ? 10 : 500);
                sinceNanos = now;
            }
        }
        assertThat(changes).as("seed %d", seed).isPositive();
    }

    @Test
    void timesThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreRange(-1, 1, 2)).withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreRange(1, 3, 2));
        assertThat(CoreRange.from(2).withCalmNanos(7)).isEqualTo(new CoreRange(2, 7, 7));
    }
}
