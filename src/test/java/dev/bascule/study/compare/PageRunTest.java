package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.report.Percentiles;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Batches of pages over both links, by the classes that tier real processes. */
@Timeout(120)
class PageRunTest {
    private static final long NANOS = 100_000_000;

    @ParameterizedTest
    @CsvSource({ "wave, 1", "wave, 128", "wave, 512", "swap, 1", "swap, 128", "swap, 512" })
    void withoutChangesDecisionsComeIntoForceAndNoneIsStruck(String link, int batches) throws Exception {
        try (PageRun run = new PageRun(link, batches, 1)) {
            do {
                run.play(NANOS, 0);
            } while (run.ledger().inForce() == 0 && run.seconds() < 30); // the agent's thread may have got no core
            assertThat(run.ledger().inForce()).isPositive();
            assertThat(run.struck()).isZero();
            assertThat(run.ledger().decided()).isLessThanOrEqualTo(run.scans());
            assertThat(Percentiles.of(run.window).p50()).isPositive();
        }
    }

    /** Each look of the host is 200 ms after the one before: its thread had no core. */
    @ParameterizedTest
    @CsvSource({ "wave, 16", "wave, 512", "swap, 16", "swap, 512" })
    void pausesOfTheHostsOwnLoseNoDecision(String link, int batches) throws Exception {
        AtomicLong now = new AtomicLong();
        try (PageRun run = new PageRun(link, batches, 1, () -> now.getAndAdd(2 * NANOS))) {
            run.play(1000 * NANOS, 0);
            assertThat(run.fences()).isZero();
            assertThat(run.ledger().inForce()).isEqualTo(run.scans()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({ "wave, 16", "wave, 512", "swap, 16", "swap, 512" })
    void noBatchIsMovedOnWhatWasSeenOfOtherPages(String link, int batches) throws Exception {
        try (PageRun run = new PageRun(link, batches, 2)) {
            run.play(3 * NANOS, 500_000);
            assertThat(run.changes()).isPositive();
            assertThat(run.movedBlindly()).isZero();
            assertThat(run.ledger().decided() + run.struck()).isLessThanOrEqualTo(run.scans());
        }
    }
}
