package dev.bascule.workload;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.ScratchFolder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of records, each a page, that is read past the page cache where the file system can: a read goes to the disk.
 * Removed on close, unless it has a folder of the user's.
 */
final class RecordFile implements Waits {
    /** The kinds of requests. */
    public static final String ONE = "READ";
    /** A request that reads many records. */
    public static final String MANY = "SCAN";
    private static final String NAME = "bascule-records.dat";
    private static final int RECORD_BYTES = 4096;
    private static final int RECORDS = 8192;

    private final long seed;
    private final Path path;
    private final @Nullable ScratchFolder scratch;
    private final Fd fd;
    private final boolean isDirect;

    /**
     * Makes the file, 32 MiB, or uses the one that is there.
     *
     * @param folder of the file, which is kept; null: a temporary one
     * @throws WorkloadException if it cannot be made
     */
    public RecordFile(@Nullable Path folder, long seed) {
        this.seed = seed;
        try {
            if (folder == null) {
                scratch = ScratchFolder.create(Path.of(System.getProperty("java.io.tmpdir")), "bascule-disk-");
                path = scratch.path().resolve(NAME);
            } else {
                scratch = null;
                path = Files.createDirectories(folder).resolve(NAME);
            }
            write();
            Fd direct = openDirect();
            isDirect = direct != null;
            fd = direct != null ? direct : Libc.open(path.toString(), Linux.O_RDONLY);
        } catch (IOException | NativeException e) {
            throw new WorkloadException("disk workload: a file of 32 MiB in "
                    + (folder == null ? System.getProperty("java.io.tmpdir") : folder) + ": " + e.getMessage()
                    + "; name a folder with room for it: --db DIR", e);
        }
    }

    private void write() throws IOException {
        ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
        CRC32C crc = new CRC32C();
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
            for (int i = 0; i < RECORDS; i++) {
                Records.putValue(record, RECORD_BYTES, seed, i, crc);
                while (record.hasRemaining()) {
                    out.write(record);
                }
            }
            out.force(false); // else the first reads wait for the writes
        }
    }

    /** Null where the file system has no direct reads, as one in memory. */
    private @Nullable Fd openDirect() {
        try {
            return Libc.open(path.toString(), Linux.O_RDONLY | Linux.O_DIRECT);
        } catch (NativeException e) {
            return null;
        }
    }

    private final class Reader implements Line {
        private final ByteBuffer record = ByteBuffer.allocateDirect(2 * RECORD_BYTES).alignedSlice(RECORD_BYTES);
        private final MemorySegment memory = MemorySegment.ofBuffer(record).asSlice(0, RECORD_BYTES);
        private final CRC32C crc = new CRC32C();
        private int found;

        @Override
        public void call(long key) throws IOException {
            try {
                found = (int) fd.pread(memory, key % RECORDS * RECORD_BYTES);
            } catch (NativeException e) {
                throw new IOException("read " + path + ": " + e.getMessage(), e);
            }
        }

        @Override
        public boolean isRight(long key) {
            return Records.isValueOf(record, found, RECORD_BYTES, key % RECORDS, crc);
        }

        @Override
        public void close() {
            // its memory goes with it
        }
    }

    @Override
    public Line open() {
        return new Reader();
    }

    @Override
    public String shortName() {
        return ONE;
    }

    @Override
    public String longName() {
        return MANY;
    }

    @Override
    public String describe() {
        return String.format(Locale.ROOT, "a file of %,d records of %,d bytes, read %s", RECORDS, RECORD_BYTES,
                isDirect ? "from the disk (O_DIRECT)" : "through the page cache: this file system has no O_DIRECT");
    }

    @Override
    public void close() {
        fd.close();
        if (scratch != null) {
            scratch.close();
        }
    }
}
