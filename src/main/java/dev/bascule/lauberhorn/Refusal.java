package dev.bascule.lauberhorn;

import java.util.Locale;

/** Why a request gets a refusal for an answer. */
public enum Refusal {
    /** The queue of its process is full. */
    QUEUE_FULL,
    /** It waited for a core for longer than it may. */
    TOO_LATE,
    /** The process is gone, or was taken away while it served the request. */
    PROCESS_GONE,
    /** The process wrote something else into the line than a reply. */
    BAD_REPLY,
    /** The handler failed. */
    HANDLER_FAILED,
    /** The NIC is restarted. */
    RESTART,
    /** No such program. */
    NO_PROGRAM,
    /** The program has no such version. */
    NO_VERSION,
    /** It has no such procedure. */
    NO_PROCEDURE,
    /** The arguments are not those of the signature. */
    BAD_ARGUMENTS,
    /** Nobody knows where the address of a nested call is. */
    NO_ROUTE;

    private static final Refusal[] ALL = values();

    /** The status that says so in an answer: never 0, which is a result. */
    public int status() {
        return 1 + ordinal();
    }

    /** The refusal that a status stands for; {@link #BAD_REPLY} for numbers that are none. */
    public static Refusal ofStatus(long status) {
        return status > 0 && status <= ALL.length ? ALL[(int) status - 1] : BAD_REPLY;
    }

    /** As counters and messages call it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
