package dev.bascule.agent;

import org.jspecify.annotations.Nullable;

/** The events of ghOSt's ABI, with its numbers (google/ghost-userspace, kernel/ghost_uapi.h, version 84). */
public enum MessageType {
    /** Nothing; a slot that was skipped. */
    NOP(0),
    /** A task is gone; its id may be used again. */
    TASK_DEAD(64),
    /** A task waits for something and left its CPU. */
    TASK_BLOCKED(65),
    /** A task became runnable. */
    TASK_WAKEUP(66),
    /** First message of a task: affinity, priority and whether it is runnable. */
    TASK_NEW(67),
    /** A task was taken off its CPU and is runnable. */
    TASK_PREEMPT(68),
    /** A task gave its CPU back and is runnable. */
    TASK_YIELD(69),
    /** A task left the enclave. */
    TASK_DEPARTED(70),
    /** A task handed its CPU to another task. */
    TASK_SWITCHTO(71),
    /** The CPUs a task may use changed. */
    TASK_AFFINITY_CHANGED(72),
    /** A task runs (only if the transaction asked with {@link Transaction#RUN_SEND_ON_CPU}). */
    TASK_ON_CPU(73),
    /** A task's priority (nice) changed. */
    TASK_PRIORITY_CHANGED(74),
    /** A staged task could not be latched. */
    TASK_LATCH_FAILURE(75),
    /** Periodic tick of a CPU. */
    CPU_TICK(128),
    /** A timer that the agent armed has expired. */
    CPU_TIMER_EXPIRED(129),
    /** A CPU left its idle loop (only if the transaction asked with {@link Transaction#RUN_NEED_NOT_IDLE}). */
    CPU_NOT_IDLE(130),
    /** A CPU may be used by the enclave. */
    CPU_AVAILABLE(131),
    /** A CPU is taken by something outside the enclave. */
    CPU_BUSY(132),
    /** An agent went to sleep. */
    AGENT_BLOCKED(133),
    /** An agent woke up. */
    AGENT_WAKEUP(134);

    private static final @Nullable MessageType[] BY_CODE = new @Nullable MessageType[256];

    static {
        for (MessageType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;

    MessageType(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** The type with this number, or null if there is none. */
    static @Nullable MessageType ofCode(int code) {
        return BY_CODE[code & 0xff];
    }
}
