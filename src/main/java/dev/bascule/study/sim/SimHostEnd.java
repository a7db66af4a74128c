package dev.bascule.study.sim;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import org.jspecify.annotations.Nullable;

/** The host's end of any transport, which charges what the kernel's own work costs and tells the engine what is new. */
class SimHostEnd implements MechanismEnd {
    final MechanismEnd end;
    final SimTime time;
    final SimCosts costs;
    final SimSignals signals;
    private final long arrivalNanos;
    private final boolean batch;
    private final int[] news;
    private final boolean[] isNews;
    private int newsCount;
    private boolean begun;
    private long events;

    /**
     * @param arrivalNanos from a commit to what it sent reaching the agent
     * @param batch messages leave at commit; off: each at once
     */
    SimHostEnd(MechanismEnd end, SimTime time, SimCosts costs, SimSignals signals, long arrivalNanos, boolean batch) {
        this.end = end;
        this.time = time;
        this.costs = costs;
        this.signals = signals;
        this.arrivalNanos = arrivalNanos;
        this.batch = batch;
        news = new int[end.shape().agents()];
        isNews = new boolean[news.length];
    }

    final void begin() {
        begun = true;
    }

    /** Messages posted and decisions settled. */
    final long events() {
        return events;
    }

    private void news(int agent) {
        if (!isNews[agent]) {
            isNews[agent] = true;
            news[newsCount++] = agent;
        }
    }

    /** When what has just been sent reaches the agent. */
    long arrivesNanos() {
        return time.nanoTime() + arrivalNanos;
    }

    final void tellNews() {
        for (int i = 0; i < newsCount; i++) {
            isNews[news[i]] = false;
            if (begun) {
                signals.agentNews(news[i], arrivesNanos());
            }
        }
        newsCount = 0;
    }

    @Override
    public EnclaveShape shape() {
        return end.shape();
    }

    @Override
    public int epoch(int agent) {
        return end.epoch(agent);
    }

    @Override
    public boolean post(int agent, Message message) {
        if (begun) {
            time.charge(costs.kernel().message());
        }
        events++;
        boolean fits = end.post(agent, message);
        news(agent);
        if (!batch) {
            tellNews();
        }
        return fits;
    }

    @Override
    public void commit() {
        end.commit();
        tellNews();
    }

    @Override
    public void commit(int cpu) {
        end.commit(cpu);
    }

    @Override
    public StatusTable status(int cpu) {
        return end.status(cpu);
    }

    @Override
    public void want(int cpu) {
        end.want(cpu);
        news(end.shape().agentOf(cpu));
    }

    @Override
    public boolean poll(int cpu, Transaction into) {
        if (!end.poll(cpu, into)) {
            return false;
        }
        time.charge(costs.kernel().commit());
        return true;
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        events++;
        end.settle(decision, outcome);
        news(end.shape().agentOf(decision.slotCpu()));
    }

    @Override
    public void abandon(int cpu) {
        end.abandon(cpu);
    }

    @Override
    public boolean isKicked(int cpu) {
        return end.isKicked(cpu);
    }

    @Override
    public boolean await(int cpu, long timeoutNanos) {
        return end.await(cpu, timeoutNanos);
    }

    @Override
    public boolean enterSleep(int cpu) {
        return end.enterSleep(cpu);
    }

    @Override
    public void leaveSleep(int cpu) {
        end.leaveSleep(cpu);
    }

    @Override
    public void requestResync(int agent) {
        end.requestResync(agent);
    }

    @Override
    public void tick() {
        end.tick();
    }

    @Override
    public int openEpoch(int agent) {
        return end.openEpoch(agent);
    }

    @Override
    public @Nullable String trouble(int agent) {
        return end.trouble(agent);
    }

    @Override
    public boolean hasLeft(int agent) {
        return end.hasLeft(agent);
    }

    @Override
    public boolean isPredecessorWaiting(int agent) {
        return end.isPredecessorWaiting(agent);
    }

    @Override
    public boolean hasSuccessor(int agent) {
        return end.hasSuccessor(agent);
    }

    @Override
    public boolean isReady(int agent) {
        return end.isReady(agent);
    }

    @Override
    public long heartbeat(int agent) {
        return end.heartbeat(agent);
    }

    @Override
    public StatusTable status() {
        return end.status();
    }

    @Override
    public TransportCounters counters() {
        return end.counters();
    }

    @Override
    public void close() {
        end.close();
    }
}
