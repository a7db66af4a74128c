package dev.bascule.host;

import dev.bascule.agent.region.Protocol;
import dev.bascule.ffi.FakeVerbs;
import dev.bascule.rdma.FakeSysfs;
import dev.bascule.rdma.RdmaOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** Sessions over RDMA on a machine without a device: verbs that do whatever the specification allows. */
final class FakeRdma implements AutoCloseable {
    private final FakeVerbs verbs;
    private final Path sysfs;
    private final UnaryOperator<RdmaOptions> options;

    private FakeRdma(FakeVerbs verbs, Path folder, UnaryOperator<RdmaOptions> options) {
        this.verbs = verbs;
        this.options = options;
        sysfs = FakeSysfs.roce(folder.resolve("sys"));
    }

    /** Each fence waits until its stores are there, for sides that are stepped by hand. */
    static FakeRdma settled(Path folder) {
        return new FakeRdma(FakeVerbs.polled(19), folder, RdmaOptions::settled);
    }

    /** What is stored is under way, in pieces. */
    static FakeRdma unsettled(Path folder) {
        return new FakeRdma(FakeVerbs.beside(19), folder, UnaryOperator.identity());
    }

    FakeVerbs verbs() {
        return verbs;
    }

    Session session(Path where, Protocol protocol, boolean keep) {
        if (!Files.exists(where.resolve("rdma.link"))) {
            MirrorPlace.assign(where, RdmaSetup.HERE);
        }
        return new Session(protocol, new MirrorPlace(where, keep, sysfs, () -> verbs, options));
    }

    @Override
    public void close() {
        verbs.close();
    }
}
