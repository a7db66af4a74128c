package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.ProbeModel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that offers the device's clock: waits count that, and a slow server is not a dead one. */
@Timeout(120)
@SuppressWarnings("NullAway.Init")
class ServedClockTest {
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final VfioUserOptions OPTIONS = VfioUserOptions.DEFAULT.withTimeoutNanos(LIMIT_NANOS);

    @TempDir
    private Path folder;

    private VfioUserServer right;

    @BeforeEach
    void serve() {
        right = VfioUserServer.serve(new ProbeModel(), folder.resolve("right"), event -> {});
    }

    @AfterEach
    void end() {
        right.close();
    }

    private SlowServer slow() {
        return SlowServer.before(right.path(), folder.resolve("slow"));
    }

    private VfioUserDevice open() {
        return VfioUserDevice.open(folder.resolve("slow"), OPTIONS);
    }

    /** Lets that much wall time pass, while the condition holds. */
    private static void pass(long nanos, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            assertThat(condition.getAsBoolean()).isTrue();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void theClockIsTheDevicesAndNothingElseMovesIt() throws Exception {
        try (SlowServer slow = slow(); VfioUserDevice device = open()) {
            assertThat(slow.isAsked()).isTrue();
            long before = device.nanoTime();
            slow.advance(12_345);
            assertThat(device.nanoTime() - before).isEqualTo(12_345);
        }
    }

    @Test
    void aWaitOfDeviceTimeDoesNotEndEarlyOnAServerAThousandTimesSlower() throws Exception {
        try (SlowServer slow = slow(); VfioUserDevice device = open()) {
            slow.setRunning(true);
            Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
            long start = slow.time();
            CompletableFuture<Long> wait = CompletableFuture.supplyAsync(() -> interrupt.await(WAIT_NANOS));
            pass(3 * LIMIT_NANOS, () -> !wait.isDone());
            assertThat(slow.time() - start).as("the device has hardly run").isLessThan(WAIT_NANOS);
            slow.advance(WAIT_NANOS);
            assertThat(wait.get(60, TimeUnit.SECONDS)).isZero();
            assertThat(device.config().read16(0)).as("it is alive").isEqualTo(device.info().vendorId());
        }
    }

    @Test
    void anAnswerMayTakeLongerThanTheTimeoutWhileTheClockMoves() throws Exception {
        try (SlowServer slow = slow(); VfioUserDevice device = open()) {
            slow.setRunning(true);
            slow.setHeld(true);
            CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> device.config().read16(0));
            pass(3 * LIMIT_NANOS, () -> !read.isDone());
            slow.setHeld(false);
            assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(device.info().vendorId());
        }
    }

    @Test
    void aServerWhoseClockStandsStillAndThatSaysNothingIsGone() throws Exception {
        try (SlowServer slow = slow(); VfioUserDevice device = open()) {
            slow.setHeld(true);
            assertThatThrownBy(device::reset).isInstanceOf(DeviceRemovedException.class)
                    .hasMessageContaining("no answer for 300 ms").hasMessageContaining("--device-timeout");
            slow.setHeld(false);
        }
    }

    @Test
    void waitsEndWhereTheClockStandsStill() throws Exception {
        try (SlowServer slow = slow(); VfioUserDevice device = open()) {
            Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
            long before = device.nanoTime();
            assertThat(interrupt.await(WAIT_NANOS)).isZero();
            assertThat(device.nanoTime() - before).isGreaterThanOrEqualTo(WAIT_NANOS);
            assertThat(slow.time()).as("the device never ran").isZero();
            slow.advance(1);
            long later = device.nanoTime();
            assertThat(later - before).as("and it does not go back").isGreaterThanOrEqualTo(WAIT_NANOS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void timeGoesOnWhenTheServerHasGoneOrCutItsClock(boolean cut) throws Exception {
        try (SlowServer slow = slow(); VfioUserDevice device = open()) {
            long before = device.nanoTime();
            if (cut) {
                slow.cutClock();
            } else {
                right.close();
            }
            while (device.nanoTime() - before < WAIT_NANOS) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    void withoutAClockItIsTheWalls() throws Exception {
        try (SlowServer none = SlowServer.saying(right.path(), folder.resolve("slow"), null);
                VfioUserDevice device = open()) {
            long before = System.nanoTime();
            long told = device.nanoTime();
            assertThat(told).isBetween(before, System.nanoTime());
            none.advance(1 << 30);
            assertThat(device.nanoTime()).isBetween(told, System.nanoTime());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "{\"offset\":4097}", "{\"offset\":-4096}", "{}", "{\"offset\":8192}",
            "{\"offset\":\"0\"}", "{\"offset\":0,\"unsent\":1}" })
    void aClockThatCannotBeIsTheServersFault(String clock) throws Exception {
        try (SlowServer slow = SlowServer.saying(right.path(), folder.resolve("slow"), clock)) {
            assertThatThrownBy(this::open).isInstanceOf(DeviceFormatException.class)
                    .hasMessageContaining("agree on a version");
        }
    }

    @Test
    void noLimitIsNoLimit() throws Exception {
        try (SlowServer slow = slow();
                VfioUserDevice device = VfioUserDevice.open(folder.resolve("slow"), OPTIONS.withTimeoutNanos(0))) {
            slow.setHeld(true);
            CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> device.config().read16(0));
            pass(2 * LIMIT_NANOS, () -> !read.isDone());
            slow.setHeld(false);
            assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(device.info().vendorId());
        } catch (DeviceException e) {
            throw new AssertionError(e);
        }
    }
}
