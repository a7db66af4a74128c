package dev.bascule.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a whole file, up to a limit, which also holds for devices and pipes, whose size is not known beforehand.
 * Thread-safe.
 */
public final class SmallFile {
    private SmallFile() {}

    /**
     * All bytes of a file.
     *
     * @param mostBytes the most it may have
     * @throws FileSystemException that names the file, if it has more
     * @throws IOException if it cannot be read; its message names the file
     */
    public static byte[] read(Path path, int mostBytes) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(mostBytes);
            if (in.read() < 0) {
                return bytes;
            }
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) { // from read(2): its message is the errno's alone
            throw new FileSystemException(path.toString(), null, String.valueOf(e.getMessage()));
        }
        throw new FileSystemException(path.toString(), null, "larger than " + size(mostBytes));
    }

    private static String size(int bytes) {
        return bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : bytes + " bytes";
    }
}
