package dev.bascule.cli;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.AgentLoop;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Affinity;
import dev.bascule.ffi.OwnThread;
import dev.bascule.host.AgentLife;
import dev.bascule.host.CardEnd;
import dev.bascule.host.CardPlace;
import dev.bascule.host.CoreHandOff;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.Session;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.registry.Durations;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.run.CpuSet;
import dev.bascule.run.Interruption;
import dev.bascule.run.Misuse;
import dev.bascule.run.Rehearsal;
import dev.bascule.run.RunAgents;
import dev.bascule.run.Transports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The agent's process: on a SmartNIC this runs on the NIC's cores. */
@Command(name = "agent", mixinStandardHelpOptions = true, description = {
        "Runs a scheduling agent on the NIC's side of a region, or on the host beside it.",
        "Waits for the region, attaches, and decides until the host stops it. Ctrl-C or SIGTERM lets it leave: the host is "
                + "told and goes on with its own policy at once." }, footer = { "", "Examples:",
                        "  bascule agent --attach /dev/shm/bascule-1 --transport wave --policy fifo",
                        "  bascule agent --attach /dev/shm/bascule-1 --policy round-robin --policy-option quantum=50us --stay",
                        "  bascule agent --attach /dev/shm/bascule-1 --policy my.Sejf --policy-path sejf.jar",
                        "  bascule agent --attach /dev/shm/bascule-1 --transport wave --cpu 2,3   # core 3 when others want core 2",
                        "  bascule agent --device my-card --transport any --stay   # on the card's own cores",
                        "  bascule agent --link rdma --listen 10.0.0.2 --transport any --stay",
                        "  bascule agent --device 00:04.0 --transport swap   # ivshmem; the host is in another machine",
                        "",
                        "For a host of its own, which may be killed and started again:",
                        "  bascule run --region /dev/shm/mine --transport wave --external-agent",
                        "  bascule agent --attach /dev/shm/mine --transport wave --stay" })
final class AgentCommand extends CommandBase {
    @ArgGroup(multiplicity = "1")
    private Where where = new Where();

    /** One of them. */
    private static final class Where {
        @Option(names = "--attach", required = true, paramLabel = "DIR", description = "run directory of the host")
        private @Nullable Path directory;

        @Option(names = "--device", required = true, paramLabel = "NAME", description = "the region of a card whose host is elsewhere: a configuration that says how the card's own cores reach it ('cores'), its function's PCI address, or that of an ivshmem device")
        private @Nullable String device;

        @Option(names = "--listen", required = true, paramLabel = "ADDRESS", description = "with --link rdma: own address, HOST or HOST:PORT (port 7471), at which the host calls; nothing listens elsewhere")
        private @Nullable String listen;
    }

    @Option(names = "--cores", defaultValue = "", paramLabel = "PATH", description = "with --device: the card's memory is there, instead of at the configuration's cores.path")
    private String cores = "";

    @OneOf({ "loopback", "rdma" })
    @Option(names = "--link", defaultValue = LinkOption.LOOPBACK, paramLabel = "NAME", description = "loopback or rdma, see bascule run; default ${DEFAULT-VALUE}")
    private String link = LinkOption.LOOPBACK;

    @Option(names = "--config", defaultValue = LinkOption.RDMA, paramLabel = "NAME", description = "with --listen: file of hw-configs/ or a path, which names the secret, this side and the host; default ${DEFAULT-VALUE}")
    private String config = LinkOption.RDMA;

    @OneOf({ "wave", "swap", "on-host", "any" })
    @Option(names = "--transport", defaultValue = "wave", paramLabel = "NAME", description = "wave, swap or on-host; any: what the host there uses; default ${DEFAULT-VALUE}")
    private String transport = "wave";

    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Range("0..")
    @Option(names = "--agent", defaultValue = "0", paramLabel = "N", description = "number of this agent; default 0")
    private int number;

    @Option(names = "--cpu", paramLabel = "N[,N..]", description = "core to run on; of several, as 2,3 or 4-7, the first, and the next whenever something else wants the core that the agent is on, as ghOSt's global agent does; default: any")
    private @Nullable String cpus;

    @Range("0s..")
    @Option(names = "--nap", paramLabel = "TIME", description = "after some rounds without work, sleep up to so long between two: for an agent that shares its core; default: it does not sleep, or until the kernel wakes it")
    private @Nullable String nap;

    @Option(names = "--stay", description = "wait for a host, and attach again when it opens a new epoch or another host comes, instead of ending; says what it waits for")
    private boolean stay;

    @Option(names = "--unit", description = "print a systemd unit that runs this agent as a service, and end")
    private boolean unit;

    @Option(names = "--take-over", description = "stand beside the agent at work, get a copy of its state if both policies are Upgradable, and take over from it between two rounds; if that fails the other goes on")
    private boolean takeOver;

