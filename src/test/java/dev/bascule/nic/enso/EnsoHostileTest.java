package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.WireSink;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.RxTxPipe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device that writes what it should not: notifications that cannot be true, for pipes that do not exist. */
class EnsoHostileTest {
    private final EnsoDevice device = new EnsoDevice(EnsoRig.board(EnsoRig.SMALL), () -> 0, WireSink.NONE);
    private final SpyModel spy = new SpyModel(device);
    private final LoopbackDevice backing = LoopbackDevice.open(spy);
    private final EnsoNic nic = EnsoNic.open(backing, EnsoRig.SMALL, work -> device.work(1000));
    private final EnsoGroup group = nic.openGroup();
    private final RxTxPipe pipe = group.openFallbackRxTx();
    private final MemorySegment entry = MemorySegment.ofArray(new long[8]);
    private int slot;

    @AfterEach
    void close() {
        backing.close();
    }

    /** Writes an entry where the device would write its next, past the driver's view of what it asked for. */
    private void write(long signal, long pipeId, long tail) {
        long ring = spy.stores().stream()
                .filter(s -> s.offset() == EnsoRegisters.notificationPage(1) + EnsoRegisters.RX_ADDRESS_LOW)
                .mapToLong(SpyModel.Store::value).findFirst().orElseThrow();
        entry.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, signal);
        entry.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, pipeId);
        entry.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, tail);
        assertThat(spy.ports().getFirst().dma().write(ring + slot * 64L, entry, 0, 64)).isTrue();
        slot = slot + 1 & 1023;
    }

    @Test
    void notificationsForNobodyAreCountedAndForgotten() {
        write(1, 77, 3);
        write(1, -1, 3);
        write(9, 1L << 40 | 5, 3);
        assertThat(group.next()).isNull();
        assertThat(group.strayNotifications()).isEqualTo(3);
        assertThat(pipe.peek()).isZero();
    }

    @Test
    void moreThanThereIsRoomForIsRefused() {
        write(1, 0, 1000);
        assertThat(pipe.peek()).isEqualTo(64_000);
        pipe.confirm(64_000);
        write(1, 0, 999); // a whole turn more: 1023 flits, with 1000 still held
        assertThat(pipe.peek()).isZero();
        assertThat(group.refusedNotifications()).isEqualTo(1);
        write(1, 0, 1L << 50);
        write(1, 0, -7);
        assertThat(pipe.peek()).isZero();
        assertThat(group.refusedNotifications()).isEqualTo(3);
    }

    @Test
    void anyEntriesAtAllLeaveTheDriverInItsMemory() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        PipeLoop loop = new PipeLoop(pipe, (memory, offset, length) -> length, 1 << 14);
        int told = 0;
        for (int i = 0; i < 20_000; i++) {
            long tail = switch (random.nextInt(4)) {
                case 0 -> random.nextInt(1024);
                case 1 -> random.nextLong();
                case 2 -> random.nextInt(1 << 21);
                default -> 0;
            };
            write(random.nextInt(3), random.nextInt(4) == 0 ? random.nextLong() : 0, tail);
            try {
                loop.run();
                device.work(100);
            } catch (DeviceException e) {
                told++; // rings of another size, or a ring that does not fit what the device says
                assertThat(e).as("seed %d", seed).hasMessageContaining("enso");
            }
        }
        assertThat(group.refusedNotifications() + group.strayNotifications() + told).as("seed %d", seed).isPositive();
        assertThat(backing.addressSpace().faultCount()).as("seed %d", seed).isZero();
    }

    @Test
    void completionsOfAnythingAreWorthOneRequestEach() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        long ring = spy.stores().stream()
                .filter(s -> s.offset() == EnsoRegisters.notificationPage(1) + EnsoRegisters.TX_ADDRESS_LOW)
                .mapToLong(SpyModel.Store::value).findFirst().orElseThrow();
        int requests = 0;
        int tail = 0;
        for (int i = 0; i < 5000; i++) {
            entry.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, random.nextInt(4));
            entry.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, random.nextLong());
            entry.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, random.nextLong());
            assertThat(spy.ports().getFirst().dma().write(ring + random.nextInt(1024) * 64L, entry, 0, 64)).isTrue();
            if (pipe.heldBytes() < 32_000) {
                tail = tail + 1 & 1023;
                write(1, 0, tail);
            }
            long arrived = pipe.peek();
            pipe.confirm(arrived);
            requests += arrived > 0 && pipe.sendAndFree(arrived) == arrived ? 1 : 0;
            assertThat(pipe.pendingBytes()).as("seed %d", seed).isBetween(0L, pipe.heldBytes());
            assertThat(group.completionCount()).as("seed %d", seed).isLessThanOrEqualTo(requests);
        }
        assertThat(requests).as("seed %d", seed).isPositive();
    }
}
