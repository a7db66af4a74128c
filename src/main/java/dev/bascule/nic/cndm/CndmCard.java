package dev.bascule.nic.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.RingCard;
import dev.bascule.nic.RingPorts;
import dev.bascule.nic.TimestampUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A cndm card: what it says of itself, its clock, its ports. Designs of another version of the commands are refused.
 */
final class CndmCard implements RingPorts, TimestampUnit.CardClock {
    private static final int PORT_PAGE = 1;
    private static final int RING_PAGE = 2;
    private static final int MOST_PORTS = 128;
    private static final int MINOR = 0xFFFFF000;
    private static final String KNOWN = "use a design whose commands have version 0.1.x, with entries of version 1";
    private static final int SNAPSHOT = CLOCK + 0x20;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** Bit of a clock command: words 3 to 5 are the time. */
    private static final int SET_TIME = 1;
    /** A time that was set shows within microseconds, in a simulation of the design later. */
    private static final long SET_NANOS = 1_000_000_000L;
    /** Tolerance of the first reading. */
    private static final long READING_NANOS = 1_000_000;
    /** Frames that a program which was killed has left on their way end within it. */
    private static final long LEFT_NANOS = 2_000_000;
    private static final int LOOKS = 10;

    private final DeviceBacking backing;
    private final CndmCommands commands;
    private final Registers bar;
    private final int ports;
    private volatile int sets;

    /** Takes the card over and frees the queues that another program left. */
    CndmCard(DeviceBacking backing) {
        this.backing = backing;
        commands = new CndmCommands(backing);
        bar = commands.bar();
        if (bar.read32(0) == -1) {
            throw new DeviceRemovedException("open cndm", commands.name());
        }
        int[] words = page(PORT_PAGE);
        ports = words[8] & 0xFFFF;
        require((words[3] & MINOR) == COMMAND_VERSION, "its commands have version 0x" + Integer.toHexString(words[3]),
                KNOWN);
        require(ports > 0 && ports <= MOST_PORTS, "it has " + ports + " ports",
                "use a design with 1 to " + MOST_PORTS + " ports");
        int[] rings = page(RING_PAGE);
        for (int kind = EVENT_QUEUE; kind <= RECEIVE_QUEUE; kind++) {
            require(rings[8 + kind] >>> 24 == 1, "its entries have version " + (rings[8 + kind] >>> 24), KNOWN);
        }
        require(CndmCommands.status(commands.ask("look for the clock", CndmCommands.words(CLOCK_ACCESS))) == 0,
                "it has no PTP clock, without which its ports lie elsewhere", "use a design with one");
        freeLeftQueues();
    }

    private void require(boolean fulfilled, String problem, String remedy) {
        if (!fulfilled) {
            throw new DeviceFormatException("open cndm", commands.name(), problem, remedy);
        }
    }

    private int[] page(int number) {
        int[] words = CndmCommands.words(READ_CONFIG);
        words[2] = number;
        return commands.run("read the configuration", words);
    }

    /** Work queues first, so that nothing new begins; then what is on its way gets time to end. */
    private void freeLeftQueues() {
        boolean found = false;
        for (int kind : new int[] { SEND_QUEUE, COMPLETION_QUEUE }) {
            for (int port = 0; port < ports; port++) {
                for (int queue = 0; queue < QUEUES; queue++) {
                    if ((commands.state(kind, port, queue, 0) & 1) != 0) {
                        found = true;
                        commands.destroy(kind, port, queue);
                    }
                }
            }
            if (found) {
                Patience patience = new Patience(LEFT_NANOS, backing::nanoTime, () -> 0);
                while (!patience.isOver()) {
                    LockSupport.parkNanos(LEFT_NANOS / LOOKS);
                }
            }
        }
    }

    @Override
    public int count() {
        return ports;
    }

    @Override
    public RingCard port(int index, NicOptions options) {
        return new CndmPort(backing, this, commands, Objects.checkIndex(index, ports), options);
    }

    /**
     * Ethernet address that the board has for a port; empty for one without a controller, or without such an address.
     */
    Optional<MacAddress> address(int port) {
        int[] words = CndmCommands.words(BOARD_IDENTITY);
        words[2] = BOARD_MAC << 16 | port;
        int[] answer = commands.ask("ask for an Ethernet address", words);
        if (CndmCommands.status(answer) != 0 || answer[2] >>> 16 != 0) {
            return Optional.empty();
        }
        long first = Integer.reverseBytes(answer[BOARD_DATA]) & 0xFFFFL;
        MacAddress address = new MacAddress(
                first << 32 | Integer.reverseBytes(answer[BOARD_DATA + 1]) & 0xFFFF_FFFFL);
        return address.isStation() ? Optional.of(address) : Optional.empty();
    }

    @Override
    public void check() {
        if (bar.read32(MAILBOX_CONTROL) == -1) {
            throw new DeviceRemovedException("look at the card", commands.name());
        }
    }

    @Override
    public OptionalLong clockNanos() {
        return OptionalLong.of(nanos());
    }

    @Override
    public synchronized void setClockNanos(long nanos) {
        long begun = backing.nanoTime();
        int[] words = CndmCommands.words(CLOCK_ACCESS);
        words[1] = SET_TIME;
        words[3] = (int) (nanos % NANOS_PER_SECOND);
        words[4] = (int) (nanos / NANOS_PER_SECOND);
        words[5] = (int) (nanos / NANOS_PER_SECOND >>> 32);
        commands.run("set the clock", words);
        sets++;
        Patience patience = new Patience(SET_NANOS, backing::nanoTime, () -> 0);
        while (!isWithin(nanos() - nanos, backing.nanoTime() - begun)) {
            if (patience.isOver()) {
                throw new DeviceException("set the clock", commands.name(), "it does not show what it was set to",
                        "reset the card and open it again");
            }
        }
    }

    /** Whether the clock is so far ahead as it can be after that time, since a command may take long. */
    private static boolean isWithin(long ahead, long elapsed) {
        return ahead >= -READING_NANOS && ahead <= elapsed + READING_NANOS;
    }

    @Override
    public int sets() {
        return sets;
    }

    /** The card's time of day. Any thread: the snapshot is one. */
    @Override
    public synchronized long nanos() {
        bar.read32(SNAPSHOT); // takes it
        int nanos = bar.read32(SNAPSHOT + 0x04);
        int low = bar.read32(SNAPSHOT + 0x08);
        int high = bar.read32(SNAPSHOT + 0x0C);
        if (nanos == -1) {
            throw new DeviceRemovedException("read the clock", commands.name());
        }
        return ((high & 0xFFFFL) << 32 | low & 0xFFFFFFFFL) * NANOS_PER_SECOND + nanos;
    }
}
