package dev.bascule.cli;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A program with a working set that moves: it maps a file in pieces of 1 MiB, touches all pages of a few of them again and
 * again, another few each second, and at the end compares the checksum of the whole with what it wrote. Exit status 7 when
 * all is well, 8 when a byte is wrong. Arguments: file, pieces, seconds, file for its operations or -, and what else it
 * does: plain, unmap (gives pieces back and maps them again all the time), fork (starts a child that ends).
 */
final class MovingWindow {
    static final int GOOD = 7;
    private static final int PIECE = 1 << 20;
    private static final int PAGE = 4096;
    private static final int WIDTH = 2;
    private static final long MOVE_NANOS = 1_000_000_000L;

    private final Path file;
    private final MemorySegment[] pieces;
    private final Arena[] arenas;
    private long operations;
    private long sum;

    private MovingWindow(Path file, int count) {
        this.file = file;
        pieces = new MemorySegment[count];
        arenas = new Arena[count];
    }

    public static void main(String... arguments) throws IOException, InterruptedException {
        MovingWindow window = new MovingWindow(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
        long written = window.write();
        for (int i = 0; i < window.pieces.length; i++) {
            window.map(i);
        }
        window.check(written);
        System.out.println("ready");
        window.touch(Double.parseDouble(arguments[2]), Path.of(arguments[3]), arguments[4]);
        boolean isGood = window.check(written);
        System.out.println(isGood ? "every byte is what was written" : "a byte is wrong");
        System.exit(isGood ? GOOD : GOOD + 1);
    }

    private long write() throws IOException {
        CRC32C all = new CRC32C();
        byte[] piece = new byte[PIECE];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < pieces.length; i++) {
                new java.util.Random(i).nextBytes(piece);
                all.update(piece);
                channel.write(java.nio.ByteBuffer.wrap(piece));
            }
            channel.force(true);
        }
        return all.getValue();
    }

    private void map(int i) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            pieces[i] = channel.map(FileChannel.MapMode.READ_ONLY, (long) i * PIECE, PIECE, arena);
            arenas[i] = arena;
        }
    }

    private void touch(double seconds, Path told, String more) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long now = begin;
        for (int round = 0; now - begin < seconds * 1e9; round++) {
            int first = (int) ((now - begin) / MOVE_NANOS) * WIDTH;
            for (int i = first; i < first + WIDTH; i++) {
                MemorySegment piece = pieces[i % pieces.length];
                for (int at = 0; at < PIECE; at += PAGE) {
                    sum += piece.get(ValueLayout.JAVA_BYTE, at);
                }
                operations += PIECE / PAGE;
            }
            if (more.equals("unmap")) {
                int gone = round % pieces.length;
                arenas[gone].close();
                map(gone);
            }
            if (more.equals("fork") && round % 200 == 0) {
                new ProcessBuilder("sleep", "0.05").start().waitFor();
            }
            if (!told.toString().equals("-") && round % 50 == 0) {
                Path whole = told.resolveSibling("ops.new");
                Files.writeString(whole, Long.toString(operations));
                Files.move(whole, told, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            Thread.sleep(1);
            now = System.nanoTime();
        }
    }

    private boolean check(long written) {
        CRC32C all = new CRC32C();
        for (MemorySegment piece : pieces) {
            all.update(piece.asByteBuffer());
        }
        return all.getValue() == written && sum != Long.MIN_VALUE;
    }
}
