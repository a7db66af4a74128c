package dev.bascule.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Opens our database in a folder, filling it first when it is new or was left half filled. A record under a key that
 * sorts after all others says whose database it is; a database without it is somebody else's and is not touched.
 */
final class RocksDbLoader {
    private static final byte[] META_KEY = "\377bascule-workload".getBytes(StandardCharsets.ISO_8859_1);
    private static final long META_VERSION = 1;
    private static final int META_BYTES = 5 * Long.BYTES;
    private static final int BATCH = 1_000;
    private static final long CACHE_BYTES = 64L << 20;

    private RocksDbLoader() {}

    /** Contents of an opened database. */
    record Opened(RocksDB database, Tuning tuning, int keys, int valueBytes, long seed) {
        void close() {
            database.close();
            tuning.close();
        }
    }

    /** Options and the native objects they refer to; these outlive the database and are nobody else's to free. */
    record Tuning(Options options, LRUCache cache, BloomFilter filter) {
        static Tuning create() {
            LRUCache cache = new LRUCache(CACHE_BYTES);
            BloomFilter filter = new BloomFilter(10);
            BlockBasedTableConfig table = new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(filter);
            Options options = new Options().setCreateIfMissing(true).setCompressionType(CompressionType.NO_COMPRESSION)
                    .setTableFormatConfig(table).setMaxBackgroundJobs(2).setStatsDumpPeriodSec(0)
                    .setKeepLogFileNum(1).setInfoLogLevel(InfoLogLevel.ERROR_LEVEL);
            return new Tuning(options, cache, filter);
        }

        void close() {
            options.close();
            filter.close();
            cache.close();
        }
    }

    /** The record that marks our databases. */
    private record Meta(int keys, int valueBytes, long seed, boolean complete) {
        byte[] bytes() {
            return ByteBuffer.allocate(META_BYTES).putLong(META_VERSION).putLong(keys).putLong(valueBytes).putLong(seed)
                    .putLong(complete ? 1 : 0).array();
        }
    }

    static Opened open(RocksDbFolder folder, RocksDbSetup setup) {
        Meta wanted = new Meta(setup.keys(), setup.valueBytes(), setup.seed(), false);
        Meta found = folder.holdsDatabase() ? metaOf(folder) : wanted;
        Tuning tuning = Tuning.create();
        RocksDB database = null;
        try {
            database = RocksDB.open(tuning.options(), folder.path().toString());
            if (!found.complete()) {
                fill(database, found);
            }
            return new Opened(database, tuning, found.keys(), found.valueBytes(), found.seed());
        } catch (RocksDBException e) {
            if (database != null) {
                database.close();
            }
            tuning.close();
            throw explained(folder, e);
        }
    }

    /** Reads the mark without the right to write, so that another's database stays as it is. */
    private static Meta metaOf(RocksDbFolder folder) {
        try (Options options = new Options().setInfoLogLevel(InfoLogLevel.ERROR_LEVEL);
                RocksDB database = RocksDB.openReadOnly(options, folder.path().toString())) {
            byte[] bytes = database.get(META_KEY);
            if (bytes == null || bytes.length != META_BYTES) {
                throw new WorkloadException("the RocksDB in " + folder.path()
                        + " was not made by Bascule and is left alone; give an empty or a new folder", null);
            }
            ByteBuffer meta = ByteBuffer.wrap(bytes);
            long version = meta.getLong();
            if (version != META_VERSION) {
                throw new WorkloadException("the RocksDB in " + folder.path() + " has layout " + version
                        + ", this version knows " + META_VERSION + "; give an empty or a new folder", null);
            }
            return new Meta((int) meta.getLong(), (int) meta.getLong(), meta.getLong(), meta.getLong() == 1);
        } catch (RocksDBException e) {
            throw explained(folder, e);
        }
    }

    private static void fill(RocksDB database, Meta meta) throws RocksDBException {
        try (WriteOptions logged = new WriteOptions().setSync(true);
                WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
                FlushOptions flush = new FlushOptions().setWaitForFlush(true);
                WriteBatch batch = new WriteBatch()) {
            database.put(logged, META_KEY, meta.bytes());
            CRC32C crc = new CRC32C();
            ByteBuffer key = ByteBuffer.allocateDirect(Records.KEY_BYTES);
            ByteBuffer value = ByteBuffer.allocateDirect(meta.valueBytes());
            for (int index = 0; index < meta.keys(); index++) {
                Records.putKey(key, index);
                Records.putValue(value, meta.valueBytes(), meta.seed(), index, crc);
                batch.put(key, value);
                if (batch.count() == BATCH || index == meta.keys() - 1) {
                    database.write(unlogged, batch);
                    batch.clear();
                }
            }
            database.flush(flush);
            database.compactRange();
            database.put(logged, META_KEY, new Meta(meta.keys(), meta.valueBytes(), meta.seed(), true).bytes());
            database.flush(flush);
        }
    }

    private static WorkloadException explained(RocksDbFolder folder, RocksDBException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("lock hold") || message.contains("/LOCK")) {
            return new WorkloadException(
                    "the RocksDB in " + folder.path() + " is in use: its LOCK file is held; stop the other process"
                            + " (fuser " + folder.path().resolve("LOCK") + " names it) or give another folder",
                    e);
        }
        if (message.contains("No space left")) {
            return new WorkloadException("no space left (ENOSPC) for RocksDB in " + folder.path() + "; see: df -h "
                    + folder.path() + ", or name another folder with --db DIR", e);
        }
        return new WorkloadException("RocksDB cannot open " + folder.path() + ": " + message
                + "; if it was made by Bascule it can be removed and is then made again: rm -r " + folder.path(), e);
    }
}
