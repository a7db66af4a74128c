package dev.bascule.config;

/** Type of the value that a key of the schema takes. */
enum ValueType {
    /** One of a closed set of words. */
    WORD("word"),
    /** One of a few words that the key names. */
    CHOICE("choice"),
    /** Free text. */
    TEXT("text"),
    /** A list of texts, such as a command and its arguments. */
    LIST("list of texts"),
    /** {@code true} or {@code false}, nothing else. */
    SWITCH("true or false"),
    /** A whole number. */
    COUNT("whole number"),
    /** A whole number, decimal or hexadecimal, such as a register's offset or an address; 63 bits. */
    NUMBER("number"),
    /** A size: a whole number of bytes, or a number with B, KiB, MiB or GiB. */
    BYTES("size"),
    /** A time with its unit. */
    DURATION("duration"),
    /** A time with its unit, or a map of value, unit, source and confidence. */
    CONSTANT("constant");

    private final String label;

    ValueType(String label) {
        this.label = label;
    }

    /** The word the documentation uses. */
    String label() {
        return label;
    }
}
