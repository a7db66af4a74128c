package dev.bascule.run;

import dev.bascule.host.AgentLog;
import dev.bascule.host.Session;
import dev.bascule.host.tier.TierLink;
import dev.bascule.host.tier.Tiering;
import dev.bascule.memory.ScratchFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run of {@code bascule tier}: the program starts, is watched, and its pages are managed until it ends. One thread. */
public final class TierRun {
    /** Pages that are moved back take the longest. */
    private static final int MOST_END_SECONDS = 60;
    /** Rests between two looks for decisions, in a period. */
    private static final int LOOKS_A_PERIOD = 16;
    /** The part of a period that is left for decisions at least. */
    private static final int LEAST_FOR_DECISIONS = 4;
    private static final long PROGRESS_NANOS = 5_000_000_000L;
    /** Seldom enough not to slow down what is watched. */
    private static final long WATCH_MILLIS = 20;
    private static final long LAST_MILLIS = 3_000;
    private static final int MOST_STARTS = 4;

    private final Tiering.Settings settings;
    private final TierTargets targets;
    private final TierAgents agents;
    private final Plan plan;
    private final boolean json;
    private final PrintWriter err;
    private final TierReport report;
    private final long beganNanos = System.nanoTime();
    private long saidNanos = beganNanos;
    private volatile boolean isInterrupted;
    private boolean isGivenUp;
    private @Nullable Process program;

    /**
     * Plan of a run: the program, and how long it is watched and tiered.
     *
     * @param command the program; empty: what is managed runs already
     * @param watchNanos time for which it is left alone first
     * @param durationNanos end of the tiering, from the start on
     * @param ops where the program tells its operations
     * @param link what carries pages to the agent and back
     * @param page where the report goes, if there is to be one
     */
    public record Plan(List<String> command, long watchNanos, long durationNanos, @Nullable Path ops, String link,
            boolean quiet, @Nullable Path page) {}

    /** Run of a plan over these targets. */
    public TierRun(Tiering.Settings settings, TierTargets targets, TierAgents agents, Plan plan, String policy,
            boolean json,
            PrintWriter err) {
        this.settings = settings;
        this.targets = targets;
        this.agents = agents;
        this.plan = plan;
        this.json = json;
        this.err = err;
        this.report = new TierReport(policy, plan.link(), agents.isProcess());
    }

    /** Returns the exit status: the program's, if there is one. */
    public int run() throws InterruptedException {
        try (Interruption interruption = new Interruption(() -> isInterrupted = true, MOST_END_SECONDS)) {
            manage();
            return interruption.status(program == null ? 0 : leave(program));
        }
    }

    /** Runs the tiering; a failure once there is a program ends the tiering, not the program. */
    private void manage() throws InterruptedException {
        try (ScratchFolder folder = Session.newRunDirectory();
                TierLink link = TierLink.open(plan.link(), agents.isProcess() ? folder.path() : null);
                Tiering host = new Tiering(settings, targets, link);
                TierAgents agent = agents;
                TierTargets managed = targets) {
            try {
                agent.start(link, folder.path());
                manage(host, link, folder.path());
            } finally {
                AgentLog.keepIn(folder);
            }
        } catch (RuntimeException | Error e) {
            Process left = program;
            if (left == null) {
                throw e;
            }
            int unused = Errors.report(e, err);
            say("tiering has ended; " + plan.command().getFirst() + " (process " + left.pid()
                    + ") goes on, its pages are left to the kernel");
        }
    }

    private void manage(Tiering host, TierLink link, Path folder) throws InterruptedException {
        program = plan.command().isEmpty() ? null : start();
        watch();
        report.begin(seconds(), operations());
        tier(host, link, folder);
        report.end(seconds(), toldSeconds(), operations());
        err.println(json ? report.json(host, agents).pretty().strip() : report.text(host, agents).strip());
        err.flush();
        writePage(host);
    }

