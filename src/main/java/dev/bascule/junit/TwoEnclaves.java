package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.policy.FifoAgent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Two enclaves on the CPUs of one machine, each with a region, a world and two agents of its own, while CPUs go from one to
 * the other.
 */
final class TwoEnclaves {
    private static final EnclaveShape SHAPE = new EnclaveShape(4, 12, 2, 64, 2);
    private static final int STEPS = 800;

    private final List<TransportRig> rigs;
    private final List<List<TransportRig.Attached>> agents = new ArrayList<>();
    /** By CPU: whose it is. */
    private final int[] owner = { 0, 0, 1, 1 };
    private final SplittableRandom random;
    private final long seed;

    private TwoEnclaves(List<TransportRig> rigs, long seed) {
        this.rigs = rigs;
        this.seed = seed;
        random = new SplittableRandom(seed);
        for (TransportRig rig : rigs) {
            agents.add(List.of(rig.attach(0, new FifoAgent()), rig.attach(1, new FifoAgent())));
        }
    }

    static void share(SeveralAgents.Rigs rigs, int seeds) throws IOException {
        for (long seed = 0; seed < seeds; seed++) {
            try (TransportRig first = rigs.rig(SHAPE, seed); TransportRig second = rigs.rig(SHAPE, ~seed)) {
                new TwoEnclaves(List.of(first, second), seed).run();
            }
        }
    }

    private void run() {
        for (int cpu = 0; cpu < owner.length; cpu++) {
            rigs.get(1 - owner[cpu]).setForeign(cpu, true);
        }
        for (int task = 0; task < 6; task++) {
            rigs.forEach(rig -> rig.create(true));
        }
        for (int step = 0; step < STEPS; step++) {
            int enclave = random.nextInt(rigs.size());
            switch (random.nextInt(16)) {
                case 0 -> move(random.nextInt(owner.length));
                case 1, 2, 3, 4 -> agents.get(enclave).get(random.nextInt(SHAPE.agents())).turn();
                default -> rigs.get(enclave).hostStep();
            }
            checkOwners();
        }
        for (int enclave = 0; enclave < rigs.size(); enclave++) {
            TransportRig rig = rigs.get(enclave);
            rig.drain(agents.get(enclave));
            rig.checkLedgers();
            assertTrue(Arrays.stream(rig.runs()).sum() > 0, "tasks ran in enclave " + enclave + ", seed " + seed);
        }
        checkOwners();
    }

    /** The last CPU of an enclave stays. */
    private void move(int cpu) {
        int from = owner[cpu];
        if (Arrays.stream(owner).filter(one -> one == from).count() > 1) {
            owner[cpu] = 1 - from;
            rigs.get(from).setForeign(cpu, true);
            rigs.get(1 - from).setForeign(cpu, false);
        }
    }

    private void checkOwners() {
        for (int cpu = 0; cpu < owner.length; cpu++) {
            assertEquals(Mechanism.NONE, rigs.get(1 - owner[cpu]).host().current(cpu),
                    "task on CPU " + cpu + ", which is that of enclave " + owner[cpu] + ", seed " + seed);
        }
    }
}
