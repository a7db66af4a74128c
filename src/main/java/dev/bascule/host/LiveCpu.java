package dev.bascule.host;

/**
 * One emulated CPU: a virtual thread that asks for decisions and gives itself to the decided task. Its numbers are
 * written by its own thread.
 */
final class LiveCpu implements Runnable {
    final int id;
    private final LiveHost host;
    private final Thread thread;
    /** How long it has waited for a decision of the agent: since its last one, and since the host helped itself. */
    final DecisionWait wait = new DecisionWait();
    long sliceEndNanos;
    long busyNanos;
    long switches;

    LiveCpu(int id, LiveHost host) {
        this.id = id;
        this.host = host;
        thread = Thread.ofVirtual().name("cpu-" + id).unstarted(this);
    }

    Thread thread() {
        return thread;
    }

    @Override
    public void run() {
        host.runCpu(this);
    }
}
