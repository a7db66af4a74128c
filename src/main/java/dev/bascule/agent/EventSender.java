package dev.bascule.agent;

/**
 * Tells agents what happened: raises the task's sequence number, publishes its status word, posts the message. A message
 * that finds a full channel is counted and healed by a resync from the status words, which are always up to date.
 */
final class EventSender {
    private final MechanismEnd end;
    private final TaskTable table;
    private final CpuTable cpus;
    private final Message message = new Message();
    private final StatusWord word = new StatusWord();
    private final StatusWord[] wordsOfCpus;
    private long overflows;

    EventSender(MechanismEnd end, TaskTable table, CpuTable cpus) {
        this.end = end;
        this.table = table;
        this.cpus = cpus;
        wordsOfCpus = new StatusWord[end.shape().cpus()];
        java.util.Arrays.setAll(wordsOfCpus, cpu -> new StatusWord());
    }

    long overflows() {
        return overflows;
    }

    /**
     * The task's state is {@code to} when this returns, and not before the agent has been told: from then on a CPU may
     * take it.
     */
    void tell(MessageType type, int task, byte to) {
        tell(type, task, to, flags(to));
    }

    private void tell(MessageType type, int task, byte to, int flags) {
        int sequence = Identity.next(table.sequence(task));
        int agent = table.agent[task];
        publish(task, to, sequence);
        message.set(type, end.epoch(agent), sequence, task)
                .flags(flags).cpu(table.cpu[task])
                .priority(table.nice[task], table.taskClass[task])
                .runtimeNanos(table.runtimeNanos[task]).affinity(table.affinity(task, 0))
                .deadlineNanos(table.deadlineNanos[task]).expectedNanos(table.expectedNanos[task]);
        post(agent);
        table.set(task, to, sequence);
    }

    /** The task goes from one agent to another, which is told all about it; to the first it is gone. */
    void tellMoved(int task, int agent) {
        byte is = table.state(task);
        tell(MessageType.TASK_DEPARTED, task, is, 0);
        table.agent[task] = agent;
        tell(MessageType.TASK_NEW, task, is);
    }

    private static int flags(byte is) {
        return is == TaskTable.RUNNABLE ? Message.RUNNABLE : is == TaskTable.ONCPU ? Message.ONCPU : 0;
    }

    void tellCpu(MessageType type, int cpu) {
        publishCpu(cpu);
        int agent = end.shape().agentOf(cpu);
        message.set(type, end.epoch(agent), 0, 0).cpu(cpu);
        post(agent);
    }

    private void post(int agent) {
        if (end.post(agent, message)) {
            cpus.posted[agent]++;
        } else {
            overflows++;
            end.requestResync(agent);
        }
    }

    void publish(int task) {
        publish(task, table.state(task), table.sequence(task));
    }

    private void publish(int task, byte is, int sequence) {
        table.copyTo(task, is, sequence, word);
        end.status().write(word);
    }

    /**
     * Publishes a task's affinity beyond what message and status word have room for; before the message that tells of
     * it.
     */
    void publishAffinity(int task) {
        for (int i = 1; i < table.maskWords(); i++) {
            end.status().writeAffinity(task, i, table.affinity(task, i));
        }
    }

    /** Publishes a task's state by the CPU that has it, beside what other CPUs publish. */
    void publishBy(int cpu, int task) {
        StatusWord own = wordsOfCpus[cpu];
        table.copyTo(task, table.state(task), table.sequence(task), own);
        end.status(cpu).write(own);
    }

    void publishCpu(int cpu) {
        word.clear();
        word.task = end.shape().tasks() + cpu;
        word.cpu = cpu;
        word.agent = end.shape().agentOf(cpu);
        word.flags = cpus.available[cpu] ? StatusWord.CPU_AVAIL : 0;
        end.status().write(word);
    }
}
