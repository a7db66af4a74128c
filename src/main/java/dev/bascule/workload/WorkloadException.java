package dev.bascule.workload;

import org.jspecify.annotations.Nullable;

/** A workload that cannot be set up. The message is for the user as it stands: what failed, on what, what to do. */
public final class WorkloadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WorkloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
