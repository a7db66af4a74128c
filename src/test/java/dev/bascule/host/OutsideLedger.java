package dev.bascule.host;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What a load generator knows of its requests: to which host each was offered, and how often it was answered. It lives in
 * the generator's process; hosts add only the notes of what they begin. One thread.
 */
final class OutsideLedger {
    /** Most requests. */
    static final int MOST = 1 << 20;

    private final MemorySegment notes;
    private final int[] offeredTo = new int[MOST];
    private final int[] answers = new int[MOST];
    private final Deque<Integer> again = new ArrayDeque<>();
    private final List<String> findings = new ArrayList<>();
    private int requests;
    private int open;
    private int duplicated;

    /** @param notes an int for each request: how often the host that it was last offered to has begun it */
    OutsideLedger(MemorySegment notes) {
        this.notes = notes;
    }

    /** The next request to offer to a host: one that a killed host has not answered, or a new one; -1 without room. */
    int offer(int host) {
        int request = again.isEmpty() ? requests < MOST ? requests++ : -1 : again.remove();
        if (request >= 0) {
            offeredTo[request] = host;
            open++;
        }
        return request;
    }

    /** Whether requests of killed hosts wait to be offered again. */
    boolean hasAgain() {
        return !again.isEmpty();
    }

    /** An answer came in from a host. */
    void answered(int host, ByteBuffer bytes) {
        int request = bytes.getInt();
        int from = bytes.getInt();
        long answer = bytes.getLong();
        if (request < 0 || request >= requests || from != host || offeredTo[request] != host
                || answer != KilledHost.answer(request)) {
            findings.add("host " + host + " sent an answer of host " + from + " to request " + request);
            return;
        }
        if (answers[request]++ > 0) {
            duplicated++;
            findings.add("request " + request + " answered again by host " + host);
            return;
        }
        open--;
    }

    /** Requests that are offered and not answered. */
    int open() {
        return open;
    }

    int requests() {
        return requests;
    }

    /** The last word of a host has come: what it was offered and has not answered is offered again. Returns how many it had begun. */
    int lost(int host) {
        int begun = 0;
        for (int request = 0; request < requests; request++) {
            if (offeredTo[request] == host && answers[request] == 0) {
                int times = noted(request);
                begun += times > 0 ? 1 : 0;
                begunOnce(request, times, 0);
                notes.setAtIndex(ValueLayout.JAVA_INT, request, 0);
                again.add(request);
                open--;
            }
        }
        return begun;
    }

    private int noted(int request) {
        return notes.getAtIndex(ValueLayout.JAVA_INT, request);
    }

    private void begunOnce(int request, int times, int least) {
        if (times < least || times > 1) {
            duplicated += times > 1 ? 1 : 0;
            findings.add("request " + request + " begun " + times + " times by host " + offeredTo[request]);
        }
    }

    /** What went wrong: to be asked when the last host has ended and been offered everything. */
    List<String> audit(KillTotals totals) {
        for (int request = 0; request < MOST; request++) {
            boolean offered = request < requests;
            begunOnce(request, noted(request), offered ? 1 : 0);
            if (!offered && noted(request) > 0) {
                findings.add("request " + request + " was begun and never offered");
            } else if (offered && answers[request] == 0) {
                totals.lost++;
                findings.add("request " + request + " was never answered");
            }
        }
        totals.offered += requests;
        totals.duplicated += duplicated;
        return findings.subList(0, Math.min(20, findings.size()));
    }
}
