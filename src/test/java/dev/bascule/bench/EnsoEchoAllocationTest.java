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
        Side echo = new EnsoWorkload(64).variants(Twins.NONE).getFirst().first();
        echo.run(0, PACKETS);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(echo.run(0, PACKETS)).isEqualTo(PACKETS);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(PACKETS / 100);
    }
}
