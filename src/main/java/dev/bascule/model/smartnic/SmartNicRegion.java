package dev.bascule.model.smartnic;

import dev.bascule.device.MappableMemory;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultSite;
import dev.bascule.loopback.FaultyWindow;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.loopback.MappedRanges;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory a SmartNIC and its host share: NIC memory (the host reaches it across the link, the NIC's cores own it),
 * host DMA memory (the other way round), interrupt lines to the host and doorbells to the NIC. Both sides are in one
 * process, or share the files of a run directory, the NIC's cores being another process, possibly of another instruction
 * set: all words are little endian.
 * <p>
 * The peer writes the shared memory, so nothing in it is trusted, checked header or not.
 * <p>
 * Thread rule: thread-safe; what {@link #host()} and {@link #nic()} give belongs to one thread each. The creator owns
 * the files.
 */
public final class SmartNicRegion implements AutoCloseable {
    /** Interrupt vectors, and doorbells. */
    public static final int SIGNALS = 64;

    /** Direction of a signal. */
    enum Direction {
        TO_HOST, TO_NIC
    }

    private final SharedMemory nicShared;
    private final SharedMemory hostShared;
    private final MemorySegment nicFile;
    private final LinkedMemory nicMemory;
    private final LinkedMemory hostMemory;
    private final MappedRanges ranges;
    private final Wakers wakers;
    private final FaultPlan plan;
    private final long seed;
    private final AtomicInteger opened = new AtomicInteger();
    private final @Nullable Path directory;
    private final @Nullable FileLock lock;
    private boolean closed;

    private SmartNicRegion(SharedMemory nicShared, SharedMemory hostShared, SmartNicConfig config, Wakers wakers,
            @Nullable Path directory, @Nullable FileLock lock) {
        this.nicShared = nicShared;
        this.hostShared = hostShared;
        this.nicFile = nicShared.segment();
        this.nicMemory = memory(nicShared, RegionLayout.NIC_DATA, config.nicMemoryBytes(), config.profile());
        this.hostMemory = memory(hostShared, RegionLayout.HOST_DATA, config.hostMemoryBytes(),
                config.profile());
        this.ranges = new MappedRanges(nicFile.asSlice(RegionLayout.RANGES, RegionLayout.PAGE));
        this.wakers = wakers;
        this.plan = config.plan();
        this.seed = config.seed();
        this.directory = directory;
        this.lock = lock;
    }

    /** Both sides in this process, on memory without a name. */
    public static SmartNicRegion inProcess(SmartNicConfig config) {
        SharedMemory nic = SharedMemory.create("bascule-nic", nicFileBytes(config));
        return closingOnFailure(nic, null, () -> {
            SharedMemory host = SharedMemory.create("bascule-host", hostFileBytes(config));
            writeHeaders(config, nic.segment(), host.segment());
            return new SmartNicRegion(nic, host, config, Wakers.local(), null, null);
        });
    }

    /**
     * The host's side of a new region in a run directory, best on a memory file system. Files of an earlier run are
     * replaced; a NIC process that is still attached keeps the old files and does no harm.
     *
     * @throws dev.bascule.device.DeviceException when another host uses the directory, or there is no space
     */
    public static SmartNicRegion create(Path directory, SmartNicConfig config) {
        FileLock lock = RegionFiles.lock(directory);
        return closingOnFailure(null, lock, () -> layOut(directory, config, lock));
    }

    /**
     * As {@link #create}, but existing files are kept under other names, with a warning.
     *
     * @param damage why they cannot be used
     */
    public static SmartNicRegion replace(Path directory, SmartNicConfig config, String damage) {
        FileLock lock = RegionFiles.lock(directory);
        return closingOnFailure(null, lock, () -> {
            RegionFiles.setAside(directory, damage);
            return layOut(directory, config, lock);
        });
    }

    private static SmartNicRegion layOut(Path directory, SmartNicConfig config, FileLock lock) {
        SharedMemory nic = RegionFiles.create(directory, RegionFiles.NIC_FILE, nicFileBytes(config));
        return closingOnFailure(nic, null, () -> {
            SharedMemory host = RegionFiles.create(directory, RegionFiles.HOST_FILE, hostFileBytes(config));
            return closingOnFailure(host, null, () -> {
                long id = writeHeaders(config, nic.segment(), host.segment());
                Wakers wakers = WakeSocket.serve(directory, id);
                RegionFiles.publish(directory, RegionFiles.HOST_FILE);
                RegionFiles.publish(directory, RegionFiles.NIC_FILE);
                return new SmartNicRegion(nic, host, config, wakers, directory, lock);
            });
        });
    }

    /** The host's side of the region that an earlier host process left in the directory, with its content. */
    public static SmartNicRegion reopen(Path directory, FaultPlan plan, long seed) {
        FileLock lock = RegionFiles.lock(directory);
        return closingOnFailure(null, lock, () -> map(directory, plan, seed, directory, lock));
    }

    /**
     * The NIC's side of a region in a run directory.
     *
     * @param plan faults of what this side sends
     * @throws dev.bascule.device.DeviceFormatException when the files are truncated, of another version or damaged
     * @throws dev.bascule.device.DeviceException when there are none
     */
    public static SmartNicRegion attach(Path directory, FaultPlan plan, long seed) {
        return map(directory, plan, seed, null, null);
    }

    private static SmartNicRegion map(Path directory, FaultPlan plan, long seed, @Nullable Path owned,
            @Nullable FileLock lock) {
        SharedMemory nic = RegionFiles.open(directory, RegionFiles.NIC_FILE);
        return closingOnFailure(nic, null, () -> {
            RegionHeader nicHeader = RegionHeader.read(nic.segment(), RegionHeader.NIC,
                    directory.resolve(RegionFiles.NIC_FILE).toString(), RegionLayout.NIC_DATA, nic.sizeBytes());
            SharedMemory host = RegionFiles.open(directory, RegionFiles.HOST_FILE);
            return closingOnFailure(host, null, () -> {
                RegionHeader hostHeader = RegionHeader.read(host.segment(), RegionHeader.HOST,
                        directory.resolve(RegionFiles.HOST_FILE).toString(), RegionLayout.HOST_DATA,
                        host.sizeBytes());
                if (nicHeader.id() != hostHeader.id() || !nicHeader.profile().equals(hostHeader.profile())) {
                    throw RegionHeader.refused(directory.toString(), "its two files belong to different regions");
                }
                SmartNicConfig config = new SmartNicConfig(nicHeader.dataBytes(), hostHeader.dataBytes(),
                        nicHeader.profile(), plan, seed);
                Wakers wakers = owned == null
                        ? WakeSocket.connect(directory, nicHeader.id())
                        : WakeSocket.serve(directory, nicHeader.id());
                return new SmartNicRegion(nic, host, config, wakers, owned, lock);
            });
        });
    }

    private static SmartNicRegion closingOnFailure(@Nullable SharedMemory memory, @Nullable FileLock lock,
            Supplier<SmartNicRegion> body) {
        try {
            return body.get();
        } catch (RuntimeException e) {
            if (memory != null) {
                memory.close();
            }
            release(lock);
            throw e;
        }
    }

    private static long writeHeaders(SmartNicConfig config, MemorySegment nic, MemorySegment host) {
        long id = ThreadLocalRandom.current().nextLong();
        new MappedRanges(nic.asSlice(RegionLayout.RANGES, RegionLayout.PAGE)).map(0, config.hostMemoryBytes());
        new RegionHeader(RegionHeader.HOST, id, config.hostMemoryBytes(), hostFileBytes(config), config.profile())
                .writeTo(host);
        new RegionHeader(RegionHeader.NIC, id, config.nicMemoryBytes(), nicFileBytes(config), config.profile())
                .writeTo(nic);
        return id;
    }

    private static long nicFileBytes(SmartNicConfig config) {
        return RegionLayout.fileBytes(RegionLayout.NIC_DATA, config.nicMemoryBytes(), config.profile());
    }

    private static long hostFileBytes(SmartNicConfig config) {
        return RegionLayout.fileBytes(RegionLayout.HOST_DATA, config.hostMemoryBytes(), config.profile());
    }

    private static LinkedMemory memory(SharedMemory file, long dataOffset, long dataBytes, LinkProfile profile) {
        long shadowBytes = LinkedMemory.shadowBytes(dataBytes, profile);
        return new LinkedMemory(file.pinned().slice(dataOffset, dataBytes),
                shadowBytes == 0 ? null : file.segment().asSlice(dataOffset + dataBytes, shadowBytes), profile);
    }

    /** Side of the host, which opens its windows, doorbells and interrupts. */
    public HostSide host() {
        return new HostSide(this, ranges);
    }

    /** Side of the NIC, which opens its windows, doorbells and interrupts. */
    public NicSide nic() {
        return new NicSide(this, ranges);
    }

    /** NIC memory. */
    public LinkedMemory nicMemory() {
        return nicMemory;
    }

    /** NIC memory with the descriptor that another process can map. */
    MappableMemory nicMappable() {
        return new MappableMemory(nicMemory.segment(), nicShared.fileDescriptor(), RegionLayout.NIC_DATA);
    }

    /** Host DMA memory. */
    public LinkedMemory hostMemory() {
        return hostMemory;
    }

    long nextSeed() {
        return seed * 1_000_003L + opened.incrementAndGet();
    }

    Window faulty(Window window, FaultSite site) {
        return plan.concerns(site) ? new FaultyWindow(window, plan.injector(site, opened.incrementAndGet())) : window;
    }

    SignalSender sender(Direction direction, int number) {
        FaultSite site = direction == Direction.TO_HOST ? FaultSite.INTERRUPT : FaultSite.DOORBELL;
        long delay = direction == Direction.TO_HOST
                ? nicMemory.profile().msixNanos()
                : nicMemory.profile().postedWriteNanos();
        return new SignalSender(line(direction, number), wakers.of(direction, number), number, delay,
                plan.concerns(site) ? plan.injector(site, opened.incrementAndGet()) : null);
    }

    SignalReceiver receiver(Direction direction, int number) {
        return new SignalReceiver(line(direction, number), wakers.of(direction, number), number);
    }

    private SignalLine line(Direction direction, int number) {
        if (number < 0 || number >= SIGNALS) {
            throw new IllegalArgumentException("signal " + number + " does not exist; there are 0 to 63");
        }
        long base = direction == Direction.TO_HOST ? RegionLayout.INTERRUPTS : RegionLayout.DOORBELLS;
        return new SignalLine(nicFile.asSlice(base + number * 64L, 64));
    }

    /** Unmaps; the creator also removes the files. Windows must not be in use by then; a later use is an exception. */
    @Override
    public synchronized void close() {
        if (!closed && directory != null) {
            RegionFiles.delete(directory); // while the lock still keeps others out
        }
        leave();
    }

    /** Unmaps and releases the run directory but leaves its files, so that another host can {@link #reopen} them. */
    public synchronized void leave() {
        if (!closed) {
            closed = true;
            wakers.close();
            hostShared.close();
            nicShared.close();
            release(lock);
        }
    }

    private static void release(@Nullable FileLock lock) {
        if (lock != null) {
            try {
                lock.acquiredBy().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
