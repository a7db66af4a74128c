package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.List;

/**
 * A SmartNIC's region in the shared BAR of ivshmem devices: one page that says where everything is and who the peers
 * are, NIC memory, host memory. The BAR stands for both memories, since an ivshmem device does no DMA.
 * <p>
 * Thread rule: the control path's thread; each window belongs to one thread.
 */
final class IvshmemRegion {
    private static final long MAGIC = 0x314d_4853_5649_4c42L;
    private static final long MAGIC_AT = 0;
    private static final long HOST_PEER = 8;
    private static final long NIC_BYTES = 16;
    private static final long HOST_BYTES = 24;
    private static final long TRANSPORT = 32;
    private static final long PAGE = 4096;

    private final IvshmemDriver driver;

    IvshmemRegion(IvshmemDriver driver) {
        this.driver = driver;
    }

    /** Lays a new region out, zeroed, unless a former host left one of this transport and these sizes. */
    void create(String transport, long nicBytes, long hostBytes) {
        if (PAGE + nicBytes + hostBytes > driver.sizeBytes()) {
            throw new DeviceException("lay out region", "ivshmem BAR of " + driver.sizeBytes() + " bytes",
                    nicBytes + hostBytes + PAGE + " bytes are needed", "start the ivshmem server with more memory, or"
                            + " use fewer CPUs or smaller queues");
        }
        Window header = driver.window(MemoryType.UC);
        if (header.loadAcquire(MAGIC_AT) == MAGIC && header.loadAcquire(NIC_BYTES) == nicBytes
                && header.loadAcquire(HOST_BYTES) == hostBytes
                && header.loadAcquire(TRANSPORT) == transport.hashCode()) {
            header.storeRelease(HOST_PEER, driver.position());
            return;
        }
        header.storeRelease(MAGIC_AT, 0);
        header.writeFence();
        driver.memory().asSlice(PAGE, nicBytes + hostBytes).fill((byte) 0);
        header.storeRelease(HOST_PEER, driver.position());
        header.storeRelease(NIC_BYTES, nicBytes);
        header.storeRelease(HOST_BYTES, hostBytes);
        header.storeRelease(TRANSPORT, transport.hashCode());
        header.writeFence();
        header.storeRelease(MAGIC_AT, MAGIC); // read first by require()
        header.writeFence();
    }

    /** Lets nobody find the region any more. */
    void forget() {
        driver.window(MemoryType.UC).storeRelease(MAGIC_AT, 0);
    }

    private Window require() {
        Window header = driver.window(MemoryType.UC);
        if (header.loadAcquire(MAGIC_AT) != MAGIC) {
            throw new AgentException("attach to ivshmem region: no host has laid one out; start the host first");
        }
        return header;
    }

    /** Refuses a region that a host of another transport has laid out. */
    void requireTransport(String transport) {
        if (require().loadAcquire(TRANSPORT) != transport.hashCode()) {
            throw new AgentException("attach to ivshmem region: its host does not speak " + transport
                    + "; name the host's transport");
        }
    }

    /** NIC memory through a memory type, uncached where the device has no other. */
    Window nicMemory(MemoryType type) {
        return new Part(typed(type), PAGE, require().loadAcquire(NIC_BYTES));
    }

    /** Host memory. */
    Window hostMemory() {
        Window header = require();
        return new Part(driver.window(MemoryType.UC), PAGE + header.loadAcquire(NIC_BYTES),
                header.loadAcquire(HOST_BYTES));
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
        int host = (int) require().loadAcquire(HOST_PEER);
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
        private final long lengthBytes;

        Part(Window whole, long start, long lengthBytes) {
            if (lengthBytes <= 0 || start > whole.sizeBytes() - lengthBytes) {
                throw new AgentException("attach to ivshmem region: its header names " + lengthBytes + " bytes at "
                        + start + " of " + whole.sizeBytes() + "; start the host anew");
            }
            this.whole = whole;
            this.start = start;
            this.lengthBytes = lengthBytes;
        }

        private long at(long offset) {
            java.util.Objects.checkFromIndexSize(offset, 8, lengthBytes);
            return start + offset;
        }

        @Override
        public long sizeBytes() {
            return lengthBytes;
        }

        @Override
        public MemoryType type() {
            return whole.type();
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
