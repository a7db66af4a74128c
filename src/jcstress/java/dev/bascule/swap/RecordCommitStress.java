package dev.bascule.swap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** J7: whoever sees the commit word sees the slot that it names, filled. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the state before, whole")
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "the state after, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "a commit word whose slot is not filled")
@State
public class RecordCommitStress {
    private final CellMemory memory = new CellMemory();
    private final CellRecord writer = memory.record();
    private final CellRecord reader = memory.record();
    private final HostState before = new HostState(0);
    private final HostState after = new HostState(0);
    private final HostState found = new HostState(0);

    public RecordCommitStress() {
        before.add(1);
        writer.format(before);
        after.add(2);
        after.last = 1;
    }

    @Actor
    public void commit() {
        writer.prepare(after);
        writer.commit(after);
    }

    @Actor
    public void recover(II_Result r) {
        r.r1 = reader.load(found);
        r.r2 = found.heldCount == 0 ? 0 : (int) found.held[0];
    }
}
