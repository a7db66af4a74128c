package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.local.LocalForger;
import dev.bascule.local.LocalProtocol;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.SharedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RandomAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.swap.SwapForger;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveForger;
import dev.bascule.wave.WaveOptions;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * What one seed stands for: the enclave, its transport and its load.
 *
 * @param transport name of the transport
 * @param wave how Wave uses its link
 * @param swap how the swap uses its link
 * @param shape the enclave
 * @param polling idle CPUs poll
 * @param workers tasks that carry jobs
 * @param backlog jobs that may wait
 * @param hardNanos the watchdog's hard limit
 * @param policy 0 FIFO, 1 round robin, 2 random
 * @param affinity tasks may use some CPUs only
 * @param loadNanos how long jobs arrive
 * @param gapNanos time between two jobs
 * @param restarts hosts that follow the first on the same region
 * @param raw random bytes are written into the region
 * @param processes agents are processes, and good; their faults are signals
 * @param crash a host that another follows ends in the middle of its load
 * @param cpuFaults what happens to CPUs: 0 nothing, 1 they are taken for a while, 2 they are unplugged too, 3 they go to
 *     another enclave and come back
 * @param restless jobs also wait, give way and, where no CPU is unplugged, change their CPUs
 * @param tickNanos time between ticks; 0: none
 * @param jobsInARow jobs that a task may do without giving its CPU back
 */