    private void writePage(Tiering host) {
        if (plan.page() != null) {
            try {
                OutputFile.write(plan.page(), report.html(host, agents));
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    private Process start() {
        Process started = UserProgram.of(plan.command()).start();
        targets.program(started);
        return started;
    }

    /** From the moment on at which the program tells its operations, if it does. */
    private void watch() throws InterruptedException {
        while (plan.watchNanos() > 0 && plan.ops() != null && operations() < 0 && goesOn()) {
            Thread.sleep(1);
        }
        long end = System.nanoTime() + plan.watchNanos();
        report.watchBegins(seconds(), operations());
        while (System.nanoTime() < end && goesOn()) {
            Thread.sleep(WATCH_MILLIS);
        }
    }

    private boolean goesOn() {
        return !isInterrupted && (program == null ? !targets.get().isEmpty() : program.isAlive());
    }

    private void tier(Tiering host, TierLink link, Path folder) {
        Backoff backoff = new Backoff(settings.periodNanos() / LOOKS_A_PERIOD);
        long end = plan.durationNanos() == Long.MAX_VALUE ? Long.MAX_VALUE : beganNanos + plan.durationNanos();
        // one period at least: on a machine that is busy the start may take longer than the time there is
        while (goesOn() && (host.periods() == 0 || System.nanoTime() - end < 0)) {
            long began = System.nanoTime();
            long lengthNanos = host.beginPeriod();
            announce(host);
            // a scan that lasts as long as its period leaves time for decisions, too
            long next = Math.max(began + lengthNanos, System.nanoTime() + settings.periodNanos() / LEAST_FOR_DECISIONS);
            report.sample(seconds(), host, operations());
            sayProgress(host);
            while (System.nanoTime() - next < 0 && !isInterrupted && isRunning()) {
                if (host.doWork() > 0) {
                    backoff.worked();
                } else {
                    backoff.rest();
                }
            }
            lookAfterAgent(host, link, folder);
        }
    }

    /** How, once it is known that the processes may be looked at. */
    private void announce(Tiering host) {
        if (!plan.quiet() && host.periods() == 1) {
            say("access bits from " + host.source() + "; cold pages go " + host.slowTier());
        }
    }

    private boolean isRunning() {
        return program == null || program.isAlive();
    }

    /** A new agent in the place of one that died; after some of them nothing is demoted any more. */
    private void lookAfterAgent(Tiering host, TierLink link, Path folder) {
        if (isGivenUp || isInterrupted) {
            return;
        }
        String ended = agents.failure();
        String failure = ended == null ? link.trouble() : ended;
        if (failure == null) {
            return;
        }
        isGivenUp = agents.starts() >= MOST_STARTS || !agents.isProcess();
        say(failure + "; nothing is demoted " + (isGivenUp ? "any more" : "until the next one has started"));
        if (!isGivenUp) {
            link.renew();
            host.attach();
            agents.start(link, folder);
        }
    }

    /** Ctrl-C: the program got it as well, if it is of the same terminal. */
    private int leave(Process started) throws InterruptedException {
        if (!isInterrupted) {
            return started.waitFor();
        }
        boolean ended = started.waitFor(LAST_MILLIS, TimeUnit.MILLISECONDS);
        if (!ended) {
            say("interrupted; " + plan.command().getFirst() + " (process " + started.pid()
                    + ") goes on, its pages are left to the kernel");
        }
        return ended ? started.exitValue() : Errors.INTERRUPTED;
    }

    private double seconds() {
        return (System.nanoTime() - beganNanos) / 1e9;
    }

    /** When the program last told its operations, if it does: what it does behind them is no use that it counts. */
    private double toldSeconds() {
        double now = seconds();
        if (plan.ops() == null) {
            return now;
        }
        try {
            long sinceMillis = System.currentTimeMillis() - Files.getLastModifiedTime(plan.ops()).toMillis();
            return now - Math.max(0, sinceMillis) / 1e3;
        } catch (IOException e) {
            return now; // it never told
        }
    }

    /** Operations that the program says it has done; -1 when it does not tell. */
    private long operations() {
        if (plan.ops() == null) {
            return -1;
        }
        try {
            return Long.parseLong(Files.readString(plan.ops()).strip());
        } catch (IOException | NumberFormatException e) {
            return -1; // not written yet, or half of it
        }
    }

    private void sayProgress(Tiering host) {
        if (!plan.quiet() && System.nanoTime() - saidNanos > PROGRESS_NANOS) {
            saidNanos = System.nanoTime();
            say(report.progress(host));
        }
    }

    private void say(String what) {
        err.println("bascule: " + what);
        err.flush();
    }
}
