package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.PacketBatch;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Frames beyond the port's limit, which a neighbour with a larger one sends, in bursts that find no buffer. */
@Timeout(60)
class LongFramesTest {
    private static final int BURST = 40;

    private final Queue<byte[]> arriving = new ArrayDeque<>();
    private final Rig rig = Rig.stepped(new CorundumModel(CorundumConfig.builder().ports(1).timing(ModelTiming.RTL)
            .build(), List.of(new Neighbour()), false));
    private final Traffic traffic = new Traffic(rig);

    private final class Neighbour implements WireEnd {
        @Override
        public boolean transmit(byte[] data, int offset, int lengthBytes) {
            return true;
        }

        @Override
        public int poll(FrameSink sink, int budget) {
            byte[] frame = arriving.poll();
            if (frame == null) {
                return 0;
            }
            sink.frame(frame, 0, frame.length);
            return 1;
        }
    }

    private void arrive(int count, int lengthBytes) {
        for (int i = 0; i < count; i++) {
            arriving.add(Traffic.frame(lengthBytes, i));
        }
        rig.work();
    }

    @Test
    void theyAreCountedAndDroppedAndLeaveEveryLaterChecksumRight() {
        try (CorundumAdapter adapter = CorundumAdapter.open(rig.backing())) {
            CorundumNic nic = adapter.openPort(0, CorundumDriverContract.SMALL);
            nic.start();
            arrive(BURST, 9000);
            assertThat(traffic.pending(nic.rxQueue(0))).as("cut frames are no good frames").isEmpty();
            assertThat(nic.statistics()).containsEntry("rx_too_long", 32L).containsEntry("rx_queue_0_too_long", 32L)
                    .containsEntry("rx_packets", 0L).containsEntry("rx_errors", 0L);
            for (int i = 0; i < 10; i++) {
                arrive(1, 100 + i);
                PacketBatch batch = new PacketBatch(1);
                traffic.fill(nic.rxQueue(0), batch, 1);
                assertThat(batch.checksum(0)).isEqualTo(CorundumDriverContract.sum(Traffic.bytes(batch, 0), 14));
                batch.release();
            }
        }
    }

    @Test
    void aRingThatRanDryIsCounted() {
        try (CorundumAdapter adapter = CorundumAdapter.open(rig.backing())) {
            CorundumNic nic = adapter.openPort(0, CorundumDriverContract.SMALL);
            nic.start();
            arrive(31, 64);
            assertThat(traffic.pending(nic.rxQueue(0))).hasSize(31);
            assertThat(nic.statistics()).as("one buffer was left").containsEntry("rx_ran_dry", 0L);
            arrive(BURST, 64);
            assertThat(traffic.pending(nic.rxQueue(0))).hasSize(32);
            assertThat(nic.statistics()).containsEntry("rx_ran_dry", 1L).containsEntry("rx_queue_0_ran_dry", 1L);
            arrive(BURST, 64);
            PacketBatch few = new PacketBatch(8);
            assertThat(nic.rxQueue(0).poll(few)).as("others lie in the ring still").isEqualTo(8);
            few.release();
            assertThat(nic.statistics()).containsEntry("rx_ran_dry", 2L);
        }
    }
}
