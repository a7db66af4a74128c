package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceBacking;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The driver on a model behind a vfio-user socket: registers by message, memory by shared descriptors. */
class VfioUserDriverTest extends CorundumDriverContract {
    @TempDir
    private Path folder;

    @Override
    Rig rig(CorundumConfig config, List<WireEnd> wires) {
        VfioUserServer server = VfioUserServer.serve(new CorundumModel(config, wires, true),
                folder.resolve("card.sock"), event -> {});
        DeviceBacking client = VfioUserDevice.open(server.path());
        return new Rig() {
            @Override
            public DeviceBacking backing() {
                return client;
            }

            @Override
            public void work() {
                Thread.yield();
            }

            @Override
            public void close() {
                client.close();
                server.close();
            }
        };
    }
}
