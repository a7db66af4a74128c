package dev.bascule.ffi;

import static dev.bascule.ffi.VerbsLayouts.offset;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * libibverbs of rdma-core. What the header has as inline functions is called as they do, by the pointers in the context;
 * soft-RoCE enters the kernel there, so those calls are no critical ones.
 */
public final class LibVerbs implements Verbs {
    private static final String LIBRARY = "libibverbs.so.1";
    private static final String INSTALL = "Install it: sudo apt-get install libibverbs1 ibverbs-providers";
    private static final long OPS = offset(VerbsLayouts.IBV_CONTEXT, "ops");
    private static final long POLL = OPS + offset(VerbsLayouts.IBV_CONTEXT_OPS, "poll_cq");
    private static final long ARM = OPS + offset(VerbsLayouts.IBV_CONTEXT_OPS, "req_notify_cq");
    private static final long SEND = OPS + offset(VerbsLayouts.IBV_CONTEXT_OPS, "post_send");
    private static final long RECEIVE = OPS + offset(VerbsLayouts.IBV_CONTEXT_OPS, "post_recv");
    /** Nobody reads which request of a chain was refused. */
    private static final MemorySegment BAD = Arena.global().allocate(ValueLayout.JAVA_LONG);

    private final SymbolLookup library;
    private final ConcurrentHashMap<String, MemorySegment> functions = new ConcurrentHashMap<>();

    private LibVerbs(SymbolLookup library) {
        this.library = library;
    }

