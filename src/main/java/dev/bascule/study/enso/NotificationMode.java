package dev.bascule.study.enso;

/** How an Ensō host learns what arrived. */
enum NotificationMode {
    /** One notification until the host gives bytes back. */
    REACTIVE("Ensō, reactive"),
    /** The host asks for the next notification before it works on a batch. */
    PREFETCH("Ensō, prefetch"),
    /** The host asks after a time, whether there is something or not. */
    PERIODIC("Ensō, periodic"),
    /** Every packet carries one; a board setting. */
    PER_PACKET("Ensō, per packet");

    private final String label;

    NotificationMode(String label) {
        this.label = label;
    }

    /** Name for people. */
    String label() {
        return label;
    }
}
