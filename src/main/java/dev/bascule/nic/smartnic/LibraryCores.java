package dev.bascule.nic.smartnic;

import dev.bascule.config.CardConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Iova;
import dev.bascule.ffi.CardLibrary;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DeviceWindow;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** The region that a vendor's shared library gives; its functions are declared in {@code native/card/bascule_card.h}. */
final class LibraryCores implements CardCores {
    private final CardLibrary library;
    private final MemorySegment memory;

    private LibraryCores(CardLibrary library, MemorySegment memory) {
        this.library = library;
        this.memory = memory;
    }

    static LibraryCores open(CardConfig.Cores cores) {
        try {
            CardLibrary library = CardLibrary.open(Path.of(cores.path()), cores.argument());
            MemorySegment whole = library.memory();
            MappedFile part = MappedFile.within(cores.path(), cores.offset(), cores.lengthBytes(), whole.byteSize());
            return new LibraryCores(library, whole.asSlice(part.offset(), part.lengthBytes()));
        } catch (NativeException | IllegalArgumentException e) {
            throw new DeviceException("reach the card's memory", cores.path(), String.valueOf(e.getMessage()),
                    "set cores.path to a library with the functions of native/card/bascule_card.h", e);
        }
    }

    @Override
    public long sizeBytes() {
        return memory.byteSize();
    }

    @Override
    public Window memory() {
        return window(memory);
    }

    private Window window(MemorySegment of) {
        return library.isCached() ? new DirectWindow(of) : new DeviceWindow(of, MemoryType.UC);
    }

    @Override
    public Window hostMemory(Iova iova, long lengthBytes) {
        try {
            return window(library.hostMemory(iova.value(), lengthBytes));
        } catch (NativeException e) {
            throw new DeviceException("reach host memory", iova + ", " + lengthBytes + " bytes", e.errnoName(),
                    "let the library's bascule_card_host map it, or set region.hostMemory: bar", e);
        }
    }

    @Override
    public Doorbell interrupt(long host) {
        return library.canInterrupt() ? vector -> library.interrupt((int) vector) : Doorbell.NONE;
    }

    @Override
    public boolean awaitDoorbell(long timeoutNanos) {
        return Waiter.NAPS.await(timeoutNanos);
    }

    @Override
    public String toString() {
        return "memory of " + library;
    }

    @Override
    public void close() {
        library.close();
    }
}
