package dev.bascule.model.enso.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.model.enso.EnsoModel;
import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The messages of the software back end, and a whole echo over them as the library would do it. */
class ClientTest {
    private static final long PHYSICAL = 0x1_2340_0000L;
    private static final long PAGE = ProgramMemory.PAGE_BYTES;

    private final Arena arena = Arena.ofAuto();
    private final List<MemorySegment> pages = List.of(arena.allocate(PAGE, 64), arena.allocate(PAGE, 64));
    private final List<Integer> given = new ArrayList<>();
    private final ProgramMemory memory = new ProgramMemory(new PageFinder() {
        @Override
        public MemorySegment find(long physical) {
            long n = (physical - PHYSICAL) / PAGE;
            return n >= 0 && n < pages.size() ? pages.get((int) n) : null;
        }

        @Override
        public void release(MemorySegment page) {
            given.add(pages.get(0).address() == page.address() ? 0 : 1);
        }
    });
    private final List<Integer> sent = new ArrayList<>();
    private final EnsoModel model = new EnsoModel(memory, EnsoBoard.DEFAULT, () -> 0,
            (frame, length, cycle) -> sent.add(length));
    private final Allocations allocations = new Allocations();
    private final MemorySegment requestMemory = arena.allocate(4096, 64);
    private final MemorySegment replyMemory = arena.allocate(4096, 64);
    private final MessageQueue requests = new MessageQueue(requestMemory);
    private final MessageQueue replies = new MessageQueue(replyMemory);
    private final Client client = new Client(new MessageQueue(requestMemory), new MessageQueue(replyMemory), model,
            memory, allocations);

    @Test
    void registersAreWrittenWithoutAndReadWithAReply() {
        send(Client.WRITE, 8, 0xFFFF_FFFF_1234_5678L);
        assertThat(replies.poll()).isFalse();
        assertThat(ask(Client.READ, 8, 0)).containsExactly(8, 0x1234_5678L);
    }

    @Test
    void translationKeepsTheOffsetInTheHugePageAndRefusesStrangers() {
        long device = ask(Client.TRANSLATE, PHYSICAL + 0x1040, 0)[1];
        assertThat(device & PAGE - 1).isEqualTo(0x1040);
        assertThat(device).isNotEqualTo(PHYSICAL + 0x1040);
        assertThat(ask(Client.TRANSLATE, PHYSICAL + 0x2000, 0)[1]).isEqualTo(device - 0x1040 + 0x2000);
        assertThat(ask(Client.TRANSLATE, PHYSICAL + PAGE, 0)[1]).isNotZero();
        assertThat(ask(Client.TRANSLATE, 0x9999_0000_0000L, 0)[1]).isZero();
    }

    @Test
    void fallbackPipesCountUpAndOrdinaryOnesDown() {
        assertThat(ask(Client.ALLOCATE_PIPE, 1, 0)).containsExactly(1, 0);
        assertThat(ask(Client.ALLOCATE_PIPE, 0, 0)).containsExactly(0, 8191);
        assertThat(ask(Client.ALLOCATE_PIPE, 1, 0)).containsExactly(1, 1);
        assertThat(ask(Client.ALLOCATE_PIPE, 0, 0)).containsExactly(0, 8190);
        assertThat(ask(Client.FALLBACK_COUNT, 0, 0)[0]).isEqualTo(2);
        assertThat(ask(Client.FREE_PIPE, 1, 0)).containsExactly(1, 0);
        assertThat(ask(Client.FALLBACK_COUNT, 0, 0)[0]).isEqualTo(1);
        assertThat(ask(Client.FREE_PIPE, 1, 0)).containsExactly(1, -1);
        assertThat(ask(Client.FREE_PIPE, -5, 0)).containsExactly(-5, -1);
    }

