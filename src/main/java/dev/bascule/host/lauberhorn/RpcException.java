package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.Refusal;

/** A call that was refused: says what was called and why not. */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    /** A refused call. */
    RpcException(String call, Refusal why) {
        super("call of " + call + " was refused: " + why.word());
        reason = why.word();
    }

    /** Why, in a word: {@code queue-full}, {@code no-program}, ... */
    public String reason() {
        return reason;
    }
}
