package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two cards, each served by a process of its own, with a cable between the processes, and a driver on each. */
@Tag("process")
@Timeout(120)
class ServedPairTest {
    private static final int ROUNDS = 40;

    @TempDir
    private Path folder = Path.of("");

    private ServedCard serve(String name) throws Exception {
        return ServedCard.start(folder.resolve(name), "--ports", "1", "--wire", "cross:" + folder.resolve("cable"));
    }

    private static CorundumNic port(Rig rig) {
        CorundumNic nic = CorundumAdapter.open(rig.backing()).openPort(0, CorundumDriverContract.SMALL);
        nic.start();
        return nic;
    }

    @Test
    void everyFrameGoesOverTheCableBothWaysInOrder() throws Exception {
        try (ServedCard one = serve("one");
                ServedCard two = serve("two");
                Rig left = Rig.of(one.connect());
                Rig right = Rig.of(two.connect())) {
            CorundumNic here = port(left);
            CorundumNic there = port(right);
            Traffic traffic = new Traffic(left);
            meet(traffic, here, there);
            for (int round = 0; round < ROUNDS; round++) {
                byte[][] some = new byte[16][];
                for (int i = 0; i < some.length; i++) {
                    some[i] = Traffic.frame(60 + 91 * i, round);
                }
                traffic.send(here.txQueue(0), some);
                assertThat(traffic.receive(there.rxQueue(0), 16)).containsExactly(some);
                traffic.send(there.txQueue(0), some);
                assertThat(traffic.receive(here.rxQueue(0), 16)).containsExactly(some);
            }
            assertThat(here.statistics()).containsEntry("rx_errors", 0L).containsEntry("tx_errors", 0L);
        }
    }

    /**
     * Until both ends are plugged in and have a link, frames go nowhere, as with a real cable. Few are sent meanwhile: what
     * comes all at once afterwards would be more than the receive ring takes.
     */
    private static void meet(Traffic traffic, CorundumNic here, CorundumNic there) {
        byte[] call = Traffic.frame(64, 4711);
        traffic.await(() -> comesAcross(traffic, here, there, call, 20_000_000L), "the cable");
        int[] last = { 4711 };
        traffic.await(() -> comesAcross(traffic, here, there, Traffic.frame(70, ++last[0]), 500_000_000L),
                "a frame behind the calls");
    }

    private static boolean comesAcross(Traffic traffic, CorundumNic here, CorundumNic there, byte[] frame, long nanos) {
        traffic.send(here.txQueue(0), frame);
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            if (traffic.pending(there.rxQueue(0)).stream().anyMatch(one -> Arrays.equals(one, frame))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aServerThatIsKilledIsGoneForItsDriverAloneAndItsSuccessorTakesTheCable() throws Exception {
        try (ServedCard one = serve("one"); Rig left = Rig.of(one.connect())) {
            CorundumNic here = port(left);
            Traffic traffic = new Traffic(left);
            for (int life = 0; life < 2; life++) {
                try (ServedCard two = serve("two" + life); Rig right = Rig.of(two.connect())) {
                    meet(traffic, here, port(right));
                    assertThat(here.link().up()).isTrue();
                    two.process().destroyForcibly().waitFor();
                }
                traffic.await(() -> !here.link().up(), "the driver to see that the other end is dead");
                traffic.send(here.txQueue(0), Traffic.frame(60, life)); // goes nowhere, and nothing breaks
                traffic.flush(here);
            }
        }
    }
}
