package dev.bascule.agent.region;

import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory and interrupts by which an agent reaches its host. One coherent memory may stand for both.
 *
 * @param nic NIC memory, which is the agent's own
 * @param hostMemory host memory as the agent reaches it
 * @param coherent NIC memory itself, for compare-and-swap in it; null where it is not coherent with the host
 * @param bell sends the host an interrupt for a CPU
 * @param clock the agent's; another one in virtual time
 */
public record AgentLinks(Window nic, Window hostMemory, @Nullable MemorySegment coherent, Doorbell bell, Clock clock) {
    /** For an agent in real time. */
    public AgentLinks(Window nic, Window hostMemory, @Nullable MemorySegment coherent, Doorbell bell) {
        this(nic, hostMemory, coherent, bell, Clock.system());
    }
}
