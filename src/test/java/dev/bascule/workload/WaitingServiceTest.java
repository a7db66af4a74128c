package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.host.BlockingCall;
import dev.bascule.host.YieldPoint;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WaitingServiceTest {
    @TempDir
    private Path folder = Path.of("");

    /** Counts waits. */
    private static final class Counting implements YieldPoint {
        private int waits;

        @Override
        public void maybeYield() {}

        @Override
        public <T, E extends Exception> T await(BlockingCall<T, E> call) throws E {
            waits++;
            return call.call();
        }
    }

    private static void check(WaitingService service) {
        Counting yield = new Counting();
        for (int i = 0; i < 20; i++) {
            assertThat(service.execute(i, WaitingService.SHORT, yield)).isEqualTo(Service.OK);
        }
        assertThat(yield.waits).isEqualTo(20);
        assertThat(service.execute(20, WaitingService.LONG, yield)).isEqualTo(Service.OK);
        assertThat(yield.waits).isEqualTo(20 + WaitingService.CALLS_OF_LONG);
        assertThat(service.mostPerSecond()).isPositive().isFinite();
        assertThat(service.mix().kinds().get(WaitingService.LONG).serviceNanos()).isEqualTo(
                WaitingService.CALLS_OF_LONG * service.mix().kinds().get(WaitingService.SHORT).serviceNanos());
    }

    @Test
    void requestsReadRecordsAndADamagedOneIsAWrongAnswer() throws Exception {
        try (WaitingService service = WaitingService.disk(new RecordFile(folder, 5))) {
            check(service);
            assertThat(service.describe()).contains("8,192 records of 4,096 bytes").contains("READ = 1 wait");
            Path file = folder.resolve("bascule-records.dat");
            try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
                out.write(ByteBuffer.allocate((int) Files.size(file)));
            }
            assertThat(service.execute(30, WaitingService.SHORT, YieldPoint.NONE)).isEqualTo(Service.WRONG_ANSWER);
        }
        assertThat(folder.resolve("bascule-records.dat")).as("the user's folder is kept").exists();
    }

    @Test
    void requestsAskAServerAndOneThatIsGoneIsAFailure() {
        SocketBackend backend = new SocketBackend(5);
        try (WaitingService service = WaitingService.socket(backend)) {
            check(service);
            backend.close();
            assertThat(service.execute(30, WaitingService.SHORT, YieldPoint.NONE)).isEqualTo(Service.FAILED);
        }
    }

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> new RecordFile(file, 5)).isInstanceOf(WorkloadException.class)
                .hasMessageContaining(file.toString()).hasMessageContaining("--db DIR");
    }
}