    @Test
    void idsRunOutWithMinusOneAndComeBackWhenTheProgramLeaves() {
        for (int i = 0; i < EnsoRegisters.NOTIFICATION_BUFFERS; i++) {
            assertThat(ask(Client.ALLOCATE_BUFFER, 0, 0)[0]).isEqualTo(i);
        }
        assertThat(ask(Client.ALLOCATE_BUFFER, 0, 0)[0]).isEqualTo(-1);
        ask(Client.ALLOCATE_PIPE, 1, 0);
        client.leave();
        assertThat(ask(Client.ALLOCATE_BUFFER, 0, 0)[0]).isZero();
        assertThat(ask(Client.FALLBACK_COUNT, 0, 0)[0]).isZero();
        assertThat(ask(Client.FREE_BUFFER, 0, 0)[1]).isZero();
        assertThat(ask(Client.FREE_BUFFER, 0, 0)[1]).isEqualTo(-1);
    }

    @Test
    void roundRobinIsKeptForAllPrograms() {
        assertThat(ask(Client.GET_ROUND_ROBIN, 0, 0)[0]).isZero();
        assertThat(ask(Client.SET_ROUND_ROBIN, 1, 0)).containsExactly(1, 0);
        assertThat(ask(Client.GET_ROUND_ROBIN, 0, 0)[0]).isEqualTo(1);
    }

    @Test
    void receivesANotificationAndSendsTheDataBack() {
        roundTrip(0);
        assertThat(model.metrics().get(EnsoCounter.DMA_FAULTS)).isZero();
    }

