package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Index;
import org.junit.jupiter.api.Test;

/** Rate limiter, time stamps and the way to the wire, on a virtual clock. */
class TimingTest {
    private long now;
    private final RateLimiter limiter = new RateLimiter();
    private final Timestamper timestamper = new Timestamper();
    private final List<String> frames = new ArrayList<>();
    private byte[] lastFrame = new byte[0];
    private final Egress egress = new Egress(limiter, timestamper, () -> now, (frame, length, cycle) -> {
        lastFrame = Arrays.copyOf(frame, length);
        frames.add(length + " at " + cycle);
    });

    @Test
    void numeratorFlitsLeaveEveryDenominatorCycles() {
        limiter.configure(true, 3, 10, 100);
        List<Long> slots = new ArrayList<>();
        for (long cycle = 100; slots.size() < 9; cycle++) {
            cycle = limiter.nextAllowed(cycle);
            slots.add(cycle);
        }
        assertThat(slots).containsExactly(100L, 101L, 102L, 110L, 111L, 112L, 120L, 121L, 122L);
    }

    @Test
    void limiterEqualsTheCounterStepByStep() {
        Random random = new Random(9);
        for (int round = 0; round < 300; round++) {
            RateLimiter fast = new RateLimiter();
            boolean enabled = false;
            int numerator = 0;
            int denominator = 0;
            int counter = 0;
            for (int cycle = 0; cycle < 200; cycle++) {
                if (cycle == 0 || random.nextInt(40) == 0) {
                    boolean enable = random.nextInt(4) > 0;
                    int newNumerator = random.nextInt(6);
                    int newDenominator = random.nextInt(8);
                    fast.configure(enable, newNumerator, newDenominator, cycle);
                    counter = enable && !enabled ? 0 : counter;
                    numerator = enable ? newNumerator : numerator;
                    denominator = enable ? newDenominator : denominator;
                    enabled = enable;
                }
                boolean free = !enabled || counter < numerator;
                assertThat(fast.nextAllowed(cycle) == cycle).as("round %d cycle %d", round, cycle).isEqualTo(free);
                if (enabled) {
                    counter = counter + 1 >= denominator ? 0 : counter + 1;
                }
            }
        }
    }

    @Test
    void numeratorZeroLetsNothingOut() {
        limiter.configure(true, 0, 10, 0);
        assertThat(limiter.nextAllowed(5)).isEqualTo(RateLimiter.NEVER);
    }

    @Test
    void flitsTakeTheirSlotsHoweverSeldomTheModelIsAsked() {
        limiter.configure(true, 1, 4, 0);
        assertThat(send(1)).isTrue();
        assertThat(send(1)).isFalse();
        assertThat(egress.nextWorkCycle()).isEqualTo(4);
        now = 9;
        assertThat(send(1)).isTrue();
        assertThat(send(1)).isTrue();
        assertThat(send(1)).isFalse();
        assertThat(frames).containsExactly("64 at 0", "64 at 4", "64 at 8");
    }

    @Test
    void slotsMissedWhileThereWasNothingToSendAreLost() {
        limiter.configure(true, 1, 4, 0);
        send(1);
        egress.idle();
        now = 41;
        assertThat(egress.nextWorkCycle()).isEqualTo(RateLimiter.NEVER);
        assertThat(send(1)).isFalse();
        now = 44;
        assertThat(send(1)).isTrue();
        assertThat(frames).containsExactly("64 at 0", "64 at 44");
    }

    @Test
    void aPacketLeavesWholeWithTheSlotOfItsLastFlit() {
        limiter.configure(true, 1, 2, 0);
        now = 100;
        assertThat(egress.ready()).isTrue();
        egress.flit(true, false, new byte[64], 64);
        assertThat(frames).isEmpty();
        now = 102;
        assertThat(egress.ready()).isTrue();
        egress.flit(false, true, new byte[64], 1);
        assertThat(frames).containsExactly("65 at 102");
    }

    @Test
    void stampIsBigEndianAtItsOffsetAndTheReceiverGetsTheDifference() {
        timestamper.configure(true, 18);
        now = 0x1_1234_5678L;
        send(1);
        assertThat(lastFrame).startsWith(new byte[18]).contains(0x12, Index.atIndex(18))
                .contains(0x34, Index.atIndex(19))
                .contains(0x78, Index.atIndex(21));
        timestamper.receive(lastFrame, now + 300);
        assertThat(Bytes.networkU32(lastFrame, 18)).isEqualTo(300);
    }

    @Test
    void offsetsCountModuloSixtyFourAndTheLastThreeWrap() {
        byte[] packet = new byte[64];
        timestamper.configure(true, 60);
        timestamper.transmit(packet, 0x01020304);
        assertThat(packet).endsWith(1, 2, 3, 4);
        timestamper.configure(true, 64 + 8);
        timestamper.transmit(packet, 0x05060708);
        assertThat(Bytes.networkU32(packet, 8)).isEqualTo(0x05060708);
        packet = new byte[64];
        timestamper.configure(true, 62);
        timestamper.transmit(packet, 0x01020304);
        assertThat(packet).startsWith(3, 4, 0).endsWith(0, 0, 0);
    }

    @Test
    void switchedOffItLeavesPacketsAlone() {
        byte[] packet = { 1, 2, 3, 4 };
        timestamper.configure(false, 0);
        timestamper.transmit(packet, 99);
        timestamper.receive(packet, 99);
        assertThat(packet).containsExactly(1, 2, 3, 4);
    }

    @Test
    void cyclesAreFiveNanoseconds() {
        long[] nanos = { 1_000 };
        CycleClock clock = CycleClock.ofNanos(() -> nanos[0]);
        nanos[0] += 52;
        assertThat(clock.cycles()).isEqualTo(10);
    }

    private boolean send(int flits) {
        for (int i = 0; i < flits; i++) {
            if (!egress.ready()) {
                return false;
            }
            egress.flit(i == 0, i == flits - 1, new byte[64], 64);
        }
        return true;
    }
}
