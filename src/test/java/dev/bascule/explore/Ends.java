package dev.bascule.explore;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The production ends of a transport on memory that is used again for every run. */
final class Ends {
    private static final long PAGE = 4096;

    private final String transport;
    private final EnclaveShape shape;
    private final PinnedMemory all;
    private final PinnedMemory nic;
    private final PinnedMemory host;

    Ends(String transport, EnclaveShape shape) {
        this.transport = transport;
        this.shape = shape;
        long nicBytes = pages(switch (transport) {
            case "on-host" -> LocalHost.sizeBytes(shape);
            case "wave-pull", "wave-push" -> WaveHost.nicBytes(shape);
            default -> SwapHost.nicBytes(shape, swap());
        });
        long hostBytes = pages(switch (transport) {
            case "on-host" -> 0;
            case "wave-pull", "wave-push" -> WaveHost.hostBytes(shape);
            default -> SwapHost.hostBytes(shape, swap());
        });
        all = PinnedMemory.allocate(nicBytes + hostBytes);
        nic = all.slice(0, nicBytes);
        host = all.slice(nicBytes, hostBytes);
    }

    private static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    private SwapOptions swap() {
        return SwapOptions.DEFAULT.withMode(SwapMode.of(transport));
    }

    boolean isSwap() {
        return transport.startsWith("swap");
    }

    /** A host on zeroed memory. */
    MechanismEnd host(Explorer explorer, IntFunction<Waiter> waiters) {
        all.segment().fill((byte) 0);
        explorer.memory().cover(all.address(), all.sizeBytes());
        List<Waiter> each = IntStream.range(0, shape.cpus()).mapToObj(waiters).toList();
        PinnedWindow toNic = new PinnedWindow(nic);
        PinnedWindow toHost = new PinnedWindow(host);
        return switch (transport) {
            case "on-host" -> LocalHost.open(nic, shape, timeout -> each.get(explorer.running()).await(timeout));
            case "wave-pull", "wave-push" -> WaveHost.open(new RegionLinks(toNic, toNic, toHost, each), shape,
                    WaveOptions.ALL.withPush(transport.equals("wave-push")));
            default -> SwapHost.open(new RegionLinks(toNic, toNic, toHost, null, each), shape, swap(), () -> 1);
        };
    }

    /** An agent of its current epoch. */
    AgentEnd agent(int number, long nonce, Doorbell bell) {
        return switch (transport) {
            case "on-host" -> LocalAgent.attach(nic, number, nonce, bell);
            case "wave-pull", "wave-push" ->
                WaveAgent.attach(new PinnedWindow(nic), new PinnedWindow(host), number, nonce, bell, () -> 1);
            default -> SwapAgent.attach(new PinnedWindow(nic), new PinnedWindow(host), null, number, nonce, bell,
                    () -> 1);
        };
    }
}
