package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.config.CostProfiles;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent's own timers in virtual time. */
class SimTimersTest {
    /** First in, first out, with a timer every 37 us. */
    private static final class Ticking extends QueueAgent {
        private static final long PERIOD_NANOS = 37_000;
        private final List<Long> lateNanos;
        private TaskQueue queue = new TaskQueue(0);
        private long due;

        Ticking(List<Long> lateNanos) {
            this.lateNanos = lateNanos;
        }

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void enqueue(int task) {
            queue.addLast(task);
        }

        @Override
        protected void remove(int task) {
            queue.remove(task);
        }

        @Override
        protected int pick(int cpu) {
            return takeFirst(queue, cpu);
        }

        @Override
        protected void observe(Message message) {
            if (message.type() == MessageType.CPU_TIMER_EXPIRED) {
                lateNanos.add(now() - due);
                due = 0;
            }
        }

        /** The agent that arms it. */
        Agent armed() {
            return new Agent() {
                @Override
                public void reset(Enclave enclave) {
                    Ticking.this.reset(enclave);
                }

                @Override
                public int doWork(Enclave enclave) {
                    int work = Ticking.this.doWork(enclave);
                    if (due == 0) {
                        due = enclave.now() + PERIOD_NANOS;
                        assertThat(enclave.armTimer(0, due, 1)).isTrue();
                    }
                    return work;
                }
            };
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "on-host", "wave", "swap1" })
    void aTimerExpiresAtTheAgentsNextLookWithoutOtherNews(String transport) {
        List<Long> late = new ArrayList<>();
        JobMix mix = JobMix.one("10us", "fixed 10 us", ServiceTime.fixed(10_000));
        SimResult result = SimHost.run(SimSetup.of(SimOptions.of(2, 20_000_000), SimTransports.named(transport),
                CostProfiles.load("published")), () -> new Ticking(late).armed(), OpenLoad.blind(mix, 2_000, 5));
        assertThat(result.jobs().finished()).isPositive();
        assertThat(late).as("timers in 20 ms").hasSizeGreaterThan(500);
        assertThat(late).as("ns late: a look or a round").allMatch(nanos -> nanos >= 0 && nanos < 1_500);
        assertThat(result.incidents()).isEmpty();
    }
}
