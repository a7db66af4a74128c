package dev.bascule.model.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.memory.Window;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A NIC that is stepped, with a clock of its own, and its cores' lines in the hands of the test. Process p serves program
 * {@link #PROGRAM} + p: procedure 1 takes an owner and a text and returns both.
 */
final class SteppedNic implements AutoCloseable {
    static final int PROGRAM = 0x2000_0500;
    static final Signature OWNED = new Signature(List.of(ValueType.LONG, ValueType.STRING),
            List.of(ValueType.LONG, ValueType.STRING));
    static final long MAC = 0x0200_0000_0001L;
    static final int IPV4 = 0x0a01_0101;
    private static final long PATIENCE_NANOS = 1_000_000_000;

    final LauberhornNic nic;
    final WireClient client;
    final ProcessLayout layout;
    /** Statuses of replies by call, in the order in which they came. */
    final Map<Long, List<Integer>> statuses = new TreeMap<>();
    final Map<Long, byte[]> results = new TreeMap<>();
    final List<Integer> interrupts = new ArrayList<>();
    final List<byte[]> frames = new ArrayList<>();
    final WireEnd far;
    private final WireEnd near;
    private final LauberhornConfig config;
    private final LineMemory kernelMemory;
    private final LineMemory bypassMemory;
    private final Map<Integer, LineMemory> memories = new TreeMap<>();
    long now = 1_000_000_000;
    private int xid;

    SteppedNic(LauberhornConfig config) {
        this.config = config;
        List<WireEnd> cable = Cables.cross();
        near = cable.get(0);
        far = cable.get(1);
        nic = new LauberhornNic(config, NicAddress.of(MAC, IPV4), near, () -> now, interrupts::add);
        client = new WireClient(far, WireClient.flow(MAC + 1, IPV4 + 1, 5000, MAC, IPV4, 700), this::reply);
        ProcessLayout generic = new ProcessLayout(config.lines(), config.cores());
        kernelMemory = LineMemory.create(generic, 0);
        nic.attachKernel(kernelMemory.nic(), generic);
        ProcessLayout bypass = new ProcessLayout(config.lines(), 1);
        bypassMemory = LineMemory.create(bypass, 0);
        nic.attachBypass(bypassMemory.nic(), bypass);
        layout = new ProcessLayout(config.lines(), config.threads());
    }

    private void reply(long id, int status, byte[] payload, int offset, int bytes) {
        statuses.computeIfAbsent(id, k -> new ArrayList<>()).add(status);
        byte[] copy = new byte[bytes];
        System.arraycopy(payload, offset, copy, 0, bytes);
        results.put(id, copy);
    }

    void begin(int process) {
        LineMemory memory = LineMemory.create(layout, 0);
        memories.put(process, memory);
        nic.beginProcess(process, memory.nic(), layout);
        String refused = nic.addService(process, new Service(PROGRAM + process, 1, 0x1000 + process,
                List.of(new Procedure(0, 0x100, Signature.NULL), new Procedure(1, 0x101, OWNED))));
        assertThat(refused).isEmpty();
    }

    /** Memory of a process, as it sees it. */
    Window memory(int process) {
        return memories.get(process).cpu();
    }

    CpuLines kernel(int core) {
        return lines(kernelMemory, core, 0);
    }

    CpuLines bypass() {
        return lines(bypassMemory, 0, 0);
    }

    CpuLines thread(int process, int thread) {
        return lines(memories.get(process), thread, process);
    }

    private static CpuLines lines(LineMemory memory, int thread, int owner) {
        return new CpuLines(memory.cpu(), memory.layout().lines(), memory.layout().requests(thread), owner, work -> {},
                PATIENCE_NANOS);
    }

    int number(int process, int thread) {
        return nic.firstThread(process) + thread;
    }

    /** Sends a request that carries its owner; returns its id. */
    long send(int process, String text) {
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        long[] words = new long[2 + Xdr.words(bytes.length)];
        words[0] = process;
        words[1] = ValueType.reference(2, bytes.length);
        Xdr.copyIn(bytes, 0, bytes.length, words, 2);
        client.call(++xid, PROGRAM + process, 1, 1, OWNED, words, words.length * Long.BYTES);
        return xid;
    }

    /** So many rounds of the NIC, and all replies. */
    void step(int rounds) {
        for (int i = 0; i < rounds; i++) {
            nic.doWork();
            client.poll(64);
        }
    }

    /** Lets time pass, and steps. */
    void pass(long nanos) {
        now += nanos;
        step(3);
    }

    /** The core's kernel loads, and is told to run a thread of the process; the thread loads. */
    int dispatch(CpuLines kernel, CpuLines thread) {
        kernel.announce();
        step(3);
        assertThat(kernel.look()).isEqualTo(LineHead.DISPATCH);
        thread.announce();
        step(3);
        return thread.look();
    }

    /** Writes the reply to the request that the thread has: what it got. It leaves with the next load. */
    static void answer(CpuLines thread) {
        int words = thread.bytes() + 7 >> 3;
        long[] got = new long[words];
        for (int i = 0; i < words; i++) {
            got[i] = thread.payload(i);
        }
        thread.begin(words * Long.BYTES);
        for (int i = 0; i < words; i++) {
            thread.put(i, got[i]);
        }
        thread.end(LineHead.REPLY);
    }

    /** What became of a call: its status, and nothing else came for it. */
    int only(long id) {
        assertThat(statuses.getOrDefault(id, List.of())).as("replies to call %d", id).hasSize(1);
        return statuses.get(id).getFirst();
    }

    long refused(Refusal why) {
        return nic.counters().get(why);
    }

    /** Everything that came was answered or refused, once. */
    void settled() {
        assertThat(nic.inUse()).as("requests in the NIC").isZero();
        NicCounters counters = nic.counters();
        assertThat(counters.get(Total.ANSWERED) + counters.get(Total.REFUSED)).isEqualTo(counters.get(Total.REQUESTS));
        assertThat(statuses.values()).as("replies to each call").allSatisfy(of -> assertThat(of).hasSize(1));
    }

    LauberhornConfig config() {
        return config;
    }

    @Override
    public void close() {
        memories.values().forEach(LineMemory::close);
        kernelMemory.close();
        bypassMemory.close();
        near.close();
        far.close();
    }
}
