package dev.bascule.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Verbs of one process for tests on machines without an RDMA device, as unfriendly as the specification allows: requests
 * of one queue pair are carried out in order and those of different ones in any; the words of a WRITE become visible one
 * by one in any order; the answer to a READ is placed at any time after it was taken, also after later WRITEs of the peer;
 * what is not inline is read as late as it is carried out. Words of eight bytes are never torn.
 * <p>
 * Requests are carried out by a thread of its own, or in {@link #poll} if there is none. Thread rule: any thread.
 */
public final class FakeVerbs implements Verbs, AutoCloseable {
    private static final int FLUSHED = 5;
    private static final int REMOTE_ACCESS = 10;
    private static final int NO_ANSWER = 12;
    private static final int NOT_READY = 13;
    private static final int RNR_TRIES = 10_000;
    private static final long ALL = Long.MAX_VALUE;
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(ALL);

    private final Random random;
    private final @Nullable Thread thread;
    private final Map<Long, Object> handles = new HashMap<>();
    private final Map<Integer, Memory> memories = new HashMap<>();
    private final Map<Integer, Pair> pairs = new HashMap<>();
    private final List<Thread> waiters = new ArrayList<>();
    private long nextHandle = 0x1000;
    private volatile boolean closed;
    private volatile boolean cut;
    private long wordsToCut = ALL;
    private int inlineBytes = 256;

    private record Memory(long address, long bytes, int access) {
        boolean holds(long at, long length, int right) {
            return at >= address && at + length <= address + bytes && (access & right) != 0;
        }
    }

    private record Request(long id, int opcode, boolean signaled, long local, int bytes, long remote, int key,
            int immediate, long @Nullable [] inline) {}

    private record Completion(long id, int status, int opcode, int immediate) {}

    private static final class Queue {
        final ArrayDeque<Completion> completions = new ArrayDeque<>();
        final long channel;
        boolean armed;

        Queue(long channel) {
            this.channel = channel;
        }
    }

    private static final class Channel {
        int events;
    }

    private static final class Pair {
        final int number;
        final Queue sends;
        final Queue receives;
        final int mostSends;
        final ArrayDeque<Request> requests = new ArrayDeque<>();
        int receivesPosted;
        int tries;
        int peer = -1;
        boolean failed;
        boolean stalled;
        /** Of the request that is being carried out: words still to come, in their order. */
        @Nullable
        List<Integer> words;
        /** An answer that was taken and not placed: words of it. */
        long @Nullable [] answer;

        Pair(int number, Queue sends, Queue receives, int mostSends) {
            this.number = number;
            this.sends = sends;
            this.receives = receives;
            this.mostSends = mostSends;
        }
    }

    private FakeVerbs(long seed, boolean ownThread) {
        random = new Random(seed);
        thread = ownThread ? Thread.ofPlatform().daemon().name("fake RDMA").start(this::run) : null;
    }

    /** Requests are carried out when somebody polls. */
    public static FakeVerbs polled(long seed) {
        return new FakeVerbs(seed, false);
    }

    /** Requests are carried out by a thread, a word at a time. */
    public static FakeVerbs beside(long seed) {
        return new FakeVerbs(seed, true);
    }

    private void run() {
        while (!closed) {
            boolean worked;
            synchronized (this) {
                worked = step();
            }
            if (!worked) {
                LockSupport.parkNanos(20_000);
            } else if (random.nextInt(16) == 0) {
                Thread.yield();
            }
        }
    }

    /** Nothing arrives any more, in either direction, until the retries are used up. */
    public void cut(boolean isCut) {
        cut = isCut;
    }

    /** The same by itself when so many more words have been placed: in the middle of a WRITE, or between two READs. */
    public synchronized void cutAfter(long words) {
        wordsToCut = words;
    }

    /** Nothing is carried out between the two queue pairs that were connected last, as long as they live. */
    public synchronized void stallNewest() {
        Pair newest = pairs.values().stream().max(Comparator.comparing(pair -> pair.number)).orElseThrow();
        newest.stalled = true;
        pairs.get(newest.peer).stalled = true;
    }

    private void place(long address, long value) {
        RawWords.storeRelease(address, value);
        if (--wordsToCut == 0) {
            cut = true;
        }
    }

    /** What a queue pair's requests may carry themselves from now on. */
    public synchronized void inlineBytes(int bytes) {
        inlineBytes = bytes;
    }

    /** Handles that were not given back. */
    public synchronized int open() {
        return handles.size();
    }

    @Override
    public void close() {
        closed = true;
    }

    /** One word, or one request without any; false if there is nothing to do. */
    private boolean step() {
        List<Pair> busy = pairs.values().stream().filter(pair -> !pair.requests.isEmpty() && !pair.stalled).toList();
        if (busy.isEmpty()) {
            return false;
        }
        Pair pair = busy.get(random.nextInt(busy.size()));
        Request request = pair.requests.element();
        Pair peer = pairs.get(pair.peer);
        if (pair.failed || cut || peer == null || peer.failed || peer.peer != pair.number) {
            if (pair.failed || ++pair.tries > 100) {
                pair.tries = 0;
                end(pair, pair.failed ? FLUSHED : NO_ANSWER);
            }
            return true;
        }
        int right = request.opcode == VerbsCodes.IBV_WR_RDMA_READ
                ? VerbsCodes.IBV_ACCESS_REMOTE_READ
                : VerbsCodes.IBV_ACCESS_REMOTE_WRITE;
        Memory memory = memories.get(request.key);
        if (request.bytes > 0 && (memory == null || !memory.holds(request.remote, request.bytes, right))) {
            end(pair, REMOTE_ACCESS);
            peer.failed = true;
            return true;
        }
        if (request.opcode == VerbsCodes.IBV_WR_RDMA_READ) {
            read(pair, request);
        } else {
            write(pair, peer, request);
        }
        return true;
    }

    private void write(Pair pair, Pair peer, Request request) {
        List<Integer> words = pair.words;
        if (words == null) {
            words = shuffled(request.bytes / Long.BYTES);
            pair.words = words;
        }
        if (!words.isEmpty()) {
            int word = words.removeLast();
            long[] inline = request.inline;
            place(request.remote + word * 8L,
                    inline == null ? RawWords.loadAcquire(request.local + word * 8L) : inline[word]);
        } else if (request.opcode == VerbsCodes.IBV_WR_RDMA_WRITE_WITH_IMM && !hear(pair, peer, request)) {
            return;
        } else {
            done(pair, request);
        }
    }

    private boolean hear(Pair pair, Pair peer, Request request) {
        if (peer.receivesPosted == 0) {
            if (++pair.tries > RNR_TRIES) {
                end(pair, NOT_READY);
            }
            return false;
        }
        pair.tries = 0;
        peer.receivesPosted--;
        complete(peer.receives, new Completion(0, 0, VerbsCodes.IBV_WC_RECV_RDMA_WITH_IMM, request.immediate));
        return true;
    }

    private void read(Pair pair, Request request) {
        List<Integer> words = pair.words;
        long[] answer = pair.answer;
        if (words == null || answer == null) {
            words = shuffled(request.bytes / Long.BYTES);
            answer = new long[words.size()];
            pair.words = words;
            pair.answer = answer;
        }
        if (!words.isEmpty()) {
            int word = words.removeLast();
            answer[word] = RawWords.loadAcquire(request.remote + word * 8L);
        } else if (random.nextInt(4) == 0) { // until then WRITEs of the peer may come between
            for (int i = 0; i < answer.length; i++) {
                place(request.local + i * 8L, answer[i]);
            }
            pair.answer = null;
            done(pair, request);
        }
    }

    private List<Integer> shuffled(int count) {
        List<Integer> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.add(random.nextInt(words.size() + 1), i);
        }
        return words;
    }

    private void done(Pair pair, Request request) {
        pair.words = null;
        pair.requests.remove();
        if (request.signaled) {
            complete(pair.sends, new Completion(request.id, 0, request.opcode, 0));
        }
    }

    private void end(Pair pair, int status) {
        Request request = pair.requests.remove();
        pair.words = null;
        pair.answer = null;
        complete(pair.sends, new Completion(request.id, status, request.opcode, 0));
        pair.failed = true;
    }

    private void complete(Queue queue, Completion completion) {
        queue.completions.add(completion);
        if (queue.armed && queue.channel != 0) {
            queue.armed = false;
            ((Channel) handles.get(queue.channel)).events++;
            waiters.forEach(LockSupport::unpark);
        }
    }

    // ---- the data path

    @Override
    public synchronized int postSend(QueuePair pair, long request) {
        Pair own = (Pair) handles.get(pair.handle());
        if (own == null) {
            return Errno.EINVAL;
        }
        for (long at = request; at != 0; at = MEMORY.get(ValueLayout.JAVA_LONG, at + send("next"))) {
            if (own.requests.size() >= own.mostSends) {
                return Errno.ENOMEM;
            }
            own.requests.add(request(at));
        }
        return 0;
    }

    private static long send(String member) {
        return VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, member);
    }

    private Request request(long at) {
        int flags = MEMORY.get(ValueLayout.JAVA_INT, at + send("send_flags"));
        boolean empty = MEMORY.get(ValueLayout.JAVA_INT, at + send("num_sge")) == 0;
        long entry = MEMORY.get(ValueLayout.JAVA_LONG, at + send("sg_list"));
        long local = empty ? 0 : MEMORY.get(ValueLayout.JAVA_LONG, entry);
        int bytes = empty ? 0 : MEMORY.get(ValueLayout.JAVA_INT, entry + 8);
        boolean inline = (flags & VerbsCodes.IBV_SEND_INLINE) != 0;
        if (inline && bytes > inlineBytes || bytes % Long.BYTES != 0) {
            throw new IllegalArgumentException(bytes + " bytes, inline " + inline);
        }
        if (!inline && bytes > 0) {
            int key = MEMORY.get(ValueLayout.JAVA_INT, entry + 12);
            Memory own = memories.get(-key);
            if (own == null || !own.holds(local, bytes, VerbsCodes.IBV_ACCESS_LOCAL_WRITE)) {
                throw new IllegalArgumentException("local key " + key);
            }
        }
        long[] carried = inline ? new long[bytes / Long.BYTES] : null;
        for (int i = 0; carried != null && i < carried.length; i++) {
            carried[i] = RawWords.loadAcquire(local + i * 8L);
        }
        return new Request(MEMORY.get(ValueLayout.JAVA_LONG, at), MEMORY.get(ValueLayout.JAVA_INT, at + send("opcode")),
                (flags & VerbsCodes.IBV_SEND_SIGNALED) != 0, local, bytes,
                MEMORY.get(ValueLayout.JAVA_LONG, at + send("wr.rdma.remote_addr")),
                MEMORY.get(ValueLayout.JAVA_INT, at + send("wr.rdma.rkey")),
                Integer.reverseBytes(MEMORY.get(ValueLayout.JAVA_INT, at + send("imm_data"))), carried);
    }

    @Override
    public synchronized int postReceive(QueuePair pair, long request) {
        ((Pair) handles.get(pair.handle())).receivesPosted++;
        return 0;
    }

    @Override
    public synchronized int poll(long queue, int most, long completions) {
        if (thread == null) {
            while (step()) {
                // until nothing is left
            }
        }
        Queue polled = (Queue) handles.get(queue);
        int count = 0;
        for (; count < most && !polled.completions.isEmpty(); count++) {
            Completion one = polled.completions.remove();
            long at = completions + count * VerbsLayouts.IBV_WC.byteSize();
            MEMORY.set(ValueLayout.JAVA_LONG, at, one.id);
            MEMORY.set(ValueLayout.JAVA_INT, at + completion("status"), one.status);
            MEMORY.set(ValueLayout.JAVA_INT, at + completion("opcode"), one.opcode);
            MEMORY.set(ValueLayout.JAVA_INT, at + completion("vendor_err"), 0);
            MEMORY.set(ValueLayout.JAVA_INT, at + completion("imm_data"), Integer.reverseBytes(one.immediate));
        }
        return count;
    }

    private static long completion(String member) {
        return VerbsLayouts.offset(VerbsLayouts.IBV_WC, member);
    }

    @Override
    public synchronized int arm(long queue) {
        ((Queue) handles.get(queue)).armed = true;
        return 0;
    }

    @Override
    public boolean awaitEvent(long channel, long timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
        Thread self = Thread.currentThread();
        synchronized (this) {
            waiters.add(self);
        }
        try {
            while (System.nanoTime() < deadline) {
                synchronized (this) {
                    if (handles.get(channel) instanceof Channel one && one.events > 0) {
                        one.events--;
                        return true;
                    }
                }
                LockSupport.parkNanos(deadline - System.nanoTime());
            }
            return false;
        } finally {
            synchronized (this) {
                waiters.remove(self);
            }
        }
    }

    // ---- the control path

    private long handle(Object what) {
        handles.put(++nextHandle, what);
        return nextHandle;
    }

    private synchronized void give(long handle) {
        if (handles.remove(handle) == null) {
            throw new IllegalStateException("given back twice: " + handle);
        }
    }

    @Override
    public synchronized long openDevice(String name) {
        return handle("device " + name);
    }

    @Override
    public void closeDevice(long context) {
        give(context);
    }

    @Override
    public DeviceInfo device(long context) {
        return new DeviceInfo(VerbsCodes.IBV_TRANSPORT_IB, 256, 4096, 16);
    }

    @Override
    public PortInfo port(long context, int port) {
        return new PortInfo(VerbsCodes.IBV_PORT_ACTIVE, 3, 0, VerbsCodes.IBV_LINK_LAYER_ETHERNET);
    }

    @Override
    public synchronized long allocateDomain(long context) {
        return handle("domain");
    }

    @Override
    public void freeDomain(long domain) {
        give(domain);
    }

    @Override
    public synchronized Region register(long domain, MemorySegment memory, int access) {
        int key = 1 + memories.size();
        while (memories.containsKey(key)) {
            key++;
        }
        Memory registered = new Memory(memory.address(), memory.byteSize(), access);
        memories.put(key, registered);
        memories.put(-key, registered);
        return new Region(handle(key), key, key);
    }

    @Override
    public synchronized void deregister(Region region) {
        memories.remove(region.remoteKey());
        memories.remove(-region.remoteKey());
        give(region.handle());
    }

    @Override
    public synchronized long createChannel(long context) {
        return handle(new Channel());
    }

    @Override
    public void destroyChannel(long channel) {
        give(channel);
    }

    @Override
    public synchronized long createCompletionQueue(long context, int entries, long channel) {
        return handle(new Queue(channel));
    }

    @Override
    public void destroyCompletionQueue(long queue) {
        give(queue);
    }

    @Override
    public synchronized QueuePair createQueuePair(long domain, long sendCompletions, long receiveCompletions,
            int sends, int receives, int inline) {
        int number = (int) nextHandle + 1;
        Pair pair = new Pair(number, (Queue) handles.get(sendCompletions), (Queue) handles.get(receiveCompletions),
                sends);
        long handle = handle(pair);
        pairs.put(number, pair);
        return new QueuePair(handle, number, Math.min(inline, inlineBytes));
    }

    @Override
    public synchronized void destroyQueuePair(QueuePair pair) {
        pairs.remove(pair.number());
        give(pair.handle());
    }

    @Override
    public void initialise(QueuePair pair, int port, int access) {
        // the rights are those of the memory
    }

    @Override
    public synchronized void connect(QueuePair pair, Route route) {
        ((Pair) handles.get(pair.handle())).peer = route.number();
    }
}
