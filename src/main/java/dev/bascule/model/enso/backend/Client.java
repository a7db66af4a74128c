package dev.bascule.model.enso.backend;

import dev.bascule.model.enso.EnsoModel;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** One program thread: answers its messages. Unknown kinds are dropped. */
final class Client {
    static final int WRITE = 0;
    static final int READ = 1;
    static final int TRANSLATE = 2;
    static final int ALLOCATE_PIPE = 3;
    static final int ALLOCATE_BUFFER = 4;
    static final int FALLBACK_COUNT = 5;
    static final int SET_ROUND_ROBIN = 6;
    static final int GET_ROUND_ROBIN = 7;
    static final int FREE_BUFFER = 8;
    static final int FREE_PIPE = 9;

    private static final long FAILED = -1;
    private static final int MOST_MESSAGES = 1 << 16;
    private static final int MOST_WORK = 1 << 14;

    private final MessageQueue requests;
    private final MessageQueue replies;
    private final EnsoModel model;
    private final ProgramMemory memory;
    private final Allocations allocations;
    private final Map<Long, Boolean> pipes = new HashMap<>();
    private final ArrayDeque<Long> buffers = new ArrayDeque<>();

    Client(MessageQueue requests, MessageQueue replies, EnsoModel model, ProgramMemory memory,
            Allocations allocations) {
        this.requests = requests;
        this.replies = replies;
        this.model = model;
        this.memory = memory;
        this.allocations = allocations;
    }

    /** Handles up to {@code limit} messages; returns how many. */
    int work(int limit) {
        int done = 0;
        while (done < limit && requests.poll()) {
            handle(requests.kind(), requests.a(), requests.b());
            done++;
        }
        return done;
    }

    /** Whether another program has taken the place of this one, which did not end properly. */
    boolean replaced() {
        return requests.startedAnew();
    }

    /** Whether a program that begins at the first slot has asked something there. */
    boolean isAsked() {
        return requests.isFirstFull();
    }

    /**
     * The program has ended. What it asked last is done; then its ids are free again, its pipes and rings have no
     * memory, no flow leads to it, and its pages are given back.
     */
    void leave() {
        work(MOST_MESSAGES);
        while (model.work(MOST_WORK) == MOST_WORK) {
            // what it has sent leaves from its memory
        }
        boolean hadFallback = pipes.containsValue(true);
        pipes.forEach((pipe, fallback) -> release(pipe, fallback));
        pipes.clear();
        buffers.forEach(buffer -> {
            allocations.notificationBuffers.free(buffer);
            model.vacateBuffer(buffer.intValue());
        });
        buffers.clear();
        if (hadFallback) {
            model.fallbackPipes((int) allocations.fallbackPipes, allocations.roundRobin);
        }
        memory.forget(this);
        model.changed();
    }

    private void handle(int kind, long a, long b) {
        switch (kind) {
            case WRITE -> model.write(a, Integer.BYTES, b & 0xFFFF_FFFFL);
            case READ -> reply(kind, a, model.read(a, Integer.BYTES));
            case TRANSLATE -> reply(kind, a, memory.translate(a, this));
            case ALLOCATE_PIPE -> reply(kind, a, allocatePipe((a & 0xFF) != 0));
            case ALLOCATE_BUFFER -> reply(kind, allocateBuffer(), 0);
            case FALLBACK_COUNT -> reply(kind, allocations.fallbackPipes, 0);
            case SET_ROUND_ROBIN -> {
                allocations.roundRobin = a != 0;
                reply(kind, a, 0);
            }
            case GET_ROUND_ROBIN -> reply(kind, allocations.roundRobin ? 1 : 0, 0);
            case FREE_BUFFER -> reply(kind, a, freeBuffer());
            case FREE_PIPE -> reply(kind, a, freePipe(a));
            default -> {
            }
        }
    }

    /** A program waits for each reply before it asks again, so there is always room; one that does not gets none. */
    private void reply(int kind, long a, long b) {
        replies.offer(kind, a, b);
    }

    private long allocatePipe(boolean fallback) {
        long pipe = fallback ? allocations.pipes.lowest() : allocations.pipes.highest();
        if (pipe != Ids.NONE) {
            pipes.put(pipe, fallback);
            allocations.fallbackPipes += fallback ? 1 : 0;
        }
        return pipe;
    }

    private long freePipe(long pipe) {
        Boolean fallback = pipes.remove(pipe);
        if (fallback == null) {
            return FAILED;
        }
        release(pipe, fallback);
        return 0;
    }

    private void release(long pipe, boolean fallback) {
        allocations.pipes.free(pipe);
        model.vacatePipe((int) pipe);
        allocations.fallbackPipes -= fallback ? 1 : 0;
    }

    private long allocateBuffer() {
        long buffer = allocations.notificationBuffers.lowest();
        if (buffer != Ids.NONE) {
            buffers.add(buffer);
        }
        return buffer;
    }

    /** The message does not say which; a program has one buffer, so it is the one it got last. */
    private long freeBuffer() {
        Long buffer = buffers.pollLast();
        return buffer != null && allocations.notificationBuffers.free(buffer) ? 0 : FAILED;
    }
}
