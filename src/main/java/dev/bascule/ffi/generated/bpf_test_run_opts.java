package dev.bascule.ffi.generated;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/**
 * struct bpf_test_run_opts of libbpf's bpf/bpf.h (1.1 and newer), written by hand in the shape of jextract's output; only
 * what is used has an accessor.
 */
public class bpf_test_run_opts {
    private static final ValueLayout.OfInt C_INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong C_LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout C_POINTER = ValueLayout.ADDRESS;

    bpf_test_run_opts() {
        // Should not be called directly
    }

    private static final GroupLayout $LAYOUT = MemoryLayout.structLayout(
        C_LONG.withName("sz"),
        C_POINTER.withName("data_in"),
        C_POINTER.withName("data_out"),
        C_INT.withName("data_size_in"),
        C_INT.withName("data_size_out"),
        C_POINTER.withName("ctx_in"),
        C_POINTER.withName("ctx_out"),
        C_INT.withName("ctx_size_in"),
        C_INT.withName("ctx_size_out"),
        C_INT.withName("retval"),
        C_INT.withName("repeat"),
        C_INT.withName("duration"),
        C_INT.withName("flags"),
        C_INT.withName("cpu"),
        C_INT.withName("batch_size")
    ).withName("bpf_test_run_opts");

    /** The layout of this struct */
    public static final GroupLayout layout() {
        return $LAYOUT;
    }

    /** The size (in bytes) of this struct */
    public static long sizeof() {
        return layout().byteSize();
    }

    /** Allocate a segment of size {@code layout().byteSize()} using {@code allocator} */
    public static MemorySegment allocate(SegmentAllocator allocator) {
        return allocator.allocate(layout());
    }

    /** Setter for field {@code size_t sz} */
    public static void sz(MemorySegment struct, long fieldValue) {
        struct.set(C_LONG, $LAYOUT.byteOffset(groupElement("sz")), fieldValue);
    }

    /** Setter for field {@code const void *ctx_in} */
    public static void ctx_in(MemorySegment struct, MemorySegment fieldValue) {
        struct.set(C_POINTER, $LAYOUT.byteOffset(groupElement("ctx_in")), fieldValue);
    }

    /** Setter for field {@code __u32 ctx_size_in} */
    public static void ctx_size_in(MemorySegment struct, int fieldValue) {
        struct.set(C_INT, $LAYOUT.byteOffset(groupElement("ctx_size_in")), fieldValue);
    }
}
