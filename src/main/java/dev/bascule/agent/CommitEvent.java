package dev.bascule.agent;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** For the flight recorder: a commit of decisions. Off unless asked for, as there are so many. */
@Name("dev.bascule.Commit")
@Label("Commit")
@Category("Bascule")
@Description("Staged decisions are made visible to the host")
@Enabled(false)
@StackTrace(false)
final class CommitEvent extends Event {
    @Label("Decisions")
    @SuppressWarnings("unused") // read by the recorder
    int decisions;
}
