package dev.bascule.workload.steering;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.bascule.host.YieldPoint;
import dev.bascule.rpc.ValueType;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.WireClient;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing between a frame and the frame of its answer allocates: card, front, job, handler, reply. */
@Tag("process")
@Timeout(300)
class SteeringAllocationTest {
    private static final int MEASURED = 2_000;
    private static final long MOST_NANOS = 180_000_000_000L;

    private long replies;

    @Test
    void aRequestFromFrameToFrame() throws Exception {
        try (SteeredCard card = new SteeredCard(Steering.HASH, 64, MOST_NANOS, List.of(DemoService.number(0)))) {
            WireClient client = new WireClient(card.cable.get(1), SteeredCard.flow(0),
                    (id, status, payload, offset, bytes) -> replies += status == 0 ? 1 : 0);
            long[] words = { 0, 7, 0, ValueType.reference(4, 0) };
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long deadline = System.nanoTime() + MOST_NANOS;
            long bytes = Long.MAX_VALUE;
            while (bytes != 0 && System.nanoTime() - deadline < 0) { // code that is compiled allocates what it should
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < MEASURED; i++) {
                    request(card, client, words, i);
                }
                bytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(bytes).as("bytes for %d requests", MEASURED).isZero();
        }
    }

    private void request(SteeredCard card, WireClient client, long[] words, int number) {
        long wanted = replies + 1;
        client.call(number, DemoService.PROGRAM, 1, DemoService.WORK, DemoService.WORK_SIGNATURE, words, 32);
        while (replies < wanted) {
            card.front.doWork();
            if (card.hasArrived()) {
                card.jobs.run(card.jobs.take(), YieldPoint.NONE);
            }
            client.poll(8);
        }
    }
}
