package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A vendor's shared library that gives a card's memory to its own cores; its functions are declared in {@code
 * native/card/bascule_card.h}. Control path, but for {@link #interrupt}. Any thread; the library says whether its
 * functions bear several.
 */
public final class CardLibrary implements AutoCloseable {
    private final Path path;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final boolean cached;
    private final Optional<MemorySegment> host;
    private final Optional<MemorySegment> interrupt;

    private CardLibrary(Path path, String argument) {
        this.path = path;
        SymbolLookup symbols = SymbolLookup.libraryLookup(path, Arena.global()); // drivers seldom bear being unloaded
        MemorySegment give = symbols.find("bascule_card_memory")
                .orElseThrow(() -> new IllegalArgumentException("it has no function bascule_card_memory"));
        host = symbols.find("bascule_card_host");
        interrupt = symbols.find("bascule_card_interrupt");
        try (Arena call = Arena.ofConfined()) {
            MemorySegment answer = call.allocate(24, 8);
            check("bascule_card_memory", NativeCall.words(give, Libc.string(call, argument), answer,
                    answer.asSlice(8), answer.asSlice(16)));
            memory = mapped(answer.get(ValueLayout.JAVA_LONG, 0), answer.get(ValueLayout.JAVA_LONG, 8));
            cached = answer.get(ValueLayout.JAVA_INT, 16) != 0;
        }
    }

    /**
     * Loads it and asks for the card's memory; it stays loaded.
     *
     * @param argument what it is told, such as which card
     * @throws IllegalArgumentException if it cannot be loaded, or has no such function
     * @throws NativeException with the errno that it gave
     */
    public static CardLibrary open(Path path, String argument) {
        return new CardLibrary(path, argument);
    }

    private void check(String function, long result) {
        if ((int) result != 0) {
            throw new NativeException(function, path.toString(), (int) result);
        }
    }

    private MemorySegment mapped(long address, long lengthBytes) {
        if (address == 0 || (address & 7) != 0 || lengthBytes <= 0) {
            throw new IllegalArgumentException("it gave " + lengthBytes + " bytes at 0x" + Long.toHexString(address)
                    + "; memory must be there and begin at a multiple of 8");
        }
        return MemorySegment.ofAddress(address).reinterpret(lengthBytes, arena, null);
    }

    /** The card's memory; an {@link IllegalStateException} after {@link #close}. */
    public MemorySegment memory() {
        return memory;
    }

    /** Whether it is cached coherently; else accesses reach the memory one by one. */
    public boolean isCached() {
        return cached;
    }

    /** Memory of the host at a device address; {@link NativeException} if the library does not reach it. */
    public MemorySegment hostMemory(long iova, long lengthBytes) {
        MemorySegment function = host.orElseThrow(
                () -> new NativeException("bascule_card_host", path.toString(), Errno.EOPNOTSUPP));
        try (Arena call = Arena.ofConfined()) {
            MemorySegment answer = call.allocate(8, 8);
            check("bascule_card_host", NativeCall.words(function, NativeCall.word(iova), NativeCall.word(lengthBytes),
                    answer));
            return mapped(answer.get(ValueLayout.JAVA_LONG, 0), lengthBytes);
        }
    }

    /** Whether it can interrupt the host. */
    public boolean canInterrupt() {
        return interrupt.isPresent();
    }

    /** Interrupts the host. */
    public void interrupt(int vector) {
        interrupt.ifPresent(function -> NativeCall.words(function, NativeCall.word(vector)));
    }

    @Override
    public String toString() {
        return path.toString();
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
