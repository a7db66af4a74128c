package dev.bascule.model.edu;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * QEMU's edu device. Like the original it completes a transfer that the IOMMU refused; unlike the original it completes
 * transfers at once. Source: QEMU documentation, "EDU device".
 */
public final class EduModel implements DeviceModel {
    private static final int IDENTITY = 0x010000ed;
    private static final long FIRST_WIDE = 0x80;

    private final MemorySegment buffer = Arena.ofAuto().allocate(EduRegisters.BUFFER_BYTES, 64);
    private @Nullable ConfigSpace config;
    private @Nullable DevicePort port;
    private int liveness;
    private int factorial;
    private int status;
    private int causes;
    private final long[] dma = new long[3];

    @Override
    public String name() {
        return "edu";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.registers(0, EduRegisters.BAR_BYTES));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        ConfigSpace made = new ConfigSpaceBuilder(EduRegisters.VENDOR_ID, EduRegisters.DEVICE_ID, 0x00ff00, 0x10)
                .memoryBar(0, EduRegisters.BAR_BYTES, false, false).interruptPin(1).msi(1).build();
        config = made;
        return made;
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (!takes(offset, widthBytes)) {
            return -1L >>> 64 - 8 * widthBytes;
        }
        return switch ((int) offset) {
            case (int) EduRegisters.IDENTITY -> IDENTITY;
            case (int) EduRegisters.LIVENESS -> liveness & 0xffff_ffffL;
            case (int) EduRegisters.FACTORIAL -> factorial & 0xffff_ffffL;
            case (int) EduRegisters.STATUS -> status;
            case (int) EduRegisters.INTERRUPT_STATUS -> causes & 0xffff_ffffL;
            case (int) EduRegisters.DMA_SOURCE -> dma[0];
            case (int) EduRegisters.DMA_DESTINATION -> dma[1];
            case (int) EduRegisters.DMA_COUNT -> dma[2];
            case (int) EduRegisters.DMA_COMMAND -> 0; // every transfer is done
            default -> widthBytes == 8 ? -1 : 0xffff_ffffL;
        };
    }

    /** Registers below 0x80 take 4 bytes, the others 4 or 8. */
    private static boolean takes(long offset, int widthBytes) {
        return widthBytes == 4 || widthBytes == 8 && offset >= FIRST_WIDE;
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (!takes(offset, widthBytes)) {
            return;
        }
        switch ((int) offset) {
            case (int) EduRegisters.LIVENESS -> liveness = ~(int) value;
            case (int) EduRegisters.FACTORIAL -> compute((int) value);
            case (int) EduRegisters.STATUS -> status = (int) value & EduRegisters.STATUS_INTERRUPT;
            case (int) EduRegisters.INTERRUPT_RAISE -> raise((int) value);
            case (int) EduRegisters.INTERRUPT_ACKNOWLEDGE -> acknowledge((int) value);
            case (int) EduRegisters.DMA_SOURCE -> dma[0] = value;
            case (int) EduRegisters.DMA_DESTINATION -> dma[1] = value;
            case (int) EduRegisters.DMA_COUNT -> dma[2] = value;
            case (int) EduRegisters.DMA_COMMAND -> transfer(value);
            default -> {
            }
        }
    }

    private void compute(int n) {
        int product = 1;
        for (int i = n; i > 0; i--) {
            product *= i;
            if (product == 0) {
                break; // and stays so
            }
        }
        factorial = product;
        if ((status & EduRegisters.STATUS_INTERRUPT) != 0) {
            raise(EduRegisters.CAUSE_FACTORIAL);
        }
    }

    private void transfer(long command) {
        DevicePort link = port;
        if (link == null || (command & EduRegisters.DMA_START) == 0) {
            return;
        }
        boolean toHost = (command & EduRegisters.DMA_TO_HOST) != 0;
        long offset = (toHost ? dma[0] : dma[1]) - EduRegisters.BUFFER;
        long host = (toHost ? dma[1] : dma[0]) & (1L << EduRegisters.ADDRESS_BITS) - 1;
        if (offset >= 0 && dma[2] >= 0 && offset <= EduRegisters.BUFFER_BYTES - dma[2]) {
            if (toHost) {
                link.dma().write(host, buffer, offset, dma[2]);
            } else {
                link.dma().read(host, buffer, offset, dma[2]);
            }
        }
        if ((command & EduRegisters.DMA_INTERRUPT) != 0) {
            raise(EduRegisters.CAUSE_DMA);
        }
    }

    private void raise(int cause) {
        causes |= cause;
        DevicePort link = port;
        if (causes == 0 || link == null) {
            return;
        }
        if (messagesEnabled()) {
            link.raise(0);
        } else {
            link.intx(true);
        }
    }

    private void acknowledge(int cause) {
        causes &= ~cause;
        if (causes == 0 && port != null && !messagesEnabled()) {
            port.intx(false);
        }
    }

    private boolean messagesEnabled() {
        ConfigSpace now = config;
        return now != null && Capabilities.of(now).find(Capability.MSI)
                .map(msi -> (now.read16(msi.offset() + 2) & 1) != 0).orElse(false);
    }

    @Override
    public void reset() {
        liveness = 0;
        factorial = 0;
        status = 0;
        causes = 0;
        java.util.Arrays.fill(dma, 0);
        if (port != null) {
            port.intx(false);
        }
    }
}
