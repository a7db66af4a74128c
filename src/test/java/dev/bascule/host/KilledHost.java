package dev.bascule.host;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.memory.SharedMemory;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The process that {@link HostKills} kills: production's host on a run directory, whose jobs are requests that come in
 * over a socket and are answered there. What it begins it notes in a file, for the ledger outside.
 * <p>
 * Arguments: transport, run directory, socket, file of notes, number of this host, "own" or "external" agent, its
 * policy.
 */
final class KilledHost implements JobSource, JobRunner {
    /** A request: its number, u32. */
    static final int REQUEST_BYTES = 4;
    /** An answer: number of the request u32, number of the host u32, {@link #answer} u64. */
    static final int ANSWER_BYTES = 16;

    private static final VarHandle NOTE = ValueLayout.JAVA_INT.varHandle();
    private static final long ASK_AGAIN_NANOS = 5_000;
    private static final long LONGEST_NANOS = 300_000_000_000L;

    private final SocketChannel channel;
    private final MemorySegment notes;
    private final int number;
    private final Queue<Integer> arrived = new ConcurrentLinkedQueue<>();
    private final long startNanos = System.nanoTime();
    private volatile boolean ended;

    private KilledHost(SocketChannel channel, MemorySegment notes, int number) {
        this.channel = channel;
        this.notes = notes;
        this.number = number;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[1]);
        Path file = Path.of(args[3]);
        try (Session session = session(args[0], directory, true);
                SharedMemory notes = SharedMemory.open(file, java.nio.file.Files.size(file))) {
            EnclaveShape shape = new EnclaveShape(2, 64, 1, 256, 2);
            MechanismEnd end = session.openHost(shape);
            AgentSupervisor agent = args[5].equals("external")
                    ? new ExternalAgent()
                    : new AgentProcess(agentCommand(args[0], directory, args[6], "--child"),
                            directory.resolve("agent.log"));
            try (CounterPage page = CounterPage.create(directory, args[0]);
                    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(args[2]))) {
                KilledHost jobs = new KilledHost(channel, notes.segment(), Integer.parseInt(args[4]));
                try (LiveHost host = new LiveHost(end,
                        new Mechanism(end, System::nanoTime, page.counting(DecisionListener.NONE)),
                        LiveOptions.of(1), agent, jobs)) {
                    host.start();
                    Thread.ofPlatform().daemon().start(jobs::receive);
                    boolean drained = host.serve(jobs, LONGEST_NANOS);
                    host.incidents().forEach(System.out::println);
                    if (!drained || host.counters().failedJobs() > 0) {
                        throw new IllegalStateException("not all requests were answered: " + host.counters());
                    }
                }
            }
        }
    }

    static Session session(String transport, Path directory, boolean keep) {
        return switch (transport) {
            case WaveProtocol.NAME -> Session.wave(directory, LinkSetup.DEFAULT, keep);
            case SwapProtocol.NAME -> Session.swap(directory, LinkSetup.DEFAULT, keep);
            default -> Session.onHost(directory, keep);
        };
    }

    /** The agent's command of production. */
    static List<String> agentCommand(String transport, Path directory, String policy, String... more) {
        List<String> words = new java.util.ArrayList<>(
                List.of("agent", "--attach", directory.toString(), "--transport", transport));
        words.addAll(policyArguments(policy));
        words.addAll(List.of(more));
        return AgentProcess.ownCommand(
                List.of("-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"), words);
    }

    /** Short slices for the policy that has some. */
    static List<String> policyArguments(String policy) {
        return policy.equals("fifo")
                ? List.of("--policy", policy)
                : List.of("--policy", policy, "--policy-option", "quantum=20us");
    }

    private void receive() {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 12);
        try {
            while (channel.read(bytes) >= 0) {
                bytes.flip();
                while (bytes.remaining() >= REQUEST_BYTES) {
                    arrived.add(bytes.getInt());
                }
                bytes.compact();
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        ended = true;
    }

    @Override
    public long nextDueNanos() {
        boolean last = ended; // looked at before the queue: what came before it is there
        if (!arrived.isEmpty()) {
            return startNanos;
        }
        return last ? NO_MORE : System.nanoTime() + ASK_AGAIN_NANOS;
    }

    @Override
    public int take() {
        return arrived.remove();
    }

    @Override
    public void rejected(int job) {
        throw new IllegalStateException("no room for request " + job);
    }

    @Override
    public void run(int job, YieldPoint yield) {
        int unused = (int) NOTE.getAndAdd(notes, (long) job * Integer.BYTES, 1);
        SplittableRandom random = new SplittableRandom(job);
        for (int step = random.nextInt(4) == 0 ? 40 : 1 + random.nextInt(4); step > 0; step--) {
            long until = System.nanoTime() + random.nextInt(15_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            yield.maybeYield();
        }
        send(ByteBuffer.allocate(ANSWER_BYTES).putInt(job).putInt(number).putLong(answer(job)).flip());
    }

    private synchronized void send(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** What a request is answered with. */
    static long answer(int job) {
        return new SplittableRandom(job * 31L).nextLong();
    }
}
