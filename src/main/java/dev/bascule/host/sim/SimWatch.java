package dev.bascule.host.sim;

/** The live host's watchdog in virtual time: a CPU that waits too long helps itself, a silent agent is fenced. */
final class SimWatch {
    private final SimEngine engine;
    private final long softNanos;
    private final long hardNanos;
    private long answeredNanos;
    private long workSince;
    private boolean hasWork;
    private boolean armed;

    SimWatch(SimEngine engine, SimOptions options) {
        this.engine = engine;
        softNanos = options.softNanos();
        hardNanos = options.hardNanos();
    }

    /** Called at every event. */
    void track(long now, int runnable) {
        if (runnable == 0) {
            hasWork = false;
        } else if (!hasWork) {
            hasWork = true;
            workSince = now;
        }
    }

    /** The agent has decided. */
    void answered(long now) {
        answeredNanos = now;
    }

    /** A CPU begins to wait, or work has come. */
    void waits(long now) {
        if (!armed && engine.mechanism.runnableCount() > 0 && engine.cpus.waiting() > 0) {
            armed = true;
            engine.watchAt(now + softNanos);
        }
    }

    void event(long now) {
        armed = false;
        if (engine.mechanism.runnableCount() == 0 || engine.cpus.waiting() == 0) {
            return;
        }
        track(now, engine.mechanism.runnableCount());
        if (engine.agents.isReady() && now - Math.max(answeredNanos, workSince) >= hardNanos) {
            engine.agents.fence("no decision within " + hardNanos / 1000 + " us", now);
        }
        boolean agentReady = engine.agents.isReady();
        for (int cpu = 0; cpu < engine.shape.cpus(); cpu++) {
            long waited = now - Math.max(engine.cpus.waitSince(cpu), workSince);
            if (engine.cpus.isWaiting(cpu) && (waited >= softNanos || !agentReady)
                    && engine.mechanism.hasWorkFor(cpu)) {
                engine.time.set(now);
                engine.time.actsOn(engine.shape.topology().socketOf(cpu));
                engine.cpus.help(cpu);
            }
        }
        waits(now);
    }
}
