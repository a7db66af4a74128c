package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.junit.TransportRig;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.swap.SwapMode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer that scribbles over the shared region: nothing throws, nothing stale runs, and a new epoch heals it. */
class HostileRegionTest {
    private static final long PER_RUN_NANOS = 1_500_000_000L;

    @TempDir
    private Path directory;

    @Test
    void scribblingOverWavesRegionNeverBreaksTheHost() throws Exception {
        fuzz(where -> Session.wave(where, LinkSetup.DEFAULT, false), "nic.mem", PER_RUN_NANOS);
    }

    @Test
    void scribblingOverTheLocalRegionNeverBreaksTheHost() throws Exception {
        fuzz(where -> Session.onHost(where, false), "local.mem", PER_RUN_NANOS);
    }

    @Test
    void scribblingOverTheSwapsRegionNeverBreaksTheHost() throws Exception {
        for (SwapMode mode : SwapMode.values()) {
            fuzz(where -> Session.swap(where, LinkSetup.DEFAULT.withMode(mode), false), "nic.mem",
                    PER_RUN_NANOS / SwapMode.values().length);
        }
    }

    @Test
    @Tag("fuzz")
    void scribblingForAsLongAsAskedFindsNothing() throws Exception {
        long minutes = Long.getLong("bascule.fuzzMinutes", 10);
        fuzz(where -> Session.wave(where, LinkSetup.DEFAULT, false), "nic.mem", minutes * 30_000_000_000L);
        fuzz(where -> Session.onHost(where, false), "local.mem", minutes * 30_000_000_000L);
        for (SwapMode mode : SwapMode.values()) {
            fuzz(where -> Session.swap(where, LinkSetup.DEFAULT.withMode(mode), false), "nic.mem",
                    minutes * 10_000_000_000L);
        }
    }

    private void fuzz(Function<Path, Session> open, String file, long nanos) throws Exception {
        long first = new SplittableRandom().nextLong() & 0xffff_ffffL;
        System.out.println("scribbling over " + file + ", first seed " + first);
        long end = System.nanoTime() + nanos;
        int rounds = 0;
        for (long seed = first; System.nanoTime() < end; seed++) {
            scribble(open.apply(directory), directory.resolve(file), seed);
            rounds++;
        }
        assertThat(rounds).isPositive();
    }

    private static void scribble(Session session, Path file, long seed) throws IOException {
        int number = 1 << seed % 3; // of CPUs, and of agents
        try (TransportRig rig = new TransportRig(session, new EnclaveShape(number, 10, number, 32, 2), seed);
                RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            List<TransportRig.Attached> agents = LateHostilityTest.attachAll(rig);
            for (int i = 0; i < 6; i++) {
                rig.create(true);
            }
            for (int step = 0; step < 300; step++) {
                switch (rig.random().nextInt(6)) {
                    case 0 -> write(bytes, rig.random());
                    case 1, 2 -> agents.get(rig.random().nextInt(number)).turn();
                    default -> rig.hostStep();
                }
            }
            LateHostilityTest.fenceAll(rig);
            rig.assertNothingStale();
        }
    }

    /** Random bytes, all ones, a bit, or a line copied from elsewhere: what a broken or hostile peer leaves behind. */
    static void write(RandomAccessFile bytes, SplittableRandom random) throws IOException {
        long lines = bytes.length() / 64;
        byte[] line = new byte[64];
        bytes.seek(random.nextLong(lines) * 64);
        bytes.readFully(line);
        switch (random.nextInt(4)) {
            case 0 -> random.nextBytes(line);
            case 1 -> java.util.Arrays.fill(line, (byte) -1);
            case 2 -> line[random.nextInt(64)] ^= (byte) (1 << random.nextInt(8));
            default -> {
                // the line as it is, somewhere else
            }
        }
        bytes.seek(random.nextLong(lines) * 64);
        bytes.write(line);
    }

    @Test
    void attachingToRandomBytesIsAClearError() throws Exception {
        byte[] noise = new byte[1 << 16];
        new SplittableRandom(1).nextBytes(noise);
        Path file = directory.resolve("local.mem");
        Files.write(file, noise);
        assertThatThrownBy(() -> Session.onHost(directory, true).attach(0)).isInstanceOf(AgentException.class)
                .hasMessageContaining("no Bascule region");
    }
}
