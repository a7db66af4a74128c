package dev.bascule.bench;

import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import dev.bascule.policy.FifoAgent;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The agent API on one thread, without latency; run with the gc profiler for bytes per operation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = { "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC" })
@Warmup(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 1)
public class AgentApiBenchmark {
    /** Which transport. */
    @Param({ "on-host", "wave", "swap0" })
    public String transport = "";

    private long seen;
    private final Message out = new Message();
    private final Message in = new Message();
    private final Transaction staged = new Transaction();
    private final Transaction taken = new Transaction();
    private final OutcomeSink outcomes = (cpu, number, identity, outcome) -> seen++;
    private Ends messages = Ends.open("on-host");
    private Ends decisions = messages;
    private Mechanism host = new Mechanism(messages.host(), System::nanoTime, DecisionListener.NONE);
    private AgentLoop agent = new AgentLoop(new FifoAgent(), messages.agent(), System::nanoTime);
    private int task;

    /** Fresh ends for each kind of operation. */
    @org.openjdk.jmh.annotations.Setup
    public void open() {
        messages = Ends.open(transport);
        decisions = Ends.open(transport);
        Ends whole = Ends.open(transport);
        host = new Mechanism(whole.host(), System::nanoTime, DecisionListener.NONE);
        agent = new AgentLoop(new FifoAgent(), whole.agent(), System::nanoTime);
        agent.turn();
        task = host.create(false, -1, 0, 0);
    }

    /** One message, host to agent. */
    @Benchmark
    public int messagePostAndPeek() {
        out.set(MessageType.TASK_WAKEUP, messages.host().epoch(), 1, 3).dueNanos(1);
        done(messages.host().post(0, out));
        messages.host().commit();
        done(messages.agent().peek(in));
        messages.agent().consume();
        return in.task();
    }

    /** One decision, agent to host, and its outcome back. */
    @Benchmark
    public long transactionCommitAndPoll() {
        decisions.host().want(0);
        decisions.host().commit();
        decisions.agent().heartbeat();
        done(decisions.agent().stage(0, staged.set(0, decisions.agent().epoch(), 1, 3)));
        decisions.agent().commit();
        done(decisions.host().poll(0, taken) || decisions.host().poll(0, taken));
        decisions.host().settle(taken, Outcome.COMPLETE);
        decisions.host().commit();
        done(decisions.agent().outcomes(outcomes) == 1);
        return seen;
    }

    /** Event, FIFO, decision, enforcement. */
    @Benchmark
    public int wholeDecision() {
        host.wakeup(task, 0);
        host.want(0);
        host.commit();
        agent.turn();
        int decided = host.decide(0);
        decided = decided == task ? task : host.decide(0); // the first look may be at a prefetched copy
        done(decided == task);
        host.blocked(task, 10);
        host.commit();
        agent.turn();
        return decided;
    }

    private static void done(boolean step) {
        if (!step) {
            throw new IllegalStateException("a step was not done");
        }
    }
}
