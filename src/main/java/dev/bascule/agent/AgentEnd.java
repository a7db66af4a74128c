package dev.bascule.agent;

/**
 * An agent's end of a transport. Counterpart of {@link MechanismEnd}; policies see it through {@link Enclave}.
 * <p>
 * Thread rule: one thread at a time.
 */
public interface AgentEnd extends AutoCloseable {
    /** The size of the enclave. */
    EnclaveShape shape();

    /** This agent's number, from 0. */
    int agent();

    /** The epoch this end attached to. */
    int epoch();

    /** Whether the host has fenced this epoch or asked for the exit; the agent must stop. */
    boolean isFenced();

    /** Reads the next message, without taking it. */
    boolean peek(Message into);

    /** Takes the message read by the last successful {@link #peek}. */
    void consume();

    /** Messages consumed so far, as the agent barrier of transactions. */
    int barrier();

    /** Rises whenever the agent has to read the status words again. */
    int resyncGeneration();

    /** The status words. */
    StatusTable status();

    /** How many more decisions may be staged for the CPU now; 0 if the CPU is not this agent's. */
    int room(int cpu);

    /** Whether a decision may wait behind the task that runs: worth it where a decision is long on its way. */
    default boolean stagesAhead() {
        return true;
    }

    /**
     * Writes a decision into the CPU's next slot; takes effect with {@link #commit}. Gives the transaction its number.
     * The transaction should name the same CPU; if not, its outcome is INVALID_CPU.
     *
     * @return false if there was no {@link #room} or there is no such CPU
     */
    boolean stage(int cpu, Transaction transaction);

    /** Makes the staged decisions visible to the host: one fence, and interrupts where they were asked for. */
    void commit();

    /**
     * Tries to take back the newest decision staged for the CPU. Its outcome says which side was faster: ABORTED, or
     * whatever the host made of it.
     *
     * @return false if nothing is staged there
     */
    boolean withdraw(int cpu);

    /** Passes every outcome that has arrived to {@code sink}; returns how many. */
    int outcomes(OutcomeSink sink);

    /**
     * Outcomes for some CPUs only, from {@code firstCpu} on, so that a round's cost need not grow with the enclave. A
     * transport that cannot tell them apart passes all.
     */
    default int outcomes(int firstCpu, int count, OutcomeSink sink) {
        return outcomes(sink);
    }

    /** Tells the host that the agent works; called once a round. */
    void heartbeat();

    /** Counterpart of {@link MechanismEnd#tick}: repeats what a faulty link may have lost. */
    void tick();

    /** Tells the host that the agent has rebuilt its state and decides from now on. */
    void ready();

    /**
     * Tells the host that the agent goes of its own accord, after its last decision: the host goes on with its own
     * policy at once. An agent that says nothing is missed only after a time-out.
     */
    default void leave() {}

    /** Whether a successor asks for a copy of this agent's state; asked once a round. */
    default boolean isStateWanted() {
        return false;
    }

    /** Answers a successor that asked. */
    default void answer(StateAnswer answer) {}

    /**
     * Tells the host, with {@link #ready}, when this end took over from another.
     *
     * @param noticedNanos when it saw that its epoch was open, ns of {@link System#nanoTime}
     * @param attachedNanos when it held its place
     */
    default void tookOver(long noticedNanos, long attachedNanos) {}

    /** State of the successor, once this end is fenced. */
    default SuccessorState successor() {
        return SuccessorState.NONE;
    }

    /** Damage and pressure seen by this end. */
    TransportCounters counters();

    /** Releases the memory, and tells the host if it still can. */
    @Override
    void close();
}
