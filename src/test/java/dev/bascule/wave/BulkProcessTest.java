package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.HostSide;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The queue calls between two processes: the host makes queues, a NIC process finds them and sends everything back. */
@Tag("process")
class BulkProcessTest {
    private static final QueueArea AREA = new QueueArea(1, 4, 0, 1 << 16, 0, 1 << 18, 16_384);
    private static final QueueTarget MEMORY_AGENT = new QueueTarget(QueueTarget.Kind.AGENT, 1);
    private static final int MESSAGES = 20_000;

    @TempDir
    private Path directory = Path.of("");

    @Test
    @Timeout(120)
    void bulkMessagesGoToAnotherProcessAndComeBack() throws Exception {
        long seed = new Random().nextLong() & 0xffff_ffffL;
        SmartNicConfig config = SmartNicConfig.DEFAULT.withSizes(1 << 17, 1 << 19);
        try (SmartNicRegion region = SmartNicRegion.create(directory, config)) {
            HostSide side = region.host();
            QueueEnds ends = QueueEnds.ofHost(AREA, side.toNic(), side.fromNic(), side.memory());
            WaveQueues queues = new WaveQueues(ends);
            BulkCounters counters = new BulkCounters();
            BulkSender out = ends.bulkSender(queue(queues, QueueDirection.TO_NIC), counters);
            BulkReceiver in = ends.bulkReceiver(queue(queues, QueueDirection.TO_HOST), counters);
            Process nic = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx128m", "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    Nic.class.getName(), directory.toString()).inheritIO().start();
            try {
                exchange(out, in, nic, seed);
                assertThat(counters.skipped()).as("%s, seed %d", counters, seed).isZero();
                queues.destroy(1);
                queues.destroy(2);
                assertThat(nic.waitFor(60, TimeUnit.SECONDS)).as("ends when its queues are gone").isTrue();
                assertThat(nic.exitValue()).isZero();
            } finally {
                nic.destroyForcibly();
            }
        }
    }

    private static QueueEntry queue(WaveQueues queues, QueueDirection direction) {
        int id = queues.create(direction, 32);
        queues.setType(id, QueueType.DMA);
        queues.associate(id, MEMORY_AGENT);
        return queues.open(id);
    }

    private static void exchange(BulkSender out, BulkReceiver in, Process nic, long seed) {
        Random random = new Random(seed);
        long[] sent = new long[out.maxWords()];
        long[] got = new long[in.maxWords()];
        int next = 0;
        int back = 0;
        int size = 0;
        while (back < MESSAGES) {
            size = size == 0 ? 1 + random.nextInt(random.nextInt(8) == 0 ? sent.length : 64) : size;
            if (next < MESSAGES && out.send(sent, 0, QueueRig.fill(sent, next, size))) {
                next++;
                size = 0;
            }
            out.commit();
            int count = in.receive(got);
            if (count > 0) {
                assertThat(QueueRig.numberOf(got, count)).as("message, seed %d", seed).isEqualTo(back++);
            }
            assertThat(nic.isAlive()).as("NIC process, %d of %d back, seed %d", back, next, seed).isTrue();
        }
    }

    /** The NIC's process. */
    static final class Nic {
        private Nic() {}

        public static void main(String[] args) {
            try (SmartNicRegion region = SmartNicRegion.attach(Path.of(args[0]), FaultPlan.NONE, 1)) {
                NicSide side = region.nic();
                QueueEnds ends = QueueEnds.ofNic(AREA, side.memory(), side.hostMemory());
                QueueFinder finder = new QueueFinder(ends);
                QueueEntry from = find(finder, QueueDirection.TO_NIC);
                QueueEntry to = find(finder, QueueDirection.TO_HOST);
                BulkCounters counters = new BulkCounters();
                BulkReceiver in = ends.bulkReceiver(from, counters);
                BulkSender out = ends.bulkSender(to, counters);
                long[] words = new long[in.maxWords()];
                while (finder.isCurrent(from)) {
                    int count = in.receive(words);
                    while (count > 0 && !out.send(words, 0, count)) {
                        out.commit();
                    }
                    out.commit();
                }
            }
        }

        private static QueueEntry find(QueueFinder finder, QueueDirection direction) {
            while (true) {
                QueueEntry found = finder.open(MEMORY_AGENT, direction);
                if (found != null) {
                    return found;
                }
            }
        }
    }
}
