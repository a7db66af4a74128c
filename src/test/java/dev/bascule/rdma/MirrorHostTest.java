package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.FakeVerbs;
import dev.bascule.memory.Window;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may connect to whom, and what a host finds of a former one. */
class MirrorHostTest {
    private static final byte[] OTHER = "the secret of others".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private MirrorPair pair;

    @BeforeEach
    void open() {
        pair = new MirrorPair(FakeVerbs.beside(19), folder);
    }

    @AfterEach
    void close() {
        pair.close();
        assertThat(pair.verbs.open()).as("handles not given back").isZero();
    }

    /** An agent with these words, which the host calls; what it throws. */
    private void refused(Credentials credentials, String transport, int number, String why) throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            pair.peer(listener);
            Socket socket = listener.accept();
            assertThatThrownBy(() -> MirrorAgent.answer(pair.verbs,
                    pair.agentSetup(credentials, transport, number), socket, folder.resolve("agent.mem"), nic -> {}))
                    .hasMessageContaining(why);
        }
        assertThat(pair.host.links()).isZero();
        assertThat(folder.resolve("agent.mem")).as("a copy that nobody needs").doesNotExist();
    }

    @Test
    void whoDoesNotKnowTheSecretIsRefusedByBoth() throws Exception {
        refused(new Credentials("nic", "host", OTHER), "wave", 0, "does not know the secret");
    }

    @Test
    void whoHasAnotherNameIsRefused() throws Exception {
        refused(new Credentials("nic", "another", MirrorPair.SECRET), "wave", 0,
                "its name is 'host', expected is 'another'");
        try (ServerSocket listener = MirrorPair.listen()) {
            pair.peer(listener);
            Socket socket = listener.accept();
            assertThatThrownBy(() -> MirrorAgent.answer(pair.verbs,
                    pair.agentSetup(new Credentials("nobody", "host", MirrorPair.SECRET), "wave", 0), socket,
                    folder.resolve("agent.mem"), nic -> {})).isInstanceOf(Exception.class);
        }
        MirrorPair.await("the host to say it", () -> pair.said.stream()
                .anyMatch(line -> line.contains("its name is 'nobody', expected is 'nic'")));
    }

    @Test
    void anAgentOfAnotherTransportIsToldWhichOne() throws Exception {
        refused(new Credentials("nic", "host", MirrorPair.SECRET), "swap", 0, "start the agent with --transport wave");
    }

    @Test
    void anAgentThatTheRegionHasNoPlaceForIsToldHowManyThereAre() throws Exception {
        for (int number : new int[] { -1, MirrorPair.AGENTS, Integer.MAX_VALUE }) {
            refused(new Credentials("nic", "host", MirrorPair.SECRET), "wave", number, "this region is for 4 agents");
        }
    }

    @Test
    void whatListensThereAndIsNoAgentIsNamed() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            pair.peer(listener);
            try (Socket socket = listener.accept()) {
                new DataOutputStream(socket.getOutputStream()).writeUTF("220 smtp.example ready, what do you want?");
                MirrorPair.await("the host to say it",
                        () -> pair.said.stream().anyMatch(line -> line.contains("speaks another protocol")));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void aStrangerWhoSaysAByteNowAndThenKeepsNobody(int strangers) throws Exception {
        List<ServerSocket> silent = new ArrayList<>();
        List<SlowStranger> held = new ArrayList<>();
        try {
            for (int i = 0; i < strangers; i++) {
                silent.add(MirrorPair.listen());
                pair.peer(silent.getLast());
                held.add(new SlowStranger(silent.getLast().accept()));
            }
            MirrorAgent agent = pair.agent("agent.mem", () -> {});
            MirrorPair.await("the agent beside them to be linked", () -> pair.host.links() == 1);
            agent.close();
        } finally {
            for (SlowStranger stranger : held) {
                stranger.close();
            }
            for (ServerSocket listener : silent) {
                listener.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void strangersKeepNoFormerHostsRegionAway(int strangers) throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            fill(pair.host.windows().nic(), MirrorPair.SIZES.nicBytes(), 5);
            pair.agent(listener, "agent.mem", () -> {}).close();
            pair.host.close();
            List<ServerSocket> doors = new ArrayList<>();
            List<SlowStranger> held = new ArrayList<>();
            List<InetSocketAddress> peers = new ArrayList<>();
            for (int i = 0; i < strangers; i++) {
                doors.add(MirrorPair.listen());
                peers.add((InetSocketAddress) doors.getLast().getLocalSocketAddress());
            }
            peers.add((InetSocketAddress) listener.getLocalSocketAddress());
            MirrorHost next = another("next.mem", MirrorPair.SIZES);
            try {
                FutureTask<Boolean> taken = new FutureTask<>(() -> next.takeOver(peers));
                Thread.ofPlatform().start(taken);
                for (ServerSocket door : doors) {
                    held.add(new SlowStranger(door.accept())); // all are called before any has been answered
                }
                Thread agent = Thread.ofPlatform().start(() -> answerAll(listener));
                assertThat(taken.get()).isTrue();
                listener.close();
                agent.join();
            } finally {
                next.close();
                for (int i = 0; i < held.size(); i++) {
                    held.get(i).close();
                    doors.get(i).close();
                }
            }
        }
    }

    /** An agent that the former host may still have called, before the next. */
    private void answerAll(ServerSocket listener) {
        while (!listener.isClosed()) {
            assertThatThrownBy(() -> pair.answer(listener, "agent.mem", () -> {})).isInstanceOf(Exception.class);
        }
    }

    @Test
    void theWholeGreetingHasOneDeadline() throws Exception {
        try (ServerSocket listener = MirrorPair.listen(); Socket there = new Socket()) {
            there.connect(listener.getLocalSocketAddress());
            try (Socket here = listener.accept()) {
                TimedInput timed = new TimedInput(here);
                timed.begin(300);
                Thread drip = Thread.ofPlatform().daemon().start(() -> {
                    try {
                        while (true) {
                            there.getOutputStream().write(1);
                            LockSupport.parkNanos(20_000_000);
                        }
                    } catch (IOException e) {
                        // closed there
                    }
                });
                assertThatThrownBy(() -> timed.readNBytes(1 << 20)).isInstanceOf(SocketTimeoutException.class)
                        .hasMessageContaining("all that was due within 300 ms");
                here.close();
                drip.join();
            }
        }
    }

    @Test
    void aNameIsNotReadFromWhoDoesNotKnowTheSecret() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            pair.peer(listener);
            try (Socket socket = listener.accept()) {
                DataOutputStream raw = new DataOutputStream(socket.getOutputStream());
                raw.writeLong(0x4241_5343_5244_4d41L);
                raw.writeInt(3);
                raw.write(new byte[32]);
                raw.writeInt(1 + 256);
                MirrorPair.await("the host to say it",
                        () -> pair.said.stream().anyMatch(line -> line.contains("sent a frame of 257 bytes")));
            }
        }
    }

    @Test
    void aHostGoesOnWhateverItsDeviceOrItsListOfAgentsDoes() throws Exception {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        List<String> said = new CopyOnWriteArrayList<>();
        try (ServerSocket listener = MirrorPair.listen();
                MirrorHost host = new MirrorHost(pair.verbs, new MirrorHost.Setup(pair.sysfs, MirrorPair.PATIENT,
                        new Credentials("host", "nic", MirrorPair.SECRET), "wave", 2, said::add),
                        folder.resolve("going-on.mem"), MirrorPair.SIZES, cpu -> {})) {
            host.serve(() -> {
                if (isBroken.get()) {
                    throw new IllegalStateException("a stray file");
                }
                return List.of((InetSocketAddress) listener.getLocalSocketAddress());
            }, refused -> {});
            MirrorPair.await("the host to say it", () -> said.stream().anyMatch(line -> line.contains("a stray file")));
            isBroken.set(false);
            pair.verbs.inlineBytes(32);
            Socket first = listener.accept();
            int open = pair.verbs.open();
            assertThatThrownBy(() -> pair.answer(first, "agent.mem")).hasMessageContaining("carries only 32 bytes");
            MirrorPair.await("the host to say it", () -> said.stream().anyMatch(line -> line.contains("32 bytes")));
            assertThat(pair.verbs.open()).as("handles of links that could not be made").isLessThanOrEqualTo(open);
            pair.verbs.inlineBytes(256);
            try (MirrorAgent agent = pair.answer(listener, "agent.mem", () -> {})) {
                MirrorPair.await("the link", () -> host.links() == 1);
                assertThat(agent.host()).isEqualTo("host");
            }
        }
    }

    @Test
    void aFrameThatWasChangedOnItsWayIsNoneOfThePeers() throws Exception {
        try (ServerSocket listener = MirrorPair.listen(); Socket there = new Socket()) {
            there.connect(new InetSocketAddress("127.0.0.1", listener.getLocalPort()));
            Socket here = listener.accept();
            Credentials agent = new Credentials("nic", "", MirrorPair.SECRET);
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    Exchange exchange = new Exchange(there, new Credentials("host", "", MirrorPair.SECRET), true);
                    exchange.send(Frames.OFFER, to -> to.writeUTF("good"));
                    DataOutputStream raw = new DataOutputStream(there.getOutputStream());
                    raw.writeInt(3);
                    raw.write(new byte[3 + 32]);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (Exchange exchange = new Exchange(here, agent, false)) {
                assertThat(exchange.peer()).isEqualTo("host");
                assertThat(exchange.expect(Frames.OFFER).readUTF()).isEqualTo("good");
                assertThatThrownBy(() -> exchange.receive(10_000)).isInstanceOf(DeviceException.class)
                        .hasMessageContaining("does not know the secret");
            }
            other.join();
        }
    }

    @Test
    void aSecretThatOthersMayReadOrThatIsTooShortIsRefused() throws Exception {
        Path file = folder.resolve("secret");
        assertThatThrownBy(() -> Credentials.read("a", "b", file)).hasMessageContaining("umask 077");
        Files.writeString(file, "short\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> Credentials.read("a", "b", file)).hasMessageContaining("it has 5 bytes");
        Files.writeString(file, "  0123456789abcdef\n");
        assertThat(Credentials.read("a", "b", file))
                .isEqualTo(new Credentials("a", "b", "0123456789abcdef".getBytes(StandardCharsets.UTF_8)));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> Credentials.read("a", "b", file)).hasMessageContaining("chmod 600");
    }

    @Test
    void aHostWithoutACopyReadsTheOneThatAnAgentKeptOfAFormerHost() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            MirrorHost.Windows windows = pair.host.windows();
            windows.nic().storeRelease(4096, 77);
            windows.hostMemory().storeRelease(8, 78);
            windows.hostMemory().storeRelease(MirrorPair.SIZES.sharedBytes(), 79); // the host's own
            windows.nic().writeFence();
            try (MirrorAgent agent = pair.agent(listener, "agent.mem", () -> {})) {
                agent.nicMemory().storeRelease(4160, 80);
                agent.nicMemory().writeFence();
                MirrorPair.awaitWord(windows.nic(), 4160, 80);
            }
            pair.host.close(); // with its machine
            MirrorHost next = new MirrorHost(pair.verbs, pair.hostSetup(new Credentials("host", "nic",
                    MirrorPair.SECRET)), folder.resolve("next.mem"), MirrorPair.SIZES, cpu -> {});
            try {
                assertThat(next.isNew()).isTrue();
                Thread agent = Thread.ofPlatform().start(() -> {
                    try {
                        assertThatThrownBy(() -> pair.answer(listener, "agent.mem", () -> {}))
                                .as("the host hangs up when it has read").isInstanceOf(Exception.class);
                    } catch (RuntimeException e) {
                        throw new AssertionError(e);
                    }
                });
                InetSocketAddress nobody = new InetSocketAddress("127.0.0.1", closedPort());
                assertThat(next.takeOver(List.of(nobody,
                        (InetSocketAddress) listener.getLocalSocketAddress()))).isTrue();
                agent.join();
                MirrorHost.Windows found = next.windows();
                assertThat(found.nic().loadAcquire(4096)).isEqualTo(77);
                assertThat(found.nic().loadAcquire(4160)).isEqualTo(80);
                assertThat(found.hostMemory().loadAcquire(8)).isEqualTo(78);
                assertThat(found.hostMemory().loadAcquire(MirrorPair.SIZES.sharedBytes())).isZero();
                next.serve(() -> List.of((InetSocketAddress) listener.getLocalSocketAddress()), refused -> {});
                try (MirrorAgent again = pair.answer(listener, "agent.mem", () -> {})) {
                    Window nic = again.nicMemory();
                    assertThat(nic.loadAcquire(4096)).isEqualTo(77);
                }
            } finally {
                next.close();
            }
        }
    }

    private MirrorHost another(String file, MirrorHost.Sizes sizes) {
        return new MirrorHost(pair.verbs, pair.hostSetup(new Credentials("host", "nic", MirrorPair.SECRET)),
                folder.resolve(file), sizes, cpu -> {});
    }

    private static void fill(Window window, long bytes, long epoch) {
        for (long offset = 0; offset < bytes; offset += 8) {
            window.storeRelease(offset, epoch << 32 | offset);
        }
        window.writeFence();
    }

    /** Words of the window that are not of this epoch. */
    private static long others(Window window, long bytes, long epoch) {
        long others = 0;
        for (long offset = 0; offset < bytes; offset += 8) {
            others += window.loadAcquire(offset) == (epoch << 32 | offset) ? 0 : 1;
        }
        return others;
    }

    /** An agent that never gets the host's copy whole. */
    /** An agent on which its host hangs up. Whom a former host has left in the line is turned away before. */
    private CompletableFuture<Void> hungUpOn(ServerSocket listener) throws IOException {
        listener.setSoTimeout(1);
        try {
            while (true) {
                listener.accept().close();
            }
        } catch (SocketTimeoutException e) {
            listener.setSoTimeout(0); // nobody is left
        }
        return CompletableFuture.runAsync(() -> assertThatThrownBy(
                () -> pair.answer(listener, "agent.mem", () -> {})).isInstanceOf(Exception.class));
    }

    @Test
    void aHostThatDiesWhileItFillsAnAgentsCopyLeavesTheFormerOneWhole() throws Exception {
        long nicBytes = MirrorPair.SIZES.nicBytes();
        try (ServerSocket listener = MirrorPair.listen()) {
            List<InetSocketAddress> at = List.of((InetSocketAddress) listener.getLocalSocketAddress());
            fill(pair.host.windows().nic(), nicBytes, 5);
            pair.agent(listener, "agent.mem", () -> {}).close();
            pair.host.close();
            MirrorHost dying = another("dying.mem", MirrorPair.SIZES);
            try {
                fill(dying.windows().nic(), nicBytes, 6);
                pair.verbs.cutAfter(nicBytes / 8 / 2);
                dying.serve(() -> at, refused -> {});
                assertThatThrownBy(() -> pair.answer(listener, "agent.mem", () -> {}))
                        .as("the host has gone").isInstanceOf(Exception.class);
            } finally {
                dying.close();
            }
            pair.verbs.cut(false);
            MirrorHost next = another("next.mem", MirrorPair.SIZES);
            try {
                CompletableFuture<Void> agent = hungUpOn(listener);
                assertThat(next.takeOver(at)).isTrue();
                agent.join();
                assertThat(others(next.windows().nic(), nicBytes, 5)).as("words that are not the former host's")
                        .isZero();
            } finally {
                next.close();
            }
        }
        assertThat(folder.resolve("agent.mem.new")).as("a copy that nobody filled").doesNotExist();
    }

    @Test
    void whatAKilledAgentLeftOfACopyIsInNobodysWay() throws Exception {
        Path left = Files.writeString(folder.resolve("agent.mem.new"), "half a copy");
        fill(pair.host.windows().nic(), MirrorPair.SIZES.nicBytes(), 5);
        try (ServerSocket listener = MirrorPair.listen();
                MirrorAgent agent = pair.agent(listener, "agent.mem", () -> {})) {
            assertThat(others(agent.nicMemory(), MirrorPair.SIZES.nicBytes(), 5)).isZero();
            assertThat(left).doesNotExist();
        }
    }

    @Test
    void aHostThatReadsACopyHalfGoesOnWithoutIt() throws Exception {
        MirrorHost.Sizes large = new MirrorHost.Sizes(40 * 4096, 4096, 4096, 8); // not in one READ
        MirrorHost former = another("former.mem", large);
        MirrorHost next = another("next.mem", large);
        try (ServerSocket listener = MirrorPair.listen()) {
            List<InetSocketAddress> at = List.of((InetSocketAddress) listener.getLocalSocketAddress());
            fill(former.windows().nic(), large.nicBytes(), 5);
            former.serve(() -> at, refused -> {});
            pair.answer(listener, "agent.mem", () -> {}).close();
            former.close();
            CompletableFuture<Void> agent = hungUpOn(listener);
            pair.verbs.cutAfter(8192);
            assertThat(next.takeOver(at)).isFalse();
            agent.join();
            pair.verbs.cut(false);
            Window nic = next.windows().nic();
            for (long offset = 0; offset < large.nicBytes(); offset += 8) {
                assertThat(nic.loadAcquire(offset)).isZero();
            }
            assertThat(pair.said).anyMatch(line -> line.startsWith("no region of a former host from ")
                    && line.contains("its copy came only in part"));
        } finally {
            next.close();
            former.close();
        }
    }

    @Test
    void anAgentsNewConnectionCountsItsOwnBells() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            try (MirrorAgent agent = pair.agent(listener, "agent.mem", () -> {})) {
                agent.ring(1);
                MirrorPair.await("the host to say that it has heard", () -> heard() == 1);
            }
            try (MirrorAgent again = pair.answer(listener, "agent.mem", () -> {})) {
                assertThat(heard()).as("bells heard of this connection's, before any was rung").isZero();
                again.ring(2);
                MirrorPair.await("the host to say that it has heard", () -> heard() == 1);
            }
        }
    }

    /** As the host last told the agent. */
    private long heard() {
        try (var in = Files.newByteChannel(folder.resolve("agent.mem"))) {
            ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
            in.read(word);
            return word.getLong(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anAddressWhereNobodyListensIsCalledEverMoreSeldom() throws Exception {
        InetSocketAddress nobody = new InetSocketAddress("127.0.0.1", closedPort());
        BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
        MirrorHost lonely = new MirrorHost(pair.verbs, pair.hostSetup(new Credentials("host", "nic",
                MirrorPair.SECRET)), folder.resolve("lonely.mem"), MirrorPair.SIZES, cpu -> {});
        try {
            lonely.serve(() -> List.of(nobody), refused -> calls.add(System.nanoTime()));
            long before = calls.take();
            for (long atLeast : new long[] { 20, 40, 80, 160, 320, 500, 500 }) {
                long next = calls.take();
                assertThat(next - before).as("ns between two calls").isGreaterThanOrEqualTo(atLeast * 1_000_000);
                before = next;
            }
        } finally {
            lonely.close();
        }
    }

    private static int closedPort() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            return listener.getLocalPort();
        }
    }

    @Test
    void anAgentWithoutACopyHasNothingToTakeOver() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            Thread agent = Thread.ofPlatform().start(() -> assertThatThrownBy(
                    () -> pair.answer(listener, "agent.mem", () -> {})).isInstanceOf(Exception.class));
            assertThat(pair.host.takeOver(List.of((InetSocketAddress) listener.getLocalSocketAddress()))).isFalse();
            agent.join();
        }
    }
}
