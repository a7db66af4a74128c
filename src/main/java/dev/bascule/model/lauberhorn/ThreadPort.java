package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.memory.Window;
import dev.bascule.rpc.UdpFlow;
import org.jspecify.annotations.Nullable;

/** The three endpoints of a thread, and what of its calls is under way. Thread rule: the NIC's thread. */
final class ThreadPort {
    /** No call is under way. */
    static final int NO_CALL = 0;
    /** The answer is to come. */
    static final int CALLED = 1;
    /** The answer is there, and waits for the load. */
    static final int ANSWERED = 2;

    final int thread;
    final int process;
    final NicEndpoint requestEnd;
    private final NicEndpoint callEnd;
    private final NicEndpoint answerEnd;
    @Nullable
    NicLines requests;
    @Nullable
    NicLines calls;
    @Nullable
    NicLines answers;
    long requestDueNanos;
    long callDueNanos;
    int callState = NO_CALL;
    /** Number of the newest call, never used again: lives of endpoints are, after 255. */
    long call;
    /** Source port and id of the newest call that left by the wire. */
    long callKey;
    int callIpv4;
    int callPort;
    ServiceTable.@Nullable Row callRow;
    long callLimitNanos;
    long answerStatus;
    long[] answerWords = new long[16];
    int answerBytes;

    ThreadPort(int thread, int process) {
        this.thread = thread;
        this.process = process;
        requestEnd = NicEndpoint.receive(process);
        callEnd = NicEndpoint.transmit(process);
        answerEnd = NicEndpoint.receive(process);
    }

    /** The thread's lines lie here from now on. */
    void bind(Window window, ProcessLayout layout, int inProcess) {
        requests = new NicLines(window, layout.lines(), layout.requests(inProcess), requestEnd);
        calls = new NicLines(window, layout.lines(), layout.calls(inProcess), callEnd);
        answers = new NicLines(window, layout.lines(), layout.answers(inProcess), answerEnd);
    }

    void unbind() {
        requests = null;
        calls = null;
        answers = null;
        callState = NO_CALL;
    }

    /** All endpoints begin another life. */
    void reset() {
        reset(requests, requestEnd);
        reset(calls, callEnd);
        reset(answers, answerEnd);
        callState = NO_CALL;
    }

    private static void reset(@Nullable NicLines lines, NicEndpoint end) {
        int life = LineHead.nextEpoch(end.epoch());
        if (lines != null) {
            lines.reset(life);
        } else {
            end.reset(life);
        }
    }

    /** Lines that went to the thread or came back, since they lie here. */
    long lines() {
        return lines(requests) + lines(calls) + lines(answers);
    }

    private static long lines(@Nullable NicLines lines) {
        return lines == null ? 0 : lines.linesMoved();
    }

    /** A new endpoint for an answer: a life of its own. */
    void newAnswerEndpoint() {
        reset(answers, answerEnd);
        callState = NO_CALL;
        call++;
    }

    /** Whether the newest call that left by the wire went to where this way leads. */
    boolean hasCalled(UdpFlow back) {
        return !back.isIpv6 && (int) back.toLow == callIpv4 && back.toPort == callPort;
    }

    int answerEpoch() {
        return answerEnd.epoch();
    }

    /** The call has no result. */
    void newAnswer(long status) {
        answerStatus = status;
        answerBytes = 0;
        callState = ANSWERED;
    }

    /** The answer has come: it goes into the line as soon as that is loaded. */
    void answer(long status, long[] words, int bytes) {
        if (answerWords.length * 8 < bytes) {
            answerWords = new long[bytes + 7 >> 3];
        }
        System.arraycopy(words, 0, answerWords, 0, bytes + 7 >> 3);
        answerStatus = status;
        answerBytes = bytes;
        callState = ANSWERED;
    }
}
