package dev.bascule.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The data path of the Ensō driver allocates nothing: notifications, batches, requests, completions, heads. */
@Tag("process")
class EnsoEchoAllocationTest {
    private static final long PACKETS = 4_000_000;

    @Test
    void anEchoAllocatesNothingPerPacket() {
        Side echo = new EnsoWorkload(64, false).variants(Twins.NONE).getFirst().first();
        echo.run(0, PACKETS);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int look = 0; look < 10 && least > PACKETS / 100; look++) { // code that is not compiled yet allocates
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(echo.run(0, PACKETS)).isEqualTo(PACKETS);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(PACKETS / 100);
    }
}
