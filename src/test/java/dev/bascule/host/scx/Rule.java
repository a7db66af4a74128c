package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.host.ThreadAgent;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.policy.FifoAgent;
import dev.bascule.registry.PolicySpec;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A host of the kernel's tasks with its agent, as a thread of the test's process or a process of its own. */
final class Rule implements AutoCloseable {
    private static final long SECOND = 1_000_000_000;
    private static final long NAP_NANOS = 50_000;

    final KernelHost host;
    final AgentSupervisor agent;
    private final ScratchFolder folder;
    private final Session session;

    private Rule(ScratchFolder folder, KernelHost host, AgentSupervisor agent, Session session) {
        this.folder = folder;
        this.host = host;
        this.agent = agent;
        this.session = session;
    }

    /** Options with which the kernel's side decides nothing unless something is wrong. */
    static KernelOptions strict(int cpus) {
        return new KernelOptions(IntStream.range(0, cpus).boxed().toList(), 1024, 5 * SECOND, 10 * SECOND, 12 * SECOND,
                false, false);
    }

    static Rule of(Supplier<? extends Agent> policy, String transport, KernelOptions options)
            throws InterruptedException {
        return of(policy, transport, options, 4096);
    }

    static Rule of(Supplier<? extends Agent> policy, String transport, KernelOptions options, int entries)
            throws InterruptedException {
        boolean isFar = far(transport) != null;
        return start(transport, options, entries, session -> new ThreadAgent(session, policy,
                () -> isFar ? IdleStrategy.spinThenPark(64, NAP_NANOS) : session.idle()));
    }

    static Rule fifo(KernelOptions options) throws InterruptedException {
        return of(FifoAgent::new, "on-host", options);
    }

    /** With an agent in a process of its own. */
    static Rule inProcess(PolicySpec policy, String transport, KernelOptions options) throws InterruptedException {
        return start(transport, options, 4096, session -> new AgentProcess(command(policy, session),
                session.directory().resolve("agent.log")));
    }

    Path directory() {
        return session.directory();
    }

    /** The words that start an agent of this host. */
    List<String> command(PolicySpec policy, String... more) {
        return command(policy, session, more);
    }

    private static List<String> command(PolicySpec policy, Session session, String... more) {
        List<String> words = new ArrayList<>(List.of("agent", "--child", "--attach", session.directory().toString(),
                "--transport", session.name()));
        words.addAll(policy.arguments());
        if (!(session.place() instanceof KernelPlace)) {
            words.addAll(List.of("--nap", "50us"));
        }
        words.addAll(List.of(more));
        return AgentProcess.ownCommand(flags(), words);
    }

    /** Flags of a JVM in the machine. */
    static List<String> flags() {
        List<String> flags = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xms32m", "-Xmx64m", "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1", "-Dbascule.agentFlags=-XX:TieredStopAtLevel=1"));
        String cache = System.getProperty("bascule.aot", "");
        if (!cache.isEmpty()) {
            flags.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off,cds*=off", "-Dbascule.aot=" + cache));
        }
        return flags;
    }

    private static Rule start(String transport, KernelOptions options, int entries,
            Function<Session, AgentSupervisor> supervisor) throws InterruptedException {
        ScratchFolder folder = Session.newRunDirectory();
        EnclaveShape shape = new EnclaveShape(options.cpus().size(), options.tasks(), 1, entries, 1);
        AtomicReference<AgentSupervisor> made = new AtomicReference<>();
        AtomicReference<Session> over = new AtomicReference<>();
        KernelHost host = KernelHost.start(folder.path(), far(transport), shape, options, session -> {
            over.set(session);
            made.set(supervisor.apply(session));
            return made.get();
        });
        Rule rule = new Rule(folder, host, made.get(), over.get());
        try {
            rule.awaitAgent();
            return rule;
        } catch (InterruptedException | AssertionError e) {
            rule.close(); // else it has the machine for all tests after this one
            throw e;
        }
    }

    void awaitAgent() throws InterruptedException {
        try {
            Work.await("an agent that is ready", host::isAgentReady);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; " + host.incidents() + " " + said(), e);
        }
    }

    /** Waits until so many more decisions of agents are in force, however many rounds threads do meanwhile. */
    void awaitDecisions(long more) throws InterruptedException {
        long before = host.counters().count(Outcome.COMPLETE);
        Work.await(more + " decisions of an agent; " + host.incidents(),
                () -> host.counters().count(Outcome.COMPLETE) >= before + more);
    }

    /** What agents in processes of their own have printed. */
    private String said() {
        try {
            return Files.readString(session.directory().resolve("agent.log"));
        } catch (IOException e) {
            return ""; // a thread of this process
        }
    }

    /** Gives the place of the agent to another policy's. */
    void upgrade(Supplier<? extends Agent> policy) throws InterruptedException {
        int before = host.upgrades().size();
        ((ThreadAgent) agent).upgrade(policy);
        Work.await("the upgrade; " + host.incidents(), () -> host.upgrades().size() > before && host.isAgentReady());
        assertThat(host.upgrades().getLast().failure()).isNull();
    }

    private static @Nullable Function<Path, Session> far(String transport) {
        return switch (transport) {
            case "wave" -> directory -> Session.wave(directory, LinkSetup.DEFAULT, false);
            case "swap" -> directory -> Session.swap(directory, LinkSetup.DEFAULT, false);
            default -> null;
        };
    }

    @Override
    public void close() {
        host.close();
        folder.close();
    }
}
