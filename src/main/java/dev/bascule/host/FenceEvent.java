package dev.bascule.host;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** For the flight recorder: agents are fenced. */
@Name("dev.bascule.Fence")
@Label("Fence")
@Category("Bascule")
@Description("The agents of an epoch are fenced: their decisions are void")
@StackTrace(false)
final class FenceEvent extends Event {
    @Label("Reason")
    @SuppressWarnings("unused") // read by the recorder
    @Nullable
    String reason;

    /**
     * Makes the recorder's classes ready, which takes a process up to hundreds of milliseconds once: a fence holds all locks
     * of the host, and the time without an agent is counted.
     */
    static void prepare() {
        boolean unused = new FenceEvent().isEnabled() | new IncidentEvent().isEnabled();
    }
}
