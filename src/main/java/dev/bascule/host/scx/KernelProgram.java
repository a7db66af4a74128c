package dev.bascule.host.scx;

import dev.bascule.ffi.MissingPartException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.ffi.BpfArena;
import dev.bascule.ffi.BpfCall;
import dev.bascule.ffi.BpfObject;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.local.LocalHost;
import dev.bascule.local.LocalPlaces;
import dev.bascule.memory.PinnedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's side, loaded: its memory, its calls, and the scheduler that it becomes when it is attached. One thread.
 */
final class KernelProgram implements AutoCloseable {
    /** Far from where the kernel puts mappings by itself; each object of this process 4 GiB further, as BPF asks for. */
    private static final AtomicLong NEXT_ADDRESS = new AtomicLong(1L << 44);
    private static final long ADDRESS_STEP = 1L << 32;
    private static final String WORDS = ".data.page";

    private final BpfObject object;
    private final KernelPlaces places;
    private final PinnedMemory memory;
    private final KernelPage page;
    private final BpfCall openEpoch;
    private BpfObject.@Nullable Link link;

    private KernelProgram(BpfObject object, KernelPlaces places) {
        this.object = object;
        this.places = places;
        memory = places.memory(BpfArena.ofLoaded(places.address(), places.sizeBytes()));
        memory.segment().fill((byte) 0); // every page is there from now on: the kernel's side makes none
        Fd words = Fd.adopt(pageDescriptor(), "words of host and kernel"); // the object's, for as long as this lives
        page = new KernelPage(KernelPage.map(words, Linux.PROT_READ | Linux.PROT_WRITE), places.agents(memory));
        openEpoch = new BpfCall(object.program("open_epoch"), Layout.CALL_BYTES);
    }

    /**
     * Loads it, for this enclave.
     *
     * @throws NativeException if the kernel refuses it
     */
    static KernelProgram load(Path file, EnclaveShape shape, KernelOptions options) {
        BpfObject object = BpfObject.open(file);
        try {
            LocalPlaces region = LocalHost.places(shape);
            long address = NEXT_ADDRESS.getAndAdd(ADDRESS_STEP);
            KernelPlaces places = new KernelPlaces(address, region.sizeBytes());
            configure(object, shape, options, region, places);
            object.load();
            KernelProgram program = new KernelProgram(object, places);
            program.fillProcesses(options.processes());
            return program;
        } catch (RuntimeException e) {
            object.close();
            throw e;
        }
    }

    private static void configure(BpfObject object, EnclaveShape shape, KernelOptions options, LocalPlaces region,
            KernelPlaces places) {
        BpfObject.Map arena = object.map("arena");
        arena.setEntries((int) (places.sizeBytes() >>> 12));
        arena.setExtra(places.address());
        object.map("tasks").setEntries(shape.tasks());
        object.map("free_ids").setEntries(shape.tasks());
        object.map("processes").setEntries(Math.max(1, options.processes().size()));
        new KernelConfig(object.map(".rodata").value()).write(shape, options, region, places);
        MemorySegment operations = object.map("bascule").value();
        if (!operations.getString(Layout.OPS_NAME, StandardCharsets.US_ASCII).equals("bascule")) {
            throw new MissingPartException("the kernel's side was built from other sources; build it again:"
                    + " scripts/build-native");
        }
        if (options.whole()) {
            long flags = operations.get(ValueLayout.JAVA_LONG, Layout.OPS_FLAGS);
            operations.set(ValueLayout.JAVA_LONG, Layout.OPS_FLAGS, flags & ~Layout.SWITCH_PARTIAL);
        }
        MemorySegment name = operations.asSlice(Layout.OPS_NAME, Layout.OPS_NAME_BYTES);
        name.fill((byte) 0);
        byte[] text = nameOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(MemorySegment.ofArray(text), 0, name, 0, text.length);
    }

    /** Name that the kernel has for the scheduler of a host's process. */
    static String nameOf(long pid) {
        return "bascule_" + pid;
    }

    /** The numbers that tasks get. */
    /** Those that are ruled from the first look on, with their start, as their numbers may be others' later. */
    private void fillProcesses(List<Long> processes) {
        BpfObject.Map asked = object.map("processes");
        try (Arena arena = Arena.ofConfined()) {
            for (long process : processes) {
                asked.put(arena.allocateFrom(ValueLayout.JAVA_INT, (int) process),
                        arena.allocateFrom(ValueLayout.JAVA_LONG, startTicks(process)));
            }
        }
    }

    private static long startTicks(long process) {
        try {
            return Long.parseLong(
                    KernelText.statFields(KernelText.read(Path.of("/proc", Long.toString(process), "stat")))[19]);
        } catch (IOException e) {
            throw new IllegalArgumentException("there is no process " + process, e);
        }
    }

    KernelPlaces places() {
        return places;
    }

    PinnedMemory region() {
        return places.region(memory);
    }

    KernelPage page() {
        return page;
    }

    int arenaDescriptor() {
        return object.map("arena").fd();
    }

    int pageDescriptor() {
        return object.map(WORDS).fd();
    }

    int bellDescriptor() {
        return object.map("bell").fd();
    }

    int ringDescriptor() {
        return object.program("ring");
    }

    /** The region's banks have changed places: messages go to this epoch's, and decisions count that are of it. */
    void openEpoch(int epoch) {
        openEpoch.argument().set(ValueLayout.JAVA_LONG, Layout.CALL_VALUE, epoch);
        int result = openEpoch.run();
        if (result < 0) {
            throw new NativeException("open epoch " + epoch, "in the kernel", -result);
        }
    }

    /**
     * The kernel's scheduler of ruled tasks from now on.
     *
     * @throws NativeException if it refuses, as when another one has the machine
     */
    void attach() {
        link = object.map("bascule").attach(() -> "The scheduler " + KernelState.scheduler()
                + " has the machine, and there is one at a time; end it (ours end with their process' number)");
    }

    /** Gives the tasks back to the kernel's own scheduler. Idempotent. */
    void detach() {
        BpfObject.Link attached = link;
        link = null;
        if (attached != null) {
            attached.close();
        }
    }

    /** The memory stays: agents of this process may still look at it. */
    @Override
    public void close() {
        detach();
    }
}
