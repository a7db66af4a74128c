package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.SendRequests;
import dev.bascule.ffi.Steps;
import dev.bascule.ffi.Verbs;
import dev.bascule.ffi.VerbsCodes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A connection from one copy of a mirrored region to another: a queue pair of its own, whose requests are carried out in
 * order. Whoever stores never waits for the peer: what the send queue has no room for is copied and follows later. A peer
 * that takes nothing for longer than the limit, or more slowly than fits the backlog, has lost the connection.
 * <p>
 * Thread rule: any thread; what is posted takes turns under a lock. Allocation-free once it is up.
 */
final class MirrorLink implements AutoCloseable {
    /** Some lines side by side: what a request carries itself, so that the memory may change as soon as it is posted. */
    private static final int INLINE_BYTES = 256;
    private static final int LEAST_INLINE_BYTES = 64;
    private static final int SENDS = 1024;
    /** Bells that may ring before the host has heard the first. */
    static final int BELLS = 128;
    private static final int READS = 16;
    /** Of the whole copy at a time, between which stores get their turn. */
    private static final int BULK_BYTES = 1 << 16;
    /** The region's copy is as large as memory, and a network may be slow. */
    private static final long BULK_NANOS = 30_000_000_000L;
    /** Before a close: a peer that answers does so much earlier. */
    private static final long SETTLE_NANOS = 200_000_000;

    private static final long PACE_NANOS = 20_000;

    private enum State {
        NEW, UP, BROKEN, CLOSED
    }

    private final Steps steps;
    private final Verbs verbs;
    private final RdmaDevice device;
    private final RdmaOptions options;
    private final Mirror mirror;
    private final int agent;
    private final boolean isHost;
    private final Verbs.Region region;
    private final long channel;
    private final long sendCompletions;
    private final long receiveCompletions;
    private final Verbs.QueuePair pair;
    private final int inlineBytes;
    private final SendQueue queue;
    private final int firstPacket = new SecureRandom().nextInt(1 << 24);
    private final SendRequests own = new SendRequests(MirrorWriter.CHAIN);
    private final Backlog backlog = new Backlog(INLINE_BYTES);
    private final MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private long remote;
    private int remoteKey;
    /** Number of the request that carries a part of the whole copy; 0 while it waits. */
    private volatile long bulk;
    private volatile boolean hasCopy;
    private volatile String reason = "";
    private volatile Runnable onBreak = () -> {};

    /**
     * A connection that is not up yet; what was acquired is given back if it cannot be made.
     *
     * @param agent number of the agent at the other end, or of this one
     */
    static MirrorLink open(RdmaDevice device, Mirror mirror, RdmaOptions options, int agent, boolean isHost) {
        Steps steps = new Steps();
        try {
            return new MirrorLink(steps, device, mirror, options, agent, isHost);
        } catch (RuntimeException | Error e) {
            steps.close();
            throw e;
        }
    }

    private MirrorLink(Steps steps, RdmaDevice device, Mirror mirror, RdmaOptions options, int agent, boolean isHost) {
        this.steps = steps;
        this.device = device;
        this.options = options;
        this.mirror = mirror;
        this.agent = agent;
        this.isHost = isHost;
        verbs = device.verbs();
        int sends = Math.min(SENDS, device.info().mostRequests());
        // an agent answers looks; the host answers none
        int access = VerbsCodes.IBV_ACCESS_LOCAL_WRITE | VerbsCodes.IBV_ACCESS_REMOTE_WRITE
                | (isHost ? 0 : VerbsCodes.IBV_ACCESS_REMOTE_READ);
        region = steps.add(mirror.register(device, access), verbs::deregister);
        channel = isHost ? steps.add(verbs.createChannel(device.context()), verbs::destroyChannel) : 0;
        sendCompletions = steps.add(verbs.createCompletionQueue(device.context(),
                Math.min(SendQueue.completions(sends), device.info().mostCompletions()), 0),
                verbs::destroyCompletionQueue);
        receiveCompletions = steps.add(verbs.createCompletionQueue(device.context(), 2 * BELLS, channel),
                verbs::destroyCompletionQueue);
        pair = steps.add(verbs.createQueuePair(device.domain(), sendCompletions, receiveCompletions, sends, BELLS,
                INLINE_BYTES), verbs::destroyQueuePair);
        inlineBytes = Math.min(INLINE_BYTES, pair.inlineBytes() & -Long.BYTES);
        if (inlineBytes < LEAST_INLINE_BYTES) {
            throw new DeviceException("use RDMA device", device.address().toString(), "it carries only "
                    + pair.inlineBytes() + " bytes in a request; a line has " + LEAST_INLINE_BYTES,
                    "use another device: rdma.device");
        }
        queue = new SendQueue(verbs, sendCompletions, sends, options.stallNanos(), System::nanoTime,
                new RemoteRead[mirror.shape().threads()], this::fail);
        verbs.initialise(pair, device.address().port().port(), access);
    }

