package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An agent's end whose every call is made by another process, an {@link AgentPuppet}. */
final class PuppetEnd implements AgentEnd {
    private final PuppetMaster master;
    private final int handle;
    private final int agent;
    private final EnclaveShape shape;
    private final int epoch;
    private final StatusTable status;
    private boolean closed;

    PuppetEnd(PuppetMaster master, String transport, Path directory, int agent) {
        this.master = master;
        this.agent = agent;
        handle = master.nextHandle();
        try {
            send(AgentPuppet.Call.ATTACH);
            master.out.writeUTF(transport);
            master.out.writeUTF(directory.toString());
            master.out.writeInt(agent);
            master.out.flush();
            String refusal = master.in.readUTF();
            if (!refusal.isEmpty()) {
                throw new AgentException(refusal);
            }
            DataInputStream in = master.in;
            shape = new EnclaveShape(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt());
            epoch = in.readInt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        status = new StatusTable(new StatusLines(), 0, shape);
    }

    /** Reads what a call answers. */
    private interface Answer<T> {
        T read(DataInputStream in) throws IOException;
    }

    private void send(AgentPuppet.Call call) throws IOException {
        master.out.writeByte(call.ordinal());
        master.out.writeInt(handle);
    }

    private <T> T call(AgentPuppet.Call call, long @Nullable [] words, @Nullable Integer argument, Answer<T> answer) {
        try {
            send(call);
            if (argument != null) {
                master.out.writeInt(argument);
            }
            if (words != null) {
                for (long word : words) {
                    master.out.writeLong(word);
                }
            }
            master.out.flush();
            T result = answer.read(master.in);
            if (master.in.readByte() != call.ordinal()) {
                throw new IllegalStateException("answer to " + call + " is not whole");
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(call + " in the agents' process", e);
        }
    }

    private void tell(AgentPuppet.Call call) {
        call(call, null, null, in -> 0);
    }

    @Override
    public EnclaveShape shape() {
        return shape;
    }

    @Override
    public int agent() {
        return agent;
    }

    @Override
    public int epoch() {
        return epoch;
    }

    @Override
    public boolean isFenced() {
        return call(AgentPuppet.Call.IS_FENCED, null, null, DataInputStream::readBoolean);
    }

    @Override
    public boolean peek(Message into) {
        return call(AgentPuppet.Call.PEEK, null, null, in -> in.readBoolean() && read(in, into.words()));
    }

    private static boolean read(DataInputStream in, long[] words) throws IOException {
        for (int i = 0; i < words.length; i++) {
            words[i] = in.readLong();
        }
        return true;
    }

    @Override
    public void consume() {
        tell(AgentPuppet.Call.CONSUME);
    }

    @Override
    public int barrier() {
        return call(AgentPuppet.Call.BARRIER, null, null, DataInputStream::readInt);
    }

    @Override
    public int resyncGeneration() {
        return call(AgentPuppet.Call.GENERATION, null, null, DataInputStream::readInt);
    }

    @Override
    public StatusTable status() {
        return status;
    }

    @Override
    public int room(int cpu) {
        return call(AgentPuppet.Call.ROOM, null, cpu, DataInputStream::readInt);
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        return call(AgentPuppet.Call.STAGE, transaction.words(), cpu, in -> {
            boolean staged = in.readBoolean();
            read(in, transaction.words());
            transaction.slot(in.readInt(), in.readInt(), in.readInt());
            return staged;
        });
    }

    @Override
    public void commit() {
        tell(AgentPuppet.Call.COMMIT);
    }

    @Override
    public boolean withdraw(int cpu) {
        return call(AgentPuppet.Call.WITHDRAW, null, cpu, DataInputStream::readBoolean);
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        List<Runnable> settled = new ArrayList<>(); // told afterwards: the sink may call this end
        int count = call(AgentPuppet.Call.OUTCOMES, null, null, in -> {
            while (in.readByte() != 0) {
                int cpu = in.readInt();
                int number = in.readInt();
                long identity = in.readLong();
                Outcome outcome = Outcome.values()[in.readByte()];
                settled.add(() -> sink.settled(cpu, number, identity, outcome));
            }
            return in.readInt();
        });
        settled.forEach(Runnable::run);
        return count;
    }

    @Override
    public void heartbeat() {
        tell(AgentPuppet.Call.HEARTBEAT);
    }

    @Override
    public void tick() {
        tell(AgentPuppet.Call.TICK);
    }

    @Override
    public void ready() {
        tell(AgentPuppet.Call.READY);
    }

    /** Those of the other process stay there: the suite only prints them. */
    @Override
    public TransportCounters counters() {
        return new TransportCounters();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            tell(AgentPuppet.Call.CLOSE);
        }
    }

    /** The status words as the other process sees them, a line at a time. */
    private final class StatusLines extends Window {
        private long cached = -1;
        private final long[] words = new long[LINE_BYTES / 8];

        StatusLines() {
            super(StatusTable.sizeBytes(shape), MemoryType.WT);
        }

        @Override
        public long loadAcquire(long offset) {
            long line = offset / LINE_BYTES;
            if (cached != line) {
                call(AgentPuppet.Call.STATUS, null, (int) line, in -> read(in, words));
                cached = line;
            }
            return words[(int) (offset % LINE_BYTES) / 8];
        }

        @Override
        public void invalidateLine(long offset) {
            cached = -1;
        }

        @Override
        public void storeRelease(long offset, long value) {
            throw new IllegalStateException("agents do not write status words");
        }
    }
}
