package dev.bascule.host;

import dev.bascule.model.smartnic.CoresServer;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicModel;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Run directories with a served SmartNIC each: hosts drive its function by vfio-user, agents are its cores and reach it by
 * the socket for them, so that their DMA goes through the server and the host's mappings.
 */
final class ServedCards implements AutoCloseable {
    private final Map<Path, Card> cards = new HashMap<>();

    record Card(SmartNicRegion region, SmartNicModel model, VfioUserServer server, CoresServer cores) {
        void close() {
            cores.close();
            server.close();
            region.close();
        }
    }

    /** Gives the directory its card. */
    Card in(Path directory) {
        Card card = cards.computeIfAbsent(directory, ServedCards::serve);
        CardPlace.assign(directory,
                new CardEnd.Function(directory.resolve("nic0").toString(), config(directory).toString()),
                new CardEnd.Cores(config(directory).toString(), ""));
        return card;
    }

    static Path config(Path directory) {
        return directory.resolve("card.yaml");
    }

    private static Card serve(Path directory) {
        try {
            Files.writeString(config(directory), """
                    kind: pci
                    device: {ids: "1234:ba5c", driver: smartnic, seen: simulated}
                    doorbell: {bar: 0, offset: 0x1000, width: 4, value: 1}
                    cores: {memory: socket, path: "%s"}
                    """.formatted(directory.resolve("cores")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SmartNicRegion region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT);
        SmartNicModel model = new SmartNicModel(region);
        CoresServer cores = CoresServer.listen(model, directory.resolve("cores"), text -> {});
        return new Card(region, model, VfioUserServer.serve(model, directory.resolve("nic0"), event -> {}), cores);
    }

    @Override
    public void close() {
        cards.values().forEach(Card::close);
        cards.clear();
    }
}