    PeerAddress address() {
        return new PeerAddress(pair.number(), firstPacket, device.address().gid().bytes(), device.port().lid(),
                device.port().mtu(), mirror.address(), region.remoteKey(), Math.min(READS, device.info().mostReads()));
    }

    /** Connects the queue pair; receives must be posted by then. */
    void connect(PeerAddress peer) {
        remote = peer.base();
        remoteKey = peer.key();
        int reads = Math.min(peer.reads(), Math.min(READS, device.info().mostReads()));
        verbs.connect(pair, new Verbs.Route(peer.number(), peer.firstPacket(), firstPacket, peer.gid(), peer.lid(),
                Math.min(device.port().mtu(), peer.mtu()), device.address().port().port(),
                device.address().gid().index(), options.trafficClass(), Math.max(1, reads)));
        state.compareAndSet(State.NEW, State.UP);
    }

    /** Sets what happens when the connection breaks; it runs in the thread that notices, which may hold a lock. */
    void onBreak(Runnable action) {
        onBreak = action;
    }

    int agent() {
        return agent;
    }

    boolean isUp() {
        return state.get() == State.UP;
    }

    /**
     * Whether a look over it finds what was stored here: false until the last part of the copy is about to leave. Who has
     * seen that it is false has posted before that part, and the peer, which begins when it has the last part, finds it.
     */
    boolean hasCopy() {
        return hasCopy;
    }

    /** Why it is broken; empty if it is not. */
    String reason() {
        return reason;
    }

    RdmaDevice device() {
        return device;
    }

    Verbs.QueuePair pair() {
        return pair;
    }

    long channel() {
        return channel;
    }

    long receiveCompletions() {
        return receiveCompletions;
    }

    // ---- stores, looks and bells

    /** Posts what a thread has stored, in one chain as far as that goes, or copies it. */
    void post(MirrorWriter writer) {
        queue.lock();
        try {
            if (isUp()) {
                catchUp();
                chain(writer, writer.requests());
            }
        } finally {
            queue.unlock();
        }
    }

    private void chain(MirrorWriter writer, SendRequests requests) {
        int chained = 0;
        for (int i = 0; i < writer.ranges(); i++) {
            long end = writer.to(i);
            for (long at = writer.from(i); at < end; at += inlineBytes) {
                int bytes = (int) Math.min(inlineBytes, end - at);
                if (chained == requests.capacity()) {
                    queue.send(pair, requests, chained, options.isSettled());
                    chained = 0;
                }
                if (hasRoom(chained + 1)) {
                    store(requests, chained++, mirror.address() + at, at, bytes);
                } else {
                    postLater(at, mirror.address() + at, bytes);
                }
            }
        }
        queue.send(pair, requests, chained, options.isSettled());
        if (options.isSettled()) {
            queue.drain();
        }
    }

    /** Fills a request behind those of a chain. */
    private void store(SendRequests requests, int index, long local, long at, int bytes) {
        if (index > 0) {
            requests.chain(index - 1);
        }
        requests.write(index, local, bytes, region.localKey(), remote + at, remoteKey, true);
    }

    /** Nothing may overtake what waits. */
    private boolean hasRoom(int count) {
        return backlog.size() == 0 && queue.hasRoom(count);
    }

    private void postLater(long place, long from, int bytes) {
        if (!backlog.add(place, from, bytes)) {
            fail("it takes stores too slowly: " + Backlog.SLOTS + " wait for it");
        }
    }

    /** Posts what waits, as far as there is room. */
    private void catchUp() {
        while (backlog.size() > 0 && isUp() && queue.hasRoom(1)) {
            int bytes = backlog.bytes();
            if (bytes > INLINE_BYTES) {
                writeBulk(backlog.place(), bytes);
                backlog.remove();
                bulk = queue.send(pair, own, 1, true);
            } else if (bytes == 0) {
                own.ring(0, (int) backlog.place(), remote, remoteKey);
                backlog.remove();
                queue.send(pair, own, 1, false);
            } else {
                queue.send(pair, own, chainWaiting(), false);
            }
        }
    }

    /** Stores that wait, as one chain. */
    private int chainWaiting() {
        int chained = 0;
        do {
            store(own, chained++, backlog.address(), backlog.place(), backlog.bytes());
            backlog.remove();
        } while (chained < own.capacity() && backlog.size() > 0 && isStore(backlog.bytes())
                && queue.hasRoom(chained + 1));
        return chained;
    }

    private static boolean isStore(int bytes) {
        return bytes > 0 && bytes <= INLINE_BYTES;
    }

