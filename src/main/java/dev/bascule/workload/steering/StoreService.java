package dev.bascule.workload.steering;

import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.host.lauberhorn.RpcCall;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import dev.bascule.workload.RocksDbLibrary;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * A RocksDB as an RPC service: get, put and range over keys and values of the caller's. A range yields between its keys, so
 * that short requests need not wait for long ones where the policy says so. Values are limited to what a datagram carries.
 * <p>
 * Thread rule: any; close it after the host whose cores run it. Needs {@link RocksDbLibrary#problem()} to be empty.
 */
public final class StoreService implements AutoCloseable {
    /** Number of the program; version 1. */
    public static final int PROGRAM = 0x2000_5244;
    /** Procedure: a key; returns whether it is there, and its value. */
    public static final int GET = 1;
    /** Procedure: a key and a value, which replaces an older one; what was answered outlives the process, not a power failure. */
    public static final int PUT = 2;
    /**
     * Procedure: a first key and how many at most; returns how many, and the keys and values one after the other, each as
     * opaque data of XDR. Fewer than asked for are all there are, or all that fit an answer.
     */
    public static final int RANGE = 3;

    private static final int MOST_RANGE_BYTES = 1_400;
    private static final int LENGTH_BYTES = 4;
    private static final Signature GET_SIGNATURE = new Signature(List.of(ValueType.OPAQUE),
            List.of(ValueType.BOOL, ValueType.OPAQUE));
    private static final Signature PUT_SIGNATURE = new Signature(List.of(ValueType.OPAQUE, ValueType.OPAQUE),
            List.of());
    private static final Signature RANGE_SIGNATURE = new Signature(List.of(ValueType.OPAQUE, ValueType.INT),
            List.of(ValueType.INT, ValueType.OPAQUE));
    private static final byte[] NOTHING = {};

    private final Options options;
    private final RocksDB database;

    /**
     * Opens the database in a folder, or makes one there.
     *
     * @throws IllegalArgumentException if the library is not there, or the folder cannot be used
     */
    public StoreService(Path folder) {
        RocksDbLibrary.problem().ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
        options = new Options().setCreateIfMissing(true);
        try {
            database = RocksDB.open(options, folder.toString());
        } catch (RocksDBException e) {
            options.close();
            throw new IllegalArgumentException("open a RocksDB in " + folder + ": " + e.getMessage()
                    + "; name a folder that may be written to, and that no other process has open", e);
        }
    }

    /** The service of the store. */
    public JavaService service() {
        return JavaService.empty(PROGRAM, 1).with(GET, "get", GET_SIGNATURE, this::get)
                .with(PUT, "put", PUT_SIGNATURE, this::put).with(RANGE, "range", RANGE_SIGNATURE, this::range);
    }

    private void get(RpcCall call) {
        try {
            byte[] value = database.get(call.opaqueAt(0));
            call.setBoolean(0, value != null);
            byte[] found = value == null ? NOTHING : value;
            call.setOpaque(1, found, 0, found.length);
        } catch (RocksDBException e) {
            throw new IllegalStateException("get: " + e.getMessage(), e);
        }
    }

    private void put(RpcCall call) {
        try {
            database.put(call.opaqueAt(0), call.opaqueAt(1));
        } catch (RocksDBException e) {
            throw new IllegalStateException("put: " + e.getMessage(), e);
        }
    }

    private void range(RpcCall call) {
        int most = call.intAt(1);
        byte[] all = new byte[MOST_RANGE_BYTES];
        int count = 0;
        int used = 0;
        try (RocksIterator at = database.newIterator()) {
            for (at.seek(call.opaqueAt(0)); at.isValid() && count < most; at.next()) {
                byte[] key = at.key();
                byte[] value = at.value();
                if (used + length(key) + length(value) > all.length) {
                    break;
                }
                used = append(all, append(all, used, key), value);
                count++;
                call.yieldPoint();
            }
            at.status();
        } catch (RocksDBException e) {
            throw new IllegalStateException("range: " + e.getMessage(), e);
        }
        call.setInt(0, count);
        call.setOpaque(1, all, 0, used);
    }

    private static int length(byte[] data) {
        return LENGTH_BYTES + (data.length + 3 & ~3);
    }

    private static int append(byte[] all, int at, byte[] data) {
        Xdr.putInt(all, at, data.length);
        System.arraycopy(data, 0, all, at + LENGTH_BYTES, data.length);
        return at + length(data);
    }

    @Override
    public void close() {
        database.close();
        options.close();
    }
}
