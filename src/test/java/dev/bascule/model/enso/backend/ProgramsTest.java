package dev.bascule.model.enso.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Signals;
import dev.bascule.model.enso.CycleClock;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.nic.enso.EnsoFormats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs in processes of their own come and go while numbered frames of several flows arrive. Counted outside of the
 * device: what was handed to it, and what left at the wire, by flow and in order.
 */
@Tag("process")
@Timeout(120)
class ProgramsTest {
    private static final int FLOWS = 16;
    private static final int IP = 0xC0A8_0000;
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    @TempDir
    Path directory;

    private final long[] given = new long[FLOWS];
    private final long[] back = new long[FLOWS];
    private final long[] skipped = new long[FLOWS];
    private final List<Process> processes = new ArrayList<>();
    private SoftwareBackend backend;
    private boolean lossless = true;
    private int flow;
    private int rounds;

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        if (backend != null) {
            backend.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 8 })
    void aProgramHearsAllItsFlowsInOrder(int pipes) throws Exception {
        serve();
        start(0, 1, pipes, IP);
        traffic(0, pipes, () -> least(0, pipes) >= 20_000 / pipes);
        settle();
        assertEchoed(0, pipes);
    }

    /** The other goes on; who comes again hears again. What a program had taken and not sent goes with it. */
    @ParameterizedTest
    @ValueSource(strings = { "INT", "KILL" })
    void aProgramThatComesAgainBesideAnotherHears(String signal) throws Exception {
        serve();
        start(1, 1, 2, IP + 2);
        Process first = start(0, 1, 2, IP);
        endUnderTraffic(first, signal, 4);
        start(0, 1, 2, IP);
        long[] before = back.clone();
        traffic(0, 4, () -> least(0, 4, before) >= 3_000);
        settle();
        assertThat(skipped[2] + skipped[3]).as("of the program that stayed").isZero();
        assertThat(back[2] + back[3]).isEqualTo(given[2] + given[3]);
        assertThat(backend.model().metrics().losses().places()).isEmpty();
    }

    /** Without waiting, frames that come while the program is away are lost, and counted; then it hears again. */
    @ParameterizedTest
    @ValueSource(strings = { "INT", "KILL" })
    void itHearsAgainAlsoIfFramesMetItsClosedPipe(String signal) throws Exception {
        serve();
        start(1, 1, 1, IP + 2);
        Process first = start(0, 1, 2, IP);
        lossless = false;
        endUnderTraffic(first, signal, 3);
        start(0, 1, 2, IP);
        long[] before = back.clone();
        traffic(0, 3, () -> least(0, 3, before) >= 1_000);
    }

    @Test
    void aKilledProgramOfTwoCoresIsFollowedByOneOfOneCore() throws Exception {
        serve();
        Process two = start(0, 2, 2, IP);
        endUnderTraffic(two, "KILL", 4);
        assertThat(backend.programCount()).as("nobody is there").isZero();
        long[] before = back.clone();
        start(0, 1, 4, IP);
        traffic(0, 4, () -> least(0, 4, before) >= 3_000);
        settle();
        assertThat(backend.programCount()).isEqualTo(1);
        assertThat(backend.model().metrics().losses().places()).isEmpty();
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void programsOfManyPipesComeAndGoForLong() throws Exception {
        serve();
        Process other = start(8, 1, 8, IP + 8);
        Process first = start(0, 2, 4, IP);
        for (int time = 0; time < 20; time++) {
            String signal = time % 2 == 0 ? "KILL" : "INT";
            if (time % 4 == 3) {
                endUnderTraffic(other, signal, 16);
                other = start(8, 1, 8, IP + 8);
            } else {
                endUnderTraffic(first, signal, 16);
                first = time % 3 == 0 ? start(0, 1, 8, IP) : start(0, 2, 4, IP);
            }
            long[] before = back.clone();
            traffic(0, 16, () -> least(0, 16, before) >= 1_000);
        }
        settle();
        assertThat(backend.model().metrics().losses().places()).isEmpty();
    }

    /** Ends {@code program} with traffic before, while and after it goes, until the server has seen it. */
    private void endUnderTraffic(Process program, String signal, int flows) throws Exception {
        long[] before = back.clone();
        traffic(0, flows, () -> least(0, flows, before) >= 2_000);
        int programs = backend.programCount();
        Signals.send(program.pid(), signal.equals("KILL") ? 9 : 2);
        traffic(0, flows, () -> !program.isAlive() && backend.programCount() < programs);
        for (int i = 0; i < 10; i++) {
            turn(0, flows);
        }
        assertThat(backend.programCount()).isLessThan(programs);
    }

    private void serve() throws IOException {
        backend = new SoftwareBackend(directory.resolve("enso"), EnsoBoard.DEFAULT,
                CycleClock.ofNanos(System::nanoTime), (frame, length, cycle) -> left(frame), new FilePages());
        backend.model().patience(PATIENCE_NANOS / EnsoFormats.NANOS_PER_CYCLE);
    }

    private Process start(int core, int cores, int pipes, int ip) throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", System.getProperty("java.class.path"),
                EchoProgram.class.getName(), directory.resolve("enso").toString(), String.valueOf(core),
                String.valueOf(cores), String.valueOf(pipes), String.valueOf(ip))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()));
        for (int open = 0; open < cores;) {
            turn(0, 0);
            assertThat(process.isAlive()).as("the program runs").isTrue();
            if (out.ready()) {
                assertThat(out.readLine()).isEqualTo("open");
                open++;
            }
        }
        return process;
    }

    private void traffic(int first, int flows, BooleanSupplier enough) throws IOException {
        while (!enough.getAsBoolean()) {
            turn(first, flows);
        }
    }

    /** Nothing more comes; until nothing more leaves. */
    private void settle() throws IOException {
        long moved = System.nanoTime();
        long seen = -1;
        while (System.nanoTime() - moved < TimeUnit.MILLISECONDS.toNanos(300)) {
            turn(0, 0);
            long now = Arrays.stream(back).sum();
            if (now != seen) {
                seen = now;
                moved = System.nanoTime();
            }
        }
    }

    private void turn(int first, int flows) throws IOException {
        int done = backend.work(256);
        for (int i = 0; i < (flows == 0 ? 0 : 32); i++) {
            int to = first + flow % flows;
            byte[] frame = frame(to, given[to]);
            if (!lossless) {
                backend.receive(frame, 0, frame.length);
            } else if (!backend.offer(frame, 0, frame.length)) {
                break;
            }
            given[to]++;
            flow++;
            done++;
        }
        if (rounds++ % 64 == 0 || done == 0) {
            backend.lookForPrograms();
        }
        if (done == 0 || !lossless) {
            LockSupport.parkNanos(50_000);
        }
    }

    private static byte[] frame(int to, long number) {
        ByteBuffer frame = ByteBuffer.allocate(64);
        frame.putShort(12, (short) 0x0800).put(14, (byte) 0x45).putShort(16, (short) 50).put(23, (byte) 17)
                .putInt(30, IP + to).putShort(36, (short) EchoProgram.PORT).putLong(42, number);
        return frame.array();
    }

    private void left(byte[] bytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        int of = frame.getInt(30) - IP;
        long number = frame.getLong(42);
        assertThat(number).as("flow %d in order, once", of).isGreaterThanOrEqualTo(back[of] + skipped[of]);
        skipped[of] = number - back[of];
        back[of]++;
    }

    private long least(int first, int flows) {
        return least(first, flows, new long[FLOWS]);
    }

    private long least(int first, int flows, long[] before) {
        long least = Long.MAX_VALUE;
        for (int i = first; i < first + flows; i++) {
            least = Math.min(least, back[i] - before[i]);
        }
        return least;
    }

    private void assertEchoed(int first, int flows) {
        for (int i = first; i < first + flows; i++) {
            assertThat(back[i]).as("flow %d", i).isEqualTo(given[i]);
            assertThat(skipped[i]).isZero();
        }
        assertThat(backend.model().metrics().losses().places()).isEmpty();
    }

    /** A page is named by the number of its file. */
    private final class FilePages implements PageFinder {
        @Override
        public MemorySegment find(long physicalPage) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "enso_*:*")) {
                for (Path file : files) {
                    if (Objects.equals(Files.getAttribute(file, "unix:ino"), physicalPage / ProgramMemory.PAGE_BYTES)) {
                        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
                            return channel.map(FileChannel.MapMode.READ_WRITE, 0, ProgramMemory.PAGE_BYTES,
                                    Arena.ofAuto());
                        }
                    }
                }
                return null;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
