package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.model.parts.PhcClock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Mailbox: memory of 32 words that the host writes commands to and reads answers from, and what carries commands out.
 */
final class CndmMailbox {
    private static final int LAST_PAGE = 2;
    private static final int PAGE_MASK = 3;
    private static final int CLOCK_RATIO = 4 << 16 | 1;
    private static final int RING_LIMITS = 1 << 24 | MAX_LOG_ENTRIES << 8 | 5;
    private static final int EVENT_POOL = 1 << 16;
    private static final int WORK_POOL = 2 << 16;
    private static final int FIRST_QUEUE_PAIR = 0x0240;
    private static final int LAST_QUEUE_PAIR = 0x0243;
    private static final int CLOCK_READ = 0x30;
    private static final int CLOCK_PERIODS = 0x70;

    private final CndmConfig config;
    private final CndmDevice device;
    private final @Nullable CndmBoard board;
    private final int[] memory = new int[2 * MAILBOX_WORDS];
    private final int[] answer = new int[MAILBOX_WORDS];
    private final int innerMask;
    /** Value that the inner bus returned last, which is read again where nothing answers [RTL]. */
    private int stale;

    CndmMailbox(CndmConfig config, CndmDevice device, @Nullable CndmBoard board) {
        this.config = config;
        this.device = device;
        this.board = board;
        innerMask = Math.max(1, Integer.highestOneBit(config.ports())) * 2 * PORT_STRIDE - 1;
    }

    int read(int offset) {
        return memory[offset >> 2 & memory.length - 1];
    }

    void write(int offset, int value, int mask) {
        int word = offset >> 2 & memory.length - 1;
        memory[word] = memory[word] & ~mask | value & mask;
    }

    void reset() {
        Arrays.fill(memory, 0);
        stale = 0;
    }

    /** Carries out the command that is in the memory, which stays there. */
    void start() {
        System.arraycopy(memory, 0, answer, 0, MAILBOX_WORDS);
        int status = run(memory[0] >>> 16);
        answer[0] = status << 16;
        System.arraycopy(answer, 0, memory, MAILBOX_WORDS, MAILBOX_WORDS);
    }

    private int run(int operation) {
        return switch (operation) {
            case NO_OPERATION -> 0;
            case READ_CONFIG -> readConfig();
            case INNER_REGISTER -> innerRegister();
            case CLOCK_ACCESS -> clock();
            case BOARD_IDENTITY, BOARD_MONITOR, BOARD_PLL -> board();
            default -> queue(operation);
        };
    }

    private int refuse(int status) {
        Arrays.fill(answer, 0);
        return status;
    }

    private int queue(int operation) {
        if (operation < CREATE || operation > LAST_QUEUE_PAIR || (operation & KIND_STEP - 1) > DESTROY - CREATE
                || operation >= FIRST_QUEUE_PAIR) {
            return refuse(STATUS_INVALID);
        }
        int kind = operation - CREATE >> 4;
        return switch (operation & KIND_STEP - 1) {
            case 0 -> create(kind);
            case DESTROY - CREATE -> destroy(kind);
            default -> refuse(STATUS_UNSUPPORTED);
        };
    }

    private int create(int kind) {
        int number = memory[2] & 0xFFFF;
        CndmPort port = device.port(number);
        // the hardware takes any port for one that exists; nothing is created there
        int queue = port == null ? 0 : port.create(kind, memory[4], memory[6], memory[8], memory[9]);
        if (queue < 0) {
            return refuse(STATUS_NO_MEMORY);
        }
        boolean notifies = kind == EVENT_QUEUE || kind == COMPLETION_QUEUE;
        answer[3] = queue;
        answer[7] = PORTS + PORT_STRIDE * number + QUEUE_STRIDE * queue
                + (notifies ? NOTIFY_WINDOW + CONSUMER : PRODUCER);
        return 0;
    }

    private int destroy(int kind) {
        CndmPort port = device.port(memory[2] & 0xFFFF);
        if (port != null) {
            port.destroy(kind, memory[3]);
        }
        return 0;
    }

    private int readConfig() {
        int page = memory[2] & 0xFFFF;
        Arrays.fill(answer, 2, MAILBOX_WORDS, 0);
        answer[2] = LAST_PAGE << 16 | page;
        answer[3] = COMMAND_VERSION;
        answer[4] = config.firmwareVersion();
        answer[5] = config.ports();
        int[] words = switch (page & PAGE_MASK) {
            case 0 -> new int[] { config.fpgaId(), config.firmwareId(), config.firmwareVersion(), config.boardId(),
                    config.boardVersion(), config.buildDate(), config.gitHash(), config.releaseInfo() };
            case 1 -> new int[] { config.ports(), 0, 0, 0, CLOCK_RATIO, CLOCK_RATIO };
            case 2 -> new int[] { RING_LIMITS | EVENT_POOL, RING_LIMITS | EVENT_POOL, RING_LIMITS | WORK_POOL,
                    RING_LIMITS | WORK_POOL };
            // behind the last page lies the common part of an answer [RTL]
            default -> new int[] { 0, 0, LAST_PAGE << 16, COMMAND_VERSION, config.firmwareVersion(), config.ports() };
        };
        System.arraycopy(words, 0, answer, 8, words.length);
        return 0;
    }

    private int innerRegister() {
        int address = memory[7] & innerMask & ~3;
        CndmPort port = address < PORT_STRIDE ? null : device.port(address / PORT_STRIDE - 1);
        int within = address & PORT_STRIDE - 1;
        if (address < PORT_STRIDE) {
            stale = device.clock.read(address & PhcClock.LENGTH - 1);
        } else if (port != null && CndmPort.decodes(within)) {
            stale = port.readInner(within);
        }
        answer[10] = stale;
        if ((memory[1] & 1) != 0) {
            if (address < PORT_STRIDE) {
                writeClock(address & PhcClock.LENGTH - 1, memory[8]);
            } else if (port != null && CndmPort.decodes(within)) {
                port.writeInner(within, memory[8]);
            }
        }
        return 0;
    }

    private int clock() {
        int which = memory[1] & 0xFFFF;
        if (which == 0) {
            for (int word = 0; word < 8; word++) {
                answer[2 + word] = device.clock.read(CLOCK_READ + 4 * word);
            }
            for (int word = 0; word < 4; word++) {
                answer[10 + word] = device.clock.read(CLOCK_PERIODS + 4 * word);
            }
            return 0;
        }
        setClock(which, 2, 0x50, 3);
        setClock(which, 1, 0x54, 3, 4, 5);
        setClock(which, 4, 0x60, 6, 7);
        setClock(which, 8, 0x68, 6);
        setClock(which, 16, 0x6C, 2);
        setClock(which, 128, 0x78, 12, 13);
        return 0;
    }

    private void setClock(int which, int bit, int register, int... words) {
        for (int i = 0; i < words.length && (which & bit) != 0; i++) {
            writeClock(register + 4 * i, memory[words[i]]);
        }
    }

    /** An offset of zero does nothing. */
    private void writeClock(int register, int value) {
        if (register != 0x50 && register != 0x68 && register != 0x6C || value != 0) {
            device.clock.write(register, value);
        }
    }

    private int board() {
        if (board == null) {
            return STATUS_UNSUPPORTED;
        }
        System.arraycopy(board.answer(Arrays.copyOfRange(memory, 2, MAILBOX_WORDS)), 0, answer, 2, CndmBoard.WORDS);
        return 0;
    }
}
