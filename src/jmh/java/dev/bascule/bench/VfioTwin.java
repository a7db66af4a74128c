package dev.bascule.bench;

import dev.bascule.pci.PciAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Locale;

/** The C twin of {@code native/bench/vfio}: opens the device itself, by the group interface. One thread. */
final class VfioTwin implements VfioSteps {
    private final SymbolLookup library;
    private final MethodHandle[] steps;

    private VfioTwin(SymbolLookup library) {
        this.library = library;
        this.steps = new MethodHandle[Step.values().length];
        for (Step step : Step.values()) {
            steps[step.ordinal()] = handle("vfio_twin_" + step.name().toLowerCase(Locale.ROOT), ValueLayout.JAVA_LONG);
        }
    }

    static VfioTwin open(Path library, PciAddress address, int group) {
        VfioTwin twin = new VfioTwin(SymbolLookup.libraryLookup(library, Arena.global()));
        MethodHandle open = twin.handle("vfio_twin_open", ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
        try (Arena arena = Arena.ofConfined()) {
            check((long) open.invokeExact(arena.allocateFrom(address.toString()), (long) group));
        } catch (Throwable e) {
            throw new IllegalStateException("the C twin cannot open " + address, e);
        }
        return twin;
    }

    private MethodHandle handle(String name, MemoryLayout... arguments) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments));
    }

    private static void check(long answer) {
        if (answer != 0) {
            throw new IllegalStateException("native/bench/vfio/vfio.c:" + -answer);
        }
    }

    @Override
    public void run(Step step, long count) {
        try {
            check((long) steps[step.ordinal()].invokeExact(count));
        } catch (Throwable e) {
            throw new IllegalStateException("the C twin failed at " + step, e);
        }
    }

    @Override
    public void close() {
        try {
            check((long) handle("vfio_twin_close").invokeExact());
        } catch (Throwable e) {
            throw new IllegalStateException("the C twin cannot close", e);
        }
    }
}
