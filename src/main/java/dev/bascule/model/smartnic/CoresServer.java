package dev.bascule.model.smartnic;

import dev.bascule.device.DeviceException;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Door;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.nic.smartnic.CoresFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The side of a simulated card's own cores: agents in other processes of this user connect, map the card's memory, and
 * have their DMA and interrupts carried out by the card, through the host's IOMMU. Format: {@link CoresFormat}.
 * <p>
 * Thread rule: thread-safe; one thread for each connection, at most 16. What a client sends or omits ends that client.
 */
public final class CoresServer implements AutoCloseable {
    private static final Door.Bounds BOUNDS = Door.Bounds.ownUser(16, 5_000);

    private final SmartNicModel card;
    private final MappableMemory memory;
    private final EventFd doorbell = EventFd.create();
    private final Door<UnixSocket> door;
    private final Consumer<String> events;

    private CoresServer(SmartNicModel card, UnixListener listener, Consumer<String> events) {
        this.card = card;
        this.memory = card.region().nicMappable();
        this.events = events;
        card.onDoorbell(doorbell::signal);
        this.door = Door.open("bascule-cores", listener, BOUNDS, this::serve);
    }

    /**
     * Listens for agents.
     *
     * @param events is told who comes and goes; must not block
     * @throws DeviceException if the socket cannot be made
     */
    public static CoresServer listen(SmartNicModel card, Path path, Consumer<String> events) {
        UnixListener listener;
        try {
            listener = UnixListener.listen(path, UnixSocket.Type.MESSAGES);
        } catch (NativeException e) {
            throw new DeviceException("serve the card's cores", path.toString(), e.errnoName(),
                    "choose another path, in a folder where you may create files", e);
        }
        return new CoresServer(card, listener, events);
    }

    private void serve(Door.Guest<UnixSocket> guest) {
        UnixSocket agent = guest.socket();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(CoresFormat.MOST_BYTES, 8);
            long bytes = agent.fd().read(message);
            if (bytes != CoresFormat.GREETING_WORDS * (long) Long.BYTES
                    || message.getAtIndex(CoresFormat.WORD, 0) != CoresFormat.MARK) {
                return;
            }
            String who = "process " + agent.peer().pid();
            greet(agent, arena);
            guest.greeted();
            events.accept(who + " has come");
            try {
                do {
                    bytes = agent.fd().read(message);
                } while (carryOut(agent, message, bytes));
            } finally {
                events.accept(who + " has gone");
            }
        }
    }

    private void greet(UnixSocket agent, Arena arena) {
        MemorySegment hello = arena.allocateFrom(CoresFormat.WORD, CoresFormat.MARK, CoresFormat.VERSION,
                memory.fileOffset(), memory.segment().byteSize(), SmartNicRegion.SIGNALS);
        Fd file = Fd.adopt(memory.fileDescriptor(), "the card's memory"); // stays the region's: never closed here
        agent.send(hello, List.of(file, doorbell.fd()));
    }

    /** One message; false at the end, or if it is none. */
    private boolean carryOut(UnixSocket agent, MemorySegment message, long bytes) {
        if (bytes < (long) CoresFormat.HEAD_WORDS * Long.BYTES) {
            return false;
        }
        long operation = message.getAtIndex(CoresFormat.WORD, 0);
        long number = message.getAtIndex(CoresFormat.WORD, 1);
        long address = message.getAtIndex(CoresFormat.WORD, 2);
        long length = message.getAtIndex(CoresFormat.WORD, 3);
        long data = CoresFormat.HEAD_WORDS * Long.BYTES;
        if (operation == CoresFormat.RAISE) {
            card.raise((int) number);
            return true;
        }
        if (length < 0 || length > CoresFormat.DATA_BYTES) {
            return false;
        }
        if (operation == CoresFormat.WRITE) {
            card.dmaWrite(address, message, data, Math.min(length, bytes - data));
            return true;
        }
        if (operation == CoresFormat.COMPARE_AND_SWAP && length == 2L * Long.BYTES && bytes == data + length) {
            return answer(agent, message, address);
        }
        if (operation != CoresFormat.READ) {
            return false;
        }
        message.setAtIndex(CoresFormat.WORD, 2, card.dmaRead(address, message, data, length) ? 1 : 0);
        message.setAtIndex(CoresFormat.WORD, 3, 0);
        return agent.fd().write(message) > 0;
    }

    private boolean answer(UnixSocket agent, MemorySegment message, long address) {
        long[] swap = { message.getAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS),
                message.getAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS + 1L) };
        message.setAtIndex(CoresFormat.WORD, 2, card.dmaCompareAndSwap(address, swap) ? 1 : 0);
        message.setAtIndex(CoresFormat.WORD, 3, 0);
        message.setAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS, swap[0]);
        return agent.fd().write(message) > 0;
    }

    @Override
    public void close() {
        door.close();
        card.onDoorbell(() -> {});
        doorbell.close();
    }
}
