package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Agents as real processes, killed while they decide: no request is lost and none is run twice, by a ledger that the
 * agents cannot reach.
 */
class AgentKillTest {
    /** Kills of one host. */
    private static final int ROUND = 10;
    private static final int FEW = 5;

    @TempDir
    private Path directory;

    @ByTurns(of = 3)
    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void aFewKillsOfAgentsAtWorkLoseNoRequest(String transport) throws Exception {
        kill(transport, FEW);
    }

    @ParameterizedTest
    @Tag("kills")
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME })
    void asManyKillsAsAskedOfAgentsAtWorkLoseNoRequest(String transport) throws Exception {
        kill(transport, Integer.getInteger("bascule.kills", 200));
    }

    private void kill(String transport, int kills) throws Exception {
        KillTotals totals = new KillTotals(AgentKills.Manner.values().length);
        String outcome = totals.repeat("agents over " + transport, kills, ROUND, (seed, most) -> new AgentKills(
                KilledHost.session(transport, Files.createDirectory(directory.resolve("r" + seed)), false), seed,
                totals)
                .run(most));
        System.out.println("kills: " + totals.counted + " agents at work over " + transport + " ("
                + Arrays.stream(AgentKills.Manner.values()).map(it -> totals.of(it.ordinal()) + " " + it.text)
                        .collect(Collectors.joining(", "))
                + "), " + totals.uncounted + " more not counted; " + totals.openAtKills
                + " requests open at the kills; " + outcome);
    }
}
