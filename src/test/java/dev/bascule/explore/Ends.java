package dev.bascule.explore;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
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
import org.jspecify.annotations.Nullable;

/** The production ends of a transport on memory that is used again for every run. */
final class Ends {
    private static final long PAGE = 4096;

    private final String transport;
    private final EnclaveShape shape;
    private final PinnedMemory all;
    private final PinnedMemory nic;
    private final PinnedMemory host;
    private final @Nullable ExploredMirror mirror;

    Ends(String transport, EnclaveShape shape) {
        this.transport = transport;
        this.shape = shape;
        long nicBytes = pages(switch (transport) {
            case "on-host" -> LocalHost.sizeBytes(shape);
            case "wave-pull", "wave-push", "wave-mirror" -> WaveHost.nicBytes(shape);
            default -> SwapHost.nicBytes(shape, swap());
        });
        long hostBytes = pages(switch (transport) {
            case "on-host" -> 0;
            case "wave-pull", "wave-push", "wave-mirror" -> WaveHost.hostBytes(shape);
            default -> SwapHost.hostBytes(shape, swap());
        });
        long bytes = nicBytes + hostBytes;
        all = PinnedMemory.allocate(isMirror() ? 2 * bytes : bytes);
        nic = all.slice(0, nicBytes);
        host = all.slice(nicBytes, hostBytes);
        mirror = isMirror() ? new ExploredMirror(all.slice(0, bytes), all.slice(bytes, bytes)) : null;
    }

    private static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    private SwapOptions swap() {
        return SwapOptions.DEFAULT.withMode(SwapMode.of(transport.replace("-mirror", "")));
    }

    boolean isMirror() {
        return transport.endsWith("-mirror");
    }

    /** What carries stores from one copy to the other. */
    List<Explorer.Body> wires() {
        return mirror == null ? List.of() : mirror.wires();
    }

    boolean isSwap() {
        return transport.startsWith("swap");
    }

    /** A host on zeroed memory. */
    MechanismEnd host(Explorer explorer, IntFunction<Waiter> waiters) {
        all.segment().fill((byte) 0);
        explorer.memory().cover(all.address(), all.sizeBytes());
        List<Waiter> each = IntStream.range(0, shape.cpus()).mapToObj(waiters).toList();
        if (mirror != null) {
            mirror.begin(explorer);
        }
        RegionLinks links = mirror == null ? links(each) : links(mirror, each);
        return switch (transport) {
            case "on-host" -> LocalHost.open(nic, shape, timeout -> each.get(explorer.running()).await(timeout));
            case "wave-pull", "wave-push", "wave-mirror" ->
                WaveHost.open(links, shape, WaveOptions.ALL.withPush(transport.equals("wave-push")));
            default -> SwapHost.open(links, shape, swap(), () -> 1);
        };
    }

    private RegionLinks links(List<Waiter> each) {
        PinnedWindow toNic = new PinnedWindow(nic);
        return new RegionLinks(toNic, toNic, new PinnedWindow(host), each);
    }

    private RegionLinks links(ExploredMirror copies, List<Waiter> each) {
        ExploredMirror.Windows own = copies.ofHost(nic.sizeBytes(), host.sizeBytes());
        return new RegionLinks(own.nic, own.nic, own.host, each, () -> links(copies, each));
    }

    /** An agent of its current epoch. */
    AgentEnd agent(int number, long nonce, Doorbell bell) {
        if (mirror != null) {
            ExploredMirror.Windows own = mirror.ofAgent(nic.sizeBytes(), host.sizeBytes());
            return agent(own.nic, own.host, number, nonce, mirror.behind(bell));
        }
        return agent(new PinnedWindow(nic), new PinnedWindow(host), number, nonce, bell);
    }

    private AgentEnd agent(Window onNic, Window onHost, int number, long nonce, Doorbell bell) {
        return switch (transport) {
            case "on-host" -> LocalAgent.attach(nic, number, nonce, bell);
            case "wave-pull", "wave-push", "wave-mirror" ->
                WaveAgent.attach(onNic, onHost, number, nonce, bell, () -> 1);
            default -> SwapAgent.attach(onNic, onHost, null, number, nonce, bell, () -> 1);
        };
    }
}
