package dev.bascule.study.fabric;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * The model of a PCI function, as it is. Its reads are answered at once and it is behind by their time, since a model waits
 * for no event; so it is exact alone and makes no use of what the links could carry beside it. A write of it into the
 * window of a stream pushes, as any device's does.
 */
public final class FunctionPort extends Port {
    private final DeviceModel model;
    private final List<Long> bases = new ArrayList<>();
    private IntSupplier work = () -> 0;
    private IntConsumer interrupt = vector -> {};
    private long local;

    FunctionPort(Fabric fabric, int number, String name, DeviceModel model) {
        super(fabric, number, name);
        this.model = model;
        model.connect(new End());
    }

    /**
     * Sets the worker that makes the model work after an access, such as {@code CorundumModel::poll}; called until it
     * gives 0.
     */
    public void onAccess(IntSupplier worker) {
        work = worker;
    }

    /** Sets the taker of message interrupts. */
    public void onInterrupt(IntConsumer taker) {
        interrupt = taker;
    }

    void map(AddressMap addresses) {
        for (Bar bar : model.bars()) {
            bases.add(addresses.add(bar.sizeBytes(), this, new Registers(bar.index())).base());
        }
    }

    /** Where a BAR of the model begins: the {@code index}th of those it has. */
    public long base(int index) {
        return bases.get(index);
    }

    /** Lets the model work at its present time, as when a frame has arrived. */
    public void poll() {
        if (isRemoved()) {
            return;
        }
        local = Math.max(local, time().now());
        while (work.getAsInt() != 0) {
            // until it has nothing to do
        }
    }

    private final class Registers implements Target {
        private final int bar;

        Registers(int bar) {
            this.bar = bar;
        }

        @Override
        public void write(long offset, byte[] data) {
            for (int at = 0; at < data.length;) {
                int width = width(offset + at, data.length - at);
                long value = 0;
                for (int i = width - 1; i >= 0; i--) {
                    value = value << 8 | data[at + i] & 0xff;
                }
                model.write(bar, offset + at, width, value);
                at += width;
            }
            poll();
        }

        @Override
        public void read(long offset, byte[] to, int at, int lengthBytes) {
            for (int done = 0; done < lengthBytes;) {
                int width = width(offset + done, lengthBytes - done);
                long value = model.read(bar, offset + done, width);
                for (int i = 0; i < width; i++) {
                    to[at + done + i] = (byte) (value >>> 8 * i);
                }
                done += width;
            }
        }

        private static int width(long offset, int left) {
            int width = 8;
            while (width > left || (offset & width - 1) != 0) {
                width >>= 1;
            }
            return width;
        }
    }

    /** The model's end of its link. */
    private final class End implements DevicePort, DmaAccess {
        @Override
        public DmaAccess dma() {
            return this;
        }

        @Override
        public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
            AddressMap.Range range = isRemoved()
                    ? null
                    : fabric().permitted(FunctionPort.this, iova, (int) lengthBytes);
            FabricCosts costs = fabric().costs();
            local = Math.max(local, time().now()) + 2 * (costs.oneWayPs() + costs.pipelinePs())
                    + costs.busyPs(lengthBytes);
            if (range == null) {
                return false;
            }
            fabric().traffic().count(name(), range.port().name(), Traffic.Kind.DMA_READ, lengthBytes);
            byte[] data = new byte[(int) lengthBytes];
            range.target().read(iova - range.base(), data, 0, data.length);
            MemorySegment.copy(data, 0, to, ValueLayout.JAVA_BYTE, toOffset, data.length);
            return true;
        }

        @Override
        public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
            if (isRemoved() || !Streams.isWindow(iova)
                    && fabric().permitted(FunctionPort.this, iova, (int) lengthBytes) == null) {
                return false;
            }
            byte[] data = from.asSlice(fromOffset, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
            time().at(Math.max(local, time().now()),
                    _ -> fabric().write(FunctionPort.this, time().now(), iova, data, 0,
                            data.length, Traffic.Kind.DMA_WRITE));
            return true;
        }

        @Override
        public void raise(int vector) {
            long ready = Math.max(local, time().now());
            time().at(ready, _ -> time().at(up().send(time().now(), 4) + fabric().costs().pipelinePs()
                    + fabric().costs().downPs(), _ -> interrupt.accept(vector)));
        }

        @Override
        public void intx(boolean asserted) {
            // message interrupts only, as on a switch port without legacy interrupts
        }

        @Override
        public void failed(Throwable cause) {
            remove();
        }
    }
}
