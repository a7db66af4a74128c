package dev.bascule.host;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.ivshmem.IvshmemHub;
import dev.bascule.pci.PciAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Run directories with ivshmem devices of this process: a memory for each directory, a new peer for each opening. */
final class IvshmemPeers {
    private static final PciAddress HOST = PciAddress.parse("00:04.0");
    private static final PciAddress AGENT = PciAddress.parse("00:05.0");

    private final Map<Path, IvshmemHub> hubs = new HashMap<>();

    /** Gives the directory its devices and says how to reach them. */
    CardPlace.Opener in(Path directory) {
        IvshmemHub hub = hubs.computeIfAbsent(directory, path -> new IvshmemHub(1 << 20, 8));
        CardPlace.assign(directory, new CardEnd.Ivshmem(HOST), new CardEnd.Ivshmem(AGENT));
        return (device, writeCombining) -> LoopbackDevice.open(hub.peer());
    }

    void close() {
        hubs.values().forEach(IvshmemHub::close);
        hubs.clear();
    }
}
