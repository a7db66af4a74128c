package dev.bascule.study.fabric;

import dev.bascule.study.fabric.Audit.Reason;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The streams of a switch. Each has a window of addresses for each of its nodes: a plain write there pushes bytes, one to
 * the upper half ends the item. An item holds one buffer of the switch from its admission to its end, and a stream at most
 * its window of them; so an admitted item never waits for a buffer, and no stream can hold up another one's.
 */
public final class Streams {
    private static final long WINDOWS = 1L << 60;
    private static final int LIFE_SHIFT = 44;
    private static final int LIFES = 1 << 16;
    private static final int STREAM_SHIFT = 20;
    private static final int NODE_SHIFT = 16;
    /** The write ends the item. */
    static final long END = 1 << 15;
    /** The write ends the item, which the device rejects. */
    static final long REJECT = 1 << 14;

    private static final short UNUSED = -1;

    private final Fabric fabric;
    private final StreamLimits limits;
    private final Vector vector = new Vector();
    private final Map<Long, Deque<Item>> given = new HashMap<>();
    private final Assembler assembler;
    private final Map<Port, IntConsumer> sources = new HashMap<>();
    private final long[] sums = new long[2];
    private BiConsumer<Integer, Long> left = (stream, ps) -> {};
    private @Nullable Program[] programs = new Program[64];
    private long[] state = new long[64 * StreamLimits.STATE_WORDS];
    private int[] sequence = new int[64];
    private int[] lives = new int[64];
    private short[] credit = new short[64];
    private short[] inside = new short[64];
    private int opened;
    private int[] free = new int[16];
    private int freeCount;
    private long buffered;
    private long mostBuffered;

    Streams(Fabric fabric, StreamLimits limits) {
        this.fabric = fabric;
        this.limits = limits;
        assembler = new Assembler(limits.itemBytes());
    }

    StreamLimits limits() {
        return limits;
    }

    /** Whether the address lies in a stream's window. */
    static boolean isWindow(long address) {
        return address >>> 60 == 1;
    }

    /**
     * Opens a stream; the one moment at which the CPU acts for it.
     *
     * @return its number
     */
    public int open(Program program) {
        int stream = freeCount > 0 ? free[--freeCount] : opened;
        if (stream == limits.streams()) {
            throw new IllegalStateException("all " + limits.streams()
                    + " streams are open; close one or give the fabric a larger table");
        }
        if (stream == opened) {
            opened++;
            grow();
        }
        programs[stream] = program;
        credit[stream] = (short) limits.window();
        lives[stream]++;
        sequence[stream] = 0;
        Arrays.fill(state, stream * StreamLimits.STATE_WORDS, (stream + 1) * StreamLimits.STATE_WORDS, 0);
        return stream;
    }

    private void grow() {
        if (opened > programs.length) {
            int size = (int) Math.min(limits.streams(), 2L * programs.length);
            programs = Arrays.copyOf(programs, size);
            state = Arrays.copyOf(state, size * StreamLimits.STATE_WORDS);
            sequence = Arrays.copyOf(sequence, size);
            lives = Arrays.copyOf(lives, size);
            credit = Arrays.copyOf(credit, size);
            inside = Arrays.copyOf(inside, size);
        }
    }

    /** Closes a stream: its items end, and what devices still give back for it is swallowed. Its number is free then. */
    public void close(int stream) {
        Program program = programs[stream];
        if (program == null) {
            return;
        }
        programs[stream] = null;
        for (int node = 0; node < program.nodes().size(); node++) {
            assembler.forget(key(stream, node));
            Deque<Item> items = given.get(key(stream, node));
            if (items != null) {
                items.forEach(item -> dropped(item, Reason.CLOSED));
            }
        }
        reuse(stream);
    }

