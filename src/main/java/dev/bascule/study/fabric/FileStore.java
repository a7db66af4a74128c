package dev.bascule.study.fabric;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A store with a file behind it, as a disk that appends: each item becomes a record of its length (4 bytes, big endian) and
 * its bytes. A record that cannot be written is rejected, and the file ends before it.
 */
public final class FileStore implements Accelerator, AutoCloseable {
    /** Command: append the item; it ends there. */
    public static final int APPEND = 1;
    /** Command: append the item, and give back where its record is, 8 bytes, big endian. */
    public static final int APPEND_AND_TELL = 2;

    private final Path file;
    private final WorkTime time;
    private @Nullable FileChannel channel;
    private long end;

    /** A store on a new file, which is made when the first item comes and must not be there. */
    public FileStore(Path file, WorkTime time) {
        this.file = file;
        this.time = time;
    }

    private FileChannel opened() {
        FileChannel open = channel;
        if (open == null) {
            try {
                open = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            channel = open;
        }
        return open;
    }

    @Override
    public int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out) {
        if (command != APPEND && command != APPEND_AND_TELL) {
            return REJECTED;
        }
        ByteBuffer record = ByteBuffer.allocate(4 + lengthBytes).putInt(lengthBytes).put(in, offset, lengthBytes)
                .flip();
        long at = end;
        FileChannel open = opened();
        try {
            while (record.hasRemaining()) {
                open.write(record, at + record.position());
            }
        } catch (IOException e) {
            return REJECTED;
        }
        end = at + 4 + lengthBytes;
        if (command == APPEND) {
            return NOTHING;
        }
        ByteBuffer.wrap(out).putLong(at);
        return Long.BYTES;
    }

    /** Where the next record goes. */
    public long end() {
        return end;
    }

    @Override
    public int mostResult(int lengthBytes) {
        return Long.BYTES;
    }

    @Override
    public long workPs(int command, int lengthBytes) {
        return time.of(lengthBytes);
    }

    @Override
    public void close() throws IOException {
        FileChannel open = channel;
        if (open != null) {
            open.truncate(end);
            open.close();
        }
    }

    @Override
    public String toString() {
        return "store on " + file;
    }
}
