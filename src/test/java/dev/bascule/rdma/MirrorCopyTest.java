package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.FakeVerbs;
import dev.bascule.memory.Window;
import java.net.InetAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection over which the copy is still on its way. */
class MirrorCopyTest {
    private static final MirrorShape SHAPE = MirrorPair.SIZES.shape();
    private static final int AGENT = 0;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void noLookGoesOverItUntilTheAgentHasTheCopy() {
        try (FakeVerbs verbs = FakeVerbs.polled(19);
                Mirror host = Mirror.create(folder.resolve("host.mem"), SHAPE);
                Mirror agent = Mirror.create(folder.resolve("agent.mem"), SHAPE)) {
            Path sysfs = FakeSysfs.roce(folder.resolve("sys"));
            Window nic = host.nicMemory(host.writer());
            nic.storeRelease(64, 7);
            nic.writeFence();
            try (RdmaDevice here = device(verbs, sysfs);
                    RdmaDevice there = device(verbs, sysfs);
                    MirrorLink down = MirrorLink.open(here, host, MirrorPair.PATIENT, AGENT, true);
                    MirrorLink up = MirrorLink.open(there, agent, MirrorPair.PATIENT, AGENT, false)) {
                down.connect(up.address());
                up.connect(down.address());
                host.join(down);
                assertThat(nic.isBehind(64, AGENT)).as("of an agent that is not there yet").isFalse();
                assertThat(host.linkOf(AGENT)).isNull();
                assertThat(down.push()).isTrue();
                assertThat(host.linkOf(AGENT)).isSameAs(down);
                assertThat(nic.isBehind(64, AGENT)).isFalse();
                Window agents = agent.nicMemory(agent.writer());
                agents.storeRelease(64, 8); // and not fenced: on its way
                assertThat(nic.isBehind(64, AGENT)).isTrue();
            }
        }
    }

    private static RdmaDevice device(FakeVerbs verbs, Path sysfs) {
        return RdmaDevice.open(verbs,
                RdmaPorts.choose(sysfs, MirrorPair.PATIENT, InetAddress.getLoopbackAddress()));
    }
}
