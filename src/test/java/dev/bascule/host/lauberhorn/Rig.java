package dev.bascule.host.lauberhorn;

import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import dev.bascule.workload.lauberhorn.WireClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** A host and a client at the other end of its wire. */
final class Rig implements AutoCloseable {
    static final int PROGRAM = 0x2000_0001;
    static final long MAC = 0x0200_0000_0001L;
    static final int IPV4 = 0x0a01_0101;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    final LauberhornHost host;
    final WireClient client;
    /** Statuses of replies by id, in the order in which they came. */
    final Map<Long, List<Integer>> statuses = new HashMap<>();
    final Map<Long, byte[]> results = new HashMap<>();
    private final WireEnd nearEnd;
    private final WireEnd farEnd;
    private int xid = 1000;

    /** A service for tests. */
    @RpcProgram(number = PROGRAM)
    interface Sums {
        @RpcProcedure(1)
        long add(long a, long b);

        @RpcProcedure(2)
        String greet(String name);

        @RpcProcedure(3)
        Pair swap(Pair pair, boolean really);

        @RpcProcedure(4)
        byte[] reverse(byte[] data);

        @RpcProcedure(5)
        void fail(int how);

        @RpcProcedure(6)
        double mean(double a, float b, int c);
    }

    /** A record of the wire. */
    record Pair(int number, String text) {}

    static final class SumsObject implements Sums {
        @Override
        public long add(long a, long b) {
            return a + b;
        }

        @Override
        public String greet(String name) {
            return "Hello, " + name + "!";
        }

        @Override
        public Pair swap(Pair pair, boolean really) {
            return really ? new Pair(pair.text().length(), Integer.toString(pair.number())) : pair;
        }

        @Override
        public byte[] reverse(byte[] data) {
            byte[] back = new byte[data.length];
            for (int i = 0; i < data.length; i++) {
                back[data.length - 1 - i] = data[i];
            }
            return back;
        }

        @Override
        public void fail(int how) {
            throw new IllegalStateException("as asked: " + how);
        }

        @Override
        public double mean(double a, float b, int c) {
            return (a + b + c) / 3;
        }
    }

    Rig(LauberhornConfig config, LauberhornOptions options) {
        List<WireEnd> cable = Cables.cross();
        nearEnd = cable.get(0);
        farEnd = cable.get(1);
        host = LauberhornHost.start(config, NicAddress.of(MAC, IPV4), nearEnd, options);
        client = new WireClient(farEnd, WireClient.flow(0x0200_0000_0002L, 0x0a01_0102, 5000, MAC, IPV4, 700),
                this::reply);
    }

    private void reply(long id, int status, byte[] payload, int offset, int bytes) {
        statuses.computeIfAbsent(id, k -> new ArrayList<>()).add(status);
        byte[] copy = new byte[bytes];
        System.arraycopy(payload, offset, copy, 0, bytes);
        results.put(id, copy);
    }

    /** Sends a frame as it is. */
    void transmit(byte[] frame) {
        if (!farEnd.transmit(frame, 0, frame.length)) {
            throw new AssertionError("the wire took no frame of " + frame.length + " bytes");
        }
    }

    /** The next frame, whatever it is; no reply may be under way. The client polls the same end, so it must not meanwhile. */
    byte[] awaitFrame() {
        List<byte[]> frames = new ArrayList<>();
        until(() -> 0, () -> farEnd
                .poll((data, offset, bytes) -> frames.add(Arrays.copyOfRange(data, offset, offset + bytes)), 1) == 1,
                "a frame");
        return frames.getFirst();
    }

    int nextXid() {
        return ++xid;
    }

    /** Sends a call and waits for its reply; returns the status. */
    int call(int procedure, Signature signature, long... words) {
        return call(PROGRAM, 1, procedure, signature, words, words.length * 8);
    }

    int call(int program, int version, int procedure, Signature signature, long[] words, int bytes) {
        int id = nextXid();
        client.call(id, program, version, procedure, signature, words, bytes);
        return await(id);
    }

    int await(long id) {
        until(() -> statuses.containsKey(id), "the reply to call " + id);
        return statuses.get(id).getLast();
    }

    /** Polls for replies until it holds. */
    void until(BooleanSupplier holds, String what) {
        until(() -> client.poll(64), holds, what);
    }

    private void until(IntSupplier work, BooleanSupplier holds, String what) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!holds.getAsBoolean()) {
            if (work.getAsInt() == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain for " + what + "; cores " + host.describe() + ", in use "
                        + host.inUse() + ", failure " + host.failure());
            }
        }
    }

    /** The newest result as decoded words. */
    long[] result(List<ValueType> types) {
        byte[] xdr = results.get((long) xid);
        long[] words = new long[64 + xdr.length / 4];
        if (Xdr.decode(types, xdr, 0, xdr.length, words) == Xdr.BAD) {
            throw new AssertionError("the result is not " + types);
        }
        return words;
    }

    static String text(long[] words, int place) {
        byte[] bytes = new byte[ValueType.bytes(words[place])];
        Xdr.copyOut(words, ValueType.firstWord(words[place]), bytes.length, bytes, 0);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Words of one variable value behind fixed ones. */
    static long[] withBytes(byte[] data, long... fixedAfter) {
        long[] words = new long[1 + fixedAfter.length + Xdr.words(data.length)];
        words[0] = ValueType.reference(1 + fixedAfter.length, data.length);
        System.arraycopy(fixedAfter, 0, words, 1, fixedAfter.length);
        Xdr.copyIn(data, 0, data.length, words, 1 + fixedAfter.length);
        return words;
    }

    static boolean isDone(int status) {
        return status == OncRpc.SUCCESS && status == CompactRpc.DONE;
    }

    @Override
    public void close() {
        host.close();
        nearEnd.close();
        farEnd.close();
    }
}
