package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.WireSink;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The RTL can lose a register load while another one is under way. */
@Timeout(60)
class OneLoadTest {
    private static final int LOADS = 200;

    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger loads = new AtomicInteger();

    @Test
    void groupsOnSeveralThreadsLoadRegistersOneAtATime() throws Exception {
        EnsoDevice device = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0, WireSink.NONE);
        try (LoopbackDevice card = LoopbackDevice.open(device)) {
            PipeRegisters lanes = new PipeRegisters(watched(card));
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int group = 0; group < 2; group++) { // adjacent pages, as two groups have
                long page = EnsoRegisters.notificationPage(group);
                threads.add(Thread.ofPlatform().start(() -> {
                    awaitUninterrupted(start);
                    for (int i = 0; i < LOADS; i++) {
                        lanes.load32(page + EnsoRegisters.RX_TAIL);
                        lanes.load64(page + EnsoRegisters.RX_ADDRESS_LOW);
                    }
                }));
            }
            start.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(loads).hasValue(2 * 2 * LOADS);
        assertThat(most).as("most under way at a time").hasValue(1);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Registers by calls only, whose loads take a while. */
    private DeviceBacking watched(DeviceBacking card) {
        Registers registers = card.registers(EnsoRegisters.BAR_INDEX);
        Registers slow = new Registers() {
            @Override
            public long sizeBytes() {
                return registers.sizeBytes();
            }

            @Override
            public long read(long offset, int widthBytes) {
                most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                loads.incrementAndGet();
                Thread.yield();
                underWay.decrementAndGet();
                return registers.read(offset, widthBytes);
            }

            @Override
            public void write(long offset, int widthBytes, long value) {
                registers.write(offset, widthBytes, value);
            }
        };
        return (DeviceBacking) Proxy.newProxyInstance(DeviceBacking.class.getClassLoader(),
                new Class<?>[] { DeviceBacking.class }, (self, method, arguments) -> switch (method.getName()) {
                    case "registers" -> slow;
                    case "bar" -> card.bar(EnsoRegisters.BAR_INDEX);
                    default -> throw new IllegalStateException(method.getName());
                });
    }
}
