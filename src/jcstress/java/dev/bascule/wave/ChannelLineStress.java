package dev.bascule.wave;

import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.TransportCounters;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Shared;
import dev.bascule.memory.Window;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A message is accepted whole or not at all while its line leaves the write-combining buffer, in any order. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1, 6", expect = Expect.ACCEPTABLE, desc = "the message, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "a part of the message passed")
@State
public class ChannelLineStress {
    private static final long CREDIT = 256;

    private static long seeds;

    private final LinkedMemory memory = new LinkedMemory(Shared.part(320), null, LinkProfile.ZERO);
    private final Window hostWindow = memory.hostWriteCombining(++seeds, 2);
    private final MessageSender sender = new MessageSender(hostWindow, memory.host(MemoryType.WT, seeds), 0, 2, CREDIT,
            1);
    private final MessageReceiver receiver = new MessageReceiver(memory.owner(), 0, 2, CREDIT, 1,
            new TransportCounters());
    private final long[] out = { 1, 2, 3, 4, 5, 6 };
    private final long[] in = new long[6];

    /** Sends. */
    @Actor
    public void host() {
        sender.send(out);
        hostWindow.writeFence();
    }

    /** Looks once. */
    @Actor
    public void agent(JJ_Result result) {
        if (receiver.peek(in)) {
            result.r1 = in[0];
            result.r2 = in[5];
        }
    }
}
