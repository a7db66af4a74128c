package dev.bascule.host;

import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.Iova;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.PartWindow;
import dev.bascule.memory.Window;
import dev.bascule.ring.Waiter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a region in a card's memory: the handshake, NIC memory, and host memory, which lies behind it or is
 * the host's own.
 * <p>
 * Thread rule: the control path's thread; each window belongs to one thread.
 */
final class HostRegion implements AutoCloseable {
    private final HostCard card;
    private final Path directory;
    private final MemoryType toNic;
    private @Nullable HostMemory memory;
    private @Nullable Iova offered;
    private @Nullable Handshake handshake;
    private @Nullable List<Waiter> waiters;

    /**
     * @param directory where host memory of its own gets a file
     * @param writeCombining whether NIC memory is to be written through a write-combining mapping
     */
    HostRegion(HostCard card, Path directory, boolean writeCombining) {
        this.card = card;
        this.directory = directory;
        this.toNic = writeCombining ? MemoryType.WC : MemoryType.UC;
    }

    /**
     * Lays a new region out, zeroed, unless a former host left one of this transport and these sizes.
     *
     * @param transport its number in a region's header
     * @param sharedBytes the part of host memory, from its start, that the card may reach
     * @param follow whether a former host's is gone on with, if there is one
     */
    void create(int transport, long nicBytes, long hostBytes, long sharedBytes, boolean follow) {
        boolean inBar = card.isHostMemoryInBar();
        long needed = Handshake.PAGE + nicBytes + (inBar ? hostBytes : 0);
        if (needed > card.sizeBytes()) {
            throw new DeviceException("lay out region", "the card's memory of " + card.sizeBytes() + " bytes",
                    needed + " bytes are needed",
                    "give the region more of the BAR, or use fewer CPUs or smaller queues");
        }
        Window page = page();
        Optional<Handshake> former = Handshake.found(page);
        int epoch = former.map(Handshake::epoch).orElse(0) + 1;
        Handshake wanted = new Handshake(transport, epoch, nicBytes, hostBytes, 0, card.self(), inBar,
                ThreadLocalRandom.current().nextLong());
        HostMemory own = inBar ? null : HostMemory.open(directory, hostBytes);
        memory = own;
        if (!follow || !former.map(wanted::isLaidOutAs).orElse(false)
                || own != null && own.cookie() != former.map(Handshake::cookie).orElse(0L)) {
            Handshake.clear(page);
            RegionLayout.clear(window(toNic), Handshake.PAGE, needed - Handshake.PAGE);
            if (own != null) {
                own.clear();
            }
        }
        long address = Handshake.PAGE + nicBytes;
        if (own != null) {
            own.cookie(wanted.cookie());
            Iova iova = own.offer(card, page(sharedBytes));
            offered = iova;
            address = iova.value();
        }
        handshake = new Handshake(transport, epoch, nicBytes, hostBytes, address, card.self(), inBar, wanted.cookie());
        handshake.write(page);
    }

    /**
     * Checks that the card can do what the swap's one-word mode needs.
     *
     * @throws DeviceException if it cannot
     */
    void requireOneWord(boolean push) {
        String objection = card.objectionToOneWord(push);
        if (!objection.isEmpty()) {
            throw new DeviceException("use the swap's one-word mode with --placement " + (push ? "push" : "pull"),
                    card.toString(), objection, "use another mode, such as --swap-mode swap1"
                            + (push ? "" : ", or --placement push with a card that sends AtomicOps"));
        }
    }

    private static long page(long bytes) {
        return bytes + Handshake.PAGE - 1 & -Handshake.PAGE;
    }

    /** The region is ready for agents: tells the card. */
    void announce() {
        card.doorbell().ring(0);
    }

    private Window page() {
        return new PartWindow(window(MemoryType.UC), 0, Handshake.PAGE);
    }

    private Window window(MemoryType type) {
        return card.window(type);
    }

    /** Clears the header, so that no agent attaches from now on, and removes what a later host would find. */
    void forget() {
        Handshake.clear(page());
        HostMemory own = memory;
        if (own != null) {
            own.forget();
        }
    }

    private Handshake laidOut() {
        return Objects.requireNonNull(handshake, "created");
    }

    private Window nicMemory(MemoryType type) {
        return new PartWindow(window(type), Handshake.PAGE, laidOut().nicBytes());
    }

    private Window hostMemory() {
        HostMemory own = memory;
        return own != null
                ? own.window()
                : new PartWindow(window(MemoryType.UC), Handshake.PAGE + laidOut().nicBytes(), laidOut().hostBytes());
    }

    /** For the host's end of a transport with so many CPUs. */
    RegionLinks links(int cpus) {
        List<Waiter> known = waiters != null ? waiters : waiters(cpus); // an interrupt is opened once
        waiters = known;
        return links(known);
    }

    private RegionLinks links(List<Waiter> waiters) {
        // the kernel offers no write-through mapping: what the card wrote is read uncached
        return new RegionLinks(nicMemory(toNic), nicMemory(MemoryType.UC), hostMemory(), waiters,
                () -> links(waiters));
    }

    /** Waiters of CPUs: vector n for CPU n; CPUs beyond the vectors nap. */
    private List<Waiter> waiters(int cpus) {
        List<Waiter> waiters = new ArrayList<>();
        for (int cpu = 0; cpu < Math.min(cpus, card.vectors()); cpu++) {
            Interrupt vector = card.interrupt(cpu);
            waiters.add(timeoutNanos -> vector.await(timeoutNanos) > 0);
        }
        return waiters;
    }

    /** Objection of the card's cores; empty if they have none. */
    String objection() {
        Handshake mine = handshake;
        return mine == null ? "" : mine.answered(page()).map(answer -> switch (answer.code()) {
            case Handshake.NOT_REACHED -> "the card's cores do not reach host memory at "
                    + new Iova(mine.hostAddress()) + "; see 'window' in their configuration";
            case Handshake.OTHER_MEMORY -> "the card's cores find other memory at " + new Iova(mine.hostAddress())
                    + " (first word 0x" + Long.toHexString(answer.detail())
                    + "); see window.base in their configuration";
            default -> "";
        }).orElse("");
    }

    @Override
    public void close() {
        Iova reached = offered;
        offered = null;
        if (reached != null) {
            card.withdraw(reached);
        }
        HostMemory own = memory;
        memory = null;
        if (own != null) {
            own.close();
        }
    }
}
