package dev.bascule.agent;

import dev.bascule.ring.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The enclave as its policy sees it: the CPUs it may use, its channel of messages, and transactions. Wraps an
 * {@link AgentEnd} and hides lost messages, hand-over and sequence numbers: after a gap the policy is
 * {@link Agent#reset} and gets TASK_NEW for every live task of its own, made from the status words.
 * <p>
 * Thread rule: the agent's thread. Allocates nothing after construction.
 */
public final class Enclave {
    private final AgentEnd end;
    private final Clock clock;
    private final Message message = new Message();
    private final StatusWord word = new StatusWord();
    private final Transaction transaction = new Transaction();
    private final int[] sequences;
    private final boolean[] known;
    private final Timers timers = new Timers();
    private int generation;
    private boolean rebuilt;
    private boolean outdated;
    private int scan;
    private boolean synthetic;
    private long observedNanos;
    private boolean isTimed;
    private final CommitEvent event = new CommitEvent();
    private int staged;

    /** An enclave over an attached end. */
    public Enclave(AgentEnd end, Clock clock) {
        this.end = end;
        this.clock = clock;
        sequences = new int[end.shape().tasks()];
        known = new boolean[end.shape().tasks()];
    }

    /** Sizes. */
    public EnclaveShape shape() {
        return end.shape();
    }

    /** Whether this agent decides for the CPU. */
    public boolean owns(int cpu) {
        return end.shape().agentOf(cpu) == end.agent();
    }

    /**
     * The time of this round in ns: the moment at which the policy observes (T1). The clock is read once, when the round
     * finds its first message or the policy asks, so a round that finds nothing does not read it.
     */
    public long now() {
        if (!isTimed) {
            isTimed = true;
            observedNanos = clock.nanoTime();
        }
        return observedNanos;
    }

    /**
     * Starts a round: checks whether messages were lost.
     *
     * @return true if the policy must be reset first
     */
    public boolean beginRound() {
        isTimed = false;
        if (rebuilt && generation == end.resyncGeneration()) {
            return false;
        }
        rebuilt = true;
        generation = end.resyncGeneration();
        scan = 0;
        outdated = true;
        end.counters().resyncs++;
        java.util.Arrays.fill(known, false);
        return true;
    }

    /** The next message, or null. Valid until {@link #consume}. */
    public @Nullable Message peek() {
        if (outdated) {
            dropOutdated();
        }
        if (timers.isArmed() && timers.isDue(now())) {
            synthetic = true;
            return timers.expire(message, end.epoch());
        }
        if (scan < end.status().words() && nextStatus()) {
            synthetic = true;
            return message;
        }
        synthetic = false;
        while (end.peek(message)) {
            if (isNews()) {
                now();
                return message;
            }
            end.consume();
        }
        return null;
    }

    /** Whether only something new from the host can make the next message. */
    boolean isAtRest() {
        return rebuilt && !outdated && !timers.isArmed() && scan >= end.status().words();
    }

    /**
     * Drops messages in the channel: they are older than the status words that are read next. If it stayed there, a
     * full channel would overflow again and again, and the status words would be read from the start each time.
     */
    private void dropOutdated() {
        for (int i = 0; i < end.shape().channelEntries() && end.peek(message); i++) {
            end.consume();
        }
        outdated = false;
    }

    /** Consumes the message returned by the last {@link #peek}. */
    public void consume() {
        if (!synthetic) {
            end.consume();
        }
    }

    private boolean isNews() {
        MessageType type = message.type();
        if (type == null || type == MessageType.NOP || message.epoch() != end.epoch()) {
            end.counters().corrupt++;
            return false;
        }
        if (type.code() >= MessageType.CPU_TICK.code()) {
            return message.cpu() < end.shape().cpus();
        }
        int task = message.task();
        if (task >= sequences.length) {
            end.counters().corrupt++;
            return false;
        }
        if (known[task] && !Identity.isAfter(message.sequence(), sequences[task])) {
            return false;
        }
        known[task] = true;
        sequences[task] = message.sequence();
        return true;
    }

    /** Makes TASK_NEW or CPU_AVAILABLE/CPU_BUSY from the next status word in use that is this agent's. */
    private boolean nextStatus() {
        int tasks = end.shape().tasks();
        while (scan < end.status().words()) {
            int id = scan;
            if (!readStatus(id)) {
                return false;
            }
            scan++;
            boolean isOwn = word.agent() == end.agent();
            if (id >= tasks) {
                if (!isOwn) {
                    continue;
                }
                message.set(word.isCpuAvailable() ? MessageType.CPU_AVAILABLE : MessageType.CPU_BUSY, end.epoch(), 0, 0)
                        .cpu(id - tasks).flags(Message.SYNTHETIC);
                return true;
            }
            known[id] = true;
            sequences[id] = word.sequence();
            if (isOwn && word.isInUse()) {
                int flags = Message.SYNTHETIC | (word.isWaiting() ? Message.RUNNABLE : 0)
                        | (word.isOnCpu() ? Message.ONCPU : 0);
                message.set(MessageType.TASK_NEW, end.epoch(), word.sequence(), id).flags(flags).cpu(word.cpu())
                        .priority(word.nice(), word.taskClass()).runtimeNanos(word.runtimeNanos())
                        .affinity(word.affinity()).deadlineNanos(word.deadlineNanos())
                        .expectedNanos(word.expectedNanos());
                return true;
            }
        }
        return false;
    }

    private boolean readStatus(int id) {
        for (int attempt = 0; attempt < 64; attempt++) {
            if (end.status().read(id, word)) {
                return true;
            }
        }
        end.counters().torn++;
        return false;
    }

    /**
     * CPUs 64 * {@code word} and up that the task may use, {@code word} from 1 on, as the host has them now; those of the
     * first 64 are in the task's messages.
     */
    public long affinity(int task, int word) {
        return end.status().affinity(task, word);
    }

    /** How many more decisions may be staged for the CPU now. */
    public int room(int cpu) {
        return end.room(cpu);
    }

    /** Whether a decision may wait behind the task that runs; else it comes when its CPU is free, or to preempt. */
    public boolean stagesAhead() {
        return end.stagesAhead();
    }

    /**
     * Opens a decision (TXN_CREATE): run {@code task}, as this agent last saw it, on {@code cpu}. Reused by the next
     * call. Change its slice or flags, then {@link #stage} it.
     */
    public Transaction open(int cpu, int task) {
        int sequence = task < sequences.length ? sequences[task] : 0;
        return transaction.set(cpu, end.epoch(), sequence, task).observedNanos(now());
    }

    /** Messages consumed so far, for a decision that is to hold only while no other has come: {@link Transaction#agentBarrier}. */
    public int barrier() {
        return end.barrier();
    }

    /** Stages a decision; false if the CPU has no room. */
    public boolean stage(Transaction decision) {
        boolean hasRoom = end.stage(decision.cpu(), decision);
        staged += hasRoom ? 1 : 0;
        return hasRoom;
    }

    /** Makes staged decisions visible to the host (TXNS_COMMIT). */
    public void commit() {
        if (staged > 0 && event.isEnabled()) {
            event.begin();
            end.commit();
            event.end();
            event.decisions = staged;
            event.commit();
        } else {
            end.commit();
        }
        staged = 0;
    }

    /** Tries to take back the newest decision staged for the CPU; false if there is none. */
    public boolean withdraw(int cpu) {
        return end.withdraw(cpu);
    }

    /** Hands over the outcomes that have arrived; returns how many. */
    public int outcomes(OutcomeSink sink) {
        return end.outcomes(sink);
    }

    /** Hands over those of some CPUs, from {@code firstCpu} on; returns how many. */
    public int outcomes(int firstCpu, int count, OutcomeSink sink) {
        return end.outcomes(firstCpu, count, sink);
    }

    /** Sends this agent a CPU_TIMER_EXPIRED with the cookie at the given time. At most 64 timers may be armed. */
    public boolean armTimer(int cpu, long atNanos, long cookie) {
        return timers.arm(cpu, atNanos, cookie);
    }

    /** When the earliest armed timer is due, ns; {@link Long#MAX_VALUE} if none is. For hosts in virtual time. */
    public long nextTimerNanos() {
        return timers.earliestNanos();
    }

    /** The sequence number of the task's newest message. */
    public int sequence(int task) {
        return sequences[task];
    }
}
