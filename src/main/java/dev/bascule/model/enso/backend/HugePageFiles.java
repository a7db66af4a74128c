package dev.bascule.model.enso.backend;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The huge-page files of programs. A page is found by mapping every file of the directory and comparing physical
 * addresses, which the kernel tells only with CAP_SYS_ADMIN; without it every translation fails.
 * <p>
 * The library maps a file of huge pages twice in a row and reserves room for both by mapping twice its size at first. A
 * huge-page file system makes the file that long then; the second half is never used, and looking there would take pages.
 */
final class HugePageFiles implements PageFinder, AutoCloseable {
    private static final long FRAME_BYTES = 4096;
    private static final long PRESENT = 1L << 63;
    private static final long FRAME_MASK = (1L << 55) - 1;

    private final Path directory;
    private final String prefix;
    private final Map<Long, Arena> mappings = new HashMap<>();

    HugePageFiles(Path directory, String prefix) {
        this.directory = directory;
        this.prefix = prefix;
    }

    /** Unmaps a page, so that it returns to the system if its program is gone. */
    @Override
    public void release(MemorySegment page) {
        Arena mapping = mappings.remove(page.address());
        if (mapping != null) {
            mapping.close();
        }
    }

    /** Unmaps all pages. */
    @Override
    public void close() {
        mappings.values().forEach(Arena::close);
        mappings.clear();
    }

    @Override
    public @Nullable MemorySegment find(long physicalPage) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, prefix + "_*")) {
            for (Path file : files) {
                MemorySegment page = pageOf(file, physicalPage);
                if (page != null) {
                    return page;
                }
            }
        } catch (IOException e) {
            return null;
        }
        return null;
    }

    /** Maps the first bytes of a file, for as long as {@code arena} lives. */
    static MemorySegment map(Path file, long lengthBytes, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes, arena);
        }
    }

    private @Nullable MemorySegment pageOf(Path file, long physicalPage) throws IOException {
        long size = Files.size(file);
        if (size % ProgramMemory.PAGE_BYTES != 0) {
            return null;
        }
        long used = Math.max(size > 0 ? ProgramMemory.PAGE_BYTES : 0, size / 2);
        try (Arena trial = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, used, trial);
            for (long offset = 0; offset < used; offset += ProgramMemory.PAGE_BYTES) {
                if (physicalAddress(mapped.asSlice(offset)) == physicalPage) {
                    return keep(channel, offset);
                }
            }
        }
        return null;
    }

    private MemorySegment keep(FileChannel channel, long offset) throws IOException {
        Arena arena = Arena.ofShared();
        MemorySegment page = channel.map(FileChannel.MapMode.READ_WRITE, offset, ProgramMemory.PAGE_BYTES, arena);
        mappings.put(page.address(), arena);
        return page;
    }

    /** The physical address of the start of {@code memory}, or -1 when the kernel does not tell. */
    static long physicalAddress(MemorySegment memory) throws IOException {
        memory.get(ValueLayout.JAVA_BYTE, 0);
        try (RandomAccessFile pagemap = new RandomAccessFile("/proc/self/pagemap", "r")) {
            pagemap.seek(memory.address() / FRAME_BYTES * Long.BYTES);
            long entry = Long.reverseBytes(pagemap.readLong());
            long frame = entry & FRAME_MASK;
            return (entry & PRESENT) == 0 || frame == 0 ? -1 : frame * FRAME_BYTES;
        }
    }
}
