package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hosts killed while they work: by the ledger of the load generator, which is another process, every request is answered
 * exactly once, if those that a host took with it are offered to the next.
 */
class HostKillTest {
    /** Kills on one run directory. */
    private static final int ROUND = 12;
    private static final int FEW = 3;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME, SwapSession.NAME })
    void aFewKillsOfHostsAtWorkLoseNoRequest(String transport) throws Exception {
        kill(transport, FEW);
    }

    @ParameterizedTest
    @Tag("kills")
    @ValueSource(strings = { LocalSession.NAME, WaveSession.NAME, SwapSession.NAME })
    void asManyKillsAsAskedOfHostsAtWorkLoseNoRequest(String transport) throws Exception {
        kill(transport, Math.ceilDiv(Integer.getInteger("bascule.kills", 200), 6));
    }

    private void kill(String transport, int kills) throws Exception {
        KillTotals totals = new KillTotals(2);
        long first = new SplittableRandom().nextLong() & 0xffff_ffffL;
        long seed = first;
        long from = System.nanoTime();
        for (; totals.counted < kills; seed++) {
            System.out.println("kills of hosts over " + transport + ", seed " + seed + ": " + totals.counted + " of "
                    + kills);
            try (HostKills round = new HostKills(transport, Files.createDirectory(directory.resolve("r" + seed)), seed,
                    totals)) {
                round.run(Math.min(ROUND, kills - totals.counted));
            }
            assertThat(totals.lost).as("requests lost over %s, seed %d", transport, seed).isZero();
            assertThat(totals.duplicated).as("requests duplicated over %s, seed %d", transport, seed).isZero();
        }
        System.out.println("kills: " + totals.counted + " hosts at work over " + transport + " (" + totals.of(0)
                + " SIGKILL, " + totals.of(1) + " SIGSTOP, then SIGKILL), " + totals.uncounted + " more not counted; "
                + totals.openAtKills + " requests open at the kills; " + totals.begunAgain
                + " begun and not answered, so begun again; " + totals.offered + " requests offered, lost "
                + totals.lost + ", duplicated " + totals.duplicated + "; seeds " + first + " to " + (seed - 1) + ", "
                + (System.nanoTime() - from) / 1_000_000_000 + " s");
    }
}
