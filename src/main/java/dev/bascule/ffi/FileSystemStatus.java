package dev.bascule.ffi;

/**
 * What statfs says.
 *
 * @param magic type, see {@link Linux#TMPFS_MAGIC}
 * @param blockSizeBytes block size; the page size on hugetlbfs
 * @param totalBytes size
 * @param availableBytes free for an ordinary user
 */
public record FileSystemStatus(long magic, long blockSizeBytes, long totalBytes, long availableBytes) {}
