package dev.bascule.swap;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import dev.bascule.memory.Window;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/** J5: the agent promises, and takes the promise back, while the host commits: the decision whole, or none. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet, or withdrawn")
@Outcome(id = "1, 5, 77", expect = Expect.ACCEPTABLE, desc = "taken, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "taken, and another decision than the one promised")
@State
public class WordPromiseStress {
    private static final SwapLayout LAYOUT = new SwapLayout(new EnclaveShape(1, 1, 1, 2, 1), SwapMode.ONE_WORD);

    private final PinnedMemory nic = Shared.part(LAYOUT.nicBytes());
    private final WordHostExchange host;
    private final WordAgentExchange agent;
    private final Transaction taken = new Transaction();

    /** The host has asked, the agent has decided. */
    public WordPromiseStress() {
        LinkedMemory memory = new LinkedMemory(nic, null, LinkProfile.ZERO);
        host = new WordHostExchange(0, LAYOUT, new RegionLinks(memory.host(MemoryType.WB, 1),
                memory.host(MemoryType.WB, 2), memory.host(MemoryType.WB, 2), nic.segment(), List.of()), false, 1,
                new TransportCounters());
        host.want();
        Window owner = memory.owner();
        AgentRegion region = new AgentRegion(owner, owner, LAYOUT, 0, 1,
                new HostControl(owner, SwapLayout.HOST_CONTROL), 1, new TransportCounters());
        agent = new WordAgentExchange(0, region, LAYOUT.agentWord(region, nic.segment(), false, 0), false, LAYOUT);
        agent.stage(new Transaction().set(0, 1, 9, 5).sliceNanos(77));
        agent.commit();
    }

    /** Promises, and takes it back if nobody was faster. */
    @Actor
    public void promise() {
        agent.turn();
        agent.withdraw();
    }

    /** Looks twice. */
    @Actor
    public void look(IIJ_Result r) {
        if (host.poll(taken) || host.poll(taken)) {
            r.r1 = 1;
            r.r2 = taken.task();
            r.r3 = taken.sliceNanos();
        }
    }
}
