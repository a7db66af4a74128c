package dev.bascule.study.sim;

/**
 * Events that can be due in the simulated host. Each of these is one entry of {@link SimEvents}: it has one time, or
 * none. Of several at the same time, the kinds come in the order in which they stand here, and within a kind the lowest
 * number first.
 */
sealed interface SimEvent {
    /** Receiver of events: one method a kind. */
    interface Handler {
        void cpu(int cpu, long nowNanos);

        void prefetch(int cpu);

        void interrupt(int cpu, long nowNanos);

        void round(int agent, long nowNanos);

        void core(int core, long nowNanos);

        void single(Single event, long nowNanos);
    }

    /** Hands the event over. A call where a switch by type would take several times as long for each event. */
    void to(Handler handler, long nowNanos);

    /** The CPU looks for a decision, or what it runs has come to a point: its end, a pause, its slice, a tick. */
    record Cpu(int cpu) implements SimEvent {
        @Override
        public void to(Handler handler, long nowNanos) {
            handler.cpu(cpu, nowNanos);
        }
    }

    /** Half of the CPU's prefetch is over: its lines are what NIC memory holds now. */
    record Prefetch(int cpu) implements SimEvent {
        @Override
        public void to(Handler handler, long nowNanos) {
            handler.prefetch(cpu);
        }
    }

    /** An interrupt reaches the CPU. */
    record Interrupt(int cpu) implements SimEvent {
        @Override
        public void to(Handler handler, long nowNanos) {
            handler.interrupt(cpu, nowNanos);
        }
    }

    /** The agent has reason to look. */
    record Round(int agent) implements SimEvent {
        @Override
        public void to(Handler handler, long nowNanos) {
            handler.round(agent, nowNanos);
        }
    }

    /** A core that agents share is free for the next of them. */
    record Core(int core) implements SimEvent {
        @Override
        public void to(Handler handler, long nowNanos) {
            handler.core(core, nowNanos);
        }
    }

    /** Events of which a host has one each. */
    enum Single implements SimEvent {
        /** A job arrives. */
        ARRIVAL,
        /** A task's pause is over. */
        WAKE,
        /** A CPU may have waited too long. */
        WATCHDOG,
        /** A millisecond is over: what the host repeats, and what it finds out about agents. */
        HOUSEKEEPING,
        /** New agents are there. */
        RESTART,
        /** The next {@link SimFault}. */
        FAULT,
        /** A task's priority changes, as {@link SimChurn} says. */
        CHURN;

        @Override
        public void to(Handler handler, long nowNanos) {
            handler.single(this, nowNanos);
        }
    }
}
