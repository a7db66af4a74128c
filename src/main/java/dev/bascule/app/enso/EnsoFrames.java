package dev.bascule.app.enso;

import dev.bascule.app.CaptureFrames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Frames of a capture file that an Ensō card can send again: whole IPv4 frames of at most 1518 bytes, without VLAN tag.
 * Others are left out and counted by reason.
 *
 * @param frames those that can be sent, in order
 * @param truncated frames the capture cut, or whose IPv4 length says more than there is
 * @param jumbo frames longer than 1518 bytes
 * @param tagged frames with a VLAN tag
 * @param foreign frames of other protocols, IPv6 among them
 */
public record EnsoFrames(List<byte[]> frames, int truncated, int jumbo, int tagged, int foreign) {
    private static final int LARGEST_FRAME = 1518;
    private static final int SHORTEST_FRAME = 60;

    /** Copies the list. */
    public EnsoFrames {
        frames = List.copyOf(frames);
    }

    /** Reads a file; errors and memory as {@link CaptureFrames#read}. */
    public static EnsoFrames read(Path file, long mostBytes) throws IOException {
        CaptureFrames all = CaptureFrames.read(file, LARGEST_FRAME, mostBytes);
        List<byte[]> frames = new ArrayList<>();
        int truncated = all.cut() + all.tooShort();
        int tagged = 0;
        int foreign = 0;
        for (byte[] frame : all.frames()) {
            int type = u16(frame, 12);
            if (type == 0x8100 || type == 0x88A8) {
                tagged++;
            } else if (type != 0x0800) {
                foreign++;
            } else if (frame.length < 20 || u16(frame, 16) + 14 > frame.length) {
                truncated++;
            } else { // what follows the IPv4 packet is padding
                frames.add(Arrays.copyOf(frame, Math.max(SHORTEST_FRAME, u16(frame, 16) + 14)));
            }
        }
        return new EnsoFrames(frames, truncated, all.tooLong(), tagged, foreign);
    }

    /** Frames left out, for whatever reason. */
    public int leftOut() {
        return truncated + jumbo + tagged + foreign;
    }

    private static int u16(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }
}
