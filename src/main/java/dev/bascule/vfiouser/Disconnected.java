package dev.bascule.vfiouser;

/** The peer has disconnected, or can no longer be understood. */
final class Disconnected extends Exception {
    private static final long serialVersionUID = 1L;

    Disconnected(String reason) {
        super(reason);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
