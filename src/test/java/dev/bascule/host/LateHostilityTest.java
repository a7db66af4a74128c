package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.TransportRig;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.local.LocalForger;
import dev.bascule.local.LocalProtocol;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.SharedMemory;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.policy.FifoAgent;
import dev.bascule.swap.SwapForger;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveForger;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes into the region that begin only after the agent's 10,000th decision, when rings have wrapped and all is warm. */
class LateHostilityTest {
    private static final int WARM = 10_000;
    private static final String[] TRANSPORTS = { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME };

    @TempDir
    private Path directory;

    /** Each transport with 1, 2 and 4 CPUs, of which each has an agent. */
    static Stream<Arguments> each() {
        return Arrays.stream(TRANSPORTS).flatMap(name -> Stream.of(1, 2, 4).map(n -> Arguments.of(name, n)));
    }

    private static EnclaveShape shape(int number) {
        return new EnclaveShape(number, 10, number, 32, 2);
    }

    /** All agents. */
    static List<TransportRig.Attached> attachAll(TransportRig rig) {
        return IntStream.range(0, rig.shape().agents()).mapToObj(agent -> rig.attach(agent, new FifoAgent()))
                .toList();
    }

    static void fenceAll(TransportRig rig) {
        for (int agent = 0; agent < rig.shape().agents(); agent++) {
            rig.host().fence(agent);
        }
    }

    private Session session(String transport) {
        return switch (transport) {
            case WaveProtocol.NAME -> Session.wave(directory, LinkSetup.DEFAULT, false);
            case SwapProtocol.NAME -> Session.swap(directory, LinkSetup.DEFAULT, false);
            default -> Session.onHost(directory, false);
        };
    }

    private ChaosForger forger(String transport) throws IOException {
        return switch (transport) {
            case WaveProtocol.NAME -> new WaveForger(SmartNicRegion.attach(directory, FaultPlan.NONE, 1));
            case SwapProtocol.NAME -> new SwapForger(SmartNicRegion.attach(directory, FaultPlan.NONE, 1));
            default -> new LocalForger(SharedMemory.open(file(transport), Files.size(file(transport))));
        };
    }

    private Path file(String transport) {
        return directory.resolve(transport.equals(LocalProtocol.NAME) ? "local.mem" : "nic.mem");
    }

    @ParameterizedTest
    @MethodSource("each")
    void randomBytesAfterTenThousandDecisionsMakeNothingStaleRun(String transport, int number) throws Exception {
        long seed = seed("random bytes", transport);
        try (TransportRig rig = new TransportRig(session(transport), shape(number), seed);
                RandomAccessFile bytes = new RandomAccessFile(file(transport).toFile(), "rw")) {
            storm(rig, warm(rig, seed), () -> HostileRegionTest.write(bytes, rig.random()));
            rig.assertNothingStale();
        }
    }

    @ParameterizedTest
    @MethodSource("each")
    void sealedNonsenseAfterTenThousandDecisionsMakesNothingStaleRun(String transport, int number) throws Exception {
        long seed = seed("sealed nonsense", transport);
        try (TransportRig rig = new TransportRig(session(transport), shape(number), seed);
                ChaosForger forger = forger(transport)) {
            List<TransportRig.Attached> agents = warm(rig, seed);
            int before = rig.hostLedger().size();
            storm(rig, agents, () -> forger.forge(rig.random()));
            for (int i = 0; i < 4 && rig.hostLedger().size() == before; i++) { // its first bytes ended the agent
                storm(rig, attachAll(rig), () -> forger.forge(rig.random()));
            }
            assertThat(rig.hostLedger().size()).as("decisions judged in the storm, seed %d", seed)
                    .isGreaterThan(before);
            rig.assertNoStaleStart();
        }
    }

    private static long seed(String what, String transport) {
        long seed = new SplittableRandom().nextLong() & 0xffff_ffffL;
        System.out.println("late " + what + " over " + transport + ", seed " + seed);
        return seed;
    }

    /** Agents of which 10,000 decisions were enforced. */
    private static List<TransportRig.Attached> warm(TransportRig rig, long seed) {
        List<TransportRig.Attached> agents = attachAll(rig);
        for (int i = 0; i < 6; i++) {
            rig.create(true);
        }
        int seen = 0;
        int enforced = 0;
        for (int step = 0; enforced < WARM; step++) {
            assertThat(step).as("steps for %d decisions, seed %d", WARM, seed).isLessThan(2_000_000);
            if (rig.random().nextInt(3) == 0) {
                agents.get(rig.random().nextInt(agents.size())).turn();
            } else {
                rig.hostStep();
            }
            for (; seen < rig.hostLedger().size(); seen++) {
                enforced += rig.hostLedger().outcome(seen) == Outcome.COMPLETE ? 1 : 0;
            }
        }
        return agents;
    }

    /** What writes into the region. */
    private interface Writer {
        void write() throws IOException;
    }

    private static void storm(TransportRig rig, List<TransportRig.Attached> agents, Writer writer) throws IOException {
        for (int step = 0; step < 3_000; step++) {
            switch (rig.random().nextInt(6)) {
                case 0 -> writer.write();
                case 1, 2 -> agents.get(rig.random().nextInt(agents.size())).turn();
                default -> rig.hostStep();
            }
        }
        fenceAll(rig);
    }
}
