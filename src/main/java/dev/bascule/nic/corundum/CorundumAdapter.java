package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.memory.Numa;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.TimestampUnit;
import dev.bascule.ring.Clock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A Corundum (mqnic) card under this driver: what it consists of, its clock, and its ports. Everything is found through
 * the register blocks; designs of December 2023 and of May 2024 are driven, told apart by the version of their
 * scheduler, all others are refused.
 * <p>
 * Thread rule: control path, one owner. Errors: {@link dev.bascule.device.DeviceFormatException} for what is no Corundum
 * or another version of it, {@link DeviceRemovedException} once the card does not answer.
 */
public final class CorundumAdapter implements NicAdapter {
    private static final int STAMP_SECONDS_BITS = 16;

    private final DeviceBacking backing;
    private final Clock host;
    private final Registers bar;
    private final DeviceMap map;
    private final List<InterfaceUse> uses = new ArrayList<>();
    private final List<CorundumNic> open = new ArrayList<>();
    private final BitSet vectors = new BitSet();
    private final @Nullable CorundumClock clock;
    private final List<MacAddress> addresses;
    private boolean closed;

    private CorundumAdapter(DeviceBacking backing, Clock host) {
        this.backing = backing;
        this.host = host;
        bar = backing.registers(0);
        map = DeviceMap.read(bar, backing.info());
        int firstPort = 0;
        for (InterfaceMap one : map.interfaces()) {
            uses.add(new InterfaceUse(one, firstPort));
            firstPort += one.ports().size();
        }
        RegisterBlock phc = map.blocks().find(TYPE_PHC, VERSION_PHC);
        clock = phc == null ? null : new CorundumClock(bar, phc.offset(), map.device(), host);
        map.interfaces().forEach(one -> Leftovers.stop(bar, one, backing::nanoTime));
        addresses = BoardAddresses.read(bar, map.blocks());
    }

    /** Takes the card over; the backing is closed with the adapter, also when this fails. */
    public static CorundumAdapter open(DeviceBacking backing) {
        try {
            return new CorundumAdapter(backing, Clock.system());
        } catch (RuntimeException e) {
            backing.close();
            throw e;
        }
    }

    /** As {@link #open}, but a backing that is refused stays open. */
    static CorundumAdapter over(DeviceBacking backing) {
        return over(backing, Clock.system());
    }

    /** Takes the card over as {@link #over(DeviceBacking)} does, in the time of {@code host}. */
    static CorundumAdapter over(DeviceBacking backing, Clock host) {
        return new CorundumAdapter(backing, host);
    }

    @Override
    public String name() {
        return map.device();
    }

    /** Ports, counted over all interfaces. */
    @Override
    public int ports() {
        return map.ports();
    }

    @Override
    public Nic openPort(int port, NicOptions options) {
        boolean interrupts = options.interrupts() && backing.interruptCount(InterruptKind.MSIX) > 0;
        return openPort(port, CorundumOptions.of(options, interfaceOf(port).map.longestFrameBytes(bar), interrupts));
    }

    /** Opens a port with all options of this card. */
    public CorundumNic openPort(int port, CorundumOptions options) {
        if (closed) {
            throw new IllegalStateException(name() + " is closed");
        }
        InterfaceUse use = interfaceOf(port);
        open.removeIf(CorundumNic::isClosed);
        if (open.stream().anyMatch(nic -> nic.port() == port)) {
            throw new DeviceException("open port " + port, name(), "it is open already", "close it first");
        }
        try (Numa.Near near = new Numa().near(backing.info().numaNode())) {
            CorundumNic nic = new CorundumNic(this, use, port - use.firstPort, port, options);
            open.add(nic);
            return nic;
        }
    }

    private InterfaceUse interfaceOf(int port) {
        java.util.Objects.checkIndex(port, ports());
        int number = uses.size() - 1;
        while (port < uses.get(number).firstPort) {
            number--;
        }
        return uses.get(number);
    }

    /** The card's clock, if it has one. */
    public Optional<CorundumClock> clock() {
        return Optional.ofNullable(clock);
    }

    @Override
    public OptionalLong clockNanos() {
        return clock == null ? OptionalLong.empty() : OptionalLong.of(clock.nanos());
    }

    @Override
    public void setClockNanos(long nanos) {
        if (clock == null) {
            throw new UnsupportedOperationException(name() + " has no clock");
        }
        clock.set(nanos);
    }

    @Override
    public void check() {
        int version = bar.read32(BLOCK_VERSION);
        if (version == -1) {
            throw new DeviceRemovedException("look at the card", name());
        }
        if (version != VERSION_FIRMWARE_ID) {
            throw new DeviceException("look at the card", name(), "its first register block has version 0x"
                    + Integer.toHexString(version) + " now", "reset it and open it again");
        }
    }

    /** Counters of the card itself, from its statistics block; those without a known name only when not zero. */
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> found = new TreeMap<>();
        RegisterBlock block = map.blocks().find(TYPE_STATISTICS, VERSION_STATISTICS);
        if (block != null) {
            CardCounters.read(bar, QueueRange.read(bar, name(), "statistics", block, 0, Long.BYTES), found);
        }
        return found;
    }

    /** Ethernet address that the board has for a port; empty if it has none. */
    Optional<MacAddress> address(int port) {
        return port < addresses.size() ? Optional.of(addresses.get(port)) : Optional.empty();
    }

    /** Makes time stamps whole by a clock of this card. */
    TimestampUnit timestampUnit(CorundumClock of) {
        return new TimestampUnit(new TimestampUnit.CardClock() {
            @Override
            public long nanos() {
                return of.nanos();
            }

            @Override
            public int sets() {
                return of.sets();
            }
        }, host, STAMP_SECONDS_BITS);
    }

    DeviceBacking backing() {
        return backing;
    }

    /** Takes an interrupt vector; all interfaces share them. */
    int takeVector() {
        int vector = vectors.nextClearBit(0);
        int count = backing.interruptCount(InterruptKind.MSIX);
        if (vector >= count) {
            throw new DeviceException("open an interrupt", name(), "all of its " + count + " MSI-X vectors are in use",
                    "open ports without interrupts");
        }
        vectors.set(vector);
        return vector;
    }

    void giveVector(int vector) {
        vectors.clear(vector);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        NicAdapter.closeAll(List.copyOf(open), backing);
    }
}
