package dev.bascule.study.cli;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.run.Errors;
import dev.bascule.ffi.OwnThread;
import dev.bascule.study.experiment.PointSpec;
import java.io.PrintWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Watches the rounds of a user's own policy in real time: virtual time stands still while a policy loops and calls
 * nothing, so that no watchdog in virtual time can end it.
 */
final class RoundWatch {
    /** Real time that a round may take. */
    static final int MOST_SECONDS = 10;
    private static final int LOOKS_PER_SECOND = 4;
    private static final VarHandle ROUND;

    static {
        try {
            ROUND = MethodHandles.lookup().findVarHandle(RoundWatch.class, "round", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // by its handle; odd while the policy's code runs
    private long round;

    /** Wrapper of each agent of a point: a user's own policy is watched, and ends the process when it is stuck. */
    static UnaryOperator<Agent> of(PointSpec point, PrintWriter err) {
        if (!point.isOwnPolicy()) {
            return UnaryOperator.identity();
        }
        RoundWatch watch = new RoundWatch();
        watch.start(why -> {
            err.println("bascule: " + point.values().get("policy") + ": " + why);
            err.flush();
            Runtime.getRuntime().exit(Errors.FAILED); // its thread cannot be ended
        });
        return watch::around;
    }

    /** Wraps a policy so that its rounds are watched. */
    Agent around(Agent policy) {
        return new Agent() {
            @Override
            public String name() {
                return policy.name();
            }

            @Override
            public void reset(Enclave enclave) {
                step();
                policy.reset(enclave);
                step();
            }

            @Override
            public int doWork(Enclave enclave) {
                step();
                try {
                    return policy.doWork(enclave);
                } finally {
                    step();
                }
            }
        };
    }

    private void step() {
        ROUND.setOpaque(this, (long) ROUND.getOpaque(this) + 1);
    }

    /** Looks from a thread of its own until the process ends; tells {@code stuck} once. */
    void start(Consumer<String> stuck) {
        OwnThread.of("round-watch", () -> look(stuck)).start();
    }

    private void look(Consumer<String> stuck) {
        long last = 0;
        for (int same = 0; same < MOST_SECONDS * LOOKS_PER_SECOND;) {
            try {
                Thread.sleep(1000 / LOOKS_PER_SECOND);
            } catch (InterruptedException e) {
                return;
            }
            long now = (long) ROUND.getOpaque(this);
            same = now == last && (now & 1) == 1 ? same + 1 : 0;
            last = now;
        }
        stuck.accept("a round of the policy has taken " + MOST_SECONDS
                + " s of real time and no end: it loops without consuming or waiting");
    }
}
