package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.bascule.host.YieldPoint;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

@Tag("heavy")
class RocksDbServiceTest {
    private static final int KEYS = 5_000;

    @TempDir
    Path folder;

    @BeforeEach
    void needsTheLibrary() {
        assumeThat(RocksDbLibrary.problem()).as("RocksDB works here").isEmpty();
    }

    private static RocksDbSetup setup(Path path) {
        return new RocksDbSetup(path, KEYS, 256, 11, 0.005, 200_000, 16);
    }

    @Test
    void everyGetAndEveryRangeGivesARightAnswer() {
        try (RocksDbService service = RocksDbService.open(setup(folder.resolve("db")))) {
            for (int id = 0; id < 3_000; id++) {
                assertThat(service.execute(id, ServiceMix.GET, YieldPoint.NONE)).isEqualTo(Service.OK);
            }
            for (int id = 0; id < 50; id++) {
                assertThat(service.execute(id, ServiceMix.RANGE, YieldPoint.NONE)).isEqualTo(Service.OK);
            }
        }
    }

    @Test
    void aRangeYieldsEveryFewKeysAndAGetNever() {
        try (RocksDbService service = RocksDbService.open(setup(null))) {
            AtomicInteger yields = new AtomicInteger();
            service.execute(1, ServiceMix.GET, yields::incrementAndGet);
            assertThat(yields).hasValue(0);
            service.execute(2, ServiceMix.RANGE, yields::incrementAndGet);
            assertThat(yields).hasValue((service.rangeKeys() - 1) / 16);
        }
    }

    @Test
    void whatAKindCostsIsMeasuredAndStated() {
        try (RocksDbService service = RocksDbService.open(setup(null))) {
            long get = service.mix().kinds().get(ServiceMix.GET).serviceNanos();
            long range = service.mix().kinds().get(ServiceMix.RANGE).serviceNanos();
            System.out.println(service.describe());
            assertThat(get).isPositive();
            assertThat(range).isGreaterThan(get);
            assertThat(service.describe()).contains("RocksDB ", "5,000 records of 256 bytes",
                    String.format("%,d records", service.rangeKeys()), "mix 99.5 % / 0.5 %");
        }
    }

    @Test
    void requestsInterleavedAtYieldPointsDoNotDisturbEachOther() {
        try (RocksDbService service = RocksDbService.open(setup(null))) {
            List<Integer> inner = new ArrayList<>();
            int outer = service.execute(1, ServiceMix.RANGE, () -> {
                inner.add(service.execute(inner.size() + 2, ServiceMix.RANGE, YieldPoint.NONE));
                inner.add(service.execute(inner.size() + 2, ServiceMix.GET, YieldPoint.NONE));
            });
            assertThat(outer).isEqualTo(Service.OK);
            assertThat(inner).isNotEmpty().containsOnly(Service.OK);
        }
    }

    @Test
    void aHundredRequestsMayBeInsideAtOnce() {
        try (RocksDbService service = RocksDbService.open(setup(null))) {
            assertThat(nested(service, 100)).isEqualTo(Service.OK);
        }
    }

    private static int nested(RocksDbService service, int depth) {
        int[] inner = new int[1];
        boolean[] entered = new boolean[1];
        int own = service.execute(depth, ServiceMix.RANGE, () -> {
            if (!entered[0] && depth > 0) {
                entered[0] = true;
                inner[0] = nested(service, depth - 1);
            }
        });
        return own == Service.OK ? inner[0] : own;
    }

    @Test
    void anExistingDatabaseOfOursIsServedAsItIs() {
        Path path = folder.resolve("db");
        RocksDbService.open(setup(path)).close();
        try (RocksDbService service = RocksDbService.open(new RocksDbSetup(path, 9_999, 64, 5, 0.5, 200_000, 16))) {
            assertThat(service.keys()).isEqualTo(KEYS);
            assertThat(service.execute(1, ServiceMix.RANGE, YieldPoint.NONE)).isEqualTo(Service.OK);
        }
        assertThat(path).isNotEmptyDirectory();
    }

    @Test
    void aTamperedRecordIsAWrongAnswer() throws Exception {
        Path path = folder.resolve("db");
        RocksDbService.open(setup(path)).close();
        try (Options options = new Options(); RocksDB database = RocksDB.open(options, path.toString())) {
            for (int index = 0; index < KEYS; index++) {
                byte[] key = new byte[8];
                java.nio.ByteBuffer.wrap(key).putLong(index);
                byte[] value = database.get(key);
                value[100] ^= 1;
                database.put(key, value);
            }
        }
        try (RocksDbService service = RocksDbService.open(setup(path))) {
            assertThat(service.execute(1, ServiceMix.GET, YieldPoint.NONE)).isEqualTo(Service.WRONG_ANSWER);
            assertThat(service.execute(1, ServiceMix.RANGE, YieldPoint.NONE)).isEqualTo(Service.WRONG_ANSWER);
        }
    }

