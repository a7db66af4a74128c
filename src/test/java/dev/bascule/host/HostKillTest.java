package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Files;
import java.nio.file.Path;
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

    @ByTurns(of = 3)
    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aFewKillsOfHostsAtWorkLoseNoRequest(String transport) throws Exception {
        kill(transport, FEW);
    }

    @ParameterizedTest
    @Tag("kills")
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void asManyKillsAsAskedOfHostsAtWorkLoseNoRequest(String transport) throws Exception {
        kill(transport, Math.ceilDiv(Integer.getInteger("bascule.kills", 200), 6));
    }

    private void kill(String transport, int kills) throws Exception {
        KillTotals totals = new KillTotals(2);
        String outcome = totals.repeat("hosts over " + transport, kills, ROUND, (seed, most) -> {
            try (HostKills round = new HostKills(transport, Files.createDirectory(directory.resolve("r" + seed)), seed,
                    totals)) {
                round.run(most);
            }
        });
        System.out.println("kills: " + totals.counted + " hosts at work over " + transport + " (" + totals.of(0)
                + " SIGKILL, " + totals.of(1) + " SIGSTOP, then SIGKILL), " + totals.uncounted + " more not counted; "
                + totals.openAtKills + " requests open at the kills; " + totals.begunAgain
                + " begun and not answered, so begun again; " + outcome);
    }
}
