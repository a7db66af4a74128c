package dev.bascule.workload.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RpcLoadTest {
    private static final int CALLS = 5;

    @Test
    void latencyOfAClosedLoopCountsFromBeforeTheFirstAttemptToSend() {
        List<Long> latencies = new ArrayList<>();
        RpcLoad load = new RpcLoad(new RpcLoad.Plan(CALLS, 0, 1, 1, 0, 0, 1), latencies::add);
        var channel = new BusyChannel(load);
        load.over(channel).run(() -> false, 1_000_000_000);
        assertThat(load.account().isClean()).isTrue();
        assertThat(latencies).hasSize(CALLS);
        for (int call = 0; call < CALLS; call++) {
            assertThat(latencies.get(call)).as("call %d, ns", call)
                    .isGreaterThanOrEqualTo(channel.takenNanos.get(call));
        }
    }

    @Test
    void aClosedLoopThatNobodyAnswersEnds() {
        RpcLoad load = new RpcLoad(new RpcLoad.Plan(1000, 0, 8, 1, 0, 0, 1), latency -> {});
        load.over(new RpcChannel() {
            @Override
            public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
                    int bytes) {
                return true;
            }

            @Override
            public int poll(int budget) {
                return 0;
            }
        }).run(() -> false, 50_000_000);
        assertThat(load.account().sent()).isEqualTo(8);
        assertThat(load.unaccounted()).isEqualTo(8);
        assertThat(load.isClean()).isFalse();
    }

    /** Has no room at the first attempt of each call, takes its time at the second, and replies at once. */
    private static final class BusyChannel implements RpcChannel {
        private static final long SEND_NANOS = 300_000;

        final List<Long> takenNanos = new ArrayList<>();
        private final RpcLoad load;
        private final ByteBuffer result = ByteBuffer.allocate(16);
        private long firstNanos;
        private boolean isTriedBefore;
        private int open = -1;

        BusyChannel(RpcLoad load) {
            this.load = load;
        }

        @Override
        public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
                int bytes) {
            long now = System.nanoTime();
            if (!isTriedBefore) {
                isTriedBefore = true;
                firstNanos = now;
                return false;
            }
            while (System.nanoTime() - now < SEND_NANOS) {
                Thread.onSpinWait();
            }
            open = xid;
            return true;
        }

        @Override
        public int poll(int budget) {
            if (open < 0) {
                return 0;
            }
            result.putInt(12, open);
            int xid = open;
            open = -1;
            isTriedBefore = false;
            takenNanos.add(System.nanoTime() - firstNanos);
            load.reply(xid, OncRpc.SUCCESS, result.array(), 0, 16);
            return 1;
        }
    }
}
