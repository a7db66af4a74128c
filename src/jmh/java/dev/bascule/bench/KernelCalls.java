package dev.bascule.bench;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.ForwardingAgentEnd;
import dev.bascule.agent.Transaction;
import dev.bascule.ffi.BpfArena;
import dev.bascule.ffi.BpfCall;
import dev.bascule.local.LocalAgent;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An agent's end beside the kernel that calls it for all that it commits, as agents do that share no memory with the kernel; the
 * product's calls only for CPUs that sleep. In the host's own process; one thread.
 */
final class KernelCalls extends ForwardingAgentEnd {
    private static final long CALL_BYTES = 16;

    private final BpfCall call;
    private long cpus;

    private KernelCalls(AgentEnd end, BpfCall call) {
        super(end);
        this.call = call;
    }

    /** Attaches to the host of this run directory, by the numbers in its file: address, bytes and the call's descriptor. */
    static KernelCalls attach(Path directory) {
        try {
            long[] numbers = Arrays.stream(Files.readString(directory.resolve("kernel")).strip().split(" "))
                    .mapToLong(Long::parseLong).toArray();
            PinnedMemory region = PinnedMemory.permanent(BpfArena.ofLoaded(numbers[1], numbers[2]));
            return new KernelCalls(LocalAgent.attach(region, 0, System.nanoTime(), Doorbell.NONE),
                    new BpfCall((int) numbers[5], CALL_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        boolean isStaged = super.stage(cpu, transaction);
        cpus |= isStaged ? 1L << cpu : 0;
        return isStaged;
    }

    @Override
    public void commit() {
        super.commit();
        if (cpus != 0) {
            call.argument().set(ValueLayout.JAVA_LONG, 0, cpus);
            cpus = 0;
            call.run();
        }
    }
}
