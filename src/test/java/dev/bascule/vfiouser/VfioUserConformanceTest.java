package dev.bascule.vfiouser;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceConformance;
import dev.bascule.device.ProbeModel;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class VfioUserConformanceTest extends DeviceConformance {
    @TempDir
    private Path folder;

    private VfioUserServer server;

    @Override
    protected DeviceBacking open(ProbeModel probe) {
        server = VfioUserServer.serve(probe, folder.resolve("device.sock"), event -> {});
        return VfioUserDevice.open(server.path(), options());
    }

    VfioUserOptions options() {
        return VfioUserOptions.DEFAULT;
    }

    @Override
    protected void stop() {
        server.close();
    }
}
