package dev.bascule.agent;

/**
 * A region's header is damaged, or was written by a host that this one cannot take over from: its magic number, its
 * digest or its enclave is wrong or not what this host needs.
 */
public final class DamagedRegionException extends AgentException {
    private static final long serialVersionUID = 1L;

    DamagedRegionException(String message) {
        super(message);
    }

    DamagedRegionException(String message, Throwable cause) {
        super(message, cause);
    }
}
