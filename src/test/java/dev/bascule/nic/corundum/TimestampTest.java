package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.ForwardingModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.PacketBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time stamps are the card's time, whatever happened to its clock and however long nothing came; in virtual time. */
@Timeout(60)
class TimestampTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3600 * SECOND;
    private static final long TODAY = 1_700_000_000_123_456_789L;

    private static final long PHC = 0x100;

    private long now = 5 * SECOND;
    private final CorundumModel model = new CorundumModel(
            CorundumConfig.builder().timing(ModelTiming.RTL)
                    .completionQueues(64).txQueues(16).rxQueues(16).build(),
            Cables.cross(), false,
            null, this::tick);
    private int clockReads;
    private final LoopbackDevice device = LoopbackDevice.open(new ForwardingModel(model) {
        @Override
        public long read(int bar, long offset, int widthBytes) {
            clockReads += offset >= PHC && offset < PHC + 0x80 ? 1 : 0;
            return super.read(bar, offset, widthBytes);
        }
    });
    private final CorundumAdapter adapter = CorundumAdapter.over(device, this::tick);
    private final CorundumClock clock = adapter.clock().orElseThrow();
    /** Another process's view of the same clock. */
    private final CorundumClock other = new CorundumClock(device.registers(0), PHC, "other process", this::tick);
    private CorundumNic left;
    private CorundumNic right;
    private final List<Long> sent = new ArrayList<>();
    private final PacketBatch batch = new PacketBatch(64);

    /** The time of driver and model: it passes as it is looked at. */
    private long tick() {
        return now += 40;
    }

    @BeforeEach
    void open() {
        left = adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(32).withTimestamps());
        right = adapter.openPort(1, CorundumOptions.DEFAULTS.withRingEntries(32).withTimestamps());
        left.txQueue(0).onSent((number, nanos) -> sent.add(nanos));
    }

    @AfterEach
    void close() {
        adapter.close();
        device.close();
    }

    private void start() {
        left.start();
        right.start();
    }

    private void send() {
        assertThat(left.txQueue(0).allocate(batch, 1)).isEqualTo(1);
        batch.setLength(0, 64);
        left.txQueue(0).write(batch);
        left.txQueue(0).commit();
        while (model.poll() != 0) {
            Thread.onSpinWait();
        }
    }

    /** What the packets that wait here, and the reports of those sent, are stamped with. */
    private List<Long> stamps() {
        List<Long> found = new ArrayList<>();
        right.rxQueue(0).poll(batch);
        for (int i = 0; i < batch.size(); i++) {
            found.add(batch.timestampNanos(i));
        }
        batch.release();
        left.txQueue(0).reclaim();
        found.addAll(sent);
        sent.clear();
        return found;
    }

    /** A packet is stamped both ways with the time that the clock shows. */
    private void expectTheTime() {
        long before = clock.nanos();
        send();
        long after = clock.nanos();
        assertThat(stamps()).hasSize(2).allSatisfy(stamp -> assertThat(stamp).isBetween(before, after));
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 8, 9, 10, 17, 18, 19, 30, 1000 })
    void quietHoursDoNoHarm(long hours) {
        clock.set(TODAY);
        start();
        expectTheTime();
        now += hours * HOUR;
        expectTheTime();
    }

    /** The stamp's second is the same again after 65,536 s. */
    @Test
    void quietSecondsThatSixteenBitsDoNotTellDoNoHarm() {
        clock.set(TODAY);
        start();
        expectTheTime();
        now += 65_536 * SECOND;
        expectTheTime();
    }

    @ParameterizedTest
    @ValueSource(longs = { TODAY, 3 * SECOND, 40_000 * SECOND, 70_000 * SECOND })
    void aSetAfterTheStartIsFollowed(long nanos) {
        start();
        expectTheTime();
        clock.set(nanos);
        expectTheTime();
        clock.adjust(-SECOND / 3);
        expectTheTime();
        clock.adjust(100_000 * SECOND);
        expectTheTime();
    }

    @Test
    void aSetJustBeforeTheStartIsFollowed() {
        clock.set(TODAY);
        start();
        expectTheTime();
    }

    @Test
    void aSetOfAnotherProcessJustBeforeTheStartIsFollowed() {
        device.registers(0).write32(PHC + 0x54, 5);
        device.registers(0).write32(PHC + 0x58, (int) (TODAY / SECOND));
        device.registers(0).write32(PHC + 0x5C, 0);
        start();
        now += 100_000;
        expectTheTime();
    }

    @ParameterizedTest
    @ValueSource(longs = { TODAY, 2 * SECOND, 9 * HOUR, 20 * HOUR, 100 * HOUR })
    void aStepOfAnotherProcessIsFollowed(long nanos) {
        start();
        expectTheTime();
        other.set(nanos);
        expectTheTime();
        other.adjust(SECOND / 3);
        expectTheTime();
        other.set(TODAY / 2);
        expectTheTime();
        now += 100 * HOUR;
        expectTheTime();
    }

    /** Wherever the step falls between stamps and readings. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 2_000, 6_000, 8_000, 10_000, 12_000, 15_000, 20_000, 30_000 })
    void aStepIsFollowedFromItsFirstStampOn(int later) {
        start();
        expectTheTime();
        device.registers(0).write32(PHC + 0x54, 5);
        device.registers(0).write32(PHC + 0x58, (int) (TODAY / SECOND));
        device.registers(0).write32(PHC + 0x5C, 0);
        now += later;
        send();
        assertThat(stamps()).hasSize(2).allMatch(
                stamp -> stamp < SECOND || stamp > TODAY - SECOND && stamp < TODAY + SECOND,
                "the time before or after");
        now += 100_000;
        expectTheTime();
    }

    @ParameterizedTest
    @ValueSource(longs = { TODAY, 20_000 * SECOND })
    void aPacketFromBeforeTheStepKeepsItsTime(long nanos) {
        start();
        long before = clock.nanos();
        send();
        long after = clock.nanos();
        other.set(nanos);
        assertThat(stamps()).hasSize(2).allSatisfy(stamp -> assertThat(stamp).isBetween(before, after));
        expectTheTime();
    }

    @ParameterizedTest
    @ValueSource(longs = { 2, 60, 4000, 30_000 })
    void aPacketThatWaitedKeepsItsTime(long seconds) {
        clock.set(TODAY);
        start();
        long before = clock.nanos();
        send();
        long after = clock.nanos();
        now += seconds * SECOND;
        assertThat(stamps()).hasSize(2).allSatisfy(stamp -> assertThat(stamp).isBetween(before, after));
        expectTheTime();
    }

    @Test
    void aSetWaitsUntilItCanBeRead() {
        for (int i = 0; i < 200; i++) {
            long wanted = i % 2 == 0 ? TODAY + i * HOUR : i * SECOND;
            clock.set(wanted);
            assertThat(clock.nanos()).isBetween(wanted, wanted + SECOND / 100);
            clock.adjust(SECOND / 2);
            assertThat(clock.nanos()).isBetween(wanted + SECOND / 2, wanted + SECOND / 2 + SECOND / 100);
        }
    }

    /** A reading is four registers, and each queue makes one every four hours. */
    @Test
    void theClockIsReadOnlyWhenItHasTo() {
        clock.set(TODAY);
        start();
        clockReads = 0;
        for (int burst = 0; burst < 1000; burst++) {
            send();
            assertThat(stamps()).hasSize(2);
            now += SECOND;
        }
        assertThat(clockReads).isZero();
        for (int hour = 0; hour < 41; hour++) {
            now += HOUR;
            send();
            assertThat(stamps()).hasSize(2);
        }
        assertThat(clockReads).isBetween(2 * 4 * 7, 2 * 4 * 10);
    }
}
