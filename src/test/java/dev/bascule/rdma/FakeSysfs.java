package dev.bascule.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel shows of RDMA devices, in a folder of a test. */
public final class FakeSysfs {
    private final Path sysfs;

    /** In this folder. */
    public FakeSysfs(Path sysfs) {
        this.sysfs = sysfs;
    }

    /** The usual one: a RoCE device with the address 127.0.0.1. */
    public static Path roce(Path sysfs) {
        new FakeSysfs(sysfs).device("fake0", "1: CA", "4: ACTIVE", "Ethernet")
                .gid("fake0", 0, "fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2")
                .gid("fake0", 1, "0000:0000:0000:0000:0000:ffff:7f00:0001", "RoCE v2");
        return sysfs;
    }

    /** A device with one port. */
    public FakeSysfs device(String name, String node, String state, String linkLayer) {
        Path port = port(name);
        write(port.resolve("../../node_type"), node);
        write(port.resolve("state"), state);
        write(port.resolve("link_layer"), linkLayer);
        return this;
    }

    /** An address of it. */
    public FakeSysfs gid(String name, int index, String gid, String type) {
        write(port(name).resolve("gids/" + index), gid);
        write(port(name).resolve("gid_attrs/types/" + index), type);
        return this;
    }

    private Path port(String name) {
        return sysfs.resolve("class/infiniband/" + name + "/ports/1");
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file.normalize(), text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
