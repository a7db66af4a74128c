package dev.bascule.vfiouser;

/** The peer is gone, or cannot be understood any more. */
final class Disconnected extends Exception {
    private static final long serialVersionUID = 1L;

    Disconnected(String reason) {
        super(reason);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
