package dev.bascule.host.scx;

import dev.bascule.ffi.BpfCall;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.ValueLayout;

/**
 * An agent's doorbell to the kernel's CPUs: decisions are there for those that are idle, or are to leave their task, or of a
 * group. One call for all CPUs of a commit. One thread.
 */
final class KernelBell implements Doorbell {
    private final BpfCall call;
    private long cpus;

    KernelBell(int program) {
        call = new BpfCall(program, Layout.CALL_BYTES);
    }

    @Override
    public void ring(long cpu) {
        cpus |= 1L << cpu;
    }

    @Override
    public void flush() {
        if (cpus != 0) {
            call.argument().set(ValueLayout.JAVA_LONG, Layout.CALL_VALUE, cpus);
            cpus = 0;
            call.run(); // in vain if the scheduler is gone: the host says so
        }
    }
}
