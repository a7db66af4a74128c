package dev.bascule.host;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** For the flight recorder: an incident. */
@Name("dev.bascule.Incident")
@Label("Incident")
@Category("Bascule")
@Description("What happened to an agent or a job")
@StackTrace(false)
final class IncidentEvent extends Event {
    @Label("What")
    @SuppressWarnings("unused") // read by the recorder
    @Nullable
    String what;
}
