package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.agent.Lines;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A SmartNIC's region in the shared BAR of ivshmem devices: one page that says where everything is and who the peers
 * are, NIC memory, host memory. The BAR stands for both memories, since an ivshmem device does no DMA.
 * <p>
 * The page's first line is read whole: the host of another process may lay the region out anew meanwhile. Words: 0
 * magic; 1 the host's peer number; 2 bytes of NIC memory; 3 bytes of host memory; 4 hash of the transport's name; 7
 * digest of words 0 to 6.
 * <p>
 * Thread rule: the control path's thread, beside those of other processes on the same BAR; each window belongs to one
 * thread.
 */
final class IvshmemRegion {
    private static final long MAGIC = 0x324d_4853_5649_4c42L;
    private static final long PAGE = 4096;
    /**
     * How often a header that is being written is read, a tenth of a millisecond apart, before it counts as damaged.
     */
    private static final int LOOKS = 10_000;

    private final IvshmemDriver driver;
    private @Nullable Layout layout;

    /** What the first line says. */
    record Layout(long hostPeer, long nicBytes, long hostBytes, long transport) {
        static Layout of(long[] words) {
            return new Layout(words[1], words[2], words[3], words[4]);
        }

        long[] words() {
            long[] words = { MAGIC, hostPeer, nicBytes, hostBytes, transport, 0, 0, 0 };
            words[7] = Lines.digest(words, 0);
            return words;
        }

        boolean isOf(Layout other) {
            return nicBytes == other.nicBytes && hostBytes == other.hostBytes && transport == other.transport;
        }
    }

    IvshmemRegion(IvshmemDriver driver) {
        this.driver = driver;
    }

    /** Host: lays a new region out, zeroed, unless a former host left one of this transport and these sizes. */
    void create(String transport, long nicBytes, long hostBytes) {
        if (PAGE + nicBytes + hostBytes > driver.sizeBytes()) {
            throw new DeviceException("lay out region", "ivshmem BAR of " + driver.sizeBytes() + " bytes",
                    nicBytes + hostBytes + PAGE + " bytes are needed", "start the ivshmem server with more memory, or"
                            + " use fewer CPUs or smaller queues");
        }
        Window header = driver.window(MemoryType.UC);
        Layout wanted = new Layout(driver.position(), nicBytes, hostBytes, transport.hashCode());
        long[] words = new long[8];
        if (!isWhole(header, words) || !Layout.of(words).isOf(wanted)) {
            forget();
            header.writeFence();
            driver.memory().asSlice(PAGE, nicBytes + hostBytes).fill((byte) 0);
            header.writeFence();
        }
        header.storeLine(0, wanted.words(), 0);
        header.writeFence();
        layout = wanted;
    }

    /** Host: clears the header, so that no agent attaches from now on. */
    void forget() {
        driver.window(MemoryType.UC).storeRelease(0, 0);
    }

    private static boolean isWhole(Window header, long[] words) {
        header.loadLine(0, words, 0);
        return words[0] == MAGIC && words[7] == Lines.digest(words, 0);
    }

    /**
     * Agent: finds the region.
     *
     * @throws AgentException if no host has laid one out, or one of another transport, or its header is damaged
     */
    Layout attach(String transport) {
        Window header = driver.window(MemoryType.UC);
        long[] words = new long[8];
        for (int look = 0; !isWhole(header, words); look++) {
            if (words[0] != MAGIC) {
                throw new AgentException("attach to ivshmem region: no host has laid one out; start the host first");
            }
            if (look == LOOKS) {
                throw new AgentException("attach to ivshmem region: its header is damaged; start the host again");
            }
            LockSupport.parkNanos(100_000);
        }
        Layout found = Layout.of(words);
        if (found.transport != transport.hashCode()) {
            throw new AgentException("attach to ivshmem region: its host does not speak " + transport
                    + "; name the host's transport");
        }
        layout = found;
        return found;
    }

    private Layout layout() {
        return Objects.requireNonNull(layout, "created or attached to");
    }

    /** NIC memory through a memory type, uncached where the device has no other. */
    Window nicMemory(MemoryType type) {
        return new Part(typed(type), PAGE, layout().nicBytes);
    }

    /** Host memory. */
    Window hostMemory() {
        return new Part(driver.window(MemoryType.UC), PAGE + layout().nicBytes, layout().hostBytes);
    }

    private Window typed(MemoryType type) {
        try {
            return driver.window(type);
        } catch (DeviceException e) {
            return driver.window(MemoryType.UC);
        }
    }

    /** What CPUs of the host wait for: vector n for CPU n; CPUs beyond the vectors nap. */
    List<Waiter> waiters(int cpus) {
        List<Waiter> waiters = new ArrayList<>();
        for (int cpu = 0; cpu < Math.min(cpus, driver.vectors()); cpu++) {
            Interrupt vector = driver.interrupt(cpu, null);
            waiters.add(timeoutNanos -> vector.await(timeoutNanos) > 0);
        }
        return waiters;
    }

    /** The doorbell of an agent to the host's CPUs. */
    Doorbell bell() {
        int host = (int) layout().hostPeer;
        Doorbell[] vectors = new Doorbell[driver.vectors()];
        for (int vector = 0; vector < vectors.length; vector++) {
            vectors[vector] = driver.doorbell(host, vector);
        }
        return cpu -> {
            if (cpu < vectors.length) {
                vectors[(int) cpu].ring(cpu);
            }
        };
    }

    /** Part of a window. */
    private static final class Part extends Window {
        private final Window whole;
        private final long start;

        Part(Window whole, long start, long lengthBytes) {
            super(lengthBytes, whole.type());
            if (lengthBytes <= 0 || start < PAGE || start > whole.sizeBytes() - lengthBytes) {
                throw new AgentException("attach to ivshmem region: its header names " + lengthBytes + " bytes at "
                        + start + " of " + whole.sizeBytes() + "; start the host again");
            }
            this.whole = whole;
            this.start = start;
        }

        private long at(long offset) {
            Objects.checkFromIndexSize(offset, 8, sizeBytes());
            return start + offset;
        }

        @Override
        public long loadAcquire(long offset) {
            return whole.loadAcquire(at(offset));
        }

        @Override
        public void storeRelease(long offset, long value) {
            whole.storeRelease(at(offset), value);
        }

        @Override
        public void writeFence() {
            whole.writeFence();
        }

        @Override
        public void invalidateLine(long offset) {
            whole.invalidateLine(at(offset));
        }

        @Override
        public void prefetchLine(long offset) {
            whole.prefetchLine(at(offset));
        }

        @Override
        public boolean arrived(long offset) {
            return whole.arrived(at(offset));
        }
    }
}
