package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.StatusWire;
import dev.bascule.agent.Transaction;
import dev.bascule.local.LocalProtocol;
import dev.bascule.swap.SwapProtocol;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Main class of a process that attaches agents' ends and makes the calls it is told to: call and arguments on standard
 * input, results on standard output. The other side is {@link PuppetEnd}.
 */
final class AgentPuppet {
    /** Calls; each is followed by the number of the end and its arguments. */
    enum Call {
        ATTACH, IS_FENCED, PEEK, CONSUME, BARRIER, GENERATION, STATUS, ROOM, STAGE, COMMIT, WITHDRAW, OUTCOMES, HEARTBEAT, TICK, READY, CLOSE
    }

    /** One end, and what it takes to close it. */
    private record Held(Session session, AgentEnd end, StatusWire wire) {}

    private final DataInputStream in;
    private final DataOutputStream out;
    private final Map<Integer, Held> ends = new HashMap<>();
    private final Message message = new Message();
    private final Transaction transaction = new Transaction();

    private AgentPuppet(DataInputStream in, DataOutputStream out) {
        this.in = in;
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        AgentPuppet puppet = new AgentPuppet(new DataInputStream(System.in),
                new DataOutputStream(new BufferedOutputStream(System.out)));
        try {
            while (true) {
                puppet.serve(Call.values()[puppet.in.readByte()], puppet.in.readInt());
                puppet.out.flush();
            }
        } catch (EOFException e) {
            // the test is over
        }
    }

    private void serve(Call call, int handle) throws IOException {
        if (call == Call.ATTACH) {
            attach(handle);
            return;
        }
        Held held = ends.get(handle);
        AgentEnd end = held.end();
        switch (call) {
            case IS_FENCED -> out.writeBoolean(end.isFenced());
            case PEEK -> peek(end);
            case CONSUME -> end.consume();
            case BARRIER -> out.writeInt(end.barrier());
            case GENERATION -> out.writeInt(end.resyncGeneration());
            case STATUS -> write(held.wire().line(end.status(), in.readInt()));
            case ROOM -> out.writeInt(end.room(in.readInt()));
            case STAGE -> stage(end);
            case COMMIT -> end.commit();
            case WITHDRAW -> out.writeBoolean(end.withdraw(in.readInt()));
            case OUTCOMES -> outcomes(end);
            case HEARTBEAT -> end.heartbeat();
            case TICK -> end.tick();
            case READY -> end.ready();
            case CLOSE -> close(handle, held);
            default -> throw new IOException("call " + call);
        }
        out.writeByte(call.ordinal()); // the answer is whole
    }

    private void attach(int handle) throws IOException {
        String transport = in.readUTF();
        Path directory = Path.of(in.readUTF());
        int agent = in.readInt();
        Session session = switch (transport) {
            case LocalProtocol.NAME -> Session.onHost(directory, false);
            case SwapProtocol.NAME -> Session.swap(directory, LinkSetup.DEFAULT, false);
            default -> Session.wave(directory, LinkSetup.DEFAULT, false);
        };
        try {
            AgentEnd end = session.attach(agent);
            EnclaveShape shape = end.shape();
            ends.put(handle, new Held(session, end, new StatusWire(shape)));
            out.writeUTF("");
            for (int size : new int[] { shape.cpus(), shape.tasks(), shape.agents(), shape.channelEntries(),
                    shape.staged(), end.epoch() }) {
                out.writeInt(size);
            }
        } catch (AgentException e) {
            session.close();
            out.writeUTF(String.valueOf(e.getMessage()));
        }
    }

    private void peek(AgentEnd end) throws IOException {
        boolean there = end.peek(message);
        out.writeBoolean(there);
        if (there) {
            write(message.words());
        }
    }

    private void stage(AgentEnd end) throws IOException {
        int cpu = in.readInt();
        for (int i = 0; i < Message.WORDS; i++) {
            transaction.words()[i] = in.readLong();
        }
        out.writeBoolean(end.stage(cpu, transaction));
        write(transaction.words());
        out.writeInt(transaction.slotCpu());
        out.writeInt(transaction.number());
        out.writeInt(transaction.revision());
    }

    private void outcomes(AgentEnd end) throws IOException {
        int count = end.outcomes((cpu, number, identity, outcome) -> {
            try {
                out.writeByte(1);
                out.writeInt(cpu);
                out.writeInt(number);
                out.writeLong(identity);
                out.writeByte(outcome.ordinal());
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        out.writeByte(0);
        out.writeInt(count);
    }

    private void close(int handle, Held held) {
        ends.remove(handle);
        held.end().close();
        held.session().close();
    }

    private void write(long[] words) throws IOException {
        for (long word : words) {
            out.writeLong(word);
        }
    }
}
