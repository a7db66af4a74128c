package dev.bascule.study.sim;

import java.util.Arrays;

/** Tasks that start on another socket than they ran on last: they find nothing of their own in the caches there. */
final class SimCrossings {
    private final SimContext context;
    private final byte[] lastSocket;

    SimCrossings(SimContext context) {
        this.context = context;
        lastSocket = new byte[context.options().sockets() > 1 ? context.shape().tasks() : 0];
        Arrays.fill(lastSocket, (byte) -1);
    }

    /** A task starts on a CPU; coming from another socket takes time. */
    void starts(int cpu, int task) {
        if (lastSocket.length == 0) {
            return;
        }
        int here = context.shape().topology().socketOf(cpu);
        int last = lastSocket[task];
        lastSocket[task] = (byte) here;
        if (last >= 0 && last != here) {
            context.stats().crossings++;
            context.trace().add(SimTrace.Kind.CROSSES, cpu, task, last << 8 | here);
            context.time().charge(context.costs().crossing().migration());
        }
    }
}
