package dev.bascule.workload;

import dev.bascule.host.YieldPoint;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** State of one request in execution: buffers and an iterator. Used by one task at a time, then put back. */
final class Cursor implements AutoCloseable {
    private final RocksDB database;
    private final ReadOptions options;
    private final int valueBytes;
    private final RocksIterator iterator;
    private final ByteBuffer key = ByteBuffer.allocateDirect(Records.KEY_BYTES);
    private final ByteBuffer value;
    private final CRC32C crc = new CRC32C();

    Cursor(RocksDB database, ReadOptions options, int valueBytes) {
        this.database = database;
        this.options = options;
        this.valueBytes = valueBytes;
        this.value = ByteBuffer.allocateDirect(valueBytes);
        this.iterator = database.newIterator(options);
    }

    /** Looks one record up. */
    int get(long index) {
        Records.putKey(key, index);
        value.clear();
        try {
            int found = database.get(options, key, value);
            if (found == RocksDB.NOT_FOUND) {
                return Service.WRONG_ANSWER;
            }
            return Records.isValueOf(value, found, valueBytes, index, crc) ? Service.OK : Service.WRONG_ANSWER;
        } catch (RocksDBException e) {
            return Service.FAILED;
        }
    }

    /** Scans {@code count} records from {@code first} on; every one is verified. */
    int scan(long first, int count, int keysPerYield, YieldPoint yield) {
        Records.putKey(key, first);
        iterator.seek(key);
        for (int i = 0; i < count; i++) {
            if (!iterator.isValid() || !isCurrent(first + i)) {
                return iteratorFailed() ? Service.FAILED : Service.WRONG_ANSWER;
            }
            iterator.next();
            if ((i + 1) % keysPerYield == 0 && i + 1 < count) {
                yield.maybeYield();
            }
        }
        return Service.OK;
    }

    private boolean isCurrent(long index) {
        key.clear();
        value.clear();
        return iterator.key(key) == Records.KEY_BYTES && key.getLong(0) == index
                && Records.isValueOf(value, iterator.value(value), valueBytes, index, crc);
    }

    private boolean iteratorFailed() {
        try {
            iterator.status();
            return false;
        } catch (RocksDBException e) {
            return true;
        }
    }

    @Override
    public void close() {
        iterator.close();
    }
}
