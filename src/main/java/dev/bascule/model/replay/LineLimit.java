package dev.bascule.model.replay;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/** Ends a text whose line does not end, before a reader of whole lines has taken memory for it. */
public final class LineLimit extends FilterReader {
    private final int mostChars;
    private int line = 1;
    private int length;

    /** With the longest line allowed; a longer one is a {@link VectorFormatException} with its number. */
    public LineLimit(Reader text, int mostChars) {
        super(text);
        this.mostChars = mostChars;
    }

    @Override
    public int read() throws IOException {
        char[] one = new char[1];
        return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(char[] into, int from, int most) throws IOException {
        int count = in.read(into, from, most);
        for (int i = from; i < from + count; i++) {
            count(into[i]);
        }
        return count;
    }

    private void count(char c) {
        if (c == '\n') {
            line++;
            length = 0;
        } else if (++length > mostChars) {
            throw new VectorFormatException(line, "longer than " + mostChars + " characters; this is no recorded run");
        }
    }
}
