package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.region.Protocol;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.junit.ByTurns;
import dev.bascule.local.LocalProtocol;
import dev.bascule.swap.SwapMode;
import dev.bascule.wave.WaveProtocol;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The host of the experiments, with real agents. */
@Tag("process")
class SoloHostTest {
    private static final long LONG_NANOS = 60_000_000_000L;
    /** Longer than the patience with an agent that is still cold: 25 hard limits of 20 ms, doubled up to 8 times. */
    private static final long STOP_NANOS = 20_000_000_000L;

    private static final int NOBODY = -1;
    private static final int NEXT = -2;

    private static Session session(String name, Path directory) {
        return switch (name) {
            case WaveProtocol.NAME -> Session.wave(directory, LinkSetup.DEFAULT, false);
            case LocalProtocol.NAME -> Session.onHost(directory, false);
            default -> Session.swap(directory, LinkSetup.DEFAULT.withMode(SwapMode.of(name)), false);
        };
    }

    private static Bench bench() {
        return new Bench(List.of(LocalProtocol.NAME, WaveProtocol.NAME), SoloHostTest::session,
                (session, collecting) -> new AgentProcess(AgentProcess.ownCommand(
                        List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1"),
                        List.of("agent", "--child", "--attach", session.directory().toString(), "--transport",
                                session.name())),
                        session.directory().resolve("agent.log")),
                what -> {}, true, 1, 200_000, 20_000_000, 64, 1, -1);
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void agentsAreKilledAndStoppedWhileTasksComeAndGoAndNoneIsLost(String transport) throws InterruptedException {
        try (Testbed bed = Testbed.open(bench(), transport, 2, false)) {
            SoloHost host = bed.host();
            SoloLoad load = new SoloLoad(16, 20_000, 2_000, true);
            SoloFigures figures = host.run(load, LONG_NANOS,
                    () -> host.figures().committed() > 100 && host.figures().changes > 0);
            assertThat(figures.committed()).isGreaterThan(100);
            assertThat(figures.changes).isPositive();
            inflict(host, load, () -> host.trace().kill(host.agentProcessId(), System.nanoTime()));
            assertThat(host.trace().fencedNanos()).isPositive();
            assertThat(host.trace().recoveredNanos()).isGreaterThan(host.trace().fencedNanos());
            settled(host, load);
            inflict(host, load,
                    () -> host.trace().pause(host.agentProcessId(), System.nanoTime(), STOP_NANOS));
            assertThat(host.trace().why()).as("a stopped agent does not exit").contains("hard limit");
            assertThat(host.trace().locals()).isPositive();
            settled(host, load);
            SoloFigures idle = host.run(SoloLoad.IDLE, 20_000_000);
            assertThat(idle.committed()).isZero();
        }
    }

    /** No soft window runs out, so that no decision of the host itself finds the task again. */
    private static Bench patient(BiFunction<String, Path, Session> sessions,
            BiFunction<Session, Boolean, AgentSupervisor> agents) {
        return new Bench(List.of(), sessions, agents, what -> {}, true, 1, LONG_NANOS, 2 * LONG_NANOS, 64, 1, -1);
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME })
    void aTaskThatTheAgentForgetsIsLostByTheLoadsCount(String transport) throws Exception {
        AtomicReference<Path> directory = new AtomicReference<>(Path.of(""));
        Bench bench = patient(SoloHostTest::session, (session, collecting) -> {
            List<String> command = new ArrayList<>(AgentProcess.ownCommand(
                    List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1"), List.of()));
            command.removeLast();
            directory.set(session.directory());
            command.addAll(List.of(ForgetfulAgentMain.class.getName(), session.name(),
                    session.directory().toString()));
            return new AgentProcess(command, session.directory().resolve("agent.log"));
        });
        oneIsLost(bench, transport, () -> Files.createFile(directory.get().resolve(ForgetfulAgentMain.SIGN)));
    }

    @ByTurns(of = 4)
    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, "swap0", "swap1" })
    void aTaskOfWhichTheTransportTellsNothingIsLostByTheLoadsCount(String transport) throws Exception {
        AtomicInteger victim = new AtomicInteger(NOBODY);
        oneIsLost(patient((name, directory) -> {
            Session own = session(name, directory);
            return new Session(wrapped(Protocol.class, own.protocol(), (protocol, method, arguments) -> {
                Object result = method.invoke(protocol, arguments);
                return method.getName().equals("host")
                        ? wrapped(MechanismEnd.class, (MechanismEnd) result, (end, call, values) -> call.getName()
                                .equals("post") && isHit(victim, (Message) values[1])
                                        ? true
                                        : call.invoke(end, values))
                        : result;
            }), own.place());
        }, bench().agents()), transport, () -> {
            victim.set(NEXT);
            return null;
        });
    }

    private static boolean isHit(AtomicInteger victim, Message message) {
        if (message.type() == MessageType.TASK_YIELD) {
            victim.compareAndSet(NEXT, message.task());
        }
        return message.task() == victim.get();
    }

    /** Calls of an interface, with the object behind it. */
    @FunctionalInterface
    private interface Calls<T> {
        Object take(T target, Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T wrapped(Class<T> type, T target, Calls<T> calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (proxy, method, arguments) -> calls.take(target, method, arguments)));
    }

    private static void oneIsLost(Bench bench, String transport, Callable<?> fault) throws Exception {
        try (Testbed bed = Testbed.open(bench, transport, 1, false)) {
            SoloLoad load = new SoloLoad(8, 10_000, 0, true);
            settled(bed.host(), load);
            fault.call();
            bed.host().run(load, LONG_NANOS, () -> bed.host().figures().committed() > 2_000);
            bed.host().settleAccounts(load);
            assertThat(bed.host().ledger().lost()).isEqualTo(1);
            bed.host().settleAccounts(load);
            assertThat(bed.host().ledger().lost()).as("counted once").isEqualTo(1);
        }
    }

    private static void settled(SoloHost host, SoloLoad load) throws InterruptedException {
        host.settleAccounts(load);
        assertThat(host.ledger().lost()).isZero();
        assertThat(host.ledger().unasked()).isZero();
    }

    /** Set again as long as the agent was being replaced for another reason at that moment. */
    private static void inflict(SoloHost host, SoloLoad load, Runnable fault) throws InterruptedException {
        do {
            host.run(load, LONG_NANOS, host::isAgentWarm);
            fault.run();
            host.run(load, LONG_NANOS, () -> host.trace().isSpoiled() || host.trace().isRecovered());
        } while (host.trace().isSpoiled());
    }
}