    /** A number is free when no device owes anything under it and none of its items is on its way. */
    private void reuse(int stream) {
        if (programs[stream] != null || inside[stream] != 0 || credit[stream] == UNUSED) {
            return;
        }
        for (int node = 0; node < Program.MOST_NODES; node++) {
            if (given.containsKey(key(stream, node))) {
                return;
            }
        }
        credit[stream] = UNUSED;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * freeCount);
        }
        free[freeCount++] = stream;
    }

    /** Where the stream's source writes; its last write of an item goes {@code END} further up. */
    public long sourceWindow(int stream) {
        Program program = programs[stream];
        return window(stream, program == null ? 0 : program.source());
    }

    /** A node's window in the life that the number is in. */
    long window(int stream, int node) {
        return window(stream, lives[stream], node);
    }

    /** Of a life: what is still on a link when the number has gone to another stream is not that one's. */
    private static long window(int stream, int life, int node) {
        return WINDOWS | (long) (life & LIFES - 1) << LIFE_SHIFT | (long) stream << STREAM_SHIFT
                | (long) node << NODE_SHIFT;
    }

    /** Where a device gives back what it made of the item. */
    static long window(Item item) {
        return window(item.stream(), item.life(), item.node());
    }

    private static long key(int stream, int node) {
        return (long) stream << 4 | node;
    }

    /** Sets the listener at the source who hears that a stream has credit again. */
    public void onCredit(Port source, IntConsumer told) {
        sources.put(source, told);
    }

    /** The source takes a credit before it pushes an item; false if there is none. */
    public boolean take(int stream, Port source) {
        Program program = programs[stream];
        if (program == null || program.node(program.source()).port() != source || credit[stream] == 0) {
            return false;
        }
        credit[stream]--;
        return true;
    }

    /** Items admitted so far. */
    public long admitted() {
        return sums[0];
    }

    /** Items that ended where their graph has them end. */
    public long completed() {
        return sums[1];
    }

    /** Bytes of items in the switch's buffers at their most. */
    public long mostBuffered() {
        return mostBuffered;
    }

    /** A word of the stream's state. */
    public long state(int stream, int word) {
        return state[stream * StreamLimits.STATE_WORDS + word];
    }

    /** Whether the source has all of the stream's credit: nothing of it is on its way. */
    public boolean isQuiet(int stream) {
        return credit[stream] == limits.window();
    }

    /** Items of the stream that are in the fabric. */
    public int inside(int stream) {
        return inside[stream];
    }

    /** A write into a window has passed the stages' time. */
    void pushed(Port from, long ready, long address, byte[] data) {
        int stream = (int) (address >>> STREAM_SHIFT) & StreamLimits.MOST_STREAMS - 1;
        int life = (int) (address >>> LIFE_SHIFT) & LIFES - 1;
        int node = (int) (address >>> NODE_SHIFT) & Program.MOST_NODES - 1;
        Program program = stream < opened ? programs[stream] : null;
        boolean isLast = (address & (END | REJECT)) != 0;
        if (stream < opened && life != (lives[stream] & LIFES - 1)) {
            refuse(from, stream, Reason.CLOSED);
        } else if (program == null) {
            closedPush(from, stream, node, isLast);
        } else if (node >= program.nodes().size() || program.node(node).port() != from) {
            refuse(from, stream, Reason.NOT_OWNER);
        } else {
            byte[] whole = assembled(from, stream, node, program.source() == node, data, isLast);
            if (whole != null && program.source() == node) {
                admit(stream, program, ready, whole);
            } else if (whole != null) {
                given(stream, node, whole, (address & REJECT) != 0);
            }
        }
    }

    /** Swallows what a device still owed for a stream that was closed. */
    private void closedPush(Port from, int stream, int node, boolean isLast) {
        Deque<Item> items = given.get(key(stream, node));
        Item owed = items == null ? null : items.peek();
        if (items == null || owed == null || owed.program().node(node).port() != from) {
            refuse(from, stream, Reason.CLOSED);
        } else if (isLast) {
            taken(stream, node, items);
        }
    }

    /** The whole item once its last bytes are here; null before, and if it is refused. */
    private byte @Nullable [] assembled(Port from, int stream, int node, boolean isSource, byte[] data,
            boolean isLast) {
        long key = key(stream, node);
        Reason reason = assembler.isBegun(key) ? null : refusal(stream, node, isSource);
        byte[] whole = assembler.add(key, data, isLast, reason);
        Reason refused = assembler.refused();
        if (refused != null) {
            refuse(from, stream, refused);
            endOwed(stream, node, isSource, refused);
        }
        return whole;
    }

    /** A device's result that is too long ends the item it was for. */
    private void endOwed(int stream, int node, boolean isSource, Reason reason) {
        Deque<Item> items = given.get(key(stream, node));
        if (!isSource && reason == Reason.TOO_LONG && items != null) {
            dropped(taken(stream, node, items), reason);
        }
    }

    private @Nullable Reason refusal(int stream, int node, boolean isSource) {
        if (isSource) {
            return inside[stream] >= limits.window() ? Reason.NO_CREDIT : null;
        }
        return given.containsKey(key(stream, node)) ? null : Reason.NOTHING_OWED;
    }

    private void admit(int stream, Program program, long ready, byte[] data) {
        if (inside[stream] >= limits.window()) {
            refuse(program.node(program.source()).port(), stream, Reason.NO_CREDIT);
            return;
        }
        inside[stream]++;
        sums[0]++;
        Item item = new Item(stream, lives[stream], program, new Item.Family(ready), sequence[stream]++ & 0xffff_ffffL,
                program.source(), data);
        hold(item.length());
        route(item);
    }

    /** A device has given back what it made of the item that it got first. */
    private void given(int stream, int node, byte[] result, boolean isRejected) {
        Deque<Item> items = given.get(key(stream, node));
        if (items == null) {
            return;
        }
        Item item = taken(stream, node, items);
        if (item.isEnded()) {
            return;
        }
        if (isRejected) {
            dropped(item, Reason.REJECTED);
        } else if (item.program().node(node).ends()) {
            ended(item);
        } else {
            int before = item.length();
            item.replace(item.program().node(node).offset(), result);
            hold(item.length() - before);
            route(item);
        }
    }

    private Item taken(int stream, int node, Deque<Item> items) {
        Item item = items.remove();
        if (items.isEmpty()) {
            given.remove(key(stream, node));
            reuse(stream);
        }
        return item;
    }

    private void route(Item item) {
        Program program = item.program();
        vector.load(item, state, item.stream() * StreamLimits.STATE_WORDS);
        boolean goesOn = program.pass(vector);
        vector.keepState(state, item.stream() * StreamLimits.STATE_WORDS);
        Port from = program.node(item.node()).port();
        Item[] copies = new Item[vector.copies()];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = item.copy(vector.copy(i));
            hold(item.length());
        }
        if (goesOn) {
            item.goTo(vector.next());
            deliver(from, item);
        } else {
            dropped(item, Reason.DROPPED);
        }
        for (Item copy : copies) {
            deliver(from, copy);
        }
    }

    private void deliver(Port from, Item item) {
        Port to = item.program().node(item.node()).port();
        if (to.isRemoved()) {
            dropped(item, Reason.REMOVED);
        } else if (!fabric.access().permitsStream(from.number(), to.number())) {
            dropped(item, Reason.FORBIDDEN);
        } else {
            fabric.traffic().count(from.name(), to.name(), Traffic.Kind.DMA_WRITE, item.length());
            if (to instanceof HostPort host) {
                host.deliver(item);
                return;
            }
            given.computeIfAbsent(key(item.stream(), item.node()), key -> new ArrayDeque<>()).add(item);
            switch (to) {
                case StreamPort device -> device.offer(item);
                case RingPort device -> device.adapter().offer(item);
                default -> throw new IllegalStateException(to + " takes no streams");
            }
        }
    }

    /**
     * Sets the listener who hears of each item that leaves the fabric: its stream, and ps since its source had its last
     * byte ready.
     */
    public void onLeft(BiConsumer<Integer, Long> taker) {
        left = taker;
    }

    /** A device that ends items is done with one. */
    void left(Item item) {
        if (!item.isEnded()) {
            left.accept(item.stream(), fabric.time().now() - item.family().bornPs());
        }
    }

    /** The item has come to its graph's end. */
    void ended(Item item) {
        if (!item.isEnded()) {
            sums[1]++;
            over(item);
        }
    }

    private void dropped(Item item, Reason reason) {
        if (!item.isEnded()) {
            refuse(item.program().node(item.node()).port(), item.stream(), reason);
            over(item);
        }
    }

    private void over(Item item) {
        item.end();
        hold(-item.length());
        if (!item.family().remove()) {
            return;
        }
        int stream = item.stream();
        inside[stream]--;
        if (programs[stream] == null) {
            reuse(stream);
            return;
        }
        int life = lives[stream];
        fabric.time().at(fabric.time().now() + fabric.costs().downPs(), _ -> creditBack(stream, life));
    }

    /** The source hears of it; not if the number stands for another stream by now. */
    private void creditBack(int stream, int life) {
        Program program = programs[stream];
        if (program != null && lives[stream] == life) {
            credit[stream]++;
            Port source = program.node(program.source()).port();
            IntConsumer told = sources.get(source);
            if (told != null && !source.isRemoved()) {
                told.accept(stream);
            }
        }
    }

    /** A device is gone, and with it what it had been given. */
    void removed(Port port) {
        for (Map.Entry<Long, Deque<Item>> entry : Map.copyOf(given).entrySet()) {
            Item first = entry.getValue().element();
            if (first.program().node(first.node()).port() == port) {
                given.remove(entry.getKey());
                entry.getValue().forEach(item -> dropped(item, Reason.REMOVED));
                reuse(first.stream());
            }
        }
    }

    private void hold(int bytes) {
        buffered += bytes;
        mostBuffered = Math.max(mostBuffered, buffered);
    }

    private void refuse(Port port, int stream, Reason reason) {
        fabric.audit().refused(fabric.time().now(), port.name(), "stream " + stream, reason);
    }
}
