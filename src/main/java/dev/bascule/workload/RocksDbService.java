package dev.bascule.workload;

import dev.bascule.host.YieldPoint;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;

/**
 * A real key-value store as the service: GET looks one record up, RANGE scans many with an iterator and yields in
 * between. Every answer is verified against its checksum. How many keys a RANGE scans is chosen at start so that it
 * takes about the wanted time on this machine; what it really takes is measured and stated.
 * <p>
 * Thread-safe. Needs {@link RocksDbLibrary#problem()} to be empty. Closing waits for requests inside; those that do
 * not end keep the database open rather than crash.
 */
public final class RocksDbService implements Service {
    private static final int CURSORS = 64;
    private static final long WARM_UP_NANOS = 600_000_000L;
    private static final int GETS_PER_WARM_UP_RANGE = 50;
    private static final int MEASURED_GETS = 2_000;
    private static final int PROBE_KEYS = 500;
    private static final int MEASURED_RANGES = 15;
    private static final int MIN_RANGE_KEYS = 100;
    private static final long CLOSE_WAIT_NANOS = 2_000_000_000L;

    private final RocksDbFolder folder;
    private final RocksDbLoader.Opened opened;
    private final ReadOptions readOptions = new ReadOptions();
    private final AtomicReferenceArray<Cursor> idle = new AtomicReferenceArray<>(CURSORS);
    private final AtomicInteger inside = new AtomicInteger();
    private final int keysPerYield;
    private volatile boolean closed;
    private int rangeKeys = PROBE_KEYS;
    private ServiceMix mix = ServiceMix.rocksDb(0, 0);

    private RocksDbService(RocksDbFolder folder, RocksDbLoader.Opened opened, int keysPerYield) {
        this.folder = folder;
        this.opened = opened;
        this.keysPerYield = keysPerYield;
    }

    /**
     * Opens or creates the database and measures it (about a second).
     *
     * @throws WorkloadException
     *             when the library or the folder cannot be used
     */
    public static RocksDbService open(RocksDbSetup setup) {
        RocksDbLibrary.problem().ifPresent(problem -> {
            throw new WorkloadException(problem, null);
        });
        Path path = setup.folder();
        RocksDbFolder folder = path == null ? RocksDbFolder.temporary() : RocksDbFolder.of(path);
        try {
            RocksDbService service = new RocksDbService(folder, RocksDbLoader.open(folder, setup),
                    setup.keysPerYield());
            service.calibrate(setup);
            return service;
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /** Warm-up first: code that is not yet compiled is three times slower and would make RANGE too short. */
    private void calibrate(RocksDbSetup setup) {
        long warm = System.nanoTime() + WARM_UP_NANOS;
        for (int i = 0; System.nanoTime() < warm; i++) {
            execute(i, ServiceMix.RANGE, YieldPoint.NONE);
            for (int get = 0; get < GETS_PER_WARM_UP_RANGE; get++) {
                execute(i + get, ServiceMix.GET, YieldPoint.NONE);
            }
        }
        long get = medianNanos(MEASURED_GETS, i -> execute(i, ServiceMix.GET, YieldPoint.NONE));
        long probe = medianNanos(MEASURED_RANGES, i -> execute(i, ServiceMix.RANGE, YieldPoint.NONE));
        double perKey = Math.max(1.0, (double) probe / PROBE_KEYS);
        rangeKeys = (int) Math.clamp(setup.rangeTargetNanos() / perKey, MIN_RANGE_KEYS, opened.keys() / 2.0);
        long range = medianNanos(MEASURED_RANGES, i -> execute(i, ServiceMix.RANGE, YieldPoint.NONE));
        mix = ServiceMix.of(new RequestKind("GET", 1 - setup.rangeShare(), get),
                new RequestKind("RANGE", setup.rangeShare(), range));
    }

    private static long medianNanos(int times, IntConsumer work) {
        long[] nanos = new long[times];
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            work.accept(i);
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[times / 2];
    }

    @Override
    public int execute(long requestId, int kind, YieldPoint yield) {
        inside.incrementAndGet();
        try {
            if (closed) {
                throw new IllegalStateException("the RocksDB service is closed");
            }
            Cursor cursor = take(requestId);
            try {
                long spread = Records.mix(requestId ^ opened.seed()) >>> 1;
                return kind == ServiceMix.GET
                        ? cursor.get(spread % opened.keys())
                        : cursor.scan(spread % (opened.keys() - rangeKeys + 1), rangeKeys, keysPerYield, yield);
            } finally {
                giveBack(requestId, cursor);
            }
        } finally {
            inside.decrementAndGet();
        }
    }

    private Cursor take(long requestId) {
        for (int i = 0; i < CURSORS; i++) {
            int slot = (int) (requestId + i) & CURSORS - 1;
            Cursor cursor = idle.get(slot) == null ? null : idle.getAndSet(slot, null);
            if (cursor != null) {
                return cursor;
            }
        }
        return new Cursor(opened.database(), readOptions, opened.valueBytes());
    }

    private void giveBack(long requestId, Cursor cursor) {
        for (int i = 0; i < CURSORS; i++) {
            int slot = (int) (requestId + i) & CURSORS - 1;
            if (idle.get(slot) == null && idle.compareAndSet(slot, null, cursor)) {
                return;
            }
        }
        cursor.close();
    }

    @Override
    public ServiceMix mix() {
        return mix;
    }

    /** Keys one RANGE scans. */
    int rangeKeys() {
        return rangeKeys;
    }

    /** The folder of the database. */
    Path folder() {
        return folder.path();
    }

    /** Records in the database. */
    int keys() {
        return opened.keys();
    }

    @Override
    public String describe() {
        RequestKind get = mix.kinds().get(ServiceMix.GET);
        RequestKind range = mix.kinds().get(ServiceMix.RANGE);
        return String.format(Locale.ROOT,
                "RocksDB %s, %,d records of %d bytes; GET = 1 lookup, %.1f us here (median of %d);"
                        + " RANGE = scan of %,d records, %.0f us here (median of %d), a yield point every %d;"
                        + " mix %.1f %% / %.1f %%; every answer checked",
                RocksDB.rocksdbVersion(), opened.keys(), opened.valueBytes(), get.serviceNanos() / 1e3, MEASURED_GETS,
                rangeKeys, range.serviceNanos() / 1e3, MEASURED_RANGES, keysPerYield, 100 * get.share(),
                100 * range.share());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        long deadline = System.nanoTime() + CLOSE_WAIT_NANOS;
        while (inside.get() > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(100_000);
        }
        if (inside.get() == 0) {
            closeDatabase();
        }
        folder.close();
    }

    private void closeDatabase() {
        for (int i = 0; i < CURSORS; i++) {
            Cursor cursor = idle.getAndSet(i, null);
            if (cursor != null) {
                cursor.close();
            }
        }
        readOptions.close();
        opened.close();
    }
}
