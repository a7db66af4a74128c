package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.PolicyException;
import dev.bascule.agent.StateAnswer;
import dev.bascule.agent.Upgradable;
import dev.bascule.agent.region.Succession;
import dev.bascule.ffi.Patience;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The life of one agent over a session: it attaches, or stands beside the agent at work and takes over from it; works;
 * and in the end hands over to its own successor, or goes on if that fails. State travels in a file of the run directory.
 * <p>
 * Thread rule: one thread.
 */
public final class AgentLife {
    private static final long ANSWER_NANOS = 5_000_000_000L;
    private static final long TURN_NANOS = 10_000_000_000L;
    private static final long PAUSE_NANOS = 100_000;
    /** Looks before it yields its core, which it may share with the agent at work. */
    private static final int SPINS = 256;

    private final Session session;
    private final int number;
    private @Nullable Agent policy;
    private final IdleStrategy idle;
    private final BooleanSupplier stop;

    /**
     * An agent that is about to begin.
     *
     * @param number which agent of the enclave
     * @param idle how it waits
     * @param stop ends its life when true; looked at in every round
     */
    public AgentLife(Session session, int number, Agent policy, IdleStrategy idle, BooleanSupplier stop) {
        this.session = session;
        this.number = number;
        this.policy = policy;
        this.idle = idle;
        this.stop = stop;
    }

    /**
     * Attaches to the region's current epoch and works.
     *
     * @param attached is told each epoch that it attaches to
     * @throws AgentException if there is no region, or the place is taken
     */
    public AgentLoop.Exit work(IntConsumer attached) {
        try (AgentEnd end = session.attach(number)) {
            return work(end, attached);
        }
    }

    private AgentLoop.Exit work(AgentEnd first, IntConsumer attached) {
        AgentLoop.Exit exit = loop(first, attached);
        while (exit == AgentLoop.Exit.RECALLED) {
            try (AgentEnd end = session.attach(number)) {
                exit = loop(end, attached);
            }
        }
        return exit;
    }

    private AgentLoop.Exit loop(AgentEnd end, IntConsumer attached) {
        attached.accept(end.epoch());
        AgentLoop loop = new AgentLoop(takePolicy(), end, System::nanoTime, this::give);
        AgentLoop.Exit exit = loop.run(idle, stop);
        policy = loop.agent();
        return exit;
    }

    /** From here on the loop alone holds the policy, for one that fails may have used all memory. */
    private Agent takePolicy() {
        Agent taken = Objects.requireNonNull(policy, "the policy has failed");
        policy = null;
        return taken;
    }

    /**
     * Takes over from the agent at work, which goes on until this one is ready to and after it if it fails; then works.
     *
     * @param attached is told each epoch that it attaches to
     * @throws AgentException if no agent is at work, it gives no answer or no state, or the host does not let it go
     */
    public AgentLoop.Exit takeOver(IntConsumer attached) {
        try (Succession succession = session.succeed(number)) {
            await(() -> succession.answer() != StateAnswer.OPEN, ANSWER_NANOS,
                    "the agent at work gave no answer within "
                            + ANSWER_NANOS / 1_000_000_000 + " s; it hangs, or is of a version that cannot hand over",
                    IdleStrategy.spinThenPark(1, PAUSE_NANOS));
            restore(succession.answer());
            succession.mayTakeOver();
            await(succession::isDue, TURN_NANOS, "the host has opened no epoch for it within "
                    + TURN_NANOS / 1_000_000_000 + " s; it hangs", IdleStrategy.spinThenYield(SPINS));
            long noticed = System.nanoTime();
            try (AgentEnd end = session.attach(number)) {
                if (end.epoch() != succession.epoch() + 1) {
                    throw failure("the host has given it up meanwhile");
                }
                end.tookOver(noticed, System.nanoTime());
                return work(end, attached);
            }
        }
    }

    private void await(BooleanSupplier event, long limitNanos, String failure, IdleStrategy pause) {
        Patience patience = new Patience(limitNanos);
        while (!event.getAsBoolean()) {
            if (stop.getAsBoolean()) {
                throw failure("it was stopped");
            }
            if (patience.isOver()) {
                throw failure(failure);
            }
            pause.idle(0);
        }
    }

    private AgentException failure(String why) {
        return new AgentException("take over from agent " + number + ": " + why);
    }

    private void restore(StateAnswer answer) {
        if (answer == StateAnswer.FAILED) {
            throw failure("its policy threw in snapshot; its log says what");
        }
        if (answer == StateAnswer.GIVEN && policy instanceof Upgradable upgradable) {
            Path file = stateFile();
            try {
                byte[] state = Files.readAllBytes(file);
                Files.delete(file);
                restore(upgradable, state);
            } catch (IOException e) {
                throw new UncheckedIOException("take over from agent " + number + ": read its state " + file + ": "
                        + e.getMessage(), e);
            }
        }
    }

    private static void restore(Upgradable policy, byte[] state) {
        try {
            policy.restore(state);
        } catch (RuntimeException | Error e) {
            throw PolicyException.of(policy, e);
        }
    }

    /** For the successor, which reads the file after this agent's answer. */
    private void give(byte[] state) {
        Path file = stateFile();
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.write(whole, state);
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("write state " + file + " for the next agent: " + e.getMessage(), e);
        }
    }

    private Path stateFile() {
        return session.directory().resolve("agent-" + number + ".state");
    }
}
