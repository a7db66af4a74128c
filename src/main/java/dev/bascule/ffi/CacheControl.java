package dev.bascule.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The instructions Java has no word for and real write-combining and write-through mappings need: store fence, load
 * fence, line flush, line prefetch. They live in {@code native/cache/cache.c}, which {@code scripts/build-native} compiles
 * where there is a C compiler. Only windows onto real hardware use them; everything else runs without.
 * <p>
 * The library is looked for at {@code -Dbascule.native.library=FILE}, else as {@code native/libbascule_cache.so} beside
 * the program. OVERHEAD: a critical downcall costs 2.4 ns, a flush itself 70 to 360.
 */
public final class CacheControl {
    private static final String PROPERTY = "bascule.native.library";
    private static final Library LIBRARY = load();
    private static final FunctionDescriptor LINE = FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG);
    // Constants, so that the JIT inlines the calls.
    private static final @Nullable MethodHandle FENCE = bind("bascule_store_fence", FunctionDescriptor.ofVoid());
    private static final @Nullable MethodHandle LOAD_FENCE = bind("bascule_load_fence", FunctionDescriptor.ofVoid());
    private static final @Nullable MethodHandle FLUSH = bind("bascule_flush_line", LINE);
    private static final @Nullable MethodHandle PREFETCH = bind("bascule_prefetch_line", LINE);

    private record Library(String reason, @Nullable SymbolLookup symbols) {}

    private CacheControl() {}

    /** Whether the library was found and loaded. */
    public static boolean available() {
        return FENCE != null && LOAD_FENCE != null && FLUSH != null && PREFETCH != null;
    }

    /** Where the library came from, or why it is absent and how to get it. */
    public static String reason() {
        return LIBRARY.reason;
    }

    /** SFENCE (DSB ST on aarch64): write-combined stores leave, before any later store. */
    public static void storeFence() {
        MethodHandle call = bound(FENCE);
        try {
            call.invokeExact();
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    /** LFENCE (DMB OSHLD on aarch64): later loads are not served before earlier ones from device memory. */
    public static void loadFence() {
        MethodHandle call = bound(LOAD_FENCE);
        try {
            call.invokeExact();
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    /** CLFLUSHOPT (DC CIVAC): drops the line that holds {@code offset}; the bounds and the arena are checked. */
    public static void flushLine(MemorySegment memory, long offset) {
        Objects.checkIndex(offset, memory.byteSize());
        MethodHandle call = bound(FLUSH);
        try {
            call.invokeExact(memory, offset);
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    /** PREFETCHT0 (PRFM): starts reading the line that holds {@code offset}. */
    public static void prefetchLine(MemorySegment memory, long offset) {
        Objects.checkIndex(offset, memory.byteSize());
        MethodHandle call = bound(PREFETCH);
        try {
            call.invokeExact(memory, offset);
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    private static MethodHandle bound(@Nullable MethodHandle handle) {
        if (handle == null) {
            throw new MissingPartException(LIBRARY.reason);
        }
        return handle;
    }

    private static @Nullable MethodHandle bind(String symbol, FunctionDescriptor descriptor) {
        SymbolLookup symbols = LIBRARY.symbols;
        if (symbols == null) {
            return null;
        }
        return symbols.find(symbol)
                .map(f -> Linker.nativeLinker().downcallHandle(f, descriptor, Linker.Option.critical(false)))
                .orElse(null);
    }

    private static Library load() {
        Path file = location();
        if (!Files.isRegularFile(file)) {
            return new Library("cache control is absent: no " + file + "; with a C compiler: scripts/build-native",
                    null);
        }
        try {
            return new Library("from " + file, SymbolLookup.libraryLookup(file, Arena.global()));
        } catch (IllegalArgumentException e) {
            return new Library("cache control is absent: " + file + " cannot be loaded (" + e.getMessage()
                    + "); build it again: scripts/build-native", null);
        }
    }

    private static Path location() {
        String given = System.getProperty(PROPERTY);
        if (given != null) {
            return Path.of(given);
        }
        try {
            Path program = Path.of(CacheControl.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return program.resolveSibling("native").resolve("libbascule_cache.so");
        } catch (URISyntaxException | RuntimeException e) {
            return Path.of("native", "libbascule_cache.so");
        }
    }
}
