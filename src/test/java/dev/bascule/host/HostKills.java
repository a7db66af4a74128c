package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Linux;
import dev.bascule.ffi.Signals;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A load generator in this process whose hosts, processes on one run directory, are killed one after the other. A kill
 * counts if the host's agent had decided, and if the host had begun requests that it has not answered.
 * <p>
 * What a killed host had not answered went with it: no other host answers or begins it by itself. It is offered again,
 * and then answered once. A request that was begun when its host died is so begun again.
 */
final class HostKills implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int MOST_DECISIONS = 4_000;

    private final String transport;
    private final Path directory;
    private final Path region;
    private final SplittableRandom random;
    private final KillTotals totals;
    private final int window;
    private final boolean external;
    private final String policy;
    private final SharedMemory notes;
    private final OutsideLedger ledger;
    private final ServerSocketChannel listener;
    private final ByteBuffer received = ByteBuffer.allocate(1 << 16);
    private final List<Process> processes = new ArrayList<>();

    HostKills(String transport, Path directory, long seed, KillTotals totals) throws IOException {
        this.transport = transport;
        this.directory = directory;
        this.totals = totals;
        random = new SplittableRandom(seed);
        window = 4 + random.nextInt(60);
        external = random.nextBoolean();
        policy = random.nextInt(4) == 0 ? "fifo" : "round-robin";
        region = Files.createDirectory(directory.resolve("region"));
        notes = SharedMemory.create(directory.resolve("notes"), (long) OutsideLedger.MOST * Integer.BYTES);
        ledger = new OutsideLedger(notes.segment());
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(directory.resolve("requests")));
        listener.configureBlocking(false);
    }

    /** Kills until so many have counted, then lets a last host answer everything. */
    void run(int kills) throws Exception {
        if (external) {
            start(KilledHost.agentCommand(transport, region, policy, "--stay"),
                    "agent.txt");
        }
        int wanted = totals.counted + kills;
        int host = 1;
        for (; totals.counted < wanted; host++) {
            assertThat(host).as("hosts, most of which were not at work").isLessThan(10 + 3 * kills);
            serve(host, true);
        }
        serve(host, false);
        assertThat(ledger.audit(totals)).as("seen outside %d hosts", host).isEmpty();
        try (Stream<Path> files = Files.list(region)) {
            assertThat(files).as("each host went on with the region of the last").noneMatch(
                    it -> it.toString().contains("damaged"));
        }
    }

    private void serve(int number, boolean kill) throws Exception {
        Process host = start(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                KilledHost.class.getName(), transport, region.toString(), directory.resolve("requests").toString(),
                directory.resolve("notes").toString(), Integer.toString(number), external ? "external" : "own", policy),
                "host-" + number + ".txt");
        try (SocketChannel channel = accept(host); CounterReader counters = CounterReader.open(region)) {
            assertThat(counters.pid()).isEqualTo(host.pid());
            channel.configureBlocking(false);
            received.clear();
            long least = 1 + random.nextInt(random.nextInt(3) == 0 ? 30 : MOST_DECISIONS);
            converse(number, host, channel, counters, least);
            if (kill) {
                long until = System.nanoTime() + random.nextInt(300_000);
                while (System.nanoTime() < until || ledger.open() == 0) {
                    exchange(number, channel, true);
                }
                kill(number, host, channel);
            } else {
                finish(number, host, channel);
            }
        }
    }

    /** Until the host's agent has decided, and requests were answered. */
    private void converse(int number, Process host, SocketChannel channel, CounterReader counters, long least)
            throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (counters.get(Counter.DECISIONS) - counters.get(Counter.STALE) - counters.get(Counter.ABORTED) < least) {
            exchange(number, channel, true);
            assertThat(host.isAlive()).as("%s", said(number)).isTrue();
            assertThat(System.nanoTime()).as("decisions of an agent of host %d: %d settled; %s", number,
                    counters.get(Counter.DECISIONS), said(number)).isLessThan(deadline);
            LockSupport.parkNanos(20_000);
        }
    }

    private void kill(int number, Process host, SocketChannel channel) throws Exception {
        int manner = random.nextInt(4) == 0 ? 1 : 0;
        int open = ledger.open();
        if (manner == 1) {
            Signals.send(host.pid(), Linux.SIGSTOP);
            LockSupport.parkNanos(random.nextInt(3_000_000));
        }
        Signals.send(host.pid(), Linux.SIGKILL);
        assertThat(host.waitFor()).as("%s", said(number)).isEqualTo(128 + Linux.SIGKILL);
        while (receive(number, channel)) {
            Thread.onSpinWait();
        }
        int begun = ledger.lost(number);
        totals.begunAgain += begun;
        if (begun > 0) {
            totals.count(manner, open);
        } else {
            totals.uncounted++;
        }
    }

    private void finish(int number, Process host, SocketChannel channel) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (ledger.open() > 0 || ledger.hasAgain()) {
            exchange(number, channel, ledger.hasAgain());
            assertThat(System.nanoTime()).as("%d requests open; %s", ledger.open(), said(number)).isLessThan(deadline);
        }
        channel.shutdownOutput();
        assertThat(host.waitFor(60, TimeUnit.SECONDS)).as("%s", said(number)).isTrue();
        assertThat(host.exitValue()).as("%s", said(number)).isZero();
        assertThat(receive(number, channel)).as("another word of host %d", number).isFalse();
    }

    private void exchange(int number, SocketChannel channel, boolean offering) throws IOException {
        receive(number, channel);
        while (offering && ledger.open() < window) {
            int request = ledger.offer(number);
            if (request < 0) {
                return;
            }
            ByteBuffer bytes = ByteBuffer.allocate(KilledHost.REQUEST_BYTES).putInt(request).flip();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** Takes the answers that are there; false after the last. */
    private boolean receive(int number, SocketChannel channel) throws IOException {
        int count = read(channel);
        received.flip();
        while (received.remaining() >= KilledHost.ANSWER_BYTES) {
            ledger.answered(number, received);
        }
        received.compact();
        return count >= 0;
    }

    /** A host that was killed with requests unread resets the connection; that is its last word, after its answers. */
    private int read(SocketChannel channel) throws IOException {
        try {
            return channel.read(received);
        } catch (java.net.SocketException e) {
            return -1;
        }
    }

    private SocketChannel accept(Process host) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            SocketChannel channel = listener.accept();
            if (channel != null) {
                return channel;
            }
            assertThat(host.isAlive() && System.nanoTime() < deadline).as("a host connects: %s", said(-1)).isTrue();
            LockSupport.parkNanos(200_000);
        }
    }

    private Process start(List<String> command, String log) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(directory.resolve(log).toFile()).redirectInput(Path.of("/dev/null").toFile()).start();
        processes.add(process);
        return process;
    }

    /** The last words of a host, or of all. */
    private String said(int number) {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(it -> it.toString().endsWith(number < 0 ? ".txt" : "-" + number + ".txt"))
                    .toList()) {
                all.append(file.getFileName()).append(": ").append(Files.readString(file)).append('\n');
            }
        } catch (IOException e) {
            all.append(e);
        }
        return all.toString();
    }

    @Override
    public void close() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        listener.close();
        notes.close();
    }
}
