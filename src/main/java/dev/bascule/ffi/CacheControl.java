package dev.bascule.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The three instructions Java has no word for and real write-combining and write-through mappings need: store fence,
 * line flush, line prefetch. They live in {@code native/cache/cache.c}, which {@code scripts/build-native} compiles
 * where there is a C compiler. Only windows onto real hardware use them; everything else runs without.
 * <p>
 * The library is looked for at {@code -Dbascule.native.library=FILE}, else as {@code native/libbascule_cache.so} beside
 * the program. OVERHEAD: a critical downcall costs 2.4 ns, a flush itself 70 to 360.
 */
public final class CacheControl {
    private static final String PROPERTY = "bascule.native.library";
    private static final CacheControl LOADED = load();

    private final String reason;
    private final @Nullable MethodHandle fence;
    private final @Nullable MethodHandle flush;
    private final @Nullable MethodHandle prefetch;

    private CacheControl(String reason, @Nullable SymbolLookup library) {
        this.reason = reason;
        FunctionDescriptor line = FunctionDescriptor.ofVoid(ADDRESS);
        this.fence = bind(library, "bascule_store_fence", FunctionDescriptor.ofVoid());
        this.flush = bind(library, "bascule_flush_line", line);
        this.prefetch = bind(library, "bascule_prefetch_line", line);
    }

    /** The instructions, or null if the library is not there; see {@link #reason}. */
    public static @Nullable CacheControl instance() {
        return available() ? LOADED : null;
    }

    /** Whether the library was found and loaded. */
    public static boolean available() {
        return LOADED.fence != null && LOADED.flush != null && LOADED.prefetch != null;
    }

    /** Where the library came from, or why it is absent and how to get it. */
    public static String reason() {
        return LOADED.reason;
    }

    /** SFENCE (DSB ST on aarch64): write-combined stores leave, before any later store. */
    public void storeFence() {
        MethodHandle call = bound(fence);
        try {
            call.invokeExact();
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    /** CLFLUSHOPT (DC CIVAC): drops the line that holds {@code offset}; the bounds and the arena are checked. */
    public void flushLine(MemorySegment memory, long offset) {
        MethodHandle call = bound(flush);
        try {
            call.invokeExact(memory.asSlice(offset, 1));
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    /** PREFETCHT0 (PRFM): starts reading the line that holds {@code offset}. */
    public void prefetchLine(MemorySegment memory, long offset) {
        MethodHandle call = bound(prefetch);
        try {
            call.invokeExact(memory.asSlice(offset, 1));
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    private static MethodHandle bound(@Nullable MethodHandle handle) {
        if (handle == null) {
            throw new UnsupportedOperationException(LOADED.reason);
        }
        return handle;
    }

    private static @Nullable MethodHandle bind(@Nullable SymbolLookup library, String symbol,
            FunctionDescriptor descriptor) {
        if (library == null) {
            return null;
        }
        return library.find(symbol)
                .map(f -> Linker.nativeLinker().downcallHandle(f, descriptor, Linker.Option.critical(false)))
                .orElse(null);
    }

    private static CacheControl load() {
        Path file = location();
        if (!Files.isRegularFile(file)) {
            return new CacheControl("cache control is absent: no " + file + "; with a C compiler: scripts/build-native",
                    null);
        }
        try {
            return new CacheControl("from " + file, SymbolLookup.libraryLookup(file, Arena.global()));
        } catch (IllegalArgumentException e) {
            return new CacheControl("cache control is absent: " + file + " cannot be loaded (" + e.getMessage()
                    + "); build it anew: scripts/build-native", null);
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
