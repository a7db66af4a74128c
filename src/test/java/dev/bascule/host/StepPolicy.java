package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.Upgradable;
import dev.bascule.policy.FifoAgent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * First in, first out, and stops for good at one step of its hand-over, so that a test can kill a process just there. Says
 * by a file that it is there.
 */
public final class StepPolicy implements Upgradable {
    private final String step;
    private final Path reached;
    private final Agent fifo = new FifoAgent();
    private boolean restored;

    /** Option {@code step}: restore, reset or none; {@code reached}: the file. */
    public StepPolicy(Map<String, String> options) {
        step = options.getOrDefault("step", "none");
        reached = Path.of(options.getOrDefault("reached", ""));
    }

    private void at(String here) {
        if (!step.equals(here)) {
            return;
        }
        try {
            Files.createFile(reached);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(1_000_000_000);
        }
    }

    @Override
    public byte[] snapshot() {
        return new byte[1];
    }

    @Override
    public void restore(byte[] state) {
        restored = true;
        at("restore");
    }

    /** Also called in the rehearsal, of a policy that nothing was restored into. */
    @Override
    public void reset(Enclave enclave) {
        if (restored) {
            at("reset");
        }
        fifo.reset(enclave);
    }

    @Override
    public int doWork(Enclave enclave) {
        return fifo.doWork(enclave);
    }
}
