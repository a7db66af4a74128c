package dev.bascule.swap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * J1: the host's line of eight words leaves through write-combining, in any order, while the agent reads it; it is
 * accepted whole or not at all.
 */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not accepted")
@Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "accepted whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "a torn line was accepted")
@State
public class LinePublishStress {
    private final CellMemory memory = new CellMemory();
    private final Line out = memory.hostOut();
    private final Line in = memory.hostIn();
    private final SwapLine writer = new SwapLine();
    private final SwapLine reader = new SwapLine();

    @Actor
    public void publish() {
        writer.begin(1, 1);
        for (int i = 1; i < 7; i++) {
            writer.put(i, 7);
        }
        writer.seal(3);
        writer.write(out);
    }

    @Actor
    public void accept(J_Result r) {
        if (!reader.read(in, 1, 1, 3)) {
            r.r1 = -1;
            return;
        }
        long all = reader.w[1] & SwapLine.CONTENT;
        for (int i = 2; i < 7; i++) {
            all = (reader.w[i] & SwapLine.CONTENT) == all ? all : 99;
        }
        r.r1 = all;
    }
}
