package dev.bascule.lauberhorn;

import java.util.Arrays;

/**
 * The NIC's view of the machine's scheduling, and what follows from it for loads that are held: which thread is on
 * which core, what each process has queued, and which core is to run what next. A thread that waits on its core gets
 * its process's next request at once; everything else is a policy's to decide ({@link #give}, {@link #retire}).
 * <p>
 * Nothing is delivered to a thread that is on no core, and no request to another process than its own. A request that was
 * delivered is never delivered again: it is answered by what comes back in its line, or refused.
 * <p>
 * Processes are numbered from 1 (0 is the kernel), cores and threads from 0. Changes only itself and the machines of its
 * endpoints; performs everything else through {@link NicEffects}.
 * <p>
 * Thread rule: the NIC's thread. Allocation-free after construction. Source: arXiv:2501.10138, section 6.
 */
public final class NicDispatch {
    /** No core, thread or request. */
    public static final int NONE = -1;
    /** {@link #next}: the core is to retire. */
    public static final int RETIRING = -2;

    private final NicEndpoint[] kernels;
    private final NicEndpoint[] threads;
    final RequestQueue[] queues;
    private final NicEffects effects;
    final int[] running;
    final int[] next;
    final boolean[] retired;
    /** Cores whose thread has not loaded since it was dispatched. */
    final boolean[] fresh;
    final int[] coreOf;
    final int[] boundTo;
    final int[] serving;
    final boolean[] live;
    private long changes;
    private long deliveries;

    /**
     * A machine whose cores are all in the kernel, and no process lives.
     *
     * @param kernels the generic endpoint of each core
     * @param threads the endpoint of each thread; its owner is the thread's process
     * @param processes the greatest number of a process
     * @param queueEntries requests that a process may have queued
     */
    public NicDispatch(NicEndpoint[] kernels, NicEndpoint[] threads, int processes, int queueEntries,
            NicEffects effects) {
        this.kernels = kernels.clone();
        this.threads = threads.clone();
        this.effects = effects;
        queues = new RequestQueue[processes + 1];
        Arrays.setAll(queues, process -> new RequestQueue(queueEntries));
        running = new int[kernels.length];
        next = new int[kernels.length];
        retired = new boolean[kernels.length];
        fresh = new boolean[kernels.length];
        coreOf = new int[threads.length];
        boundTo = new int[threads.length];
        serving = new int[threads.length];
        live = new boolean[processes + 1];
        for (int[] table : new int[][] { running, next, coreOf, boundTo, serving }) {
            Arrays.fill(table, NONE);
        }
    }

    // ---- processes -----------------------------------------------------------------------------------------------

    /** The process takes requests from now on; its threads' endpoints have begun a new life. */
    public void begin(int process) {
        live[process] = true;
    }

    /**
     * The process is gone or goes: what it serves or has queued is refused, none of its threads gets anything any more,
     * and its endpoints begin another life. A core that it was on comes back by a load of the kernel.
     */
    public void end(int process, Refusal why) {
        live[process] = false;
        changes++;
        for (int thread = 0; thread < threads.length; thread++) {
            if (threads[thread].owner() == process) {
                forget(thread, why);
            }
        }
        RequestQueue queue = queues[process];
        while (queue.size() > 0) {
            effects.refuse(queue.pop(), why);
        }
    }

    private void forget(int thread, Refusal why) {
        if (serving[thread] != NONE) {
            effects.refuse(served(thread), why);
        }
        if (boundTo[thread] != NONE) {
            next[boundTo[thread]] = NONE;
            boundTo[thread] = NONE;
        }
        if (coreOf[thread] != NONE) {
            running[coreOf[thread]] = NONE;
            coreOf[thread] = NONE;
        }
    }

    /** Whether the process takes requests. */
    public boolean isLive(int process) {
        return process > 0 && process < live.length && live[process];
    }

    // ---- requests ------------------------------------------------------------------------------------------------

    /**
     * A request for a process: goes to a thread that waits, or is queued, or refused if there is no room.
     *
     * @return whether it was not refused
     */
    public boolean arrived(int process, int request) {
        if (!isLive(process)) {
            effects.refuse(request, Refusal.PROCESS_GONE);
            return false;
        }
        RequestQueue queue = queues[process];
        if (queue.isFull()) {
            effects.refuse(request, Refusal.QUEUE_FULL);
            return false;
        }
        queue.push(request);
        for (int core = 0; core < running.length; core++) {
            int thread = running[core];
            if (thread != NONE && threads[thread].owner() == process && isIdle(core)) {
                deliver(thread);
                return true;
            }
        }
        changes++;
        return true;
    }

    private void deliver(int thread) {
        int request = queues[threads[thread].owner()].pop();
        serving[thread] = request;
        deliveries++;
        effects.deliver(thread, request);
    }

    /** The request that the thread has, which is the NIC's again: its line came back. */
    public int served(int thread) {
        int request = serving[thread];
        serving[thread] = NONE;
        return request;
    }

    /** The oldest queued request of the process, or {@link #NONE}. */
    public int oldest(int process) {
        return queues[process].size() == 0 ? NONE : queues[process].get(0);
    }

    /** Refuses the oldest queued request of the process. */
    public void refuseOldest(int process, Refusal why) {
        effects.refuse(queues[process].pop(), why);
    }

    // ---- loads ---------------------------------------------------------------------------------------------------

