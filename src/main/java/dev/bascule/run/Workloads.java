package dev.bascule.run;

import dev.bascule.ffi.NearestWord;
import dev.bascule.workload.RocksDbService;
import dev.bascule.workload.RocksDbSetup;
import dev.bascule.workload.Service;
import dev.bascule.workload.ServiceMix;
import dev.bascule.workload.SpinService;
import dev.bascule.workload.WaitingService;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Workloads by name. */
public final class Workloads {
    private Workloads() {}

    /** A workload to open when everything else has been checked. */
    public record Spec(String name, List<String> classes, Supplier<Service> opener) {
        Service open() {
            return opener.get();
        }
    }

    /** Workload by name. */
    public static Spec spec(String name, String mix, @Nullable Path database, long seed) {
        return switch (name) {
            case "rocksdb" -> new Spec("RocksDB", ServiceMix.rocksDb(1, 1).names(),
                    () -> RocksDbService.open(RocksDbSetup.standard(database, seed)));
            case "spin" -> {
                ServiceMix times = ServiceMix.presets().get(mix);
                if (times == null) {
                    throw new Misuse(NearestWord.none("mix", mix, ServiceMix.presets().keySet()));
                }
                yield new Spec("spin (" + mix + ")", times.names(), () -> new SpinService(times));
            }
            case "disk" -> new Spec("disk", WaitingService.OF_DISK, () -> WaitingService.disk(database, seed));
            case "socket" -> new Spec("socket", WaitingService.OF_SOCKET, () -> WaitingService.socket(seed));
            default -> throw new AssertionError(name);
        };
    }
}
