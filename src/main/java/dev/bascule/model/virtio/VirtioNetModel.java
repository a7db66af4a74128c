package dev.bascule.model.virtio;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.model.Losses;
import dev.bascule.nic.virtio.VirtioRegisters;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A virtio network card, modern form, with one queue in each direction. What it sends goes to a wire, or without one
 * comes back to it. Source: Virtual I/O Device specification 1.2, sections 2.7, 4.1 and 5.1.
 * <p>
 * Thread rule: as {@link DeviceModel}; {@link #receive} from the thread that calls it alone.
 */
public final class VirtioNetModel implements DeviceModel {
    private static final int MSIX_BAR = 1;
    private static final int BAR = 4;
    private static final long BAR_BYTES = 16 << 10;
    private static final long ISR_AT = 0x1000;
    private static final long DEVICE_AT = 0x2000;
    private static final long NOTIFY_AT = 0x3000;
    private static final int NOTIFY_MULTIPLIER = 4;
    private static final int QUEUE_ENTRIES = 256;
    /** A driver that adds frames while they are sent does not hold the device. */
    private static final int MOST_AT_ONCE = 1 << 16;
    private static final long ALWAYS_OFFERED = 1L << 5 | 1L << 16 | 1L << 33;

    private final long macAddress;
    private final long offered;
    private final VirtioModelQueue[] queues = { new VirtioModelQueue(QUEUE_ENTRIES),
            new VirtioModelQueue(QUEUE_ENTRIES) };
    private @Nullable DevicePort port;
    private @Nullable Consumer<byte[]> wire;
    private long accepted;
    private boolean acceptedBeyond;
    private int deviceSelect;
    private int driverSelect;
    private int queueSelect;
    private int status;
    private long notReady;
    private long noBuffer;
    private long unfit;
    private long senseless;

    /**
     * A card.
     *
     * @param macAddress 48 bits
     * @param modern whether it offers VERSION_1, without which modern drivers cannot use it
     */
    public VirtioNetModel(long macAddress, boolean modern) {
        this.macAddress = macAddress;
        this.offered = ALWAYS_OFFERED | (modern ? 1L << 32 : 0);
    }

    /** Connects the wire that takes sent frames; null: they come back. */
    public void connectWire(@Nullable Consumer<byte[]> to) {
        wire = to;
    }

    /** Frames lost since the card was made, over all resets, by queue: 0 receives, 1 sends. */
    public Losses losses() {
        return Losses.NONE.plus("queue 0", "driver not ready", notReady).plus("queue 0", "no buffer", noBuffer)
                .plus("queue 0", "buffer too short or not there", unfit)
                .plus("queue 1", "malformed chain", senseless);
    }

    @Override
    public String name() {
        return "virtio-net";
    }

    @Override
    public java.util.List<Bar> bars() {
        return java.util.List.of(Bar.registers(MSIX_BAR, 4096), Bar.registers(BAR, BAR_BYTES));
    }

    @Override
    public ConfigSpace powerOnConfig() {
        return new ConfigSpaceBuilder(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID, 0x020000, 1)
                .memoryBar(MSIX_BAR, 4096, false, false).memoryBar(BAR, BAR_BYTES, false, false)
                .msix(3, MSIX_BAR, 0, MSIX_BAR, 2048).vendor(structure(1, 0, 56, -1))
                .vendor(structure(2, NOTIFY_AT, 8, NOTIFY_MULTIPLIER)).vendor(structure(3, ISR_AT, 1, -1))
                .vendor(structure(4, DEVICE_AT, 12, -1)).build();
    }

    private static byte[] structure(int type, long offset, int lengthBytes, int multiplier) {
        ByteBuffer body = ByteBuffer.allocate(multiplier < 0 ? 13 : 17).order(ByteOrder.LITTLE_ENDIAN);
        body.put((byte) type).put((byte) BAR).put(new byte[3]).putInt((int) offset).putInt(lengthBytes);
        if (multiplier >= 0) {
            body.putInt(multiplier);
        }
        return body.array();
    }

    @Override
    public void connect(DevicePort devicePort) {
        port = devicePort;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        if (bar != BAR) {
            return 0;
        }
        if (offset >= DEVICE_AT && offset < DEVICE_AT + 6) {
            return macAddress >>> 40 - 8 * (offset - DEVICE_AT) & 0xff;
        }
        if (offset == DEVICE_AT + 6) {
            return 1; // the link is up
        }
        VirtioModelQueue queue = selected();
        return switch ((int) offset) {
            case 4 -> isFeatureWord(deviceSelect) ? offered >>> 32 * deviceSelect & 0xffff_ffffL : 0;
            case 18 -> queues.length;
            case 20 -> status;
            case 22 -> queueSelect;
            case 24 -> queue == null ? 0 : queue.size;
            case 26 -> queue == null ? 0xffff : queue.vector;
            case 28 -> queue != null && queue.enabled ? 1 : 0;
            case 30 -> queueSelect;
            default -> 0;
        };
    }

    private @Nullable VirtioModelQueue selected() {
        return queueSelect < queues.length ? queues[queueSelect] : null;
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        if (bar != BAR) {
            return;
        }
        if (offset >= NOTIFY_AT && offset < NOTIFY_AT + 8) {
            if (value == 1 && (status & 4) != 0) {
                send();
            }
            return;
        }
        switch ((int) offset) {
            case 0 -> deviceSelect = (int) value;
            case 8 -> driverSelect = (int) value;
            case 12 -> accept(value & 0xffff_ffffL);
            case 20 -> setStatus((int) value & 0xff);
            case 22 -> queueSelect = (int) value & 0xffff;
            default -> {
                VirtioModelQueue queue = selected();
                if (queue != null) {
                    queue.write((int) offset, value);
                }
            }
        }
    }

    /** Drivers look at two words or, as Linux, at four; none is offered beyond the first two. */
    private static boolean isFeatureWord(int select) {
        return select == 0 || select == 1;
    }

    private void accept(long half) {
        if (!isFeatureWord(driverSelect)) {
            acceptedBeyond |= half != 0;
            return;
        }
        int shift = 32 * driverSelect;
        accepted = accepted & ~(0xffff_ffffL << shift) | half << shift;
    }

    private void setStatus(int value) {
        if (value == 0) {
            reset();
        } else if ((value & 8) != 0
                && (acceptedBeyond || (accepted & ~offered) != 0 || (accepted & 1L << 32) == 0)) {
            status = value & ~8; // these features are not accepted
        } else {
            status = value;
        }
    }

    private void send() {
        DevicePort link = port;
        VirtioModelQueue queue = queues[1];
        for (int i = 0; i < MOST_AT_ONCE && link != null && queue.hasNext(link.dma()); i++) {
            byte[] frame = queue.takeFrame(link.dma());
            if (frame == null) {
                senseless++;
            } else if (wire == null) {
                receive(frame);
            } else {
                wire.accept(frame);
            }
        }
        raise(queue);
    }

    /** A frame arrives from the wire. */
    public void receive(byte[] frame) {
        DevicePort link = port;
        if (link == null || (status & 4) == 0) {
            notReady++;
        } else if (!queues[0].hasNext(link.dma())) {
            noBuffer++;
        } else if (!queues[0].putFrame(link.dma(), frame)) {
            unfit++;
        } else {
            raise(queues[0]);
        }
    }

    /** As {@link #receive}, but only if the driver has a buffer for it; false if it should be offered again later. */
    public boolean offer(byte[] frame) {
        DevicePort link = port;
        if (link == null || (status & 4) == 0 || !queues[0].hasNext(link.dma())) {
            return false;
        }
        receive(frame);
        return true;
    }

    private void raise(VirtioModelQueue queue) {
        DevicePort link = port;
        if (link != null && queue.vector != 0xffff && queue.wantsInterrupt(link.dma())) {
            link.raise(queue.vector);
        }
    }

    /** Makes the next frame come back under a wrong descriptor, as from a broken device. */
    public void lieOnce() {
        queues[0].lie = true;
    }

    @Override
    public void reset() {
        status = 0;
        accepted = 0;
        acceptedBeyond = false;
        queueSelect = 0;
        for (VirtioModelQueue queue : queues) {
            queue.reset();
        }
    }
}
