package dev.bascule.json;

/** A text is not the JSON it should be; the message has the column. Without a stack trace, as a peer can cause many. */
public final class JsonFormatException extends Exception {
    private static final long serialVersionUID = 1L;

    JsonFormatException(int column, String expected) {
        super("column " + column + ": expected " + expected, null, false, false);
    }

    /** Where and what. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
