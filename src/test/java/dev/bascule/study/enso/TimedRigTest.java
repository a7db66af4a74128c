package dev.bascule.study.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.app.enso.SizeMix;
import dev.bascule.study.fabric.AesGcm;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Both cards in virtual time: what must come out by the link's, the wire's and the cores' own figures. */
class TimedRigTest {
    private static final TimedCosts COSTS = TimedCosts.EVALUATION;
    private static final double LINE_64 = 148.81;

    private static TimedResult pipes(int cores, NotificationMode mode, TimedLoad load) {
        try (EnsoRig rig = new EnsoRig(COSTS, EnsoRig.Shape.of(cores), mode, 1_000, TimedApp::echo)) {
            return rig.run(load);
        }
    }

    private static TimedResult queues(int cores, TimedLoad load) {
        try (CorundumRig rig = new CorundumRig(COSTS, cores, TimedApp::echo)) {
            return rig.run(load);
        }
    }

    private static TimedLoad small(int packets, double share, int ports) {
        return TimedLoad.udp(packets, share, 64, ports, 1);
    }

    @Test
    void pipesEchoTheLineWithAnyNumberOfCores() {
        for (int cores : new int[] { 1, 2, 8 }) {
            TimedResult result = pipes(cores, NotificationMode.REACTIVE, small(12_000, 1, cores));
            assertThat(result.keptUp()).as("%d cores", cores).isTrue();
            assertThat(result.done()).isEqualTo(12_000);
            assertThat(result.mpps()).isBetween(0.97 * LINE_64, 1.001 * LINE_64);
        }
    }

    @Test
    void queuesEchoWhatTheLinkCarriesAndNoMore() {
        PcieCount counted = CorundumBench.echo(PcieLink.GEN3_X16, 64, 64, 4);
        TimedResult result = queues(2, small(24_000, 1, 2));
        assertThat(result.keptUp()).isFalse();
        assertThat(result.mpps()).isLessThan(1.08 * counted.packetsPerSecondLimit() / 1e6)
                .isGreaterThan(0.85 * counted.packetsPerSecondLimit() / 1e6);
    }

    @Test
    void aNotificationForEachPacketTakesHalfOfTheLink() {
        double share = 64.0 / 100;
        assertThat(pipes(1, NotificationMode.PER_PACKET, small(20_000, share, 1)).keptUp()).isFalse();
        assertThat(pipes(1, NotificationMode.REACTIVE, small(20_000, share, 1)).keptUp()).isTrue();
    }

    @Test
    void aFrameTakesTwoWaysThereAndOneBackAtLeastAndPrefetchingIsFasterThanWaiting() {
        double least = (COSTS.receive() + 4 * COSTS.oneWay()) / 1e3; // in, the request, the read and its answer
        TimedResult reactive = pipes(1, NotificationMode.REACTIVE, small(2_000, 0.5, 1));
        TimedResult prefetch = pipes(1, NotificationMode.PREFETCH, small(2_000, 0.5, 1));
        TimedResult queues = queues(1, small(2_000, 0.1, 1));
        assertThat(reactive.latencyMicros(0)).isGreaterThan(least);
        assertThat(prefetch.latencyMicros(0)).isGreaterThan(least);
        assertThat(queues.latencyMicros(0)).as("a descriptor is read first, both times").isGreaterThan(least + 0.75);
        assertThat(prefetch.latencyMicros(0.5)).isLessThan(0.6 * reactive.latencyMicros(0.5));
        assertThat(prefetch.notifications()).isGreaterThan(5 * reactive.notifications());
    }

    @Test
    void everyRunIsTheSameAndAnotherSeedIsAnother() {
        TimedLoad mixed = TimedLoad.mixed(1_500, 0.9, SizeMix.IMIX, 2, 7);
        TimedResult once = pipes(2, NotificationMode.PREFETCH, mixed);
        TimedResult again = pipes(2, NotificationMode.PREFETCH, mixed);
        TimedResult other = pipes(2, NotificationMode.PREFETCH, TimedLoad.mixed(1_500, 0.9, SizeMix.IMIX, 2, 8));
        assertThat(Arrays.equals(again.latencyNanos(), once.latencyNanos())).isTrue();
        assertThat(again.packetsPerSecond()).isEqualTo(once.packetsPerSecond());
        assertThat(Arrays.equals(other.latencyNanos(), once.latencyNanos())).isFalse();
        assertThat(Arrays.equals(queues(2, mixed).latencyNanos(), queues(2, mixed).latencyNanos())).isTrue();
    }

