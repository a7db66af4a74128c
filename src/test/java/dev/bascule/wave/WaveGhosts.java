package dev.bascule.wave;

import dev.bascule.agent.Identity;
import dev.bascule.agent.Outcome;
import dev.bascule.models.Fingerprint;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What an observer of {@link WaveWorld} knows who sees both sides: how often each task really changed, what each agent
 * meant, what the host settled. The production code knows nothing of it.
 */
final class WaveGhosts {
    /** A task is nowhere, waits, can run, or is on a CPU. */
    enum Shadow {
        GONE, BLOCKED, RUNNABLE, RUNS
    }

    /** Not a claim: that no decision is ever refused as stale. */
    static final String PROBE_STALE = "ProbeStaleDecision";

    private static final int SEQUENCES = 24;

    private final WaveSetting setting;
    final Shadow[] shadow;
    private final int[] version;
    private final int[] versionOf;
    private final boolean[] started;
    private final long[] meant;
    private final long[] settled;
    private final boolean[] told;
    private boolean staleSeen;
    private final Set<String> violated = new TreeSet<>();

    WaveGhosts(WaveSetting setting) {
        this.setting = setting;
        shadow = new Shadow[setting.tasks()];
        Arrays.fill(shadow, Shadow.GONE);
        version = new int[setting.tasks()];
        versionOf = new int[setting.tasks() * SEQUENCES];
        Arrays.fill(versionOf, -1);
        started = new boolean[setting.tasks() * SEQUENCES];
        int keys = setting.maxE() * setting.cpus() * setting.maxN();
        meant = new long[keys * (setting.maxE() + 1)];
        settled = new long[keys];
        told = new boolean[keys * (setting.maxE() + 1)];
    }

    @Nullable
    String violated(Predicate<String> wanted) {
        return violated.stream().filter(wanted).findFirst().orElse(null);
    }

    void violate(String name) {
        violated.add(name);
    }

    /** Something happened to a task; {@code sequence} is the number that the host now has for it. */
    void changed(int task, int sequence, Shadow to) {
        shadow[task] = to;
        version[task]++;
        versionOf[task * SEQUENCES + sequence] = version[task];
    }

    private int key(int epoch, int cpu, int number) {
        return ((epoch - 1) * setting.cpus() + cpu) * setting.maxN() + number - 1;
    }

    private int key(int agent, int epoch, int cpu, int number) {
        return agent * settled.length + key(epoch, cpu, number);
    }

    /** Agent number {@code agent} of the history staged a decision. */
    void staged(int agent, int epoch, int cpu, int number, long identity) {
        meant[key(agent, epoch, cpu, number)] = identity;
    }

    /** The host settled a decision that it took from the slot of {@code cpu} in {@code epoch}. */
    void settled(int epoch, int cpu, int number, long identity, Outcome outcome) {
        int key = key(epoch, cpu, number);
        if (settled[key] != 0) {
            violate("ExactlyOnce");
        }
        settled[key] = pack(identity, outcome);
        long said = identity;
        boolean whole = setting.has(WaveSetting.Switch.POLICY);
        for (int agent = 0; !whole && agent <= setting.maxE(); agent++) {
            long staged = meant[key(agent, epoch, cpu, number)];
            whole = staged != 0 && (staged == identity || setting.has(WaveSetting.Switch.NO_SEQUENCE));
            said = whole ? staged : said; // with the rule undone the host sees another number than was said
        }
        if (!whole) {
            violate("WholeDecisions");
        }
        if (outcome == Outcome.COMPLETE) {
            enforced(epoch, said);
        }
        staleSeen |= outcome.isStale();
    }

    boolean isStaleSeen() {
        return staleSeen;
    }

    private void enforced(int epoch, long identity) {
        int task = Identity.task(identity);
        int seen = task * SEQUENCES + Identity.sequence(identity);
        if (Identity.epoch(identity) != epoch) {
            violate("FencedNeverEnforced");
        }
        if (shadow[task] == Shadow.RUNS) {
            violate("NoDoubleRun");
        }
        if (shadow[task] != Shadow.RUNNABLE || versionOf[seen] != version[task]) {
            violate("StaleNeverEnforced");
        }
        if (started[seen]) {
            violate("ExactlyOnce");
        }
        started[seen] = true;
        shadow[task] = Shadow.RUNS;
    }

    /** An agent learned an outcome; it must be what the host made of the decision that the agent meant. */
    void told(int agent, int epoch, int cpu, int number, long identity, Outcome outcome) {
        int key = key(agent, epoch, cpu, number);
        if (told[key]) {
            violate("ToldOnce");
        }
        told[key] = true;
        long truth = settled[key(epoch, cpu, number)];
        boolean withdrawn = outcome == Outcome.ABORTED && truth == 0;
        if (!withdrawn && truth != pack(identity, outcome)) {
            violate("LedgerClean");
        }
    }

    private static long pack(long identity, Outcome outcome) {
        return identity ^ (outcome.ordinal() + 1L) << 59;
    }

    void addTo(Fingerprint print) {
        for (Shadow of : shadow) {
            print.add(of.ordinal());
        }
        print.addGraph(version).addGraph(versionOf).addGraph(started).addSparse(meant).addSparse(settled)
                .addGraph(told).add(violated.hashCode())
                .add(staleSeen ? 1 : 0);
    }
}
