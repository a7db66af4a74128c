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
    private final int[] agentOfTask;
    private long overflows;

    EventSender(MechanismEnd end, TaskTable table, CpuTable cpus) {
        this.end = end;
        this.table = table;
        this.cpus = cpus;
        agentOfTask = new int[table.size()];
    }

    void associate(int task, int agent) {
        agentOfTask[task] = agent;
    }

    long overflows() {
        return overflows;
    }

    void tell(MessageType type, int task) {
        table.advance(task);
        publish(task);
        message.set(type, end.epoch(), table.sequence[task], task)
                .flags(flags(task)).cpu(table.cpu[task])
                .priority(table.nice[task], table.taskClass[task])
                .runtimeNanos(table.runtimeNanos[task]).affinity(table.affinity(task, 0))
                .deadlineNanos(table.deadlineNanos[task]);
        post(agentOfTask[task]);
    }

    private int flags(int task) {
        byte is = table.state[task];
        return is == TaskTable.RUNNABLE ? Message.RUNNABLE : is == TaskTable.ONCPU ? Message.ONCPU : 0;
    }

    void tellCpu(MessageType type, int cpu) {
        publishCpu(cpu);
        message.set(type, end.epoch(), 0, 0).cpu(cpu);
        post(end.shape().agentOf(cpu));
    }

    private void post(int agent) {
        if (end.post(agent, message)) {
            cpus.posted[agent]++;
        } else {
            overflows++;
            end.requestResync();
        }
    }

    void publish(int task) {
        table.copyTo(task, word);
        end.status().write(word);
    }

    /** What a message and a status word have no room for; before the message that tells of it. */
    void publishAffinity(int task) {
        for (int i = 1; i < table.maskWords(); i++) {
            end.status().writeAffinity(task, i, table.affinity(task, i));
        }
    }

    void publishCpu(int cpu) {
        word.clear();
        word.task = end.shape().tasks() + cpu;
        word.cpu = cpu;
        word.flags = cpus.available[cpu] ? StatusWord.CPU_AVAIL : 0;
        end.status().write(word);
    }
}
