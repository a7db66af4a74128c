package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.policy.LeastLoadedSteering;
import dev.bascule.wave.rpc.PacketSteering;
import dev.bascule.wave.rpc.PipeSteering;
import dev.bascule.wave.rpc.RpcRig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** RPC steering takes requests from packet queues and from pipes, and answers the same. */
class SteeringOnBothTest {
    private static final int REQUESTS = 400;
    private static final int CORES = 3;

    private static RpcRig cores() {
        return new RpcRig(CORES, new LeastLoadedSteering(CORES, RpcRig.MOST), (memory, offset, length) -> length,
                FaultPlan.NONE);
    }

    private static byte[] request(int number) {
        return EnsoRig.frame(60 + number * 7 % 1400, number);
    }

    private static void run(EnsoRig card, RpcRig rig, Runnable round) {
        for (int i = 0; i < REQUESTS + 200; i++) {
            if (i < REQUESTS) {
                card.receive(request(i));
            }
            round.run();
            rig.work();
            round.run();
            card.work();
        }
    }

    private static List<byte[]> expected() {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            all.add(request(i));
        }
        return sorted(all);
    }

    private static List<byte[]> sorted(List<byte[]> frames) {
        List<byte[]> all = new ArrayList<>(frames);
        all.sort(Arrays::compareUnsigned);
        return all;
    }

    @Test
    void onPacketQueues() {
        try (EnsoRig card = EnsoRig.small(); EnsoPacketNic nic = new EnsoPacketNic(card.nic, 1); RpcRig rig = cores()) {
            nic.start();
            PacketSteering steering = new PacketSteering(nic.rxQueue(0), nic.txQueue(0), rig.agent, 32);
            run(card, rig, steering::doWork);
            steering.close();
            assertThat(steering.answered()).isEqualTo(REQUESTS);
            assertThat(steering.dropped()).isZero();
            assertThat(sorted(card.sent).toArray(byte[][]::new)).isDeepEqualTo(expected().toArray(byte[][]::new));
            assertThat(rig.agent.requests(0)).isBetween(REQUESTS / CORES / 2, REQUESTS / CORES * 2);
        }
    }

    @Test
    void onPipes() {
        try (EnsoRig card = EnsoRig.small(); RpcRig rig = cores()) {
            EnsoGroup group = card.nic.openGroup();
            PipeSteering steering = new PipeSteering(group.openFallbackRxTx(), group.openTx(), rig.agent, 2048, 32);
            run(card, rig, steering::doWork);
            assertThat(steering.answered()).isEqualTo(REQUESTS);
            assertThat(steering.malformed()).isZero();
            assertThat(sorted(card.sent).toArray(byte[][]::new)).isDeepEqualTo(expected().toArray(byte[][]::new));
        }
    }
}