    /**
     * Posts what waits, and lets a peer that is slow catch up before whoever stored stores more; one that takes nothing is
     * not waited for. No lock is held meanwhile.
     */
    void pace() {
        if (backlog.size() > 0) {
            poll();
        }
        while (backlog.size() > Backlog.SLOTS / 2 && isUp() && queue.isMoving()) {
            poll();
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    /** Starts a look at a line of the peer's copy; false if it cannot be now, or the connection is broken. */
    boolean look(RemoteRead look, long at, SendRequests requests) {
        queue.lock();
        try {
            if (!isUp()) {
                return false;
            }
            catchUp();
            requests.read(0, mirror.address() + look.at(), MirrorShape.LINE, region.localKey(), remote + at, remoteKey);
            return hasRoom(1) && queue.send(pair, requests, look);
        } finally {
            queue.unlock();
        }
    }

    /** Takes completions, so that looks hear of their answers, and posts what waited for room; nothing if another does. */
    void poll() {
        if (queue.tryLock()) {
            try {
                queue.poll();
                catchUp();
            } finally {
                queue.unlock();
            }
        }
    }

    /** Rings for a CPU of the host; comes behind what was posted before. */
    void ring(int cpu) {
        queue.lock();
        try {
            own.ring(0, cpu, remote, remoteKey);
            if (isUp() && sendOwn(false) == 0) {
                postLater(cpu, word.address(), 0);
            }
        } finally {
            queue.unlock();
        }
    }

    /** Stores a word at the peer alone. */
    void storeAtPeer(long at, long value) {
        queue.lock();
        try {
            word.set(ValueLayout.JAVA_LONG, 0, value);
            own.write(0, word.address(), Long.BYTES, 0, remote + at, remoteKey, true);
            if (isUp() && sendOwn(false) == 0) {
                postLater(at, word.address(), Long.BYTES);
            }
        } finally {
            queue.unlock();
        }
    }

    /** Posts the own request; 0 if there is no room for it now. */
    private long sendOwn(boolean signal) {
        return isUp() && hasRoom(1) ? queue.send(pair, own, 1, signal) : 0;
    }

    /** Waits until the peer has all that was stored, unless that takes too long. */
    void settle() {
        Patience patience = new Patience(SETTLE_NANOS);
        long number = 0;
        while (isUp() && (number == 0 || !queue.isCarriedOut(number))
                && !patience.isOver()) {
            poll();
            number = number == 0 ? postNothing() : number;
            Thread.yield();
        }
    }

    private long postNothing() {
        queue.lock();
        try {
            own.nothing(0, remote, remoteKey);
            return sendOwn(true);
        } finally {
            queue.unlock();
        }
    }

    // ---- the whole copy

    /** Writes the whole of the own copy to the peer's, and waits until it is there; false if the connection is broken. */
    boolean push() {
        return bulk(true);
    }

    /** Reads the peer's copy into the own; false if the connection is broken. */
    boolean fetch() {
        return bulk(false);
    }

    private boolean bulk(boolean write) {
        long end = mirror.shape().mirroredBytes();
        for (long at = mirror.shape().nicAt(); at < end; at += BULK_BYTES) {
            hasCopy |= write && end - at <= BULK_BYTES;
            bulk = 0;
            postBulk(at, (int) Math.min(BULK_BYTES, end - at), write);
            Patience patience = new Patience(BULK_NANOS);
            while (isUp() && (bulk == 0 || !queue.isCarriedOut(bulk))) {
                poll();
                if (patience.isOver()) {
                    fail("it has not taken the region's copy within " + BULK_NANOS / 1_000_000_000 + " s");
                }
                Thread.yield();
            }
        }
        return isUp();
    }

    /** A part of the whole copy takes its turn behind the stores that wait; nobody stores yet when the peer's is read. */
    private void postBulk(long at, int bytes, boolean write) {
        queue.lock();
        try {
            if (write) {
                writeBulk(at, bytes);
            } else {
                own.read(0, mirror.address() + at, bytes, region.localKey(), remote + at, remoteKey);
            }
            bulk = sendOwn(true);
            if (isUp() && bulk == 0) {
                postLater(at, mirror.address() + at, bytes);
            }
        } finally {
            queue.unlock();
        }
    }

    private void writeBulk(long at, int bytes) {
        own.write(0, mirror.address() + at, bytes, region.localKey(), remote + at, remoteKey, false);
    }

    // ---- end

    /** The connection is of no use any more. */
    void fail(String why) {
        if (state.compareAndSet(State.UP, State.BROKEN) || state.compareAndSet(State.NEW, State.BROKEN)) {
            reason = why;
            queue.stop();
            onBreak.run();
        }
    }

    /** Nothing of the peer's changes the own copy any more when this returns. Whoever waits for bells must have ended. */
    @Override
    public void close() {
        mirror.leave(this);
        queue.lock(); // who posts now has seen that it is closed, or has posted
        try {
            if (state.getAndSet(State.CLOSED) == State.CLOSED) {
                return;
            }
            queue.stop();
        } finally {
            queue.unlock();
        }
        steps.close();
    }

    @Override
    public String toString() {
        return (isHost ? "agent " : "host of agent ") + agent + " over " + device.address();
    }
}
