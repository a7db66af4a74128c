package dev.bascule.ffi;

/**
 * Status of an open file, as statx tells it.
 *
 * @param mode type and permission bits
 * @param uid owner
 * @param sizeBytes size
 * @param device the file system's device number
 * @param inode the file's number there; together they tell a file from every other
 */
public record FileStatus(int mode, int uid, long sizeBytes, long device, long inode) {
    /** Whether it is a regular file (tmpfs files and memfds are). */
    public boolean isRegular() {
        return (mode & 0170000) == 0100000;
    }

    /** The type in words. */
    public String type() {
        return switch (mode & 0170000) {
            case 0100000 -> "regular file";
            case 0040000 -> "directory";
            case 0020000 -> "character device";
            case 0060000 -> "block device";
            case 0010000 -> "FIFO";
            case 0140000 -> "socket";
            default -> "anonymous file";
        };
    }
}
