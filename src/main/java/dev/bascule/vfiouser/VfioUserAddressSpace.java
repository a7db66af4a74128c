package dev.bascule.vfiouser;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.DmaStore;
import dev.bascule.device.IommuFault;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.OwnThread;
import dev.bascule.memory.IovaAllocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory of this process that a served device may reach: memory with a descriptor is mapped by the server, other memory
 * goes by messages that this end answers. Only the latter's refused accesses are counted as faults here; the server
 * counts all.
 */
final class VfioUserAddressSpace implements AddressSpace {
    private static final long FIRST_IOVA = 1L << 32; // so that a driver which cuts addresses to 32 bits faults
    private static final long LAST_IOVA = (1L << 48) - 1;
    private static final int RECENT = 64;

    private record Mapping(long start, long bytes, MemorySegment memory, DmaDirection direction) {}

    private final TreeMap<Long, Mapping> mappings = new TreeMap<>();
    private final IovaAllocator addresses = IovaAllocator.of(FIRST_IOVA, LAST_IOVA);
    private final Deque<IommuFault> recent = new ArrayDeque<>();
    private final MemorySegment out = Arena.ofAuto().allocate(Protocol.DEFAULT_TRANSFER_BYTES, 8);
    private @Nullable ClientConnection connection;
    private @Nullable Thread listener;
    private long faults;

    void connect(ClientConnection established) {
        connection = established;
    }

    @Override
    public long pageBytes() {
        return Protocol.PAGE_BYTES;
    }

    @Override
    public Iova map(MappableMemory memory, DmaDirection direction) {
        long bytes = memory.segment().byteSize();
        checkPages(0, bytes);
        long start = addresses.allocate(bytes, Protocol.PAGE_BYTES);
        try {
            insert(start, memory, direction);
        } catch (RuntimeException e) {
            addresses.free(start);
            throw e;
        }
        return new Iova(start);
    }

    @Override
    public void mapAt(Iova iova, MappableMemory memory, DmaDirection direction) {
        long bytes = memory.segment().byteSize();
        checkPages(iova.value(), bytes);
        synchronized (mappings) {
            Map.Entry<Long, Mapping> below = mappings.lowerEntry(iova.value() + bytes);
            if (below != null && below.getValue().start + below.getValue().bytes > iova.value()) {
                throw new DeviceException("map for DMA", range(iova.value(), bytes),
                        "it overlaps the mapping at " + new Iova(below.getKey()), "unmap that one first");
            }
        }
        if (iova.value() >= FIRST_IOVA && iova.value() + bytes - 1 <= LAST_IOVA) {
            addresses.reserve(iova.value(), iova.value() + bytes - 1); // map chooses others from now on
        }
        insert(iova.value(), memory, direction);
    }

    private static void checkPages(long start, long bytes) {
        if (start < 0 || bytes <= 0 || start + bytes < 0 || ((start | bytes) & Protocol.PAGE_BYTES - 1) != 0) {
            throw new DeviceException("map for DMA", range(start, bytes), "not a non-empty range of whole pages",
                    "align address and length to " + Protocol.PAGE_BYTES + " bytes");
        }
    }

    private static String range(long start, long bytes) {
        return new Iova(start) + ", " + bytes + " bytes";
    }

    private void insert(long start, MappableMemory memory, DmaDirection direction) {
        boolean shared = memory.fileDescriptor() != MappableMemory.NO_FILE && connected().options().sharedMemory();
        long bytes = memory.segment().byteSize();
        synchronized (mappings) {
            if (mappings.size() >= connected().peer().maxDmaMaps()) {
                throw new DeviceException("map for DMA", range(start, bytes),
                        "the server takes " + connected().peer().maxDmaMaps() + " mappings",
                        "unmap something, or use fewer, larger buffers");
            }
            mappings.put(start, new Mapping(start, bytes, memory.segment(), direction));
        }
        if (!shared) {
            listen();
        }
        MemorySegment body = MemorySegment.ofArray(new byte[Protocol.DMA_MAP_BYTES]);
        Fields.put32(body, 0, Protocol.DMA_MAP_BYTES);
        Fields.put32(body, 4, (direction.allows(false) ? Protocol.DMA_READABLE : 0)
                | (direction.allows(true) ? Protocol.DMA_WRITABLE : 0));
        Fields.put64(body, 8, shared ? memory.fileOffset() : 0);
        Fields.put64(body, 16, start);
        Fields.put64(body, 24, bytes);
        try {
            connected().command("map for DMA at " + new Iova(start), Protocol.DMA_MAP, body, MemorySegment.NULL,
                    shared ? List.of(Fd.adopt(memory.fileDescriptor(), "DMA memory")) : List.of()); // stays its owner's
        } catch (RuntimeException e) {
            synchronized (mappings) {
                mappings.remove(start);
            }
            throw e;
        }
    }

