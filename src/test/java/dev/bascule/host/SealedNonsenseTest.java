package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.TransportRig;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.local.LocalForger;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.SharedMemory;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.policy.FifoAgent;
import dev.bascule.swap.SwapForger;
import dev.bascule.swap.SwapMode;
import dev.bascule.wave.WaveForger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hostile agent that seals its lines as a real one does, so that they pass every digest: numbers, counts and identities
 * behind the seal are nonsense. Nothing throws and nothing stale runs, with 1 to 8 CPUs.
 */
class SealedNonsenseTest {
    private static final int ROUNDS = 16;

    @TempDir
    private Path directory;

    /** Opens a session in a folder. */
    private interface Opening {
        Session open(Path where);
    }

    /** Opens the region of that folder as an agent's process does. */
    private interface Forging {
        ChaosForger open(Path where) throws IOException;
    }

    private static ChaosForger local(Path where) throws IOException {
        Path file = where.resolve("local.mem");
        return new LocalForger(SharedMemory.open(file, Files.size(file)));
    }

    private static SmartNicRegion smartNic(Path where) {
        return SmartNicRegion.attach(where, FaultPlan.NONE, 1);
    }

    @TestFactory
    List<DynamicTest> theHostStands() {
        List<DynamicTest> tests = new ArrayList<>();
        add(tests, "on-host", where -> Session.onHost(where, false), SealedNonsenseTest::local);
        for (Placement placement : Placement.values()) {
            add(tests, "wave " + placement,
                    where -> Session.wave(where, LinkSetup.DEFAULT.withPlacement(placement), false),
                    where -> new WaveForger(smartNic(where)));
            for (SwapMode mode : SwapMode.values()) {
                add(tests, "swap " + mode.text() + " " + placement, where -> Session.swap(where,
                        LinkSetup.DEFAULT.withPlacement(placement).withMode(mode), false),
                        where -> new SwapForger(smartNic(where)));
            }
        }
        return tests;
    }

    private void add(List<DynamicTest> tests, String name, Opening opening, Forging forging) {
        for (int cpus : new int[] { 1, 2, 4, 8 }) {
            tests.add(DynamicTest.dynamicTest(name + ", " + cpus + " CPUs", () -> play(name, cpus, opening, forging)));
        }
    }

    private void play(String name, int cpus, Opening opening, Forging forging) throws Exception {
        long first = new SplittableRandom().nextLong() & 0xffff_ffffL;
        System.out.println("sealed nonsense over " + name + ", " + cpus + " CPUs, first seed " + first);
        long settled = 0;
        for (long seed = first; seed < first + ROUNDS; seed++) {
            Path where = Files.createTempDirectory(directory, "sealed");
            EnclaveShape shape = new EnclaveShape(cpus, 12, 1, 32, 1 + (int) (seed & 3));
            try (TransportRig rig = new TransportRig(opening.open(where), shape, seed);
                    ChaosForger forger = forging.open(where)) {
                settled += storm(rig, forger);
                rig.assertNoStaleStart();
            } catch (RuntimeException e) {
                throw new AssertionError(name + ", " + cpus + " CPUs, seed " + seed + ": the host threw", e);
            }
        }
        assertThat(settled).as("decisions that passed the digests and were judged, first seed %d", first).isPositive();
    }

    /** Half of the time the forger is alone, half of the time beside an honest agent. */
    private static long storm(TransportRig rig, ChaosForger forger) {
        TransportRig.Attached agent = rig.attach(new FifoAgent());
        for (int i = 0; i < 6; i++) {
            rig.create(true);
        }
        for (int step = 0; step < 400; step++) {
            switch (rig.random().nextInt(6)) {
                case 0, 1 -> forger.forge(rig.random());
                case 2 -> {
                    if (step < 200) {
                        agent.turn();
                    }
                }
                default -> rig.hostStep();
            }
        }
        rig.host().fence(0);
        return rig.hostLedger().size();
    }
}