record ChaosPlan(long seed, String transport, LinkSetup wave, LinkSetup swap, EnclaveShape shape,
        boolean polling, int workers, int backlog, long hardNanos, int policy, boolean affinity, long loadNanos,
        long gapNanos, int restarts, boolean raw, boolean processes, boolean crash, int cpuFaults, boolean restless,
        long tickNanos, int jobsInARow) {
    private static final int[] CPUS = { 1, 2, 2, 3, 4, 8 };
    private static final int[] CHANNELS = { 16, 64, 256 };
    /** Long enough for several processes to start, decide and be killed. */
    private static final long PROCESS_NANOS = 4_000_000_000L;

    static ChaosPlan of(long seed) {
        SplittableRandom r = new SplittableRandom(seed);
        String transport = new String[] { LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME }[r.nextInt(3)];
        Placement placement = Placement.values()[r.nextInt(Placement.values().length)];
        LinkSetup plain = LinkSetup.DEFAULT.withPlacement(placement);
        WaveOptions options = new WaveOptions(r.nextInt(4) > 0, r.nextBoolean(), r.nextBoolean(),
                placement == Placement.PUSH, 0);
        LinkSetup wave = new LinkSetup(plain.device(), options, plain.swap(), placement, r.nextBoolean(),
                r.nextBoolean());
        LinkSetup swap = new LinkSetup(plain.device(), plain.wave(), plain.swap(), placement, r.nextBoolean(),
                r.nextBoolean())
                .withMode(SwapMode.values()[r.nextInt(SwapMode.values().length)]);
        int workers = 1 + r.nextInt(40);
        int cpus = CPUS[r.nextInt(CPUS.length)];
        EnclaveShape shape = new EnclaveShape(cpus, workers + r.nextInt(8), agents(seed, cpus),
                CHANNELS[r.nextInt(CHANNELS.length)], 1 + r.nextInt(4));
        ChaosPlan plan = new ChaosPlan(seed, transport, wave, swap, shape, r.nextBoolean(), workers,
                r.nextInt(4) == 0 ? 8 : 1 << 16, 2_000_000L << r.nextInt(4), r.nextInt(3), r.nextInt(3) == 0,
                150_000_000 + r.nextLong(350_000_000), 10_000 + r.nextLong(90_000), r.nextInt(4) == 0 ? 1 : 0,
                r.nextInt(4) == 0, false, false, 0, false, 0, 1);
        boolean crash = r.nextBoolean();
        plan = r.nextInt(16) == 0 ? plan.with(crash, true, PROCESS_NANOS) : plan.with(crash, false, plan.loadNanos);
        int most = cpus == 1 || plan.affinity ? 2 : 3; // the last CPU stays, and who is bound to those that go is freed
        return plan.with(plan.orEnclaves(r.nextInt(most)), r.nextInt(3) > 0,
                r.nextInt(3) == 0 ? 1_000_000L << r.nextInt(3) : 0,
                r.nextInt(3) == 0 ? 1 + r.nextInt(8) : 1);
    }

    /** Two seeds of three have several agents, if there are several CPUs. */
    private static int agents(long seed, int cpus) {
        SplittableRandom r = new SplittableRandom(~seed);
        return r.nextInt(3) == 0 || cpus == 1 ? 1 : 2 + r.nextInt(cpus - 1);
    }

    private ChaosPlan with(boolean newCrash, boolean newProcesses, long newLoadNanos) {
        return new ChaosPlan(seed, transport, wave, swap, shape, polling, workers, backlog, hardNanos, policy, affinity,
                newLoadNanos, gapNanos, restarts, raw, newProcesses, newCrash, cpuFaults, restless, tickNanos,
                jobsInARow);
    }

    private ChaosPlan with(int newCpuFaults, boolean newRestless, long newTickNanos, int newJobsInARow) {
        return new ChaosPlan(seed, transport, wave, swap, shape, polling, workers, backlog, hardNanos, policy, affinity,
                loadNanos, gapNanos, restarts, raw, processes, crash, newCpuFaults, newRestless, newTickNanos,
                newJobsInARow);
    }

    /** One in two of the seeds whose CPUs are unplugged, and which can, has another enclave beside it instead. */
    private int orEnclaves(int newCpuFaults) {
        boolean can = newCpuFaults == 2 && shape.cpus() > 2 && restarts == 0 && !processes;
        return can && new SplittableRandom(seed + 1).nextBoolean() ? 3 : newCpuFaults;
    }

    /** Whether there is another enclave, that of {@link #beside}. */
    boolean hasEnclaves() {
        return cpuFaults == 3;
    }

    /** The plan of another enclave on the same CPUs, for as long. */
    ChaosPlan beside() {
        ChaosPlan o = of(~seed & 0xffff_ffffL);
        EnclaveShape other = new EnclaveShape(shape.cpus(), o.shape.tasks(), agents(o.seed, shape.cpus()),
                o.shape.channelEntries(), o.shape.staged());
        return new ChaosPlan(o.seed, o.transport, o.wave, o.swap, other, polling, o.workers, o.backlog, o.hardNanos,
                o.policy, false, loadNanos, o.gapNanos, 0, o.raw, false, false, cpuFaults, o.restless, o.tickNanos,
                o.jobsInARow);
    }

    /** Whether CPUs go for good, as far as tasks know. */
    boolean mayUnplug() {
        return cpuFaults >= 2;
    }

    int jobs() {
        return (int) (loadNanos / gapNanos);
    }

    /** A session on the region in {@code directory}, which it leaves in place. */
    Session open(Path directory) {
        return switch (transport) {
            case WaveProtocol.NAME -> Session.wave(directory, wave, true);
            case SwapProtocol.NAME -> Session.swap(directory, swap, true);
            default -> Session.onHost(directory, true);
        };
    }

    /** The file an agent may write. */
    Path file(Path directory) {
        return directory.resolve(transport.equals(LocalProtocol.NAME) ? "local.mem" : "nic.mem");
    }

    /** What forges this transport's lines. */
    ChaosForger forger(Path directory) {
        try {
            return switch (transport) {
                case WaveProtocol.NAME -> new WaveForger(SmartNicRegion.attach(directory, FaultPlan.NONE, 1));
                case SwapProtocol.NAME -> new SwapForger(SmartNicRegion.attach(directory, FaultPlan.NONE, 1));
                default -> new LocalForger(SharedMemory.open(file(directory), Files.size(file(directory))));
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Agent newPolicy(long agentSeed) {
        return switch (policy) {
            case 0 -> new FifoAgent();
            case 1 -> new RoundRobinAgent(20_000);
            default -> new RandomAgent(agentSeed);
        };
    }

    /** CPUs that a task may use. */
    long affinityOf(int task) {
        if (!affinity) {
            return -1;
        }
        long all = (1L << shape.cpus()) - 1;
        long mask = new SplittableRandom(seed ^ task).nextLong() & all;
        return mask == 0 ? all : mask;
    }

    /** Transport, mode and placement. */
    String setting() {
        return switch (transport) {
            case WaveProtocol.NAME -> transport + " " + wave.placement().text();
            case SwapProtocol.NAME -> transport + " " + swap.swap().mode().text() + " " + swap.placement().text();
            default -> transport;
        };
    }

    @Override
    public String toString() {
        return setting() + (transport.equals(WaveProtocol.NAME) ? " " + wave.wave() : "") + ", " + shape.cpus()
                + " CPUs, " + shape.agents() + " agents, depth " + shape.staged() + ", " + workers + " workers, "
                + (polling ? "polling" : "interrupts") + ", policy " + policy + (affinity ? ", affinity" : "")
                + (restarts == 0 ? "" : crash ? ", crash and restart" : ", restart") + (raw ? ", raw bytes" : "")
                + (processes ? ", agents as processes" : "")
                + switch (cpuFaults) {
                    case 0 -> "";
                    case 1 -> ", CPUs taken";
                    case 2 -> ", CPUs unplugged and taken";
                    default -> ", beside another enclave: " + beside().setting() + ", " + beside().shape().agents()
                            + " agents, " + beside().workers() + " workers";
                }
                + (restless ? ", restless jobs" : "") + (tickNanos == 0 ? "" : ", ticks")
                + (jobsInARow == 1 ? "" : ", " + jobsInARow + " jobs in a row");
    }
}
