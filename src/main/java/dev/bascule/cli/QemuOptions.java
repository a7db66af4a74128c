package dev.bascule.cli;

import dev.bascule.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Options that QEMU needs to use a device at a vfio-user socket: memory that can be shared, and the device. */
final class QemuOptions {
    private QemuOptions() {}

    /** The arguments, one by one. */
    static List<String> of(Path socket) {
        return List.of("-machine", "q35,memory-backend=mem", "-object", "memory-backend-memfd,id=mem,size=2G,share=on",
                "-m", "2G", "-device", Json.object().put("driver", "vfio-user-pci").put("socket", Json.object()
                        .put("type", "unix").put("path", socket.toAbsolutePath().toString())).toString());
    }

    /** The arguments as a shell takes them. */
    static String shell(Path socket) {
        return of(socket).stream().map(QemuOptions::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9=,._/-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
