package dev.bascule.vfiouser;

import dev.bascule.ffi.Errno;

/** A message that is answered with an error. Cheap: without a stack trace, as a hostile peer can cause many. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errno;

    Refusal(int errno, String reason) {
        super(reason, null, false, false);
        this.errno = errno;
    }

    static Refusal invalid(String reason) {
        return new Refusal(Errno.EINVAL, reason);
    }

    int errno() {
        return errno;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
