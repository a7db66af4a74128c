package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A file of BPF programs and maps: opened, changed, loaded. What is loaded lives until {@link #close} or the end of the
 * process; memory of its maps stays mapped, so {@code close} ends only what nobody looks at any more.
 * <p>
 * Thread rule: one thread at a time. Errors: {@link NativeException}.
 */
public final class BpfObject implements AutoCloseable {
    private final MemorySegment object;
    private final String name;
    private boolean closed;

    private BpfObject(MemorySegment object, String name) {
        this.object = object;
        this.name = name;
    }

    /** Reads the file; nothing reaches the kernel yet. */
    public static BpfObject open(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment object = MemorySegment.ofAddress(
                    Libbpf.call("bpf_object__open_file", Libc.string(arena, file.toString()), MemorySegment.NULL));
            if (object.address() == 0) {
                throw NativeException.last("open BPF object", file.toString());
            }
            return new BpfObject(object, file.getFileName().toString());
        }
    }

    /** Loads programs and maps into the kernel, which checks them. */
    public void load() {
        int result = (int) Libbpf.call("bpf_object__load", object);
        if (result < 0) {
            String remedy = switch (-result) {
                case Errno.EPERM, Errno.EACCES ->
                    "Loading takes root, or CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN; if you"
                            + " are root, set BASCULE_BPF_LOG=1 to see the kernel's reasons";
                case Errno.ESRCH, Errno.ENOENT -> "This kernel has no BTF or lacks a function of sched_ext: bascule"
                        + " doctor";
                default -> "Set BASCULE_BPF_LOG=1 to see the kernel's reasons";
            };
            throw new NativeException("load BPF object", name, -result, remedy);
        }
    }

    /** One of its maps. */
    public Map map(String map) {
        return new Map(find("bpf_object__find_map_by_name", map), map);
    }

    /** Descriptor of a loaded program; stays the object's. */
    public int program(String program) {
        return (int) Libbpf.call("bpf_program__fd", find("bpf_object__find_program_by_name", program));
    }

    private MemorySegment find(String function, String what) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = MemorySegment
                    .ofAddress(Libbpf.call(function, object, Libc.string(arena, what)));
            if (found.address() == 0) {
                throw new MissingPartException(name + " has no '" + what + "'; build it again: scripts/build-native");
            }
            return found;
        }
    }

    /** Unloads what nothing in the kernel holds. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Libbpf.call("bpf_object__close", object);
        }
    }

    /** A map of the object. */
    public static final class Map {
        private final MemorySegment map;
        private final String name;

        private Map(MemorySegment map, String name) {
            this.map = map;
            this.name = name;
        }

        /** Before loading: how many entries, or pages. */
        public void setEntries(int entries) {
            check("set entries of", (int) Libbpf.call("bpf_map__set_max_entries", map, NativeCall.word(entries)));
        }

        /** Before loading: the map's extra word; of an arena, where it is mapped. */
        public void setExtra(long extra) {
            check("set extra word of", (int) Libbpf.call("bpf_map__set_map_extra", map, NativeCall.word(extra)));
        }

        /** Descriptor, once loaded; stays the object's. */
        public int fd() {
            return (int) Libbpf.call("bpf_map__fd", map);
        }

        /** The bytes it will have, or has: of global variables, of a struct of operations, of an arena once loaded. */
        public MemorySegment value() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
                MemorySegment bytes = MemorySegment
                        .ofAddress(Libbpf.call("bpf_map__initial_value", map, size));
                if (bytes.address() == 0) {
                    throw new IllegalStateException("BPF map " + name + " has no memory");
                }
                return bytes.reinterpret(size.get(ValueLayout.JAVA_LONG, 0));
            }
        }

        /** Adds an entry, or changes that of the key. */
        public void put(MemorySegment key, MemorySegment value) {
            check("fill", (int) Libbpf.call("bpf_map_update_elem", NativeCall.word(fd()), key, value));
        }

        /**
         * Gives the struct of operations to the kernel, until the result is closed or this process ends.
         *
         * @param busy what to do if another one is at work
         */
        public Link attach(Supplier<String> busy) {
            MemorySegment link = MemorySegment.ofAddress(Libbpf.call("bpf_map__attach_struct_ops", map));
            if (link.address() == 0) {
                int errno = NativeCall.errno();
                throw errno == Errno.EBUSY
                        ? new NativeException("attach scheduler", name, errno, busy.get())
                        : new NativeException("attach scheduler", name, errno);
            }
            return new Link(link);
        }

        private void check(String step, int result) {
            if (result < 0) {
                throw new NativeException(step + " BPF map", name, -result);
            }
        }
    }

    /** Operations that the kernel uses. */
    public static final class Link implements AutoCloseable {
        private MemorySegment link;

        private Link(MemorySegment link) {
            this.link = link;
        }

        /** Takes them back. Idempotent. */
        @Override
        public synchronized void close() {
            if (link.address() != 0) {
                Libbpf.call("bpf_link__destroy", link);
                link = MemorySegment.NULL;
            }
        }
    }
}