    @Option(names = "--garbage", hidden = true, description = "keep the heap busy, for experiments with collections")
    private boolean garbage;

    @Option(names = "--child", hidden = true, description = "end when standard input closes")
    private boolean child;

    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 200;
    /** How long a policy may take to notice that the host has gone. */
    private static final long GRACE_MILLIS = 1_000;

    private volatile boolean stop;

    @Override
    public Integer call() throws InterruptedException {
        if (unit) {
            out().print(AgentUnit.of(typed()));
            out().flush();
            return 0;
        }
        Supplier<Agent> agents = RunAgents.checked(policy.spec());
        if (child) {
            OwnThread.of("agent's parent", this::watchParent).start();
        }
        try (Affinity.Pinned _ = Affinity.keep(); Interruption interruption = new Interruption(() -> stop = true)) {
            if (!takeOver) {
                pin();
            }
            return interruption.status(serveHere(agents));
        }
    }

    private void pin() {
        List<Integer> own = ownCores();
        if (!own.isEmpty()) {
            Affinity.pin(own.getFirst());
        }
    }

    private List<Integer> ownCores() {
        return cpus == null ? List.of() : CpuSet.parse("--cpu", cpus);
    }

    private int serveHere(Supplier<Agent> agents) throws InterruptedException {
        if (where.listen != null != link.equals(LinkOption.RDMA)) {
            throw new Misuse("--link rdma and --listen ADDRESS belong together: the host calls at that address");
        }
        if (where.listen != null) {
            try (ScratchFolder folder = Session.newRunDirectory()) {
                MirrorPlace.assign(folder.path(), LinkOption.listening(config, where.listen));
                MirrorPlace.requireDevice(folder.path());
                return serveAll(folder.path(), agents);
            }
        }
        if (where.device == null) {
            if (!cores.isEmpty()) {
                throw new Misuse("--cores is for --device; a run directory says by itself where its region is");
            }
            return serveAll(Objects.requireNonNull(where.directory), agents);
        }
        try (ScratchFolder folder = Session.newRunDirectory()) {
            CardPlace.assign(folder.path(), new CardEnd.Elsewhere(), CardDevice.cores(where.device, cores));
            return serveAll(folder.path(), agents);
        }
    }

    private int serveAll(Path directory, Supplier<Agent> agents) throws InterruptedException {
        do {
            AgentLoop.Exit exit = serve(directory, agents);
            if (exit == AgentLoop.Exit.STOPPED || exit == AgentLoop.Exit.HANDED_OVER) {
                return 0;
            }
        } while (stay);
        return 0;
    }

    private AgentLoop.Exit serve(Path directory, Supplier<Agent> agents) throws InterruptedException {
        String last = "";
        boolean patient = stay || where.listen != null; // an agent that listens has nothing else to do
        IntConsumer attached = epoch -> {
            if (patient) {
                say("attached over " + transport + " to " + (where.listen == null ? directory : "the host that called")
                        + ", epoch " + epoch);
            }
        };
        for (long pause = FIRST_PAUSE_MILLIS;; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
            if (takeOver) {
                Rehearsal.of(transport, agents.get());
                pin(); // not before: until then it would take turns with the agent at work
            }
            try (Session session = Transports.attach(transport, directory)) {
                return live(session, agents, attached);
            } catch (AgentException | DeviceException e) {
                if (stop) {
                    return AgentLoop.Exit.STOPPED;
                }
                if (!patient || takeOver) {
                    throw e;
                }
                String waits = String.valueOf(e.getMessage());
                if (!waits.equals(last)) {
                    say("waiting; " + waits);
                    last = waits;
                }
                Thread.sleep(pause);
            }
        }
    }

    private AgentLoop.Exit live(Session session, Supplier<Agent> agents, IntConsumer attached) {
        IdleStrategy idle = idle(session);
        List<Integer> own = ownCores();
        try (CoreHandOff handOff = own.size() < 2 ? null : new CoreHandOff(idle, own, this::say)) {
            AgentLife life = new AgentLife(session, number, newPolicy(agents), handOff == null ? idle : handOff,
                    () -> stop); // which alone holds the policy: it may run out of memory
            AgentLoop.Exit exit = takeOver ? life.takeOver(attached) : life.work(attached);
            takeOver = false;
            return exit;
        }
    }

    private IdleStrategy idle(Session session) {
        return nap == null ? session.idle() : IdleStrategy.spinThenPark(RunAgents.SPINS, Durations.parseNanos(nap));
    }

    private Agent newPolicy(Supplier<Agent> agents) {
        Agent agent = agents.get();
        return garbage ? new GarbageAgent(agent) : agent;
    }

    private void say(String what) {
        err().println("bascule: agent " + number + " " + what);
        err().flush();
    }

    private void watchParent() {
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            // the host is gone
        }
        stop = true;
        try {
            Thread.sleep(GRACE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(0); // a policy that hangs would outlive its host for ever
    }
}