    /** From now on the server may ask for memory while nobody waits for a reply. */
    private synchronized void listen() {
        if (listener == null) {
            listener = OwnThread.of("vfio-user DMA", connected()::answerCommands);
            listener.start();
        }
    }

    @Override
    public void unmap(Iova iova) {
        Mapping mapping;
        synchronized (mappings) {
            mapping = mappings.get(iova.value());
        }
        if (mapping == null) {
            throw new DeviceException("unmap for DMA", iova.toString(), "no mapping starts there",
                    "unmap with the address that map gave");
        }
        if (!connected().isGone()) {
            MemorySegment body = MemorySegment.ofArray(new byte[Protocol.DMA_UNMAP_BYTES]);
            Fields.put32(body, 0, Protocol.DMA_UNMAP_BYTES);
            Fields.put64(body, 8, mapping.start);
            Fields.put64(body, 16, mapping.bytes);
            connected().command("unmap for DMA", Protocol.DMA_UNMAP, body, MemorySegment.NULL, List.of());
        }
        synchronized (mappings) {
            mappings.remove(iova.value());
        }
        try {
            addresses.free(iova.value());
        } catch (IllegalArgumentException e) {
            // it was mapped at an address of the caller's choice, which stays out of what map chooses from
        }
    }

    /** Takes everything away at once, before the connection is closed. */
    void release() {
        MemorySegment body = MemorySegment.ofArray(new byte[Protocol.DMA_UNMAP_BYTES]);
        Fields.put32(body, 0, Protocol.DMA_UNMAP_BYTES);
        Fields.put32(body, 4, Protocol.UNMAP_ALL);
        connected().command("unmap for DMA", Protocol.DMA_UNMAP, body, MemorySegment.NULL, List.of());
    }

    @Override
    public long faultCount() {
        synchronized (recent) {
            return faults;
        }
    }

    @Override
    public List<IommuFault> recentFaults() {
        synchronized (recent) {
            return List.copyOf(recent);
        }
    }

    /** A command of the server: DMA to memory without a descriptor, or something it may not ask. */
    void answer(Endpoint endpoint, Message command) throws Disconnected {
        if (command.fatal || command.isReply()) { // nothing that could be answered
            endpoint.close();
            throw new Disconnected("the server broke the protocol: " + command.malformed);
        }
        boolean write = command.command == Protocol.DMA_WRITE;
        if (command.malformed != null || !write && command.command != Protocol.DMA_READ
                || command.bodyBytes < Protocol.DMA_ACCESS_BYTES) {
            endpoint.refuse(command, Errno.EINVAL);
            return;
        }
        long iova = command.get64(0);
        long count = command.get64(8);
        long data = write ? count : 0;
        if (count <= 0 || count > Offer.OURS.maxTransferBytes()
                || command.bodyBytes != Protocol.DMA_ACCESS_BYTES + data) {
            endpoint.refuse(command, Errno.EINVAL);
            return;
        }
        synchronized (mappings) {
            String refusal = refusal(iova, count, write);
            if (refusal != null) {
                fault(new IommuFault(new Iova(iova), count, write, refusal));
                endpoint.refuse(command, Errno.EFAULT);
                return;
            }
            MemorySegment local = write ? command.body().asSlice(Protocol.DMA_ACCESS_BYTES) : out;
            copy(iova, local, count, write);
            MemorySegment head = command.body().asSlice(0, Protocol.DMA_ACCESS_BYTES);
            endpoint.reply(command, head, write ? MemorySegment.NULL : out.asSlice(0, count), List.of());
        }
    }

    private @Nullable String refusal(long iova, long count, boolean write) {
        long at = iova;
        while (at - iova < count) {
            Map.Entry<Long, Mapping> below = at < 0 ? null : mappings.floorEntry(at);
            if (below == null || at - below.getKey() >= below.getValue().bytes) {
                return "not mapped from " + new Iova(at);
            }
            if (!below.getValue().direction.allows(write)) {
                return "the mapping does not allow it";
            }
            if (!below.getValue().memory.scope().isAlive()) {
                return "the mapped memory was closed";
            }
            at = below.getKey() + below.getValue().bytes;
        }
        return null;
    }

    private void copy(long iova, MemorySegment local, long count, boolean write) {
        for (long done = 0; done < count;) {
            Mapping mapping = java.util.Objects.requireNonNull(mappings.floorEntry(iova + done)).getValue();
            long offset = iova + done - mapping.start;
            long part = Math.min(count - done, mapping.bytes - offset);
            if (write) {
                DmaStore.copy(local, done, mapping.memory, offset, part);
            } else {
                MemorySegment.copy(mapping.memory, offset, local, done, part);
            }
            done += part;
        }
    }

    private void fault(IommuFault fault) {
        synchronized (recent) {
            faults++;
            if (recent.size() == RECENT) {
                recent.removeFirst();
            }
            recent.addLast(fault);
        }
    }

    private ClientConnection connected() {
        return java.util.Objects.requireNonNull(connection);
    }
}
