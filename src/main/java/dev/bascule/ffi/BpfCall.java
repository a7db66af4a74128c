package dev.bascule.ffi;

import dev.bascule.ffi.generated.bpf_test_run_opts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A BPF program of the kind that user space calls, with its argument, which is also its answer. A call allocates nothing.
 * <p>
 * Thread rule: one thread. OVERHEAD: a system call, and what the program does.
 */
public final class BpfCall {
    private final int program;
    private final MemorySegment argument;
    private final MemorySegment options;
    private final MemorySegment state = NativeCall.newState();
    private final MemorySegment function = Libbpf.address("bpf_prog_test_run_opts");

    /**
     * @param program its descriptor
     * @param argumentBytes of its argument
     */
    public BpfCall(int program, long argumentBytes) {
        this.program = program;
        Arena arena = Arena.ofAuto();
        argument = arena.allocate(argumentBytes, 8);
        options = bpf_test_run_opts.allocate(arena);
        bpf_test_run_opts.sz(options, bpf_test_run_opts.sizeof());
        bpf_test_run_opts.ctx_in(options, argument);
        bpf_test_run_opts.ctx_size_in(options, (int) argumentBytes); // there is no other way out: ctx_out is refused
    }

    /** The argument's bytes. */
    public MemorySegment argument() {
        return argument;
    }

    /**
     * Runs the program; afterwards {@link #argument} has its answer.
     *
     * @return 0, or a negative error number: the program is gone, or this process may not call it
     */
    public int run() {
        return (int) NativeCall.raw(function, state, program, options.address(), 0);
    }
}
