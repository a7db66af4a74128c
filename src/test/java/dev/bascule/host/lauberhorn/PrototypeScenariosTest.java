package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the public prototype's simulation is tested with (KireinaHoro/enzian-pio-nic, NicSim), by the same names, on this
 * model: each process threads of this JVM. {@link PrototypeScenariosProcessTest} runs the same with real processes.
 */
class PrototypeScenariosTest {
    static final Signature OWNED = new Signature(List.of(ValueType.LONG, ValueType.LONG, ValueType.LONG),
            List.of(ValueType.LONG, ValueType.LONG));
    private static final int FIRST_PROGRAM = 0x2000_0100;
    private static final long MINUTE = 60_000_000_000L;
    private static final LauberhornOptions PATIENT = LauberhornOptions.DEFAULT.withCriticalNanos(MINUTE);

    @TempDir
    Path directory = Path.of(".");

    /** Whether processes are processes of the operating system. */
    boolean isAcross() {
        return false;
    }

    /**
     * Three services, one a process: procedure 1 takes an owner, a number and how long to work (us), and returns the number
     * of the process that served it and the number; 2 works in one piece, without a yield point.
     */
    static JavaService service(int which) {
        return JavaService.empty(FIRST_PROGRAM + which, 1).with(1, "work", OWNED, call -> {
            long until = System.nanoTime() + call.longAt(2) * 1_000;
            while (System.nanoTime() < until) {
                call.yieldPoint();
                Thread.onSpinWait();
            }
            answer(call, which);
        }).with(2, "hog", OWNED, call -> {
            long until = System.nanoTime() + call.longAt(2) * 1_000;
            while (System.nanoTime() < until) {
                LockSupport.parkNanos(100_000);
            }
            answer(call, which);
        });
    }

    private static void answer(RpcCall call, int which) {
        if (call.longAt(0) != which) {
            throw new IllegalStateException("service " + which + " got a request of service " + call.longAt(0));
        }
        call.setLong(0, which);
        call.setLong(1, call.longAt(1));
    }