    /** The library of this machine; empty if it has none. */
    public static Optional<LibVerbs> find() {
        try {
            return Optional.of(new LibVerbs(SymbolLookup.libraryLookup(LIBRARY, Arena.global())));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * The library of this machine.
     *
     * @throws MissingPartException if it has none
     */
    public static LibVerbs load() {
        return find().orElseThrow(() -> new MissingPartException("no " + LIBRARY + " here. " + INSTALL));
    }

    private MemorySegment function(String name) {
        return functions.computeIfAbsent(name, symbol -> library.find(symbol)
                .orElseThrow(() -> new MissingPartException(LIBRARY + " has no " + symbol
                        + "; rdma-core 17 or newer is needed")));
    }

    private long call(String name, MemorySegment... arguments) {
        return NativeCall.words(function(name), arguments);
    }

    private static MemorySegment word(long value) {
        return NativeCall.word(value);
    }

    /** For functions that return a pointer, or none and errno. */
    private long pointer(String object, String name, MemorySegment... arguments) {
        long result = call(name, arguments);
        if (result == 0) {
            throw new NativeException(name, object, NativeCall.errno(), remedy(name, NativeCall.errno()));
        }
        return result;
    }

    /** For functions that return errno itself, or in some versions -1 and errno. */
    private void zero(String object, String name, MemorySegment... arguments) {
        int result = (int) call(name, arguments);
        if (result != 0) {
            int errno = result < 0 ? NativeCall.errno() : result;
            throw new NativeException(name, object, errno, remedy(name, errno));
        }
    }

    private static String remedy(String name, int errno) {
        boolean pins = name.equals("ibv_reg_mr");
        return switch (errno) {
            case Errno.ENOMEM, Errno.EPERM, Errno.EAGAIN -> pins || name.startsWith("ibv_create")
                    ? Remedies.memlock()
                    : "";
            case Errno.EOPNOTSUPP, Errno.EFAULT -> pins
                    ? "The memory must lie on a memory file system: name a directory below /dev/shm"
                    : "";
            default -> "";
        };
    }

    @Override
    public long openDevice(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            long list = pointer(name, "ibv_get_device_list", count);
            try {
                for (int i = 0; i < count.get(ValueLayout.JAVA_INT, 0); i++) {
                    long device = RawMemory.load(list + i * 8L);
                    String found = word(call("ibv_get_device_name", word(device))).reinterpret(64).getString(0);
                    if (found.equals(name)) {
                        return pointer(name, "ibv_open_device", word(device));
                    }
                }
            } finally {
                call("ibv_free_device_list", word(list));
            }
            throw new NativeException("ibv_get_device_list", name, Errno.ENODEV, count.get(ValueLayout.JAVA_INT, 0)
                    + " devices are there, not this one: rdma link shows them; a device without its library needs:"
                    + " sudo apt-get install ibverbs-providers; and its node: ls -l /dev/infiniband");
        }
    }

    @Override
    public void closeDevice(long context) {
        call("ibv_close_device", word(context));
    }

    @Override
    public DeviceInfo device(long context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(VerbsLayouts.IBV_DEVICE_ATTR);
            zero("device", "ibv_query_device", word(context), found);
            MemorySegment device = word(RawMemory.load(context)).reinterpret(VerbsLayouts.IBV_DEVICE.byteSize());
            return new DeviceInfo(
                    device.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_DEVICE, "transport_type")),
                    found.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_DEVICE_ATTR, "max_qp_wr")),
                    found.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_DEVICE_ATTR, "max_cqe")),
                    found.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_DEVICE_ATTR, "max_qp_rd_atom")));
        }
    }

    @Override
    public PortInfo port(long context, int port) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(VerbsLayouts.IBV_PORT_ATTR);
            zero("port " + port, "ibv_query_port", word(context), word(port), found);
            return new PortInfo(
                    found.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_PORT_ATTR, "state")),
                    found.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_PORT_ATTR, "active_mtu")),
                    found.get(ValueLayout.JAVA_SHORT, offset(VerbsLayouts.IBV_PORT_ATTR, "lid")) & 0xffff,
                    found.get(ValueLayout.JAVA_BYTE, offset(VerbsLayouts.IBV_PORT_ATTR, "link_layer")));
        }
    }

    @Override
    public long allocateDomain(long context) {
        return pointer("protection domain", "ibv_alloc_pd", word(context));
    }

    @Override
    public void freeDomain(long domain) {
        call("ibv_dealloc_pd", word(domain));
    }

    @Override
    public Region register(long domain, MemorySegment memory, int access) {
        long handle = pointer(memory.byteSize() + " bytes", "ibv_reg_mr", word(domain), memory,
                word(memory.byteSize()), word(access));
        MemorySegment region = word(handle).reinterpret(VerbsLayouts.IBV_MR.byteSize());
        return new Region(handle, region.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_MR, "lkey")),
                region.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_MR, "rkey")));
    }

    @Override
    public void deregister(Region region) {
        call("ibv_dereg_mr", word(region.handle()));
    }

    @Override
    public long createChannel(long context) {
        return pointer("completion channel", "ibv_create_comp_channel", word(context));
    }

    @Override
    public void destroyChannel(long channel) {
        call("ibv_destroy_comp_channel", word(channel));
    }

    @Override
    public long createCompletionQueue(long context, int entries, long channel) {
        return pointer("completion queue of " + entries, "ibv_create_cq", word(context), word(entries), word(0),
                word(channel), word(0));
    }

    @Override
    public void destroyCompletionQueue(long queue) {
        call("ibv_destroy_cq", word(queue));
    }

    @Override
    public QueuePair createQueuePair(long domain, long sendCompletions, long receiveCompletions, int sends,
            int receives, int inlineBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment wanted = arena.allocate(VerbsLayouts.IBV_QP_INIT_ATTR);
            long caps = offset(VerbsLayouts.IBV_QP_INIT_ATTR, "cap");
            wanted.set(ValueLayout.JAVA_LONG, offset(VerbsLayouts.IBV_QP_INIT_ATTR, "send_cq"), sendCompletions);
            wanted.set(ValueLayout.JAVA_LONG, offset(VerbsLayouts.IBV_QP_INIT_ATTR, "recv_cq"), receiveCompletions);
            wanted.set(ValueLayout.JAVA_INT, caps + offset(VerbsLayouts.IBV_QP_CAP, "max_send_wr"), sends);
            wanted.set(ValueLayout.JAVA_INT, caps + offset(VerbsLayouts.IBV_QP_CAP, "max_recv_wr"), receives);
            wanted.set(ValueLayout.JAVA_INT, caps + offset(VerbsLayouts.IBV_QP_CAP, "max_send_sge"), 1);
            wanted.set(ValueLayout.JAVA_INT, caps + offset(VerbsLayouts.IBV_QP_CAP, "max_recv_sge"), 1);
            long inline = caps + offset(VerbsLayouts.IBV_QP_CAP, "max_inline_data");
            wanted.set(ValueLayout.JAVA_INT, inline, inlineBytes);
            wanted.set(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_QP_INIT_ATTR, "qp_type"),
                    VerbsCodes.IBV_QPT_RC);
            long handle = pointer("queue pair of " + sends + " sends, " + inlineBytes + " bytes inline",
                    "ibv_create_qp", word(domain), wanted);
            MemorySegment made = word(handle).reinterpret(VerbsLayouts.IBV_QP.byteSize());
            return new QueuePair(handle, made.get(ValueLayout.JAVA_INT, offset(VerbsLayouts.IBV_QP, "qp_num")),
                    wanted.get(ValueLayout.JAVA_INT, inline));
        }
    }

    @Override
    public void destroyQueuePair(QueuePair pair) {
        call("ibv_destroy_qp", word(pair.handle()));
    }

    @Override
    public void initialise(QueuePair pair, int port, int access) {
        QueuePairState.initialise(port, access).enter(this::modify, pair.handle());
    }

    @Override
    public void connect(QueuePair pair, Route route) {
        QueuePairState.receiving(route).enter(this::modify, pair.handle());
        QueuePairState.sending(route).enter(this::modify, pair.handle());
    }

    private void modify(long pair, String state, MemorySegment attributes, int mask) {
        zero("queue pair to " + state, "ibv_modify_qp", word(pair), attributes, word(mask));
    }

    @Override
    public int postSend(QueuePair pair, long request) {
        return post(SEND, pair.handle(), request);
    }

    @Override
    public int postReceive(QueuePair pair, long request) {
        return post(RECEIVE, pair.handle(), request);
    }

    /** As ibv_post_send and ibv_post_recv: the context is the first member of a queue pair. */
    private static int post(long function, long pair, long request) {
        MemorySegment code = MemorySegment.ofAddress(RawMemory.load(RawMemory.load(pair) + function));
        try {
            return (int) Calls.POST.invokeExact(code, pair, request, BAD.address());
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    @Override
    public int poll(long queue, int most, long completions) {
        MemorySegment code = MemorySegment.ofAddress(RawMemory.load(RawMemory.load(queue) + POLL));
        try {
            return (int) Calls.POLL.invokeExact(code, queue, most, completions);
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    @Override
    public int arm(long queue) {
        MemorySegment code = MemorySegment.ofAddress(RawMemory.load(RawMemory.load(queue) + ARM));
        try {
            return (int) Calls.ARM.invokeExact(code, queue, 0);
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    @Override
    public boolean awaitEvent(long channel, long timeoutMillis) {
        int number = word(channel).reinterpret(VerbsLayouts.IBV_COMP_CHANNEL.byteSize()).get(ValueLayout.JAVA_INT,
                offset(VerbsLayouts.IBV_COMP_CHANNEL, "fd"));
        Fd descriptor = Fd.adopt(number, "completion channel"); // the channel's: never closed here
        if ((Poll.await(descriptor, Linux.POLLIN, timeoutMillis) & Linux.POLLIN) == 0) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment queue = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment data = arena.allocate(ValueLayout.JAVA_LONG);
            if ((int) call("ibv_get_cq_event", word(channel), queue, data) != 0) {
                throw NativeException.last("ibv_get_cq_event", "completion channel");
            }
            call("ibv_ack_cq_events", word(queue.get(ValueLayout.JAVA_LONG, 0)), word(1));
            return true;
        }
    }

    private static final class Calls {
        static final MethodHandle POST = Linker.nativeLinker().downcallHandle(
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG));
        static final MethodHandle POLL = Linker.nativeLinker().downcallHandle(
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG));
        static final MethodHandle ARM = Linker.nativeLinker().downcallHandle(
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
    }
}
