package dev.bascule.ffi;

/**
 * Status of a file system, as statfs tells it.
 *
 * @param magic type, see {@link Linux#TMPFS_MAGIC}
 * @param blockSizeBytes block size; the page size on hugetlbfs
 * @param totalBytes size
 * @param availableBytes free for an ordinary user
 * @param isReadOnly whether it is mounted so that nobody writes
 */
public record FileSystemStatus(long magic, long blockSizeBytes, long totalBytes, long availableBytes,
        boolean isReadOnly) {}
