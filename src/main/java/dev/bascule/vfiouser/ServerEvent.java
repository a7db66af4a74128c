package dev.bascule.vfiouser;

/**
 * Something worth telling about a server.
 *
 * @param kind what happened
 * @param text the details, for people
 */
public record ServerEvent(Kind kind, String text) {
    /** What can happen. */
    public enum Kind {
        /** Clients can connect. */
        LISTENING,
        /** A client is there; the text has its process and what was agreed. */
        CONNECTED,
        /** Another client wanted to connect and was turned away, as one device has one client. */
        TURNED_AWAY,
        /** A message of the client was answered with an error. */
        REFUSED,
        /** The client reset the device. */
        RESET,
        /** The client is gone; the text says how. */
        DISCONNECTED,
        /** The server has ended. */
        STOPPED
    }
}
