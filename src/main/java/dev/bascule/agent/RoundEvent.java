package dev.bascule.agent;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** For the flight recorder: a round that found work. Off unless asked for, as there are so many. */
@Name("dev.bascule.Round")
@Label("Round")
@Category("Bascule")
@Description("A round of an agent that found work")
@Enabled(false)
@StackTrace(false)
final class RoundEvent extends Event {
    @Label("Work")
    @SuppressWarnings("unused") // read by the recorder
    int work;
}
