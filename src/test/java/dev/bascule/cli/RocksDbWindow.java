package dev.bascule.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with a working set that moves: values of 1 KiB in a block cache that holds them all, of which a twelfth is read
 * again and again, the next one after so many operations, however fast they are. Each value read is checked; at the end all of them are. Exit status 7
 * when all is well. A database that is there is used again. Arguments: folder, keys, seconds (0: it is only loaded and read),
 * operations of a window, file for its operations, and maybe a file for which it waits before it serves, and which makes it serve
 * for longer as long as it is there.
 */
final class RocksDbWindow {
    static final int GOOD = 7;
    private static final int VALUE = 1024;
    private static final int WINDOWS = 12;

    private RocksDbWindow() {}

    public static void main(String... arguments) throws IOException, RocksDBException {
        int keys = Integer.parseInt(arguments[1]);
        RocksDB.loadLibrary();
        try (LRUCache cache = new LRUCache(keys * (long) (2 * VALUE));
                Options options = new Options().setCreateIfMissing(true).setCompressionType(
                        CompressionType.NO_COMPRESSION)
                        .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
                RocksDB db = RocksDB.open(options, arguments[0])) {
            if (db.get(key(keys - 1)) == null) {
                load(db, keys);
            } else {
                System.out.println("opened again");
            }
            boolean isGood = check(db, 0, keys);
            System.out.println("ready");
            if (!arguments[2].equals("0")) {
                await(arguments);
                isGood &= serve(db, keys, arguments);
                System.out.println("served");
                isGood &= check(db, 0, keys);
            }
            System.out.println(isGood ? "every value is what was written" : "a value is wrong");
            System.out.flush();
            System.exit(isGood ? GOOD : GOOD + 1);
        }
    }

    private static void await(String... arguments) {
        while (arguments.length > 5 && !isHeld(arguments)) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static boolean isHeld(String... arguments) {
        return arguments.length > 5 && Files.exists(Path.of(arguments[5]));
    }

    private static byte[] key(int n) {
        byte[] key = "key00000000".getBytes(StandardCharsets.US_ASCII);
        int rest = n;
        for (int at = key.length - 1; rest > 0; at--) {
            key[at] += (byte) (rest % 10);
            rest /= 10;
        }
        return key;
    }

    private static byte[] value(int n) {
        byte[] value = new byte[VALUE];
        new SplittableRandom(n).nextBytes(value);
        return value;
    }

    private static void load(RocksDB db, int keys) throws RocksDBException {
        try (WriteOptions quick = new WriteOptions().setDisableWAL(true);
                org.rocksdb.FlushOptions flush = new org.rocksdb.FlushOptions()) {
            for (int n = 0; n < keys; n++) {
                db.put(quick, key(n), value(n));
            }
            db.flush(flush);
        }
    }

    private static boolean check(RocksDB db, int from, int to) throws RocksDBException {
        boolean isGood = true;
        for (int n = from; n < to; n++) {
            isGood &= Arrays.equals(db.get(key(n)), value(n));
        }
        return isGood;
    }

    private static boolean serve(RocksDB db, int keys, String... arguments) throws RocksDBException, IOException {
        double seconds = Double.parseDouble(arguments[2]);
        long window = Long.parseLong(arguments[3]);
        Path told = Path.of(arguments[4]);
        SplittableRandom random = new SplittableRandom(1);
        long begin = System.nanoTime();
        long operations = 0;
        boolean isGood = true;
        for (double at = 0; at < seconds || isHeld(arguments); at = (System.nanoTime() - begin) / 1e9) {
            int first = (int) (operations / window % WINDOWS) * (keys / WINDOWS);
            for (int i = 0; i < 200; i++) {
                int n = first + random.nextInt(keys / WINDOWS);
                isGood &= check(db, n, n + 1);
            }
            operations += 200;
            Path whole = told.resolveSibling(told.getFileName() + ".new");
            Files.writeString(whole, Long.toString(operations));
            Files.move(whole, told, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        return isGood;
    }
}
