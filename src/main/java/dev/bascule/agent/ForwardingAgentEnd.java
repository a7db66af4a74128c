package dev.bascule.agent;

/**
 * An agent's end in front of another one: passes every call on, for ends that watch, charge for or disturb what an agent
 * does.
 * <p>
 * Thread rule: that of the end behind it.
 */
public abstract class ForwardingAgentEnd implements AgentEnd {
    /** The end behind this one. */
    protected final AgentEnd end;

    /** In front of {@code end}, which is closed with this one. */
    protected ForwardingAgentEnd(AgentEnd end) {
        this.end = end;
    }

    /** The end that a call which acts goes to; called once for each of them, before it. */
    protected AgentEnd step() {
        return end;
    }

    @Override
    public EnclaveShape shape() {
        return end.shape();
    }

    @Override
    public int agent() {
        return end.agent();
    }

    @Override
    public int epoch() {
        return end.epoch();
    }

    @Override
    public boolean isFenced() {
        return end.isFenced();
    }

    @Override
    public boolean peek(Message into) {
        return step().peek(into);
    }

    @Override
    public void consume() {
        step().consume();
    }

    @Override
    public int barrier() {
        return end.barrier();
    }

    @Override
    public int resyncGeneration() {
        return end.resyncGeneration();
    }

    @Override
    public StatusTable status() {
        return end.status();
    }

    @Override
    public int room(int cpu) {
        return step().room(cpu);
    }

    @Override
    public boolean stagesAhead() {
        return end.stagesAhead();
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        return step().stage(cpu, transaction);
    }

    @Override
    public void commit() {
        step().commit();
    }

    @Override
    public boolean withdraw(int cpu) {
        return step().withdraw(cpu);
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return step().outcomes(sink);
    }

    @Override
    public int outcomes(int firstCpu, int count, OutcomeSink sink) {
        return step().outcomes(firstCpu, count, sink);
    }

    @Override
    public void heartbeat() {
        step().heartbeat();
    }

    @Override
    public void tick() {
        step().tick();
    }

    @Override
    public void ready() {
        step().ready();
    }

    @Override
    public void leave() {
        step().leave();
    }

    @Override
    public boolean isStateWanted() {
        return end.isStateWanted();
    }

    @Override
    public void answer(StateAnswer answer) {
        end.answer(answer);
    }

    @Override
    public SuccessorState successor() {
        return end.successor();
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
