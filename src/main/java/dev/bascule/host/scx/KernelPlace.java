package dev.bascule.host.scx;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.ffi.BpfArena;
import dev.bascule.ffi.BpfBell;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.HeldProcess;
import dev.bascule.host.Place;
import dev.bascule.local.LocalProtocol;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.ring.Waiter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * Memory with the kernel at one end, for the on-host transport: messages, status words and decisions lie where the
 * kernel's side and the agents both reach them, so a message costs no call, and a decision only one if its CPU is idle
 * or is to leave its task.
 * <p>
 * Thread rule: one thread, but for {@link #idle} and the ends, which are their agents'.
 */
public final class KernelPlace implements Place {
    /** Empty rounds before an agent sleeps. */
    private static final int SPINS = 64;

    private final Path directory;
    private final @Nullable KernelOptions options;
    private @Nullable KernelProgram program;
    private @Nullable Shared shared;

    /** Memory and descriptors that an agent uses, of this process or another. */
    private record Shared(PinnedMemory region, KernelPage page, int bell, int ring, boolean isForeign) {}

    private KernelPlace(Path directory, @Nullable KernelOptions options) {
        this.directory = directory;
        this.options = options;
    }

    /** A host's side, in a run directory that exists. */
    static KernelPlace ofHost(Path directory, KernelOptions options) {
        return new KernelPlace(directory, options);
    }

    /** An agent's side. */
    public static KernelPlace ofAgent(Path directory) {
        return new KernelPlace(directory, null);
    }

    /** Whether the host of this run directory is the kernel's. */
    public static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(KernelDescriptors.FILE));
    }

    /** Protocol of the host's end: the kernel's side sends the messages and takes the decisions. */
    LocalProtocol protocol() {
        return new LocalProtocol(epoch -> program().openEpoch(epoch));
    }

    @Override
    public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
        KernelOptions how = options;
        if (how == null || shape.agents() != 1 || damage != null) {
            throw new AgentException("open the kernel's region: it is a host's, new, and has one agent");
        }
        KernelProgram loaded = KernelProgram.load(KernelObject.file(), shape, how);
        program = loaded;
        shared = new Shared(loaded.region(), loaded.page(), loaded.bellDescriptor(), loaded.ringDescriptor(), false);
        return RegionLinks.of(new PinnedWindow(loaded.region()), Collections.nCopies(shape.cpus(), Waiter.NAPS));
    }

    /** Tells agents the descriptors. */
    @Override
    public void opened() {
        KernelProgram loaded = program();
        new KernelDescriptors(ProcessHandle.current().pid(), loaded.places(), loaded.arenaDescriptor(),
                loaded.pageDescriptor(), loaded.bellDescriptor(), loaded.ringDescriptor()).write(directory);
    }

    /** Program that {@link #lay} has loaded. */
    KernelProgram program() {
        KernelProgram loaded = program;
        if (loaded == null) {
            throw new IllegalStateException("the kernel's region is not open");
        }
        return loaded;
    }

    @Override
    public AgentLinks find(Protocol protocol, int agent) {
        Shared with = shared();
        Libc.lockTouched(); // a page that a ruled task reads in would wait for this agent
        if (with.isForeign()) {
            page().setAgents(Layout.AGENTS_PID, ProcessHandle.current().pid());
        }
        return links(with.region(), new KernelBell(with.ring()));
    }

    /** Not yet the agent of the kernel's tasks. */
    @Override
    public AgentLinks beside(Protocol protocol, int agent) {
        return links(shared().region(), Doorbell.NONE);
    }

    private static AgentLinks links(PinnedMemory region, Doorbell bell) {
        PinnedWindow window = new PinnedWindow(region);
        return new AgentLinks(window, window, region.segment(), bell);
    }

    @Override
    public IdleStrategy idle() {
        Shared with = shared();
        return new KernelIdle(page(), new BpfBell(Fd.adopt(with.bell(), "the kernel's bell")), SPINS);
    }

    /** Words beside the region. */
    KernelPage page() {
        return shared().page();
    }

    private Shared shared() {
        Shared known = shared;
        if (known == null) {
            known = take(KernelDescriptors.read(directory));
            shared = known;
        }
        return known;
    }

    /** The descriptors stay open: this process may attach again, and its end frees them. */
    private static Shared take(KernelDescriptors host) {
        KernelPlaces places = host.places();
        try (HeldProcess process = HeldProcess.open(host.pid())) {
            if (process == null) {
                throw new AgentException("attach to the host of bascule kernel: process " + host.pid()
                        + " has ended; start the host first: bascule kernel");
            }
            Fd arena = process.take(host.arena(), "shared memory");
            PinnedMemory memory = places
                    .memory(BpfArena.map(arena, places.address(), places.sizeBytes()));
            return new Shared(places.region(memory),
                    new KernelPage(wordsToRead(process, host.page()), places.agents(memory)),
                    process.take(host.bell(), "bell").number(), process.take(host.ring(), "doorbell").number(), true);
        }
    }

    private static PinnedMemory wordsToRead(HeldProcess process, int number) {
        try (Fd words = process.take(number, "words of host and kernel")) {
            return KernelPage.map(words, Linux.PROT_READ);
        }
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        KernelProgram loaded = program;
        program = null;
        if (loaded != null) {
            loaded.close();
            KernelDescriptors.remove(directory);
        }
    }
}
