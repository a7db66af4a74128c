package dev.bascule.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The C twins of {@code native/bench}, compiled at run time with {@code cc} and loaded into this process. */
final class Twins {
    /** Pacings that {@code pace.h} knows, by number. */
    static final List<String> PACES = List.of("tight", "pause", "8 nops", "32 nops", "16 pauses");

    /** No C compiler: ratios to C are not measured. */
    static final Twins NONE = new Twins(null);

    private static final FunctionDescriptor TWIN = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

    private final @Nullable SymbolLookup library;

    private Twins(@Nullable SymbolLookup library) {
        this.library = library;
    }

    /** The compiled twins at {@code library}, or {@link #NONE} if the path is empty. */
    static Twins load(String library) {
        return library.isEmpty() ? NONE : new Twins(SymbolLookup.libraryLookup(Path.of(library), Arena.global()));
    }

    /**
     * Compiles {@code native/bench/*.c} into {@code directory}.
     *
     * @return the library's path, or an empty string when there is no compiler or it refuses, after saying so
     */
    static String compile(Path sources, Path directory) throws IOException, InterruptedException {
        Path library = directory.resolve("libbascule-bench-twins.so");
        for (String tune : new String[] { "-march=native", "-O3" }) {
            List<String> command = new ArrayList<>(List.of("cc", "-O3", tune, "-fPIC", "-shared", "-o",
                    library.toString()));
            try (Stream<Path> files = Files.list(sources)) {
                files.filter(f -> f.toString().endsWith(".c")).sorted().map(Path::toString).forEach(command::add);
            }
            if (runs(command)) {
                return library.toString();
            }
        }
        System.err.println("bench: no C compiler (cc) that takes " + sources + "; ratios to C are not measured. "
                + "Remedy: apt-get install gcc libc6-dev");
        return "";
    }

    private static boolean runs(List<String> command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException noCompiler) {
            return false;
        }
    }

    boolean available() {
        return library != null;
    }

    /**
     * Variants of a C group, one per pace, of the two C functions, each on {@code bytes} of zeroed memory of its own;
     * none without a compiler.
     */
    List<Variant> variants(String group, String first, long firstArg, String second, long secondArg, long bytes) {
        List<Variant> variants = new ArrayList<>();
        for (int pace = 0; available() && pace < PACES.size(); pace++) {
            MemorySegment memory = Arena.global().allocate(bytes, 4096);
            variants.add(new Variant(group, PACES.get(pace), side(first, memory, firstArg, pace),
                    side(second, memory, secondArg, pace)));
        }
        return variants;
    }

    /** The C function {@code name} on {@code memory} as a side. */
    Side side(String name, MemorySegment memory, long arg, int pace) {
        if (library == null) {
            throw new IllegalStateException("no C twins loaded");
        }
        MethodHandle handle = Linker.nativeLinker().downcallHandle(library.findOrThrow(name), TWIN);
        return (start, count) -> {
            try {
                return (long) handle.invokeExact(memory, start, count, arg, (long) pace);
            } catch (Throwable e) {
                throw new IllegalStateException("C twin " + name + " failed", e);
            }
        };
    }
}