    /** As a program of the library does from its start on; the TX ring goes on where the one before left it. */
    private void roundTrip(int firstSlot) {
        pages.forEach(page -> page.fill((byte) 0));
        long ring = ask(Client.TRANSLATE, PHYSICAL, 0)[1];
        long pipe = ask(Client.TRANSLATE, PHYSICAL + PAGE, 0)[1];
        long page = EnsoRegisters.notificationPage((int) ask(Client.ALLOCATE_BUFFER, 0, 0)[0]);
        write64(page + EnsoRegisters.RX_TAIL, 0);
        write64(page + EnsoRegisters.RX_ADDRESS_LOW, ring);
        assertThat(ask(Client.READ, page + EnsoRegisters.TX_TAIL, 0)[1]).isEqualTo(firstSlot);
        write64(page + EnsoRegisters.TX_ADDRESS_LOW, ring + PAGE / 2);
        assertThat(ask(Client.ALLOCATE_PIPE, 1, 0)[1]).isZero();
        write64(EnsoRegisters.RX_TAIL, 0);
        write64(EnsoRegisters.RX_ADDRESS_LOW, pipe);
        entry(firstSlot, EnsoFormats.SIGNAL_CONFIG, EnsoFormats.CONFIG_FALLBACK, 1);
        send(Client.WRITE, page + EnsoRegisters.TX_TAIL, firstSlot + 1);
        model.work(100);
        assertThat(pages.get(0).get(ValueLayout.JAVA_LONG, PAGE / 2 + firstSlot * 64L)).as("read").isZero();

        byte[] frame = new byte[100];
        frame[17] = 86;
        frame[99] = 42;
        model.receive(frame, 0, frame.length);
        send(Client.WRITE, EnsoRegisters.RX_HEAD, 0); // for a pipe that dropped while it had no address
        assertThat(pages.get(0).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(EnsoFormats.SIGNAL_DATA);
        assertThat(pages.get(0).get(ValueLayout.JAVA_LONG, 16)).isEqualTo(2);
        assertThat(pages.get(1).get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 42);

        entry(firstSlot + 1, EnsoFormats.SIGNAL_DATA, pipe, 128);
        send(Client.WRITE, page + EnsoRegisters.TX_TAIL, firstSlot + 2);
        model.work(100);
        assertThat(sent).containsExactly(100);
        assertThat(pages.get(0).get(ValueLayout.JAVA_LONG, PAGE / 2 + firstSlot * 64L + 64)).isZero();
    }

    /** On hardware it would hear nothing until it writes the head again: a drop sets the pipe's status bit. */
    @Test
    void aPipeThatDroppedBeforeItsAddressCameStillNotifies() {
        model.forgiveMissingAddresses();
        model.fallbackPipes(1, false);
        pages.forEach(page -> page.fill((byte) 0));
        long page = EnsoRegisters.notificationPage((int) ask(Client.ALLOCATE_BUFFER, 0, 0)[0]);
        write64(page + EnsoRegisters.RX_ADDRESS_LOW, ask(Client.TRANSLATE, PHYSICAL, 0)[1]);
        assertThat(ask(Client.ALLOCATE_PIPE, 1, 0)[1]).isZero();
        send(Client.WRITE, EnsoRegisters.RX_HEAD, 0);
        model.receive(new byte[100], 0, 100);
        write64(EnsoRegisters.RX_ADDRESS_LOW, ask(Client.TRANSLATE, PHYSICAL + PAGE, 0)[1]);
        model.receive(new byte[100], 0, 100);
        assertThat(pages.get(0).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(EnsoFormats.SIGNAL_DATA);
    }

    /** It asks nothing more: its memory is left alone, frames for its flow wait or are dropped, and another goes on. */
    @Test
    void aProgramThatIsGoneLeavesNothingBehind() {
        model.forgiveMissingAddresses();
        roundTrip(0);
        client.leave();
        assertThat(given).containsExactlyInAnyOrder(0, 1);
        assertThat(model.read(EnsoRegisters.RX_ADDRESS_LOW, 8)).isZero();
        assertThat(model.read(EnsoRegisters.notificationPage(0) + EnsoRegisters.RX_ADDRESS_LOW, 8)).isZero();
        assertThat(model.read(EnsoRegisters.notificationPage(0) + EnsoRegisters.TX_ADDRESS_LOW, 8)).isZero();
        long faults = model.metrics().get(EnsoCounter.DMA_FAULTS);
        model.receive(new byte[100], 0, 100);
        assertThat(model.metrics().get(EnsoCounter.RX_DROPPED_NO_FLOW)).as("no fallback pipe is left").isEqualTo(1);
        assertThat(model.metrics().get(EnsoCounter.DMA_FAULTS)).isEqualTo(faults);
        assertThat(ask(Client.FALLBACK_COUNT, 0, 0)[0]).isZero();
    }

    /** Its pipes lose their addresses one store at a time, and go; the flows that lead there stay. */
    @Test
    void aProgramThatEndsUnderTrafficLeavesTheDeviceToTheNext() {
        model.forgiveMissingAddresses();
        for (int program = 0; program < 3; program++) {
            roundTrip(2 * program);
            send(Client.WRITE, EnsoRegisters.RX_ADDRESS_LOW, 0);
            send(Client.WRITE, EnsoRegisters.RX_ADDRESS_HIGH, 0);
            byte[] frame = new byte[1500];
            for (int i = 0; i < 100; i++) {
                model.receive(frame, 0, frame.length);
            }
            assertThat(model.rxStopped()).isFalse();
            assertThat(ask(Client.FREE_PIPE, 0, 0)).containsExactly(0, 0);
            assertThat(ask(Client.FREE_BUFFER, 0, 0)[1]).isZero();
            sent.clear();
        }
    }

    @Test
    void whateverAProgramSendsIsSurvived() {
        Random random = new Random(21);
        for (int i = 0; i < 50_000; i++) {
            requests.offer(random.nextInt(12), random.nextBoolean() ? random.nextLong() : random.nextInt(40_000_000),
                    random.nextLong());
            client.work(10);
            model.work(50);
            replies.poll();
        }
        assertThat(model.metrics().get(EnsoCounter.MMIO_WRITES)).isPositive();
    }

    private void write64(long offset, long value) {
        send(Client.WRITE, offset, value);
        send(Client.WRITE, offset + 4, value >>> 32);
    }

    private void entry(int slot, long signal, long second, long third) {
        long at = PAGE / 2 + slot * 64L;
        pages.get(0).set(ValueLayout.JAVA_LONG, at, signal);
        pages.get(0).set(ValueLayout.JAVA_LONG, at + 8, second);
        pages.get(0).set(ValueLayout.JAVA_LONG, at + 16, third);
    }

    private void send(int kind, long a, long b) {
        assertThat(requests.offer(kind, a, b)).isTrue();
        assertThat(client.work(10)).isEqualTo(1);
    }

    private long[] ask(int kind, long a, long b) {
        send(kind, a, b);
        assertThat(replies.poll()).isTrue();
        assertThat(replies.kind()).isEqualTo(kind);
        return new long[] { replies.a(), replies.b() };
    }
}
