package dev.bascule.host.tier;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Idle page tracking: a bit for each frame in {@code /sys/kernel/mm/page_idle/bitmap}, which is set by writing and cleared
 * by any access. Frames come from pagemap, so it takes CAP_SYS_ADMIN. A huge page has one bit, that of its first frame;
 * {@code /proc/kpageflags} tells which that is.
 */
final class PageIdle implements AccessSource {
    static final String NAME = "page-idle";
    static final Path BITMAP = Path.of("/sys/kernel/mm/page_idle/bitmap");
    static final Path FLAGS = Path.of("/proc/kpageflags");
    private static final int TAIL = 16;
    /** Frames of the largest page whose first frame is looked for: 2 MiB of 4 KiB. */
    private static final int HUGE_FRAMES = 512;

    private final Fd bitmap;
    private final Fd flags;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment word = arena.allocate(8, 8);
    private final MemorySegment run = arena.allocate(8L * HUGE_FRAMES, 8);

    PageIdle(Path bitmap, Path flags) {
        this.bitmap = Libc.open(bitmap.toString(), Linux.O_RDWR);
        try {
            this.flags = Libc.open(flags.toString(), Linux.O_RDONLY);
        } catch (RuntimeException e) {
            this.bitmap.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String meaning() {
        return "pages that were read or written, by idle page tracking";
    }

    @Override
    public boolean isByPage() {
        return true;
    }

    @Override
    public long take(TieredProcess process, int batch, Mapping mapping, long[] entries, long present) {
        long bits = 0;
        long lastFrame = -2;
        long lastHead = -1;
        long lastBit = 0;
        for (int i = 0; i < entries.length; i++) {
            if ((present >>> i & 1) == 0) {
                continue;
            }
            long frame = entries[i] & TieredProcess.FRAME;
            // the next frame of the same huge page shares its bit
            boolean isSame = frame == lastFrame + 1 && lastHead >= 0 && isTail(frame);
            long head = isSame ? lastHead : head(frame);
            lastBit = isSame ? lastBit : isIdle(head) ? 0 : 1;
            bits |= lastBit << i;
            lastFrame = frame;
            lastHead = head;
        }
        markIdle(entries, present);
        return bits;
    }

    private boolean isTail(long frame) {
        return flags.pread(word, frame * 8) == 8 && (word.get(ValueLayout.JAVA_LONG, 0) >>> TAIL & 1) == 1;
    }

    /** The first frame of the page that the frame is part of. */
    private long head(long frame) {
        if (!isTail(frame)) {
            return frame;
        }
        long first = frame & -HUGE_FRAMES;
        long count = frame - first;
        long read = flags.pread(run.asSlice(0, 8 * count), first * 8) / 8;
        for (long i = read - 1; i >= 0; i--) {
            if ((run.getAtIndex(ValueLayout.JAVA_LONG, i) >>> TAIL & 1) == 0) {
                return first + i;
            }
        }
        return first;
    }

    private boolean isIdle(long frame) {
        return bitmap.pread(word, frame / 64 * 8) == 8
                && (word.get(ValueLayout.JAVA_LONG, 0) >>> (frame & 63) & 1) == 1;
    }

    /** One write for all pages whose frames share a word of the bitmap. */
    private void markIdle(long[] entries, long present) {
        long at = -1;
        long bits = 0;
        for (int i = 0; i < entries.length; i++) {
            if ((present >>> i & 1) == 0) {
                continue;
            }
            long frame = head(entries[i] & TieredProcess.FRAME);
            if (frame / 64 != at) {
                write(at, bits);
                at = frame / 64;
                bits = 0;
            }
            bits |= 1L << (frame & 63);
        }
        write(at, bits);
    }

    private void write(long at, long bits) {
        if (bits != 0) {
            word.set(ValueLayout.JAVA_LONG, 0, bits);
            bitmap.pwrite(word, at * 8);
        }
    }

    @Override
    public void close() {
        bitmap.close();
        flags.close();
        arena.close();
    }
}
