package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A keeper for each agent of an enclave, and what happened to any of them. Agents fail, are fenced and replaced one by
 * one; what one does is no other's concern.
 * <p>
 * Thread rule: as {@link AgentKeeper}, with its CPUs for "its"; {@link #incidents} and {@link #upgrades} by any thread.
 */
final class AgentKeepers implements Dispatcher.Agents, AutoCloseable {
    private static final int MOST_INCIDENTS = 1000;

    private final MechanismEnd end;
    private final @Nullable LiveTrace trace;
    private final AgentKeeper[] keepers;
    private final List<String> incidents = new ArrayList<>();
    private final List<Upgrade> upgrades = new ArrayList<>();

    /**
     * Of all agents.
     *
     * @param supervisors one for each, by its number
     */
    AgentKeepers(MechanismEnd end, LiveOptions options, List<? extends AgentSupervisor> supervisors) {
        if (supervisors.size() != end.shape().agents()) {
            throw new IllegalArgumentException("live host: " + supervisors.size() + " supervisors, but the enclave has "
                    + end.shape().agents() + " agents; each needs one");
        }
        this.end = end;
        trace = options.trace();
        keepers = new AgentKeeper[supervisors.size()];
        Arrays.setAll(keepers,
                agent -> new AgentKeeper(end, agent, options, supervisors.get(agent), this::note, this::upgraded));
    }

    void begin(long now) {
        FenceEvent.prepare();
        for (AgentKeeper keeper : keepers) {
            keeper.begin(now);
        }
    }

    /** Whether all decide. */
    boolean areReady() {
        return Stream.of(keepers).allMatch(AgentKeeper::isReady);
    }

    /** Whether no more of some agent are started. */
    boolean hasGivenUp() {
        return Stream.of(keepers).anyMatch(AgentKeeper::hasGivenUp);
    }

    /** Agents fenced so far because they were dead, silent or broken: not those that left or handed over. */
    long fences() {
        return Stream.of(keepers).mapToLong(AgentKeeper::fences).sum();
    }

    /** Agents among {@link #fences} that could run, and were in none of their policy's code. */
    int pauses() {
        return Stream.of(keepers).mapToInt(AgentKeeper::pauses).sum();
    }

    synchronized void note(String incident) {
        IncidentEvent event = new IncidentEvent();
        event.what = incident;
        event.commit();
        if (incidents.size() < MOST_INCIDENTS) {
            incidents.add(incident);
        }
    }

    /** Incidents of the agents, oldest first. */
    synchronized List<String> incidents() {
        return List.copyOf(incidents);
    }

    private synchronized void upgraded(Upgrade upgrade) {
        upgrades.add(upgrade);
    }

    /** Upgrades that have ended, oldest first. */
    synchronized List<Upgrade> upgrades() {
        return List.copyOf(upgrades);
    }

    @Override
    public boolean isReady(int agent) {
        return keepers[agent].isReady();
    }

    @Override
    public boolean lookWhetherReady(int agent) {
        return keepers[agent].lookWhetherReady();
    }

    @Override
    public void decided(int agent) {
        keepers[agent].decided();
    }

    @Override
    public Watchdog.Verdict judge(LiveCpu cpu, long now) {
        return keepers[cpu.agent].judge(cpu, now);
    }

    @Override
    public String silence(LiveCpu cpu) {
        return keepers[cpu.agent].silence(cpu.id);
    }

    /** Why an agent whose CPUs have had no answer for so long is a reason to fence, if it is. */
    @Nullable
    String silence(int agent, long unansweredNanos) {
        return keepers[agent].silence(unansweredNanos);
    }

    @Override
    public @Nullable String trouble(int agent, long now) {
        String trouble = keepers[agent].trouble(now);
        if (trace != null && agent == keepers.length - 1) {
            trace.sample(now, areReady(), end.counters());
        }
        return trouble;
    }

    @Override
    public boolean isInHurry() {
        for (AgentKeeper keeper : keepers) {
            if (keeper.isInHurry()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void replace(int agent, String why, long now) {
        if (trace != null) {
            trace.fenced(now);
        }
        keepers[agent].replace(why, now);
    }

    @Override
    public void starves(String what) {
        note(what);
    }

    @Override
    public void close() {
        for (AgentKeeper keeper : keepers) {
            keeper.close();
        }
    }
}
