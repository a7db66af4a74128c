package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.wave.WaveProtocol;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.FakeVerbs;
import dev.bascule.rdma.FakeSysfs;
import dev.bascule.rdma.SlowStranger;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of two machines that reach each other by address, over fake verbs. */
class RdmaSessionTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(3, 12, 1, 64, 2);
    private static final Protocol WAVE = new WaveProtocol(WaveOptions.ALL);
    private static final Protocol SWAP = new SwapProtocol(SwapOptions.DEFAULT);

    @TempDir
    private Path folder = Path.of("");

    private final FakeVerbs verbs = FakeVerbs.beside(19);
    private Path sysfs = Path.of("");
    private Path secret = Path.of("");
    private String address = "";

    @BeforeEach
    void twoMachines() throws Exception {
        sysfs = FakeSysfs.roce(folder.resolve("sys"));
        secret = Files.writeString(folder.resolve("secret"), "known to both machines");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + free.getLocalPort();
        }
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertThat(verbs.open()).as("handles not given back").isZero();
        verbs.close();
    }

    private RdmaSetup setup(String name, String peer) {
        return new RdmaSetup("", 0, -1, 0, 30_000_000_000L, name, peer, secret.toString(), List.of(), "");
    }

    private Session session(String directory, Protocol ends, RdmaSetup setup) throws Exception {
        Path where = Files.createDirectories(folder.resolve(directory));
        MirrorPlace.assign(where, setup);
        return new Session(ends, new MirrorPlace(where, false, sysfs, () -> verbs, UnaryOperator.identity()));
    }

    private Session host(String directory, Protocol ends) throws Exception {
        return session(directory, ends, setup("host", "nic").withPeers(List.of(address)));
    }

    private Session agent(Protocol ends) throws Exception {
        return session("agent", ends, setup("nic", "host").withListen(address));
    }

    private static AgentEnd attach(Session session) {
        return attach(session, 0);
    }

    private static AgentEnd attach(Session session, int agent) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return session.attach(agent);
            } catch (AgentException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e; // as an agent that waits for its host does
                }
            }
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void aHostOnAnotherMachineGoesOnWithTheEpochsThatTheAgentKnows(String transport) throws Exception {
        Protocol ends = transport.equals(WaveProtocol.NAME) ? WAVE : SWAP;
        List<String> news = new CopyOnWriteArrayList<>();
        try (Session agents = agent(ends)) {
            Session first = host("first", ends);
            MechanismEnd end = first.openHost(SHAPE);
            for (int i = 0; i < 5; i++) {
                end.openEpoch(0);
            }
            AgentEnd old = attach(agents);
            old.ready();
            await("the agent to be ready", () -> end.isReady(0));
            int last = end.epoch();
            first.close(); // and its directory is gone with its machine
            await("the agent to notice", old::isFenced);
            Thread again = Thread.ofPlatform().start(() -> attach(agents));
            try (Session second = host("second", ends)) {
                ((MirrorPlace) second.place()).onNews(line -> {
                    LockSupport.parkNanos(50_000_000); // whoever waits for the takeover goes on after it is told
                    news.add(line);
                });
                MechanismEnd next = second.openHost(SHAPE);
                assertThat(news).anyMatch(line -> line.startsWith("read the region of a former host from nic"));
                assertThat(next.epoch()).isGreaterThan(last);
                again.join();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({ "wave, 1", "wave, 2", "wave, 4", "swap, 4" })
    void theLastOfSeveralAgentsLearnsThatItsHostWasKilled(String transport, int several) throws Exception {
        Protocol ends = transport.equals(WaveProtocol.NAME) ? WAVE : SWAP;
        try (Session host = host("host", ends); Session agents = agent(ends)) {
            host.openHost(new EnclaveShape(4, 12, several, 64, 2));
            AgentEnd last = attach(agents, several - 1);
            assertThat(last.isFenced()).isFalse();
            verbs.cut(true); // nothing that the host says at its end arrives
            host.close();
            await("the agent to notice", last::isFenced);
            verbs.cut(false);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void strangersAtAnAgentsDoorKeepNoHostAway(int strangers) throws Exception {
        try (Session agents = agent(WAVE)) {
            CompletableFuture<AgentEnd> agent = CompletableFuture.supplyAsync(() -> attach(agents));
            List<SlowStranger> held = new ArrayList<>();
            for (int i = 0; i < strangers; i++) {
                held.add(new SlowStranger(knock()));
            }
            try (Session host = host("host", WAVE)) {
                MechanismEnd end = host.openHost(SHAPE);
                agent.get(60, TimeUnit.SECONDS).ready();
                await("the agent to be ready", () -> end.isReady(0));
            }
            for (SlowStranger stranger : held) {
                stranger.close();
            }
        }
    }

    private Socket knock() throws InterruptedException {
        Socket[] knocked = new Socket[1];
        await("the agent to listen", () -> {
            try {
                knocked[0] = new Socket();
                knocked[0].connect(RdmaSetup.address(address));
                return true;
            } catch (IOException e) {
                return false;
            }
        });
        return knocked[0];
    }

    @Test
    void anAgentTakesTheTransportOfItsHostIfItIsAsked() throws Exception {
        try (Session agents = session("agent", WAVE, setup("nic", "host").withListen(address));
                Session any = Session.any(new MirrorPlace(agents.directory(), false, sysfs, () -> verbs,
                        UnaryOperator.identity()));
                Session host = host("host", SWAP)) {
            MechanismEnd end = host.openHost(SHAPE);
            assertThatThrownBy(() -> agents.attach(0)).isInstanceOfAny(AgentException.class, DeviceException.class)
                    .satisfiesAnyOf(e -> assertThat(e).hasMessageContaining("--transport swap"),
                            e -> assertThat(e).hasMessageContaining("hung up"),
                            e -> assertThat(e).hasMessageContaining("no host has called"));
            AgentEnd agent = attach(any);
            agent.ready();
            await("the agent to be ready", () -> end.isReady(0));
        }
    }

    @Test
    void aLostConnectionIsTheEndOfTheAgentThatHadItAndOfNoOther() throws Exception {
        try (Session host = host("host", WAVE)) {
            MechanismEnd end = host.openHost(SHAPE);
            AgentSupervisor supervisor = ((MirrorPlace) host.place()).linkedAgent(0);
            supervisor.start();
            try (Session agents = agent(WAVE)) {
                attach(agents).ready();
                await("the agent to be ready", () -> end.isReady(0));
                assertThat(supervisor.hasExited()).isFalse();
            }
            await("the loss to be known", supervisor::hasExited);
            assertThat(supervisor.exitReport()).startsWith("lost the link with nic");
            end.openEpoch(0);
            supervisor.start();
            assertThat(supervisor.hasExited()).isFalse();
            try (Session agents = agent(WAVE)) {
                AgentEnd second = attach(agents);
                assertThat(second.epoch()).isEqualTo(2);
                assertThat(supervisor.hasExited()).isFalse();
            }
        }
    }

    @Test
    void anAgentThatLeavesSaysSoBeforeItsConnectionEnds() throws Exception {
        try (Session host = host("host", WAVE)) {
            MechanismEnd end = host.openHost(SHAPE);
            try (Session agents = agent(WAVE)) {
                AgentEnd agent = attach(agents);
                agent.ready();
                agent.leave();
            }
            await("the host to hear of it", () -> end.hasLeft(0));
        }
    }

    @Test
    void anAgentListensAtTheAddressThatIsNamedAndAtNoOther() throws Exception {
        String port = "%04X".formatted(RdmaSetup.address(address).getPort());
        try (Session agents = agent(WAVE)) {
            Thread waiting = Thread.ofPlatform().start(() -> attach(agents));
            await("the agent to listen", () -> !listeners(port).isEmpty());
            assertThat(listeners(port)).allMatch(local -> local.endsWith("0100007F:" + port));
            try (Session host = host("host", WAVE)) {
                host.openHost(SHAPE);
                waiting.join();
                assertThat(listeners(port)).as("with its host, it listens no more").isEmpty();
            }
        }
    }

    /** Local addresses, as the kernel writes them, at which a port is listened at. */
    private static List<String> listeners(String port) {
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6").flatMap(table -> {
            try {
                return Files.readAllLines(Path.of(table)).stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }).map(line -> line.strip().split("\\s+"))
                .filter(words -> words[3].equals("0A") && words[1].endsWith(":" + port))
                .map(words -> words[1]).toList();
    }

    @Test
    void theOneWordModeIsRefusedWithTheReason() throws Exception {
        try (Session host = host("host", new SwapProtocol(SwapOptions.DEFAULT.withMode(SwapMode.ONE_WORD)))) {
            assertThatThrownBy(() -> host.openHost(SHAPE)).isInstanceOf(AgentException.class)
                    .hasMessageContaining("an adapter's atomic operation");
        }
    }

    @Test
    void twoHostsOfOneDirectoryAndAHandOverAreRefused() throws Exception {
        try (Session host = host("host", WAVE)) {
            host.openHost(SHAPE);
            Session other = host("host", WAVE);
            assertThatThrownBy(() -> other.openHost(SHAPE)).isInstanceOf(AgentException.class)
                    .hasMessageContaining("another host process is using it");
            assertThatThrownBy(() -> other.succeed(0)).hasMessageContaining("over RDMA");
        }
    }

    @Test
    void addressesAreReadWithAndWithoutAPort() {
        assertThat(RdmaSetup.address("10.9.0.2").getPort()).isEqualTo(RdmaSetup.DEFAULT_PORT);
        assertThat(RdmaSetup.address("10.9.0.2:99").getPort()).isEqualTo(99);
        assertThat(RdmaSetup.address("[::1]:99").getPort()).isEqualTo(99);
        assertThat(RdmaSetup.address("::1").getPort()).isEqualTo(RdmaSetup.DEFAULT_PORT);
        for (String wrong : List.of("10.9.0.2:x", "10.9.0.2:70000", "no such host.")) {
            assertThatThrownBy(() -> RdmaSetup.address(wrong)).as(wrong).isInstanceOf(DeviceException.class);
        }
    }
}
