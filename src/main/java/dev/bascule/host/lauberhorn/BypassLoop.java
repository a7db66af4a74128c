package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.OwnThread;
import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.rpc.Xdr;

/** The kernel's thread for frames that are no RPC: by lines, as everything is. */
final class BypassLoop {
    private final CpuLines lines;
    private final BypassFrames frames;
    private final Thread thread;
    private final byte[] frame = new byte[1 << 16];
    private final long[] words = new long[frame.length / Long.BYTES];
    private volatile boolean stopping;

    BypassLoop(CpuLines lines, BypassFrames frames) {
        this.lines = lines;
        this.frames = frames;
        thread = OwnThread.of("bypass", this::run);
    }

    void start() {
        thread.start();
    }

    void stop() {
        stopping = true;
    }

    void join() throws InterruptedException {
        thread.join();
    }

    private void run() {
        while (!stopping) {
            int kind = lines.next();
            if (kind == LineHead.REQUEST) {
                serve();
            } else if (kind == CpuLines.LOST) {
                lines.attach();
            }
        }
    }

    private void serve() {
        int bytes = Math.min(lines.bytes(), frame.length);
        for (int i = 0; i < Xdr.words(bytes); i++) {
            words[i] = lines.payload(i);
        }
        Xdr.copyOut(words, 0, bytes, frame, 0);
        int answer = frames.answer(frame, bytes);
        Xdr.copyIn(frame, 0, answer, words, 0);
        lines.begin(answer);
        for (int i = 0; i < Xdr.words(answer); i++) {
            lines.put(i, words[i]);
        }
        lines.end(LineHead.REPLY);
    }
}
