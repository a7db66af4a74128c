package dev.bascule.swap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * J2: the agent's line of swap n+1 is written over that of swap n (reversed) by plain stores and one release, while the
 * host reads; it takes one of them, never a mixture.
 */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "nothing accepted: read in between")
@Outcome(id = { "101", "202" }, expect = Expect.ACCEPTABLE, desc = "one whole line")
@Outcome(expect = Expect.FORBIDDEN, desc = "number of one line, content of the other")
@State
public class LineOverwriteStress {
    private final CellMemory memory = new CellMemory();
    private final Line out = memory.agentOut();
    private final Line in = memory.agentIn();
    private final SwapLine writer = new SwapLine();
    private final SwapLine reader = new SwapLine();

    public LineOverwriteStress() {
        write(1);
    }

    private void write(int n) {
        writer.begin(1, n);
        for (int i = 1; i < 7; i++) {
            writer.put(i, n);
        }
        writer.seal(3);
        writer.write(out);
    }

    @Actor
    public void overwrite() {
        write(2);
    }

    @Actor
    public void accept(J_Result r) {
        if (!reader.readNewer(in, 1, 0, 3)) {
            r.r1 = -1;
            return;
        }
        long all = reader.w[1] & SwapLine.CONTENT;
        for (int i = 2; i < 7; i++) {
            all = (reader.w[i] & SwapLine.CONTENT) == all ? all : 99;
        }
        r.r1 = 100 * reader.n() + all;
    }
}
