package dev.bascule.app;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Frames of a pcap file (either byte order, micro- or nanoseconds, Ethernet) that a generator can send again: whole IPv4
 * frames of at most 1518 bytes, without VLAN tag. Others are left out and counted by reason.
 *
 * @param frames those that can be sent, in order
 * @param truncated frames the capture cut, or whose IPv4 length says more than there is
 * @param jumbo frames longer than 1518 bytes
 * @param tagged frames with a VLAN tag
 * @param foreign frames of other protocols, IPv6 among them
 */
public record PcapFrames(List<byte[]> frames, int truncated, int jumbo, int tagged, int foreign) {
    private static final int MAGIC_MICROS = 0xA1B2C3D4;
    private static final int MAGIC_NANOS = 0xA1B23C4D;
    private static final int ETHERNET = 1;
    private static final int LARGEST_FRAME = 1518;
    private static final int LARGEST_RECORD = 1 << 20;
    private static final int SHORTEST_FRAME = 60;

    /** Copies the list. */
    public PcapFrames {
        frames = List.copyOf(frames);
    }

    /** Reads a file; {@link IOException} with file and position if it is no pcap file or breaks off in a header. */
    public static PcapFrames read(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return new Reader(file, in).read();
        }
    }

    /** Frames left out, for whatever reason. */
    public int leftOut() {
        return truncated + jumbo + tagged + foreign;
    }

    /** One pass over a file. */
    private static final class Reader {
        private final Path file;
        private final InputStream in;
        private final List<byte[]> frames = new ArrayList<>();
        private int truncated;
        private int jumbo;
        private int tagged;
        private int foreign;

        Reader(Path file, InputStream in) {
            this.file = file;
            this.in = in;
        }

        PcapFrames read() throws IOException {
            ByteBuffer head = ByteBuffer.wrap(in.readNBytes(24));
            ByteOrder order = order(head);
            if (order == null) {
                throw new IOException(file + ": not a pcap file (pcapng is another format: editcap -F pcap)");
            }
            if (head.order(order).getInt(20) != ETHERNET) {
                throw new IOException(file + ": link type " + head.getInt(20) + ", not Ethernet (1)");
            }
            int number = 0;
            for (byte[] bytes = in.readNBytes(16); bytes.length > 0; bytes = in.readNBytes(16)) {
                number++;
                if (bytes.length < 16) {
                    throw new IOException(file + ": breaks off in the header of frame " + number);
                }
                ByteBuffer record = ByteBuffer.wrap(bytes).order(order);
                int kept = record.getInt(8);
                if (kept < 0 || kept > LARGEST_RECORD) {
                    throw new IOException(file + ": frame " + number + " has " + kept + " bytes; the file is damaged");
                }
                byte[] frame = in.readNBytes(kept);
                sort(frame, frame.length < kept || record.getInt(12) > kept);
            }
            return new PcapFrames(frames, truncated, jumbo, tagged, foreign);
        }

        private void sort(byte[] frame, boolean cut) {
            int type = frame.length < 14 ? -1 : u16(frame, 12);
            if (cut || frame.length < 20) {
                truncated++;
            } else if (frame.length > LARGEST_FRAME) {
                jumbo++;
            } else if (type == 0x8100 || type == 0x88A8) {
                tagged++;
            } else if (type != 0x0800) {
                foreign++;
            } else if (u16(frame, 16) + 14 > frame.length) {
                truncated++;
            } else { // what follows the IPv4 packet is padding
                frames.add(java.util.Arrays.copyOf(frame, Math.max(SHORTEST_FRAME, u16(frame, 16) + 14)));
            }
        }

        private static int u16(byte[] bytes, int at) {
            return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
        }

        private static @Nullable ByteOrder order(ByteBuffer head) {
            for (ByteOrder order : new ByteOrder[] { ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN }) {
                int magic = head.limit() < 24 ? 0 : head.order(order).getInt(0);
                if (magic == MAGIC_MICROS || magic == MAGIC_NANOS) {
                    return order;
                }
            }
            return null;
        }
    }
}
