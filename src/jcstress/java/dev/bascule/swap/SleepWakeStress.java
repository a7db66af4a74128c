package dev.bascule.swap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * J5: a waiter says that it sleeps and looks at the line once more; a writer fills the line and looks whether anyone
 * sleeps. Each side needs a full fence between its store and its load ({@link SleepFlag}); then either the waiter finds
 * the line or the writer finds the sleeper.
 */
@JCStressTest
@Outcome(id = { "0, 1", "1, 0", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "seen by one or both")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "line filled and sleeper parked")
@State
public class SleepWakeStress {
    private final Line line = new ArrayLine();
    private final SwapLine writer = new SwapLine();
    private final SwapLine reader = new SwapLine();
    private final SleepFlag flag = new SleepFlag();

    @Actor
    public void sleep(II_Result r) {
        flag.announce();
        r.r1 = reader.read(line, 1, 1, 3) ? 1 : 0;
    }

    @Actor
    public void fill(II_Result r) {
        writer.begin(1, 1);
        for (int i = 1; i < 7; i++) {
            writer.put(i, 7);
        }
        writer.seal(3);
        writer.write(line);
        r.r2 = flag.sleeping() ? 1 : 0;
    }
}