    static final class Zero implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(service(0));
        }
    }

    static final class One implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(service(1));
        }
    }

    static final class Two implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(service(2));
        }
    }

    private static final List<Class<? extends TestProcess.Maker>> MAKERS = List.of(Zero.class, One.class, Two.class);

    private final List<Process> children = new ArrayList<>();

    private Rig rig(LauberhornConfig config, LauberhornOptions options, int processes) throws IOException {
        LauberhornOptions own = isAcross() ? options.withDirectory(directory) : options;
        Rig rig = new Rig(config, own);
        for (int which = 0; which < processes; which++) {
            join(rig, which);
        }
        return rig;
    }

    private void join(Rig rig, int which) throws IOException {
        int before = rig.host.processes().size();
        if (isAcross()) {
            children.add(TestProcess.start(directory, "service " + which, MAKERS.get(which)));
            rig.until(() -> rig.host.processes().size() > before, "process " + which + " to join");
        } else {
            rig.host.startProcess("service " + which, service(which));
        }
    }

    private static LauberhornConfig machine(int cores, int processes, int threads) {
        // who is slow is not late: other tests may have the machine
        return LauberhornConfig.DEFAULT.withMachine(cores, processes, threads)
                .withTimes(new LauberhornConfig.Times(15_000_000, MINUTE, MINUTE));
    }

    static int send(Rig rig, int which, int procedure, long micros) {
        int id = rig.nextXid();
        rig.client.call(id, FIRST_PROGRAM + which, 1, procedure, OWNED, new long[] { which, id, micros }, 24);
        return id;
    }

    static void check(Rig rig, int id, int which) {
        assertThat(rig.await(id)).as("call %d of service %d", id, which).isEqualTo(OncRpc.SUCCESS);
        byte[] xdr = rig.results.get((long) id);
        assertThat(Xdr.getInt(xdr, 4)).as("served by").isEqualTo(which);
        assertThat(Xdr.getInt(xdr, 12)).isEqualTo(id);
        assertThat(rig.statuses.get((long) id)).as("answers to call %d", id).hasSize(1);
    }

    static void accounts(Rig rig) {
        rig.until(() -> rig.host.inUse() == 0, "all requests to be settled");
        var counters = rig.host.counters();
        assertThat(counters.get(Total.ANSWERED) + counters.get(Total.REFUSED))
                .isEqualTo(counters.get(Total.REQUESTS));
        assertThat(rig.host.failure()).isNull();
    }

    /** Who has this address? To everybody; RFC 826. */
    private static byte[] arp(int number) {
        byte[] frame = new byte[60];
        Arrays.fill(frame, 0, 6, (byte) 0xff);
        frame[7] = 2;
        frame[11] = (byte) number;
        Xdr.putInt(frame, 12, 0x0806_0001);
        Xdr.putInt(frame, 16, 0x0800_0604);
        frame[21] = 1;
        System.arraycopy(frame, 6, frame, 22, 6);
        Xdr.putInt(frame, 28, Rig.IPV4 + 1);
        Xdr.putInt(frame, 38, Rig.IPV4);
        return frame;
    }

    @Test
    void rxBypassSimple() throws IOException {
        try (Rig rig = rig(machine(1, 1, 1), PATIENT, 1)) {
            for (int number = 1; number <= 20; number++) {
                check(rig, send(rig, 0, 1, 0), 0);
                rig.transmit(arp(number));
                byte[] answer = rig.awaitFrame();
                assertThat(Xdr.getInt(answer, 20) >>> 16).as("an answer").isEqualTo(2);
                assertThat(answer[5]).as("to who asked").isEqualTo((byte) number);
                assertThat(Xdr.getInt(answer, 28)).isEqualTo(Rig.IPV4);
                assertThat(Xdr.getInt(answer, 24)).as("of this NIC").isEqualTo((int) Rig.MAC);
            }
            assertThat(rig.host.counters().get(Total.BYPASSED)).isEqualTo(20);
            assertThat(rig.host.counters().get(Total.DROPPED)).isZero();
            accounts(rig);
        }
    }

    @Test
    void rxOncRpcAllCores() throws IOException {
        try (Rig rig = rig(machine(4, 1, 4), PATIENT, 1)) {
            int before = 0;
            for (int round = 0; round < 100 && before < 4; round++) {
                List<Integer> ids = new ArrayList<>();
                for (int i = 0; i < 24; i++) { // half of the queue is full: the process gets more cores
                    ids.add(send(rig, 0, 1, 20_000));
                }
                ids.forEach(id -> check(rig, id, 0));
                before = (int) IntStream.range(0, 4)
                        .filter(core -> rig.host.counters().get(core, OfCore.DELIVERED) > 0).count();
            }
            assertThat(before).as("cores that had requests").isEqualTo(4);
            accounts(rig);
        }
    }

    @Test
    void rxOncRpcRoundRobin() throws IOException {
        try (Rig rig = rig(machine(1, 3, 1), PATIENT, 3)) {
            for (int round = 0; round < 20; round++) {
                for (int which = 0; which < 3; which++) {
                    check(rig, send(rig, which, 1, 0), which);
                }
            }
            assertThat(rig.host.switches()).as("the core went from process to process").isGreaterThanOrEqualTo(60);
            accounts(rig);
        }
    }

    @Test
    void roundTripOncRpcTimestamped() throws IOException {
        try (Rig rig = rig(machine(1, 1, 1), PATIENT, 1)) {
            long before = System.nanoTime();
            int id = send(rig, 0, 1, 3_000);
            check(rig, id, 0);
            assertThat(System.nanoTime() - before).as("a round trip with 3 ms of work").isGreaterThan(3_000_000);
            accounts(rig);
        }
    }

    /** Three processes with two, three and three threads' worth of requests on two cores: idle cores go where work is. */
    @Test
    void rxSchedIdleScaleMany() throws IOException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        try (Rig rig = rig(machine(2, 3, 2), PATIENT, 3)) {
            Map<Integer, Integer> sent = new HashMap<>();
            int[] out = new int[3];
            for (int i = 0; i < 300; i++) {
                int which = random.nextInt(3);
                int most = 27; // as there: nothing is to be refused
                rig.until(() -> out[which] - settled(rig, sent, which) < most, "room in the queue of " + which);
                sent.put(send(rig, which, 1, random.nextInt(50)), which);
                out[which]++;
            }
            sent.forEach((id, which) -> check(rig, id, which));
            assertThat(rig.host.counters().get(Total.REFUSED)).as("seed %d", seed).isZero();
            accounts(rig);
        }
    }

    private static int settled(Rig rig, Map<Integer, Integer> sent, int which) {
        int count = 0;
        for (Map.Entry<Integer, Integer> call : sent.entrySet()) {
            count += call.getValue() == which && rig.statuses.containsKey((long) call.getKey()) ? 1 : 0;
        }
        return count;
    }

    /** A long request is pre-empted for another process; neither sees what is the other's, and both end. */
    @Test
    void rxPreemptNoLeaking() throws IOException {
        try (Rig rig = rig(machine(1, 2, 1), PATIENT, 2)) {
            int slow = send(rig, 0, 1, 300_000);
            rig.until(() -> rig.host.counters().get(0, OfCore.DELIVERED) == 1, "the slow request to begin");
            int quick = send(rig, 1, 1, 0);
            check(rig, quick, 1);
            assertThat(rig.statuses).as("the slow one goes on, behind it").doesNotContainKey((long) slow);
            check(rig, slow, 0);
            assertThat(rig.host.counters().get(0, OfCore.INTERRUPTS)).isPositive();
            assertThat(rig.host.processes()).allSatisfy(process -> assertThat(process.failures()).isEmpty());
            accounts(rig);
        }
    }

    /** A thread that does not let go of its core is ended with its process, and its request refused. */
    @Test
    void rxSchedCritTimeout() throws IOException {
        LauberhornOptions options = PATIENT.withCriticalNanos(500_000_000);
        try (Rig rig = rig(machine(1, 2, 1), options, 2)) {
            int hog = send(rig, 0, 2, 100_000_000);
            rig.until(() -> rig.host.counters().get(0, OfCore.DELIVERED) == 1, "the hog to begin");
            int quick = send(rig, 1, 1, 0);
            check(rig, quick, 1);
            assertThat(rig.await(hog)).isEqualTo(OncRpc.SYSTEM_ERR);
            assertThat(rig.host.counters().get(Refusal.PROCESS_GONE)).isEqualTo(1);
            assertThat(rig.host.processes()).singleElement().extracting(RpcProcess::name).isEqualTo("service 1");
            accounts(rig);
        }
    }

    /** A process that dies with a request leaves a refusal behind, and its successor serves on. */
    @Test
    void aProcessThatDiesIsReplaced() throws IOException {
        try (Rig rig = rig(machine(2, 2, 2), PATIENT, 2)) {
            int caught = send(rig, 0, 2, 100_000_000);
            rig.until(() -> rig.host.counters().sum(OfCore.DELIVERED) == 1, "the request to begin");
            if (isAcross()) {
                children.getFirst().destroyForcibly();
            } else {
                rig.host.processes().getFirst().kill();
            }
            assertThat(rig.await(caught)).isEqualTo(OncRpc.SYSTEM_ERR);
            rig.until(() -> rig.host.processes().size() == 1, "the process to be gone");
            int gone = send(rig, 0, 1, 0);
            assertThat(rig.await(gone)).isEqualTo(OncRpc.PROG_UNAVAIL);
            join(rig, 0);
            for (int i = 0; i < 10; i++) {
                check(rig, send(rig, 0, 1, 0), 0);
                check(rig, send(rig, 1, 1, 0), 1);
            }
            accounts(rig);
        }
    }

    /** The NIC is restarted under load: what it had is refused, everything goes on after it. */
    @Test
    void theNicIsRestarted() throws IOException {
        try (Rig rig = rig(machine(2, 2, 2), PATIENT, 2)) {
            for (int round = 0; round < 5; round++) {
                List<Integer> ids = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    ids.add(send(rig, i % 2, 1, 500));
                }
                rig.host.restartNic();
                ids.forEach(id -> assertThat(rig.await(id)).isIn(OncRpc.SUCCESS, OncRpc.SYSTEM_ERR));
                check(rig, send(rig, 0, 1, 0), 0);
                check(rig, send(rig, 1, 1, 0), 1);
            }
            accounts(rig);
        }
    }

    /** The thread of a core's kernel dies, in the kernel and while a process has the core: another takes its place. */
    @Test
    void aKernelThatCrashesIsReplaced() throws IOException {
        try (Rig rig = rig(machine(1, 2, 1), PATIENT, 2)) {
            rig.host.crashKernel(0);
            check(rig, send(rig, 0, 1, 0), 0);
            int running = send(rig, 0, 1, 200_000);
            rig.until(() -> rig.host.counters().get(0, OfCore.DELIVERED) == 2, "the request to begin");
            rig.host.crashKernel(0);
            int other = send(rig, 1, 1, 0);
            check(rig, running, 0);
            check(rig, other, 1);
            accounts(rig);
        }
    }

    /** Cores leave RPC work and come back; requests meanwhile wait, and none is lost. */
    @Test
    void coresRetireAndComeBack() throws IOException {
        try (Rig rig = rig(machine(2, 2, 2), PATIENT, 2)) {
            check(rig, send(rig, 0, 1, 0), 0);
            for (int round = 0; round < 10; round++) {
                List<Integer> ids = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    ids.add(send(rig, i % 2, 1, 100));
                }
                rig.host.retire(0);
                rig.host.retire(1);
                rig.until(() -> rig.host.cores().equals(List.of("retired", "retired")), "both cores to retire");
                ids.add(send(rig, 1, 1, 0));
                rig.host.admit(round % 2);
                for (int i = 0; i < 11; i++) {
                    check(rig, ids.get(i), i % 2 == 1 || i == 10 ? 1 : 0);
                }
                rig.host.admit(1 - round % 2);
                rig.until(() -> !rig.host.cores().contains("retired"), "both cores to be back");
            }
            accounts(rig);
        }
    }

    @AfterEach
    void endChildren() throws InterruptedException {
        for (Process child : children) {
            if (!child.waitFor(5, TimeUnit.SECONDS)) {
                child.destroyForcibly().waitFor();
            }
        }
    }
}
