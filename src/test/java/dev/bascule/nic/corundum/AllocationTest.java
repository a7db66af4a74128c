package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.bascule.app.Forwarder;
import dev.bascule.app.Mirror;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.ProcessorLoop;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Bytes allocated per packet, in a JVM of its own: what is counted there is compiled as in production, whatever other
 * tests have done.
 */
@Tag("process")
class AllocationTest {
    private static final int PACKETS = 50_000;
    private static final long PATIENCE_NANOS = 15_000_000_000L;
    /** The compiler's choices differ from JVM to JVM, most of all on a busy machine. */
    private static final int JVMS = 3;
    private static final double NOTHING = 0.01;

    @Test
    void neitherStyleAllocatesPerPacket() throws Exception {
        assertThat(least("bursts")).isLessThan(NOTHING);
        assertThat(least("processor")).isLessThan(NOTHING);
    }

    private static double least(String style) throws IOException, InterruptedException {
        double least = run(style);
        for (int jvm = 1; jvm < JVMS && least >= NOTHING; jvm++) {
            least = Math.min(least, run(style));
        }
        return least;
    }

    private static double run(String style) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                AllocationTest.class.getName(), style).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String last = out.strip().lines().reduce((first, second) -> second).orElse("");
        assertThat(last).as(out).matches("[0-9.E-]+");
        return Double.parseDouble(last);
    }

    /** Prints bytes per packet. */
    public static void main(String[] arguments) {
        Source source = new Source();
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), List.of(source, WireEnd.OPEN), true);
        try (CorundumAdapter adapter = CorundumAdapter.open(LoopbackDevice.open(model))) {
            CorundumNic nic = adapter.openPort(0, CorundumOptions.DEFAULTS.withTimestamps());
            nic.start();
            Forwarder bursts = new Forwarder(nic, nic, 32);
            ProcessorLoop processor = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), new Mirror(), 32);
            IntSupplier loop = arguments[0].equals("bursts") ? bursts::run : processor::run;
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long thread = Thread.currentThread().threadId();
            double least = Double.MAX_VALUE;
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (least >= NOTHING && System.nanoTime() < deadline) { // until everything is compiled
                long before = threads.getThreadAllocatedBytes(thread);
                forward(loop);
                least = Math.min(least, (threads.getThreadAllocatedBytes(thread) - before) / (double) PACKETS);
            }
            System.out.println(least);
        }
    }

    private static void forward(IntSupplier loop) {
        int packets = 0;
        while (packets < PACKETS) {
            int count = loop.getAsInt();
            packets += count;
            if (count == 0) {
                Thread.yield();
            }
        }
    }

    /** Sends up to 64 frames ahead of what came back. */
    private static final class Source implements WireEnd {
        private final byte[] frame = new byte[64];
        private long sent;
        private long returned;

        @Override
        public boolean transmit(byte[] data, int offset, int lengthBytes) {
            returned++;
            return true;
        }

        @Override
        public int poll(FrameSink sink, int budget) {
            int count = 0;
            while (sent - returned < 64 && count < budget) {
                sink.frame(frame, 0, frame.length);
                sent++;
                count++;
            }
            return count;
        }
    }
}
