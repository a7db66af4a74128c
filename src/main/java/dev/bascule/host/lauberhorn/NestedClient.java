package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.NestedCall;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a handler to other services, one at a time: arguments by their place, then {@link #call}, then the parts of the
 * result by theirs. The NIC makes an endpoint for each answer, and the thread waits on it as it waits for requests.
 *
 * <pre>{@code
 * NestedClient client = call.client();
 * client.begin(2).set(0, a).set(1, b);
 * client.call(0x20000001, 1, 1);
 * call.setLong(0, client.word(0));
 * }</pre>
 *
 * Thread rule: the thread that serves the request. Numbers allocate nothing.
 */
public final class NestedClient {
    private final UserThread thread;
    private final CpuLines calls;
    private final CpuLines answers;
    private long[] words = new long[16];
    private int fixed;
    private int used;
    private boolean isPrimed;

    NestedClient(UserThread thread, CpuLines calls, CpuLines answers) {
        this.thread = thread;
        this.calls = calls;
        this.answers = answers;
    }

    /** The endpoints begin another life. */
    void attach() {
        calls.attach();
        isPrimed = false;
    }

    /** Begins a call with so many arguments. */
    public NestedClient begin(int arguments) {
        room(arguments);
        Arrays.fill(words, 0, arguments, 0);
        fixed = arguments;
        used = arguments;
        return this;
    }

    private void room(int wanted) {
        if (words.length < wanted) {
            words = Arrays.copyOf(words, Math.max(wanted, 2 * words.length));
        }
    }

    /** Sets an argument: a number as its word. */
    public NestedClient set(int place, long value) {
        Objects.checkIndex(place, fixed);
        words[place] = value;
        return this;
    }

    /** Sets a string. */
    public NestedClient set(int place, String text) {
        return set(place, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets opaque data. */
    public NestedClient set(int place, byte[] data) {
        Objects.checkIndex(place, fixed);
        room(used + Xdr.words(data.length));
        Xdr.copyIn(data, 0, data.length, words, used);
        words[place] = ValueType.reference(used, data.length);
        used += Xdr.words(data.length);
        return this;
    }

    /**
     * Calls a service of this machine and waits for its answer.
     *
     * @throws RpcException if it is refused
     */
    public void call(int program, int version, int procedure) {
        call(program, version, procedure, 0, 0);
    }

    /**
     * Calls a service of another machine, whose signature was imported.
     *
     * @param ipv4 its address; 0 is this machine
     * @param port its UDP port
     * @throws RpcException if it is refused, or there is no answer in time
     */
    public void call(int program, int version, int procedure, int ipv4, int port) {
        Refusal why = send(program, version, procedure, ipv4, port);
        why = why == null ? await() : why;
        if (why != null) {
            throw new RpcException("program 0x" + Integer.toHexString(program) + " version " + version + " procedure "
                    + procedure, why);
        }
    }

    private @Nullable Refusal send(int program, int version, int procedure, int ipv4,
            int port) {
        if (!isPrimed && ready(calls.next()) == CpuLines.LOST) {
            return Refusal.RESTART;
        }
        isPrimed = true;
        calls.begin((NestedCall.HEADER_WORDS + used) * Long.BYTES);
        calls.put(0, NestedCall.target(program, version));
        calls.put(1, NestedCall.procedure(procedure, ipv4));
        calls.put(2, port);
        for (int i = 0; i < used; i++) {
            calls.put(NestedCall.HEADER_WORDS + i, words[i]);
        }
        calls.end(LineHead.CALL);
        if (ready(calls.next()) == CpuLines.LOST) {
            return Refusal.RESTART;
        }
        long status = calls.word(3);
        return status == 0 ? null : Refusal.ofStatus(status);
    }

    private int ready(int kind) {
        if (kind == CpuLines.LOST) {
            attach();
        }
        return kind;
    }

    private @Nullable Refusal await() {
        answers.attach(); // the endpoint that was made for it
        while (true) {
            int kind = answers.next();
            if (kind == LineHead.ANSWER) {
                long status = answers.word(2);
                return status == 0 ? null : Refusal.ofStatus(status);
            }
            if (kind == CpuLines.LOST || thread.isStopping()) {
                return Refusal.RESTART;
            }
            if (kind == LineHead.YIELD_NOW) {
                thread.yieldNow();
            }
        }
    }

    /** A part of the result: a number as its word. */
    public long word(int place) {
        return answers.payload(place);
    }

    /** A part of the result: opaque data. */
    public byte[] opaqueAt(int place) {
        long reference = answers.payload(place);
        byte[] bytes = new byte[ValueType.bytes(reference)];
        int first = ValueType.firstWord(reference);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (answers.payload(first + (i >> 3)) >>> ((i & 7) << 3));
        }
        return bytes;
    }

    /** A part of the result: a string. */
    public String stringAt(int place) {
        return new String(opaqueAt(place), StandardCharsets.UTF_8);
    }
}
