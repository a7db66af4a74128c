package dev.bascule.agent;

/**
 * What lies at a region's head was written by no host, or not by one that the next can follow: its mark, its digest or what
 * it says of the enclave is wrong or is not what that host wants.
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
