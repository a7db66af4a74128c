package dev.bascule.run;

import dev.bascule.agent.Agent;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.ExternalAgent;
import dev.bascule.host.LiveHost;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.Session;
import dev.bascule.host.ThreadAgent;
import dev.bascule.registry.PolicySpec;
import dev.bascule.ring.IdleStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a run over one transport: who looks after each, and what the plan wants to happen to them. Thread rule: the
 * run's thread; {@link #upgrade} and what is scheduled by one each.
 */
public final class RunAgents {
    /** Empty rounds of an agent before it yields its core: some ten microseconds. */
    public static final int SPINS = 256;

    private final RunPlan plan;
    private final Session session;
    private final PolicySpec policy;
    private final Progress progress;
    private final List<AgentSupervisor> all;
    private final AtomicInteger upgrades = new AtomicInteger();

    private RunAgents(RunPlan plan, Session session, PolicySpec policy, Progress progress, boolean isNone) {
        this.plan = plan;
        this.session = session;
        this.policy = policy;
        this.progress = progress;
        all = isNone
                ? List.of(new ExternalAgent()) // and nobody ever starts one
                : IntStream.range(0, plan.agent().count()).mapToObj(this::supervisor).toList();
    }

    /** Makes a policy's agents; an unknown name or option of a policy that ships is a {@link Misuse}. */
    public static Supplier<Agent> checked(PolicySpec spec) {
        return spec.isOwn() ? spec.factory() : Misuse.reading("--policy " + spec.name(), spec::factory);
    }

    /** As the plan says, each with the policy. */
    static RunAgents of(RunPlan plan, Session session, PolicySpec policy, Progress progress) {
        return new RunAgents(plan, session, policy, progress, false);
    }

    /** Of a host that decides by itself: one that never comes. */
    static RunAgents none(RunPlan plan, Session session, PolicySpec policy, Progress progress) {
        return new RunAgents(plan, session, policy, progress, true);
    }

    private AgentSupervisor supervisor(int number) {
        String card = plan.region().place().agentDevice();
        boolean isReference = plan.region().place().isAway() && AgentStart.isOnHost(session); // needs no other cores
        if (plan.agent().place() == RunPlan.AgentPlace.EXTERNAL && !isReference) {
            if (session.place() instanceof MirrorPlace linked) {
                progress.say(
                        "waiting for: bascule agent --link rdma --listen ADDRESS --transport any" + numbered(number)
                                + " --stay, at " + String.join(" or ", plan.region().place().peers()));
                return linked.linkedAgent(number);
            }
            String where = card == null ? "--attach " + session.directory() : "--device " + card;
            progress.say("waiting for: bascule agent " + where + " --transport " + session.name() + numbered(number)
                    + " --stay" + (card == null ? "" : ", where the card's cores are"));
            return new ExternalAgent();
        }
        if (plan.agent().place() == RunPlan.AgentPlace.THREAD) {
            return new ThreadAgent(session, number, policy.factory(),
                    () -> IdleStrategy.spinThenYield(SPINS));
        }
        return new AgentProcess(command(number, policy.arguments()),
                session.directory().resolve(AgentLog.file(number)));
    }

    private String numbered(int number) {
        return plan.agent().count() == 1 ? "" : " --agent " + number;
    }

    private List<String> command(int number, List<String> words, String... more) {
        List<String> last = new ArrayList<>(List.of(more));
        if (plan.agent().count() > 1) {
            last.addAll(List.of("--agent", Integer.toString(number)));
        }
        List<String> flags = JvmFlags.forAgent();
        flags.add(GcLog.flag(session.directory(), number));
        int core = plan.host().pin()
                ? Cores.forAgent(number, plan.agent().count(), plan.host().carriers())
                : -1;
        return new AgentStart(plan.agent().by(), plan.region().place().agentDevice(), core).command(session, words,
                flags, last.toArray(String[]::new));
    }

    /** One for each agent, by its number. */
    List<AgentSupervisor> supervisors() {
        return all;
    }

    /** The first, if it is a process. */
    @Nullable
    AgentProcess firstProcess() {
        return all.getFirst() instanceof AgentProcess process ? process : null;
    }

    /** Starts a successor of each, with the words that name its policy. */
    void upgrade(List<String> words) {
        for (int number = 0; number < all.size(); number++) {
            if (!(all.get(number) instanceof AgentProcess process)) {
                throw new Failure(all.get(number) instanceof ThreadAgent
                        ? "the agent is a thread of the host's process; leave --in-process out of bascule run"
                        : "the agent was started by hand; start the new one beside it: bascule agent --attach "
                                + session.directory() + " --transport " + session.name() + numbered(number) + " "
                                + String.join(" ", words) + " --take-over");
            }
            process.upgrade(command(number, words, "--take-over"), command(number, words));
        }
    }

    /** Has the plan's upgrades done. */
    void schedule(ScheduledExecutorService executor, LiveHost host) {
        RunPlan.Agent what = plan.agent();
        if (what.upgradeNanos() > 0 && what.upgradeEveryNanos() > 0) {
            executor.scheduleWithFixedDelay(() -> upgradeAsPlanned(host), what.upgradeNanos(),
                    what.upgradeEveryNanos(), TimeUnit.NANOSECONDS);
        } else if (what.upgradeNanos() > 0) {
            executor.schedule(() -> upgradeAsPlanned(host), what.upgradeNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void upgradeAsPlanned(LiveHost host) {
        if (all.stream().anyMatch(AgentSupervisor::isUpgrading) || host.upgrades().size() < upgrades.get()) {
            return; // the next time
        }
        if (upgrades.get() == 0) {
            progress.say(session.name() + ": upgrading the agent" + (all.size() == 1 ? "" : "s"));
        }
        try {
            if (all.getFirst() instanceof ThreadAgent) {
                all.forEach(thread -> ((ThreadAgent) thread).upgrade(policy.factory()));
            } else {
                upgrade(policy.arguments());
            }
            upgrades.addAndGet(all.size());
        } catch (RuntimeException e) {
            progress.say(session.name() + ": not upgraded: " + e.getMessage());
        }
    }

    /** Upgrades of single agents that the plan's have begun. */
    int upgradesBegun() {
        return upgrades.get();
    }

    /** Remarks on the policy's use of memory, of each agent that is a process. */
    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        for (int number = 0; number < all.size(); number++) {
            if (all.get(number) instanceof AgentProcess) {
                String who = all.size() == 1 ? "" : "agent " + number + ": ";
                GcLog.remarks(session.directory(), number).forEach(remark -> remarks.add(who + remark));
            }
        }
        return remarks;
    }

    /** CPU time of all that are processes, s. */
    double cpuSeconds() {
        return all.stream().mapToDouble(one -> one instanceof AgentProcess process ? process.cpuSeconds() : 0).sum();
    }

    /** Memory of all that are processes. */
    long residentBytes() {
        return all.stream().mapToLong(
                one -> one instanceof AgentProcess process ? ProcessUse.residentBytes(process.pid()) : 0).sum();
    }
}
