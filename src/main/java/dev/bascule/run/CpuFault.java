package dev.bascule.run;

import dev.bascule.host.HostCpus;
import dev.bascule.host.HostCpus.Change;
import dev.bascule.registry.Durations;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Something that is planned to happen to a CPU.
 *
 * @param change what
 * @param cpu to which
 * @param atNanos when, counted as {@code --kill-agent-at} is
 * @param lengthNanos how long until it is back; 0: it is not brought back
 */
public record CpuFault(Change change, int cpu, long atNanos, long lengthNanos) {
    private static final Pattern FORM = Pattern.compile("(take|give|offline|online):(\\d{1,4})@([^+]+)(?:\\+(.+))?");

    /**
     * Reads {@code offline:2@500ms+1s}.
     *
     * @throws Failure if it is none, or the host will have no such CPU
     */
    public static CpuFault of(String text, int cpus) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new Misuse("--fault " + text
                    + ": what, which CPU and when, as in offline:2@500ms (until online:2@2s) or take:1@1s+500ms (for half a"
                    + " second); there are take, give, offline and online");
        }
        Change change = Change.of(matcher.group(1));
        int cpu = Integer.parseInt(matcher.group(2));
        long length = matcher.group(4) == null ? 0 : time(text, matcher.group(4));
        if (cpu >= cpus) {
            throw new Misuse("--fault " + text + ": there is no CPU " + cpu + "; CPUs are 0 to " + (cpus - 1)
                    + ", and --cpus says how many");
        }
        if (length > 0 && (change == Change.GIVE || change == Change.ONLINE)) {
            throw new Misuse("--fault " + text + ": a CPU that comes back has no time to come back after");
        }
        return new CpuFault(change, cpu, time(text, matcher.group(3)), length);
    }

    private static long time(String text, String time) {
        return Misuse.reading("--fault " + text, () -> Durations.parseNanos(time));
    }

    /** When all of it is over, ns. */
    public long endNanos() {
        return atNanos + lengthNanos;
    }

    void schedule(ScheduledExecutorService executor, HostCpus cpus, Progress progress) {
        executor.schedule(() -> apply(cpus, change, progress), atNanos, TimeUnit.NANOSECONDS);
        if (lengthNanos > 0) {
            Change back = change == Change.TAKE ? Change.GIVE : Change.ONLINE;
            executor.schedule(() -> apply(cpus, back, progress), endNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void apply(HostCpus cpus, Change what, Progress progress) {
        try {
            cpus.change(cpu, what);
        } catch (RuntimeException e) {
            progress.say("--fault: " + e.getMessage());
        }
    }
}
