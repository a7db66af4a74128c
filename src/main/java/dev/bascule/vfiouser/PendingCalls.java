package dev.bascule.vfiouser;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commands of this end that wait for their reply. The endpoint locks. */
final class PendingCalls {
    /** One of them. */
    static final class Call {
        final int id;
        @Nullable
        Message reply;
        /** The caller no longer waits; the reply is dropped when it comes. */
        boolean abandoned;

        Call(int id) {
            this.id = id;
        }
    }

    private final Map<Integer, Call> calls = new HashMap<>();
    private int nextId;

    /** A number for a command that wants no reply. */
    int nextId() {
        return nextId++ & 0xffff;
    }

    Call add() {
        int id;
        do {
            id = nextId();
        } while (calls.containsKey(id));
        Call call = new Call(id);
        calls.put(id, call);
        return call;
    }

    /**
     * Hands a reply to its call, or drops it. False for a reply that no call waits for, which is marked as malformed.
     */
    boolean deliver(Message message) {
        Call call = calls.remove(message.id);
        if (call == null) {
            message.malformed = "a reply that no call waits for";
            if (!message.failed()) {
                return false;
            }
            message.close(); // dropped: two ends that refuse each other's refusals never stop
            return true;
        }
        if (call.abandoned) {
            message.close();
        } else {
            call.reply = message;
        }
        return true;
    }
}
