package dev.bascule.model.wire;

import java.io.IOException;

/** A capture file is cut off, damaged, or of another format. The message has the file, the place and the problem. */
public final class CaptureFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    CaptureFormatException(String file, long offset, String problem) {
        super(file + ": byte " + offset + ": " + problem);
    }
}
