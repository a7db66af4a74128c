package dev.bascule.host.scx;

import dev.bascule.ffi.BpfCall;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.ValueLayout;

/** An agent's doorbell to the kernel's CPUs: a decision is there for one that is idle, or is to leave its task. One thread. */
final class KernelBell implements Doorbell {
    private final BpfCall call;

    KernelBell(int program) {
        call = new BpfCall(program, Layout.CALL_BYTES);
    }

    @Override
    public void ring(long cpu) {
        call.argument().set(ValueLayout.JAVA_INT, Layout.CALL_CPU, (int) cpu);
        call.run(); // in vain if the scheduler is gone: the host says so
    }
}
