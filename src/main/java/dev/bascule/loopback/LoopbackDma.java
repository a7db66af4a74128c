package dev.bascule.loopback;

import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A hosted model's way to host memory: bus mastering, the IOMMU, the link's latency and the plan's faults. */
final class LoopbackDma implements DmaAccess {
    private final LoopbackAddressSpace space;
    private final LinkProfile profile;
    private final BooleanSupplier busMaster;
    private final @Nullable FaultInjector readFaults;
    private final @Nullable FaultInjector writeFaults;

    LoopbackDma(LoopbackAddressSpace space, LinkProfile profile, FaultPlan plan, BooleanSupplier busMaster) {
        this.space = space;
        this.profile = profile;
        this.busMaster = busMaster;
        this.readFaults = plan.concerns(FaultSite.DMA_READ) ? plan.injector(FaultSite.DMA_READ, 0) : null;
        this.writeFaults = plan.concerns(FaultSite.DMA_WRITE) ? plan.injector(FaultSite.DMA_WRITE, 0) : null;
    }

    @Override
    public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        Spin.nanos(profile.dmaReadNanos());
        if (!busMaster.getAsBoolean()) {
            space.fault(iova, lengthBytes, false, "bus mastering is off");
            return false;
        }
        FaultRule fault = next(readFaults, iova);
        if (fault != null && fault.kind() == FaultKind.DROP) {
            return false;
        }
        delay(fault);
        VarHandle.acquireFence();
        boolean done = space.read(iova, to, toOffset, lengthBytes);
        VarHandle.acquireFence(); // partner: the driver's release store of what tells the device to read
        if (done && fault != null && fault.kind() == FaultKind.CORRUPT && lengthBytes > 0) {
            flip(to, toOffset + detail(readFaults, lengthBytes));
        }
        return done;
    }

    @Override
    public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        Spin.nanos(profile.dmaWriteNanos());
        if (!busMaster.getAsBoolean()) {
            space.fault(iova, lengthBytes, true, "bus mastering is off");
            return false;
        }
        FaultRule fault = next(writeFaults, iova);
        if (fault != null && fault.kind() == FaultKind.DROP) {
            return true; // posted: nobody tells the device
        }
        delay(fault);
        VarHandle.releaseFence(); // partner: the driver's acquire load of a completion written later
        if (fault == null || fault.kind() != FaultKind.CORRUPT && fault.kind() != FaultKind.TEAR || lengthBytes == 0) {
            return space.write(iova, from, fromOffset, lengthBytes);
        }
        if (fault.kind() == FaultKind.TEAR) {
            return space.write(iova, from, fromOffset, lengthBytes / 2);
        }
        MemorySegment copy = MemorySegment.ofArray(
                from.asSlice(fromOffset, lengthBytes).toArray(ValueLayout.JAVA_BYTE));
        flip(copy, detail(writeFaults, lengthBytes));
        return space.write(iova, copy, 0, lengthBytes);
    }

    private static @Nullable FaultRule next(@Nullable FaultInjector injector, long iova) {
        if (injector == null) {
            return null;
        }
        synchronized (injector) {
            return injector.next(iova);
        }
    }

    private static void delay(@Nullable FaultRule fault) {
        if (fault != null && (fault.kind() == FaultKind.DELAY || fault.kind() == FaultKind.REORDER)) {
            Spin.nanos(fault.amount());
        }
    }

    private static long detail(@Nullable FaultInjector injector, long lengthBytes) {
        return injector == null ? 0 : injector.detail((int) Math.min(lengthBytes, 1 << 20));
    }

    private static void flip(MemorySegment memory, long offset) {
        memory.set(ValueLayout.JAVA_BYTE, offset, (byte) (memory.get(ValueLayout.JAVA_BYTE, offset) ^ 1));
    }
}
