package dev.bascule.model.smartnic;

import dev.bascule.device.Bar;
import dev.bascule.device.DevicePort;
import dev.bascule.device.DmaAccess;
import dev.bascule.device.MappableMemory;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.loopback.LinkedModel;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.nic.smartnic.SmartNicRegisters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The PCI function of a SmartNIC: BAR 0 control registers with the MSI-X table, BAR 2 the NIC memory of a
 * {@link SmartNicRegion} (prefetchable, so that the host may map it write-combining or write-through).
 * <p>
 * Not modelled on any product; its registers are in {@link SmartNicRegisters}.
 */
public final class SmartNicModel implements LinkedModel {
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT;

    private final SmartNicRegion region;
    private final @Nullable SignalSender[] doorbells = new SignalSender[SmartNicRegion.SIGNALS];
    private volatile @Nullable DevicePort port;
    private volatile Runnable doorbellRung = () -> {};
    private final AtomicLong refused = new AtomicLong();
    private final MemorySegment word = Arena.ofAuto().allocate(8, 8);
    private int scratch;
    private long triggers;
    private long dmaAddress;
    private int dmaStatus;

    /** A function over this region, which stays the caller's. */
    public SmartNicModel(SmartNicRegion region) {
        this.region = region;
    }

    @Override
    public String name() {
        return "smartnic";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.registers(0, SmartNicRegisters.BAR_BYTES),
                Bar.memory(2, region.nicMemory().segment().byteSize()));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(SmartNicRegisters.VENDOR_ID, SmartNicRegisters.DEVICE_ID, 0x120000, 1)
                .memoryBar(0, SmartNicRegisters.BAR_BYTES, false, false)
                .memoryBar(2, region.nicMemory().segment().byteSize(), true, true).powerManagement()
                .msix(SmartNicRegion.SIGNALS, 0, SmartNicRegisters.MSIX_TABLE, 0, SmartNicRegisters.MSIX_PENDING)
                .expressWithAtomics().build();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public LinkedMemory linkedMemory(int bar) {
        return region.nicMemory();
    }

    @Override
    public @Nullable MappableMemory memory(int bar) {
        return bar == 2 ? region.nicMappable() : null;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (bar != 0) {
            return 0;
        }
        long low = register(offset & ~7L) & 0xffff_ffffL | register((offset & ~7L) + 4) << 32;
        return low >>> 8 * (offset & 7);
    }

    private long register(long offset) {
        return switch ((int) offset) {
            case (int) SmartNicRegisters.IDENTITY -> SmartNicRegisters.IDENTITY_VALUE;
            case (int) SmartNicRegisters.VERSION -> SmartNicRegisters.VERSION_VALUE;
            case (int) SmartNicRegisters.NIC_MEMORY_LOW -> region.nicMemory().segment().byteSize();
            case (int) SmartNicRegisters.NIC_MEMORY_HIGH -> region.nicMemory().segment().byteSize() >>> 32;
            case (int) SmartNicRegisters.SIGNALS -> SmartNicRegion.SIGNALS;
            case (int) SmartNicRegisters.SCRATCH -> scratch;
            case (int) SmartNicRegisters.TRIGGER_COUNT -> triggers;
            case (int) SmartNicRegisters.DMA_ADDRESS_LOW -> dmaAddress;
            case (int) SmartNicRegisters.DMA_ADDRESS_HIGH -> dmaAddress >>> 32;
            case (int) SmartNicRegisters.DMA_STATUS -> dmaStatus;
            default -> 0;
        };
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar != 0 || widthBytes < 4) {
            return; // control registers take whole words
        }
        switch ((int) offset) {
            case (int) SmartNicRegisters.SCRATCH -> scratch = (int) value;
            case (int) SmartNicRegisters.TRIGGER -> {
                triggers++;
                raise((int) value);
            }
            case (int) SmartNicRegisters.DMA_ADDRESS_LOW -> dmaAddress = widthBytes == 8
                    ? value
                    : dmaAddress & ~0xffff_ffffL | value & 0xffff_ffffL;
            case (int) SmartNicRegisters.DMA_ADDRESS_HIGH -> dmaAddress = dmaAddress & 0xffff_ffffL | value << 32;
            case (int) SmartNicRegisters.DMA_COMMAND -> testDma((int) value);
            default -> maybeRing(offset, value);
        }
    }

    private void maybeRing(long offset, long value) {
        if (offset >= SmartNicRegisters.DOORBELLS
                && offset < SmartNicRegisters.DOORBELLS + 8L * SmartNicRegion.SIGNALS && (offset & 7) == 0) {
            ring((int) (offset - SmartNicRegisters.DOORBELLS) / 8, value);
        }
    }

    /** Sends a message interrupt as the NIC's cores would, through the function. */
    public void raise(int vector) {
        DevicePort host = port;
        if (host != null) {
            host.raise(vector);
        }
    }

    /** The self-test: scratch to host memory, or back. */
    private void testDma(int command) {
        boolean done = false;
        if (command == SmartNicRegisters.DMA_WRITE) {
            word.set(WORD, 0, scratch);
            done = dmaWrite(dmaAddress, word, 0, Integer.BYTES);
        } else if (command == SmartNicRegisters.DMA_READ && dmaRead(dmaAddress, word, 0, Integer.BYTES)) {
            scratch = word.get(WORD, 0);
            done = true;
        }
        dmaStatus = done ? SmartNicRegisters.DMA_DONE : SmartNicRegisters.DMA_REFUSED;
    }

    /** Reads host memory as the card's DMA does; false if the host refuses it. */
    boolean dmaRead(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        DevicePort host = port;
        return counted(host != null && host.dma().read(iova, to, toOffset, lengthBytes));
    }

    /** Writes host memory, likewise. */
    boolean dmaWrite(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        DevicePort host = port;
        return counted(host != null && host.dma().write(iova, from, fromOffset, lengthBytes));
    }

    /** The card's AtomicOp on host memory; see {@link DmaAccess#compareAndSwap}. */
    boolean dmaCompareAndSwap(long iova, long[] swap) {
        DevicePort host = port;
        return counted(host != null && host.dma().compareAndSwap(iova, swap));
    }

    private boolean counted(boolean done) {
        if (!done) {
            refused.incrementAndGet();
        }
        return done;
    }

    /** DMA accesses that the host has refused. */
    public long refusedDma() {
        return refused.get();
    }

    SmartNicRegion region() {
        return region;
    }

    /** Sets who is told that a doorbell was rung. */
    void onDoorbell(Runnable rung) {
        doorbellRung = rung;
    }

    private void ring(int number, long value) {
        SignalSender doorbell = doorbells[number];
        if (doorbell == null) {
            doorbell = region.host().doorbell(number);
            doorbells[number] = doorbell;
        }
        doorbell.ring(value);
        doorbellRung.run();
    }

    @Override
    public void reset() {
        scratch = 0;
        triggers = 0;
        dmaAddress = 0;
        dmaStatus = 0;
    }
}
