package dev.bascule.config;

/** Type of the value that a key takes. */
enum ValueType {
    /** Type of the record's component. */
    OF_COMPONENT,
    /** One of a closed set of words, without a default. */
    WORD("word", "a word", ""),
    /** One of a few words, of which the first is the default. */
    CHOICE("choice", "one of its words", ""),
    /** Free text. */
    TEXT("text", "text (put it in quotes)", ""),
    /** A value of any form, or a list of such, as it stands. */
    PLAIN("value", "a value or a list of values", ""),
    /** A list of texts, such as a command and its arguments. */
    LIST("list of texts", "a list of texts ([\"program\", \"argument\"])", ""),
    /** {@code true} or {@code false}, nothing else. */
    SWITCH("true or false", "true or false", "true"),
    /** A whole number. */
    COUNT("whole number", "a whole number", "0"),
    /** A whole number, decimal or hexadecimal, such as a register's offset or an address; 63 bits. */
    NUMBER("number", "a whole number, decimal or hexadecimal (0x1000)", "0"),
    /** A size: a whole number of bytes, or a number with B, KiB, MiB or GiB. */
    BYTES("size", "a size (4 MiB)", "0"),
    /** A time with its unit. */
    DURATION("duration", "a time with its unit (20 ms)", "0"),
    /** A time with its unit, or a map of value, unit, source and confidence. */
    CONSTANT("constant", "a time with its unit (750 ns) or {value, unit, source, confidence}", "0"),
    /** A map of value, unit, source and confidence, without a default. */
    COST("cost", "{value, unit, source, confidence}", ""),
    /** Keys of a record of their own. */
    SECTION,
    /** Keys of a record that stand among those around it. */
    INLINE,
    /** Records by names that the file gives. */
    NAMED,
    /** A list of records, each a map, or its first two keys as {@code a -> b}. */
    WAYS,
    /** Such a list without maps. */
    ARROWS,
    /** All keys that are none of the record's others. */
    REST;

    private final String label;
    private final String expected;
    private final String fallback;

    ValueType() {
        this("", "", "");
    }

    ValueType(String label, String expected, String fallback) {
        this.label = label;
        this.expected = expected;
        this.fallback = fallback;
    }

    /** The word the documentation uses. */
    String label() {
        return label;
    }

    /** Words for it in messages. */
    String expected() {
        return expected;
    }

    /** Default of keys that name none. */
    String fallback() {
        return fallback;
    }
}
