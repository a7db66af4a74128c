package dev.bascule.nic.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Patience;
import java.util.concurrent.locks.LockSupport;

/**
 * Commands to the card through its mailbox, one at a time. All registers are accessed as words: more at once is
 * refused.
 * <p>
 * Thread rule: thread-safe; the ports of a card share the mailbox.
 */
final class CndmCommands {
    /** A command takes a microsecond or two; a simulated card may be slow. */
    private static final long LONGEST_NANOS = 2_000_000_000L;
    private static final long NAP_NANOS = 20_000;
    private static final int LOOKS_BEFORE_NAP = 100;
    private static final int GONE = -1;

    private final DeviceBacking backing;
    private final Registers bar;

    CndmCommands(DeviceBacking backing) {
        this.backing = backing;
        bar = backing.registers(0);
    }

    /** Words of a command that is none yet. */
    static int[] words(int operation) {
        int[] words = new int[MAILBOX_WORDS];
        words[0] = operation << 16;
        return words;
    }

    /** Lets the card carry a command out; returns its answer, whatever the status. */
    synchronized int[] ask(String step, int[] words) {
        await(step); // a program that was killed may have left one
        for (int i = 0; i < MAILBOX_WORDS; i++) {
            bar.write32(MAILBOX + 4L * i, words[i]);
        }
        bar.write32(MAILBOX_CONTROL, 1);
        await(step);
        int[] answer = new int[MAILBOX_WORDS];
        for (int i = 0; i < MAILBOX_WORDS; i++) {
            answer[i] = bar.read32(MAILBOX + 4L * (MAILBOX_WORDS + i));
        }
        if (answer[0] == GONE) {
            throw new DeviceRemovedException(step, name());
        }
        return answer;
    }

    /** As {@link #ask}, but a status other than 0 is a {@link DeviceException}. */
    int[] run(String step, int[] words) {
        int[] answer = ask(step, words);
        if (status(answer) != 0) {
            throw new DeviceException(step, name(), "the card answers with status 0x"
                    + Integer.toHexString(status(answer)),
                    "close the card and open it again, which frees its queues; if it happens again reset it");
        }
        return answer;
    }

    static int status(int[] answer) {
        return answer[0] >>> 16;
    }

    private void await(String step) {
        Patience patience = new Patience(LONGEST_NANOS, backing::nanoTime, () -> 0);
        for (int look = 0;; look++) {
            int control = bar.read32(MAILBOX_CONTROL);
            if (control == GONE) {
                throw new DeviceRemovedException(step, name());
            }
            if ((control & 1) == 0) {
                return;
            }
            if (patience.isOver()) {
                throw new DeviceException(step, name(), "its mailbox stays busy", "reset the card and open it again");
            }
            if (look < LOOKS_BEFORE_NAP) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    /**
     * Creates a queue on a port that exists: the card does not check that.
     *
     * @return its number
     */
    int create(int kind, int port, int boundTo, int logEntries, long iova) {
        int[] words = words(CREATE + KIND_STEP * kind);
        words[2] = port;
        words[4] = boundTo;
        words[6] = logEntries;
        words[8] = (int) iova;
        words[9] = (int) (iova >>> 32);
        int[] answer = run("create a queue of port " + port, words);
        int expected = doorbell(kind, port, answer[3]);
        if (answer[3] < 0 || answer[3] >= QUEUES || answer[7] != expected) {
            throw new DeviceException("create a queue of port " + port, name(), "it is number " + answer[3]
                    + " with its doorbell at 0x" + Integer.toHexString(answer[7]),
                    "use a design whose commands have version 0.1.x, or reset the card and open it again");
        }
        return answer[3];
    }

    /** Destroys a queue; one that does not exist is not minded. */
    void destroy(int kind, int port, int queue) {
        int[] words = words(DESTROY + KIND_STEP * kind);
        words[2] = port;
        words[3] = queue;
        run("destroy a queue of port " + port, words);
    }

    /** Reads a word of a queue's state, which is plain memory inside the card. */
    int state(int kind, int port, int queue, int word) {
        int within = doorbell(kind, port, queue) & PORT_STRIDE - 1 & -QUEUE_STRIDE;
        return inner(PORT_STRIDE * (1 + port) + within + 4 * word);
    }

    /** Reads an inner register. */
    int inner(int address) {
        int[] words = words(INNER_REGISTER);
        words[7] = address;
        return run("read an inner register", words)[10];
    }

    /** Offset of a queue's doorbell. */
    static int doorbell(int kind, int port, int queue) {
        boolean notifies = kind == EVENT_QUEUE || kind == COMPLETION_QUEUE;
        return PORTS + PORT_STRIDE * port + QUEUE_STRIDE * queue + (notifies ? NOTIFY_WINDOW + CONSUMER : PRODUCER);
    }

    Registers bar() {
        return bar;
    }

    String name() {
        return backing.info().toString();
    }
}
