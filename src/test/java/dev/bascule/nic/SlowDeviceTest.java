package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceModel;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.virtio.VirtioCard;

import dev.bascule.vfiouser.SlowServer;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserOptions;
import dev.bascule.vfiouser.VfioUserServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The drivers on a card whose server offers a clock that runs a thousand times slower than the wall's. */
@Timeout(120)
@SuppressWarnings("NullAway.Init")
class SlowDeviceTest {
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir
    private Path folder;

    private static DeviceModel model(String name) {
        return switch (name) {
            case "cndm" -> new CndmCard(CndmConfig.MICRO.withPorts(1),
                    List.of(new CountedWire(Cables.loopback())));
            case "cndm-proto" -> new ProtoCard(List.of(new CountedWire(Cables.loopback())));
            case "corundum" -> new CorundumModel(CorundumConfig.builder().build(),
                    List.of(Cables.loopback(), WireEnd.OPEN), true);
            case "enso" -> new EnsoCard(new CountedWire(Cables.loopback()));
            default -> new VirtioCard(new CountedWire(Cables.loopback()));
        };
    }

    @ParameterizedTest
    @ValueSource(strings = { "cndm", "cndm-proto", "corundum", "enso", "virtio" })
    void aWaitOfAQueueCountsTheDevicesTime(String name) throws Exception {
        Path socket = folder.resolve("slow");
        try (VfioUserServer right = VfioUserServer.serve(model(name), folder.resolve("right"), event -> {});
                SlowServer slow = SlowServer.before(right.path(), socket);
                NicAdapter adapter = Nics
                        .open(VfioUserDevice.open(socket, VfioUserOptions.DEFAULT.withTimeoutNanos(LIMIT_NANOS)))) {
            slow.setRunning(true);
            Nic nic = adapter.openPort(0, NicOptions.DEFAULTS);
            nic.start();
            RxQueue queue = nic.rxQueue(0);
            long before = slow.time();
            CompletableFuture<Boolean> wait = CompletableFuture.supplyAsync(() -> queue.await(WAIT_NANOS));
            long start = System.nanoTime();
            while (System.nanoTime() - start < 2 * LIMIT_NANOS) {
                assertThat(wait).as("%,d ns of the device", slow.time() - before).isNotDone();
                LockSupport.parkNanos(1_000_000);
            }
            slow.advance(WAIT_NANOS);
            assertThat(wait.get(60, TimeUnit.SECONDS)).isFalse();
            nic.check();
        }
    }
}
