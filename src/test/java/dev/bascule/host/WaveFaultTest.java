package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.TransportRig;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.loopback.FaultKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.FaultSite;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.policy.FifoAgent;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Wave over a link that loses, repeats, reorders, tears and corrupts lines, in both directions and both placements. */
class WaveFaultTest {
    private static final int SEEDS = 12;
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 10, 1, 32, 2);
    /** The header is written once, before any agent: its damage is a test of its own. */
    private static final long AFTER_HEADER = 128;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(value = FaultKind.class, names = { "DROP", "DUPLICATE", "REORDER", "TEAR", "CORRUPT" })
    void noFaultOfTheLinkMakesAStaleOrDoubleStartOrStopsTheService(FaultKind kind) throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            for (boolean push : new boolean[] { false, true }) {
                FaultPlan plan = FaultPlan.of(seed, rule(kind, FaultSite.HOST_TO_NIC),
                        rule(kind, FaultSite.NIC_TO_HOST),
                        rule(kind, FaultSite.DMA_WRITE));
                scheduleARandomWorld(plan, seed, new WaveOptions(true, true, true, push, 0), true);
            }
        }
    }

    private static FaultRule rule(FaultKind kind, FaultSite site) {
        return FaultRule.of(kind, site).offsets(AFTER_HEADER, Long.MAX_VALUE).likely(0.03).by(2);
    }

    static List<WaveOptions> ladder() {
        return List.of(new WaveOptions(false, false, false, false, 0), new WaveOptions(true, false, false, false, 0),
                new WaveOptions(false, true, false, false, 0), new WaveOptions(false, false, true, false, 0),
                new WaveOptions(true, true, true, true, 0));
    }

    @ParameterizedTest
    @MethodSource("ladder")
    void everyOptimisationCanBeSwitchedOffByItself(WaveOptions options) throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            scheduleARandomWorld(FaultPlan.NONE, seed, options, seed % 2 == 0);
        }
    }

    private void scheduleARandomWorld(FaultPlan plan, long seed, WaveOptions options, boolean cached) throws Exception {
        Path where = Files.createTempDirectory(directory, "fault");
        SmartNicConfig device = SmartNicConfig.DEFAULT.withPlan(plan).withSeed(seed);
        Session session = Session.wave(where,
                new LinkSetup(device, options, SwapOptions.DEFAULT,
                        options.push() ? Placement.PUSH : Placement.PULL, cached, cached),
                false);
        try (TransportRig rig = new TransportRig(session, SHAPE, seed)) {
            TransportRig.Attached agent = rig.attach(new FifoAgent());
            for (int i = 0; i < 6; i++) {
                rig.create(true);
            }
            for (int step = 0; step < 400; step++) {
                if (rig.random().nextInt(4) == 0) {
                    agent.turn();
                } else {
                    rig.hostStep();
                }
            }
            rig.drain(agent);
            rig.checkLedgers();
            assertThat(rig.hostLedger().size()).as("decisions, seed %d", seed).isPositive();
        }
    }
}
