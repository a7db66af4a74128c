package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.wave.WaveProtocol;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.agent.region.Protocol;
import dev.bascule.ffi.LibVerbs;
import dev.bascule.junit.TransportConformance;
import dev.bascule.lab.Lab;
import dev.bascule.rdma.RdmaOptions;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

/** The conformance suite over a mirrored region. */
abstract class RdmaConformance extends TransportConformance {
    private final Protocol protocol;
    private final boolean real;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable FakeRdma fake;

    /** @param real over libibverbs and this machine's device; off: over fake verbs */
    RdmaConformance(Protocol protocol, boolean real) {
        this.protocol = protocol;
        this.real = real;
    }

    static Protocol wave(boolean push) {
        return new WaveProtocol(WaveOptions.ALL.withPush(push));
    }

    static Protocol swap(SwapMode mode, boolean push) {
        return new SwapProtocol(SwapOptions.DEFAULT.withMode(mode).withPush(push));
    }

    @BeforeEach
    void openVerbs() {
        if (real) {
            Lab.require();
        }
        fake = real ? null : FakeRdma.settled(folder);
    }

    @AfterEach
    void closeVerbs() {
        if (fake != null) {
            fake.close();
            assertThat(fake.verbs().open()).as("handles not given back").isZero();
        }
    }

    @Override
    protected Session open(Path where, boolean keep) {
        if (fake != null) {
            return fake.session(where, protocol, keep);
        }
        if (!MirrorPlace.isAssigned(where)) {
            MirrorPlace.assign(where, RdmaSetup.HERE);
        }
        return new Session(protocol,
                new MirrorPlace(where, keep, Path.of("/sys"), LibVerbs::load, RdmaOptions::settled));
    }

    @Override
    protected int seeds() {
        return real ? 1 : 3; // each agent's coming is a connection
    }

    @Override
    protected int roomWhenAsked() {
        return protocol instanceof SwapProtocol swap && swap.options().mode() == SwapMode.SWAP0
                ? 1
                : super.roomWhenAsked();
    }

    @Override
    protected boolean canWithdraw() {
        return protocol instanceof WaveProtocol;
    }
}
