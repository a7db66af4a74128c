package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.TransportCounters;
import dev.bascule.config.CostProfiles;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A link in virtual time: when what one side sent is found by the other, from the figures alone. */
class SimLinkTest {
    private static final QueueArea AREA = new QueueArea(1, 2, 0, 1 << 16, 0, 1 << 18, 1 << 14);
    private static final SimCosts COSTS = SimCosts.of(CostProfiles.load("published")
            .with("link.mmioWrite", 50, "test").with("link.postedWrite", 375, "test")
            .with("nicAgent.poll", 40, "test"), true);

    private final SimLink link = new SimLink(COSTS, 1 << 16, 1 << 18);
    private final QueueEnds host = link.hostEnds(AREA);
    private final WaveQueues queues = new WaveQueues(host);
    private final MessageSender out;
    private final MessageReceiver in;
    private final List<Long> found = new ArrayList<>();

    SimLinkTest() {
        int up = queues.create(QueueDirection.TO_NIC, 64);
        queues.setType(up, QueueType.MMIO);
        out = host.messageSender(queues.open(up));
        in = link.nicEnds(AREA).messageReceiver(queues.open(up), new TransportCounters());
        link.begin();
    }

    /** Sends at given times, one message each. */
    private final class Sender implements SimActor {
        private final long[] times;
        private int next;

        Sender(long... times) {
            this.times = times;
        }

        @Override
        public int act() {
            int work = 0;
            while (next < times.length && times[next] <= link.clock().nanoTime()) {
                out.send(new long[] { times[next++], 0, 0, 0, 0, 0 });
                host.flush();
                work++;
            }
            return work;
        }

        @Override
        public long nextNanos() {
            return next < times.length ? times[next] : Long.MAX_VALUE;
        }
    }

    private int receive() {
        long[] words = new long[6];
        int count = 0;
        while (in.peek(words)) {
            found.add(link.clock().nanoTime() - words[0]);
            in.consume();
            count++;
        }
        return count;
    }

    @Test
    void aMessageIsFoundAtTheFirstLookAfterItsArrival() {
        link.run(this::receive, List.of(new Sender(10_000, 20_007, 30_021)), 100_000);
        assertThat(found).hasSize(3).allSatisfy(took -> assertThat(took)
                .as("a write, its flight, at most one period of the agent").isBetween(425L, 425L + 39));
    }

    /** Looks that find nothing are left out; an agent that looks every period by itself finds all at the same times. */
    @Test
    void looksThatAreLeftOutChangeNothing() {
        link.run(this::receive, List.of(new Sender(10_000, 10_001, 55_555)), 100_000);
        List<Long> skipped = List.copyOf(found);
        long steps = link.steps();
        SimLinkTest other = new SimLinkTest();
        other.link.run(new SimActor() {
            private long next;

            @Override
            public int act() {
                int count = other.receive();
                next = other.link.clock().nanoTime() + 40;
                return count;
            }

            @Override
            public long nextNanos() {
                return next;
            }
        }, List.of(other.new Sender(10_000, 10_001, 55_555)), 100_000);
        assertThat(other.found).isEqualTo(skipped);
        assertThat(other.link.steps()).isGreaterThan(20 * steps);
    }

    @Test
    void whatIsNotDueBeforeTheEndDoesNotHappen() {
        link.run(this::receive, List.of(new Sender(1000, 50_000)), 49_999);
        assertThat(found).hasSize(1);
        assertThat(link.clock().nanoTime()).isEqualTo(49_999);
        link.run(this::receive, List.of(new Sender(50_000)), 60_000);
        assertThat(found).as("the run goes on where it was").hasSize(2);
    }

    @Test
    void onlyRoundsThatFindWorkAreBusyAndTransactionsAreCounted() {
        link.run(this::receive, List.of(new Sender(1000, 2000)), 10_000);
        assertThat(link.bus().hostWrites()).as("one line each").isEqualTo(2);
        assertThat(link.hostBusyNanos()).as("two writes").isEqualTo(2 * 50);
        assertThat(link.bus().nicReads()).as("the queue is in the agent's memory").isZero();
        assertThat(link.nicBusyNanos()).as("free rounds, at least 1 ns each").isEqualTo(2);
    }
}
