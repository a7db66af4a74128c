package dev.bascule.vfiouser;

/**
 * An event of a server that its operator should know.
 *
 * @param kind what happened
 * @param text the details, for people
 */
public record ServerEvent(Kind kind, String text) {
    /** Kind of event. */
    public enum Kind {
        /** Clients can connect. */
        LISTENING,
        /** A client is there; the text has its process and what was agreed. */
        CONNECTED,
        /** Another client tried to connect and was refused, because a device has one client. */
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