    /** Changes only with a reason that stands in the commit. */
    @Test
    void latenciesAreThoseOfBefore() throws Exception {
        TimedLoad mixed = TimedLoad.mixed(1_500, 0.9, SizeMix.IMIX, 2, 7);
        assertThat(digest(pipes(2, NotificationMode.PREFETCH, mixed))).isEqualTo("f7856e488b5e1c81");
        assertThat(digest(queues(2, mixed))).isEqualTo("a6a795925131244b");
    }

    private static String digest(TimedResult result) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(Double.BYTES * result.latencyNanos().length);
        Arrays.stream(result.latencyNanos()).forEach(bytes::putDouble);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array())).substring(0, 16);
    }

    @Test
    void moreThanThePipesTakeIsLostAndTheRestComesOut() {
        TimedApp slow = new TimedApp(new dev.bascule.app.Echo(), 50, 0, false, true, TimedApp.Touches.NONE);
        try (EnsoRig rig = new EnsoRig(COSTS, new EnsoRig.Shape(1, 1, 512), NotificationMode.REACTIVE, 0, () -> slow)) {
            TimedResult result = rig.run(small(20_000, 0.5, 1));
            assertThat(result.done()).isBetween(511, 19_999);
            assertThat(result.lost()).isPositive();
            assertThat(result.mpps()).isBetween(15.0, 20.0);
        }
    }

    @Test
    void aLookAsideEngineSealsEachMessageOnceBehindPipesAndBehindRings() throws Exception {
        int messages = 700;
        for (boolean isPipes : new boolean[] { true, false }) {
            SealingUnit unit = new SealingUnit();
            boolean[] seen = new boolean[messages];
            int[] wrong = new int[1];
            TimedApp app = new TimedApp((memory, offset, lengthBytes) -> {
                byte[] result = memory.asSlice(offset, lengthBytes).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                int number = TimedRig.number(result);
                wrong[0] += unit.isRight(result, number) && !seen[number] ? 0 : 1;
                seen[number] = true;
                return 0;
            }, 0, 0, true, false, TimedApp.Touches.NONE);
            try (TimedRig rig = isPipes
                    ? new EnsoRig(COSTS, EnsoRig.Shape.of(1), NotificationMode.REACTIVE, 0, () -> app)
                    : new CorundumRig(COSTS, 1, () -> app)) {
                TimedResult result = rig.request(unit, messages, i -> SealingUnit.message(i, 300), 256, 32);
                assertThat(result.done()).isEqualTo(messages);
            }
            assertThat(wrong[0]).isZero();
            assertThat(seen).doesNotContain(false);
        }
        byte[] message = SealingUnit.message(9, 200);
        byte[] sealed = new SealingUnit().seal(message, 200);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(new byte[16], "AES"),
                new GCMParameterSpec(128, sealed, SealingUnit.CLEAR_BYTES, 12));
        assertThat(cipher.doFinal(sealed, SealingUnit.CLEAR_BYTES + 12, 200 - SealingUnit.CLEAR_BYTES - 12))
                .isEqualTo(Arrays.copyOfRange(message, SealingUnit.CLEAR_BYTES, 200 - AesGcm.OVERHEAD));
        sealed[100] ^= 1;
        assertThat(new SealingUnit().isRight(sealed, 9)).isFalse();
    }

    @Test
    void aCopyOfEachFrameComesOutOnceAndTakesTheTimeOfReadingIt() {
        try (EnsoRig rig = new EnsoRig(COSTS, EnsoRig.Shape.of(1), NotificationMode.REACTIVE, 0, () -> TimedApp.COPY)) {
            TimedResult result = rig.run(TimedLoad.udp(3_000, 0.5, 512, 1, 1));
            assertThat(result.done()).isEqualTo(3_000);
            TimedResult plain = pipes(1, NotificationMode.REACTIVE, TimedLoad.udp(3_000, 0.5, 512, 1, 1));
            assertThat(result.latencyMicros(0)).isGreaterThan(plain.latencyMicros(0) + 0.02);
        }
    }

    @Test
    void aLoadBeyondTheLineIsRefused() {
        assertThatThrownBy(() -> small(1, 1.1, 1)).hasMessageContaining("1.1 of the line rate");
    }
}