    /**
     * The thread's load is held: it gets a request if there is one, and has to yield if another is to run on its core. A
     * thread that was just dispatched gets one first, so that no policy, however restless, stops all work. It also has to
     * yield if it has no core as far as the NIC knows: it was let run before the NIC was restarted, and began after.
     */
    public void threadLoads(int thread) {
        int core = coreOf[thread];
        if (!threads[thread].isHeld()) {
            return;
        }
        boolean has = queues[threads[thread].owner()].size() > 0;
        boolean isOwed = core != NONE && fresh[core] && has;
        if (core == NONE || next[core] != NONE && !isOwed) {
            effects.yieldNow(thread);
        } else if (has) {
            deliver(thread);
        } else {
            changes++;
        }
        if (core != NONE) {
            fresh[core] = false;
        }
    }

    /** The kernel's load is held on this core: whatever ran there does not any more. */
    public void kernelLoads(int core) {
        changes++;
        leave(core);
        retired[core] = false;
        if (next[core] != NONE) {
            perform(core);
        }
    }

    private void leave(int core) {
        int thread = running[core];
        running[core] = NONE;
        if (thread != NONE) {
            coreOf[thread] = NONE;
        }
    }

    private void perform(int core) {
        int thread = next[core];
        next[core] = NONE;
        if (thread == RETIRING) {
            retired[core] = true;
            effects.retire(core);
            return;
        }
        boundTo[thread] = NONE;
        running[core] = thread;
        coreOf[thread] = core;
        fresh[core] = true;
        effects.dispatch(core, thread, life(thread));
        threadLoads(thread); // held since before it lost its last core
    }

    // ---- decisions -----------------------------------------------------------------------------------------------

    /**
     * Gives a core to a thread of a living process that is on none and on its way to none. If another thread is there it
     * is told to yield: at once if it waits, else with its next load.
     *
     * @param preempts interrupt a thread that serves a request
     * @return false if the decision cannot be carried out, or another one is under way for this core
     */
    public boolean give(int core, int thread, boolean preempts) {
        if (next[core] != NONE || retired[core] || coreOf[thread] != NONE || boundTo[thread] != NONE
                || !isLive(threads[thread].owner())) {
            return false;
        }
        next[core] = thread;
        boundTo[thread] = core;
        act(core, preempts);
        return true;
    }

    /**
     * Takes a core out of RPC work; it comes back by a load of the kernel. Comes before a thread that was to run there.
     *
     * @return false if it is out already, or on its way
     */
    public boolean retire(int core, boolean preempts) {
        if (next[core] == RETIRING || retired[core]) {
            return false;
        }
        withdraw(core);
        next[core] = RETIRING;
        act(core, preempts);
        return true;
    }

    /** A core that was taken out comes back: decisions for it are carried out with the kernel's next load. */
    public void admit(int core) {
        retired[core] = false;
    }

    /** Takes a decision back that is not carried out yet; the thread that had to yield for it may have done so. */
    public boolean withdraw(int core) {
        int thread = next[core];
        if (thread == NONE) {
            return false;
        }
        if (thread >= 0) {
            boundTo[thread] = NONE;
        }
        next[core] = NONE;
        return true;
    }

    private void act(int core, boolean preempts) {
        int thread = running[core];
        if (kernels[core].isHeld()) {
            perform(core);
        } else if (thread != NONE && threads[thread].isHeld()) {
            effects.yieldNow(thread);
        } else if (thread != NONE && preempts) {
            effects.interrupt(core);
        }
    }

    /** Interrupts the core if a thread serves a request there and another is to run. */
    public void press(int core) {
        if (next[core] != NONE && running[core] != NONE && !threads[running[core]].isHeld()) {
            effects.interrupt(core);
        }
    }

    // ---- questions -----------------------------------------------------------------------------------------------

    /** Counts what a policy may have to look at: requests that were queued, loads, ends of processes. */
    public long changes() {
        return changes;
    }

    /** Counts requests that were delivered. */
    public long deliveries() {
        return deliveries;
    }

    /** Cores. */
    public int cores() {
        return running.length;
    }

    /** Threads. */
    public int threads() {
        return coreOf.length;
    }

    /** The greatest number of a process. */
    public int processes() {
        return queues.length - 1;
    }

    /** Process of a thread. */
    public int processOf(int thread) {
        return threads[thread].owner();
    }

    /** The life that the thread's endpoint is in; {@link NicEffects#dispatch} says for which one it was decided. */
    public int life(int thread) {
        return threads[thread].epoch();
    }

    /** Requests queued for a process. */
    public int queued(int process) {
        return queues[process].size();
    }

    /** Requests that a process may have queued. */
    public int queueEntries(int process) {
        return queues[process].capacity();
    }

    /** The thread on the core, or {@link #NONE}: the kernel, or nothing yet. */
    public int running(int core) {
        return running[core];
    }

    /** The thread that is to run there next, {@link #RETIRING} or {@link #NONE}. */
    public int next(int core) {
        return next[core];
    }

    /** The core that the thread is on, or {@link #NONE}. */
    public int coreOf(int thread) {
        return coreOf[thread];
    }

    /** The core that the thread is to run on next, or {@link #NONE}. */
    public int boundTo(int thread) {
        return boundTo[thread];
    }

    /** The request that the thread serves, or {@link #NONE}. */
    public int serving(int thread) {
        return serving[thread];
    }

    /** Whether the kernel waits on the core, with nothing decided. */
    public boolean isFree(int core) {
        return kernels[core].isHeld() && next[core] == NONE;
    }

    /** Whether a thread waits on the core for requests of its process, with nothing else decided. */
    public boolean isIdle(int core) {
        return running[core] != NONE && threads[running[core]].isHeld() && next[core] == NONE;
    }

    /** Whether the core was taken out of RPC work. */
    public boolean isRetired(int core) {
        return retired[core];
    }
}