    @Test
    void aMissingRecordIsAWrongAnswer() throws Exception {
        Path path = folder.resolve("db");
        RocksDbService.open(setup(path)).close();
        try (Options options = new Options(); RocksDB database = RocksDB.open(options, path.toString())) {
            byte[] to = new byte[8];
            java.nio.ByteBuffer.wrap(to).putLong(KEYS);
            database.deleteRange(new byte[8], to);
        }
        try (RocksDbService service = RocksDbService.open(setup(path))) {
            assertThat(service.execute(1, ServiceMix.GET, YieldPoint.NONE)).isEqualTo(Service.WRONG_ANSWER);
            assertThat(service.execute(1, ServiceMix.RANGE, YieldPoint.NONE)).isEqualTo(Service.WRONG_ANSWER);
        }
    }

    @Test
    void anotherProgramsDatabaseIsRefusedAndLeftAsItIs() throws Exception {
        Path path = folder.resolve("foreign");
        byte[] key = "theirs".getBytes(StandardCharsets.UTF_8);
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB database = RocksDB.open(options, path.toString())) {
            database.put(key, key);
        }
        String manifest = Files.readString(path.resolve("CURRENT"));
        assertThatThrownBy(() -> RocksDbService.open(setup(path))).isInstanceOf(WorkloadException.class)
                .hasMessageContaining("not made by Bascule").hasMessageContaining(path.toString());
        assertThat(path.resolve("CURRENT")).hasContent(manifest);
        try (Options options = new Options(); RocksDB database = RocksDB.open(options, path.toString())) {
            assertThat(database.get(key)).isEqualTo(key);
        }
    }

    @Test
    void aDatabaseInUseIsNamedAsSuch() {
        Path path = folder.resolve("db");
        RocksDbService first = RocksDbService.open(setup(path));
        try (first) {
            assertThatThrownBy(() -> RocksDbService.open(setup(path))).isInstanceOf(WorkloadException.class)
                    .hasMessageContaining("is in use").hasMessageContaining("LOCK");
            assertThat(first.execute(1, ServiceMix.GET, YieldPoint.NONE)).isEqualTo(Service.OK);
        }
    }

    @Test
    void aFolderWithOtherFilesIsRefused() throws Exception {
        Files.writeString(folder.resolve("thesis.txt"), "mine");
        assertThatThrownBy(() -> RocksDbService.open(setup(folder))).isInstanceOf(WorkloadException.class)
                .hasMessageContaining("holds other files");
        assertThat(folder.resolve("thesis.txt")).hasContent("mine");
        assertThatThrownBy(() -> RocksDbService.open(setup(folder.resolve("thesis.txt"))))
                .isInstanceOf(WorkloadException.class).hasMessageContaining("is a file");
    }

    @Test
    void aDamagedDatabaseIsAClearError() throws Exception {
        Path path = folder.resolve("db");
        RocksDbService.open(setup(path)).close();
        Files.writeString(path.resolve("CURRENT"), "MANIFEST-999999\n");
        assertThatThrownBy(() -> RocksDbService.open(setup(path))).isInstanceOf(WorkloadException.class)
                .hasMessageContaining("cannot open").hasMessageContaining("rm -r");
    }

    @Test
    void aTemporaryDatabaseIsGoneAfterClose() {
        RocksDbService service = RocksDbService.open(setup(null));
        assertThat(service.folder()).isNotEmptyDirectory();
        service.close();
        service.close();
        assertThat(service.folder()).doesNotExist();
        assertThatThrownBy(() -> service.execute(1, ServiceMix.GET, YieldPoint.NONE))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingUnderARequestDoesNotCrash() throws Exception {
        RocksDbService service = RocksDbService.open(setup(null));
        Thread closer = new Thread(service::close);
        boolean[] started = new boolean[1];
        int outcome = service.execute(1, ServiceMix.RANGE, () -> {
            if (!started[0]) {
                started[0] = true;
                closer.start();
            }
        });
        closer.join();
        assertThat(outcome).isEqualTo(Service.OK);
        assertThat(service.folder()).doesNotExist();
    }

    @Test
    void aGetDoesNotAllocate() {
        com.sun.management.ThreadMXBean threads = ManagementFactory
                .getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        try (RocksDbService service = RocksDbService.open(setup(null))) {
            gets(service, 20_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            gets(service, 20_000);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(bytes / 20_000.0).as("bytes per GET").isLessThan(1);
        }
    }

    private static void gets(RocksDbService service, int n) {
        for (int i = 0; i < n; i++) {
            service.execute(i, ServiceMix.GET, YieldPoint.NONE);
        }
    }
}
