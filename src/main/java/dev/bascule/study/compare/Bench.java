package dev.bascule.study.compare;

import dev.bascule.host.Session;
import dev.bascule.run.GcLog;
import dev.bascule.host.AgentSupervisor;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Rules that every experiment is given, equal for all transports.
 *
 * @param transports names, the reference first
 * @param sessions opens a transport by its name in a run directory
 * @param agents makes the agent's process of a session, not yet started, or who waits for one elsewhere (E3 only); true: its heap is kept busy, so that its
 *         garbage collector pauses it, and the pauses are logged to the {@link GcLog}
 * @param progress receives progress
 * @param quick less of everything
 * @param seed decides everything random
 * @param softNanos soft window, ns: then the host decides by itself
 * @param hardNanos hard limit, ns: then the agent is fenced and replaced
 * @param channelEntries messages a channel holds
 * @param staged decisions staged per CPU
 * @param hostCore core of the host's thread; -1: any
 */
public record Bench(List<String> transports, BiFunction<String, Path, Session> sessions,
        BiFunction<Session, Boolean, AgentSupervisor> agents, Consumer<String> progress, boolean quick,
        long seed,
        long softNanos, long hardNanos, int channelEntries, int staged, int hostCore) {
    /** These rules with the seed of another repeat, from 0 on. */
    Bench repeat(int number) {
        return new Bench(transports, sessions, agents, progress, quick, seed + number, softNanos, hardNanos,
                channelEntries, staged, hostCore);
    }

    /** Copies the list. */
    public Bench {
        transports = List.copyOf(transports);
    }
}
