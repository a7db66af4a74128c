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
    BAD_ARGUMENTS;

    /** As counters and messages call it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
