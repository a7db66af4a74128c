package dev.bascule.host.scx;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Identity;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.StatusWord;
import dev.bascule.agent.Transaction;
import java.util.Arrays;

/**
 * Carries the kernel's messages and status words into the region of another transport, and decisions back into the
 * kernel, whose outcomes it hands on. To the kernel it is the agent; to the agent on the NIC it is the host.
 * <p>
 * Thread rule: one thread, which is also that of the far end. Allocates nothing after construction.
 */
final class KernelRelay implements OutcomeSink {
    private static final int BATCH = 256;
    private static final int TRIES = 64;

    private final AgentEnd kernel;
    private final MechanismEnd far;
    private final int tasks;
    private final Message message = new Message();
    private final StatusWord word = new StatusWord();
    private final Transaction copy = new Transaction();
    private final Transaction[] pending;
    private final boolean[] isPending;
    /** Whether the agents that made the pending decision were fenced. */
    private final boolean[] isVoid;
    /** Whether the CPU runs none of the tasks, as far as is known: it is asked for until it does. */
    private final boolean[] isFree;
    private int generation;
    private boolean isCurrent;

    /** Between an agent's end of the kernel's region and the host's end of another. */
    KernelRelay(AgentEnd kernel, MechanismEnd far) {
        this.kernel = kernel;
        this.far = far;
        tasks = far.shape().tasks();
        int cpus = far.shape().cpus();
        pending = new Transaction[cpus];
        Arrays.setAll(pending, cpu -> new Transaction());
        isPending = new boolean[cpus];
        isVoid = new boolean[cpus];
        isFree = new boolean[cpus];
        Arrays.fill(isFree, true);
    }

    /** One round; returns the work found. */
    int turn() {
        int work = resync() + messages() + decisions() + kernel.outcomes(this);
        kernel.heartbeat();
        return work;
    }

    /** About every millisecond: CPUs that still wait ask again. */
    void tick() {
        kernel.ready();
        kernel.tick();
        for (int cpu = 0; cpu < isFree.length; cpu++) {
            if (isFree[cpu] && !isPending[cpu]) {
                far.want(cpu);
                far.commit(cpu);
            }
        }
        far.tick();
    }

    /** The far agents were fenced: what they have decided is void. */
    void fenced() {
        for (int cpu = 0; cpu < isPending.length; cpu++) {
            if (isPending[cpu] && !isVoid[cpu]) {
                isVoid[cpu] = true;
                kernel.withdraw(cpu); // if the kernel was faster, that one was in time
            }
        }
        isCurrent = false;
    }

    private int resync() {
        if (isCurrent && generation == kernel.resyncGeneration()) {
            return 0;
        }
        generation = kernel.resyncGeneration();
        isCurrent = true;
        for (int i = 0; i < kernel.shape().channelEntries() && kernel.peek(message); i++) {
            kernel.consume(); // older than what follows
        }
        Arrays.fill(isFree, true); // messages that said so may be among those dropped
        for (int id = 0; id < tasks + isFree.length; id++) {
            copyStatus(id);
            if (id < tasks && word.isOnCpu() && word.cpu() < isFree.length) {
                isFree[word.cpu()] = false;
            }
        }
        far.requestResync(0);
        return 1;
    }

    private void copyStatus(int id) {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            if (kernel.status().read(id, word)) {
                far.status().write(word);
                return;
            }
        }
        isCurrent = false; // try again in the next round
    }

    private int messages() {
        int count = 0;
        while (count < BATCH && kernel.peek(message)) {
            forward();
            kernel.consume();
            count++;
        }
        if (count > 0) {
            far.commit();
        }
        return count;
    }

    private void forward() {
        MessageType type = message.type();
        if (type == null || message.epoch() != kernel.epoch()) {
            return;
        }
        boolean isOfTask = type.code() < MessageType.CPU_TICK.code();
        int cpu = message.cpu();
        copyStatus(isOfTask ? message.task() : tasks + cpu);
        message.words()[0] = Identity.of(far.epoch(), message.sequence(), message.task());
        if (!far.post(0, message)) {
            far.requestResync(0);
        }
        if (isOfTask && cpu < isFree.length) {
            noteCpu(type, cpu);
        }
    }

    private void noteCpu(MessageType type, int cpu) {
        boolean runs = (message.flags() & Message.ONCPU) != 0;
        if (type == MessageType.TASK_ON_CPU && !isPending[cpu]) {
            far.abandon(cpu); // the kernel's side decided
        }
        if (!runs && !isPending[cpu]) {
            far.want(cpu);
            far.commit(cpu);
        }
        isFree[cpu] = !runs;
    }

    private int decisions() {
        int count = 0;
        for (int cpu = 0; cpu < pending.length; cpu++) {
            if (!isPending[cpu] && kernel.room(cpu) > 0 && far.poll(cpu, pending[cpu])) {
                count++;
                take(cpu, pending[cpu]);
            }
        }
        if (count > 0) {
            kernel.commit();
        }
        return count;
    }

    private void take(int cpu, Transaction decision) {
        if (decision.epoch() != far.epoch()) {
            settle(cpu, decision, Outcome.NO_AGENT, true);
            return;
        }
        long[] words = decision.words();
        System.arraycopy(words, 0, copy.words(), 0, words.length);
        copy.words()[0] = Identity.of(kernel.epoch(), decision.sequence(), decision.task());
        isPending[cpu] = kernel.stage(cpu, copy);
        isVoid[cpu] = false;
    }

    /** An agent that decides only when asked must be asked again if the CPU has nothing from this decision. */
    private void settle(int cpu, Transaction decision, Outcome outcome, boolean isWanted) {
        far.settle(decision, outcome);
        if (isWanted) {
            far.want(cpu);
        }
        far.commit(cpu);
    }

    @Override
    public void settled(int cpu, int number, long identity, Outcome outcome) {
        isPending[cpu] = false;
        if (isVoid[cpu]) {
            return;
        }
        boolean isOfTask = Identity.task(identity) < tasks;
        if (outcome == Outcome.COMPLETE && isOfTask) {
            copyStatus(Identity.task(identity));
            isFree[cpu] = hasLeft(cpu, Identity.sequence(identity));
        }
        settle(cpu, pending[cpu], outcome, outcome != Outcome.COMPLETE || isOfTask && isFree[cpu]);
    }

    /** Whether the task of the status word has been on the CPU already: the message that says so may have come before. */
    private boolean hasLeft(int cpu, int sequence) {
        return word.sequence() != sequence && !(word.isOnCpu() && word.cpu() == cpu);
    }
}
