package dev.bascule.cli;

import dev.bascule.device.DeviceBacking;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.vfiouser.VfioUserDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The card a command works on. */
final class CardOption {
    static final String LOOPBACK = "loopback";

    @Option(names = "--device", paramLabel = "DEVICE", defaultValue = LOOPBACK, description = "the Corundum card: '"
            + LOOPBACK + "', a model in this process, or the socket of a served one (bascule serve); "
            + "default ${DEFAULT-VALUE}")
    private String device = LOOPBACK;

    boolean isLoopback() {
        return device.equals(LOOPBACK);
    }

    /** How results are to be labelled. */
    String label() {
        return isLoopback() ? "simulated: loopback model in this process" : "simulated: served at " + device;
    }

    /** Opens it; {@code wires} is what the model's ports are plugged into, a real card has its own. */
    DeviceBacking open(List<WireEnd> wires) {
        if (!isLoopback()) {
            Path socket = Path.of(device);
            if (!Files.exists(socket)) {
                throw new Failure(
                        "no device '" + device + "': there is " + LOOPBACK + ", or the socket of a served card;"
                                + " start one with: bascule serve --device corundum --socket " + device);
            }
            return VfioUserDevice.open(socket);
        }
        return LoopbackDevice.open(new CorundumModel(CorundumConfig.builder().build(), wires, true));
    }
}
