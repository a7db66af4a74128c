package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The library that loads BPF programs, version 1.2 or newer: older ones leave a scheduler behind when their process is
 * killed. Looked for at {@code -Dbascule.libbpf=FILE} or {@code BASCULE_LIBBPF}, else where the loader looks. Its warnings,
 * with the kernel's reasons for refusing a program, go to standard error if {@code BASCULE_BPF_LOG} is set.
 * <p>
 * Control path; any thread.
 */
public final class Libbpf {
    private static final String FILE = "libbpf.so.1";
    private static final int MINOR = 2;
    private static final Library LIBRARY = load();

    private record Library(String reason, @Nullable SymbolLookup symbols,
            ConcurrentHashMap<String, MemorySegment> found) {
        Library(String reason, @Nullable SymbolLookup symbols) {
            this(reason, symbols, new ConcurrentHashMap<>());
        }
    }

    private Libbpf() {}

    /** Whether it was found and is new enough. */
    public static boolean isAvailable() {
        return LIBRARY.symbols != null;
    }

    /** Version of the library, or why it is absent and how to get it. */
    public static String reason() {
        return LIBRARY.reason;
    }

    /** Calls a function of up to six words; a result of 32 bits is in the low half. */
    static long call(String function, MemorySegment... arguments) {
        return NativeCall.words(address(function), arguments);
    }

    static MemorySegment address(String function) {
        SymbolLookup symbols = LIBRARY.symbols;
        if (symbols == null) {
            throw new MissingPartException(LIBRARY.reason);
        }
        return LIBRARY.found.computeIfAbsent(function, name -> find(symbols, name));
    }

    private static MemorySegment find(SymbolLookup symbols, String name) {
        return symbols.find(name)
                .orElseThrow(() -> new MissingPartException(LIBRARY.reason + " has no " + name));
    }

    private static Library load() {
        String given = System.getProperty("bascule.libbpf", System.getenv().getOrDefault("BASCULE_LIBBPF", ""));
        try {
            SymbolLookup symbols = given.isEmpty()
                    ? SymbolLookup.libraryLookup(FILE, Arena.global())
                    : SymbolLookup.libraryLookup(Path.of(given), Arena.global());
            long major = version(symbols, "libbpf_major_version");
            long minor = version(symbols, "libbpf_minor_version");
            String version = "libbpf " + major + "." + minor;
            if (major < 1 || major == 1 && minor < MINOR) {
                return new Library(version + " is too old, 1." + MINOR + " is needed; " + remedy(), null);
            }
            if (System.getenv("BASCULE_BPF_LOG") == null) {
                NativeCall.words(find(symbols, "libbpf_set_print"));
            }
            return new Library(version + (given.isEmpty() ? "" : " from " + given), symbols);
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            return new Library("no " + (given.isEmpty() ? FILE : given) + "; " + remedy(), null);
        }
    }

    private static long version(SymbolLookup symbols, String function) {
        return symbols.find(function).map(address -> NativeCall.words(address) & 0xffff_ffffL).orElse(0L);
    }

    /** Commands that get a library that is new enough. */
    public static String remedy() {
        return "on Debian 12: apt-get install -t bookworm-backports libbpf1, elsewhere: apt-get install libbpf1; or name"
                + " a library with BASCULE_LIBBPF=FILE";
    }
}
