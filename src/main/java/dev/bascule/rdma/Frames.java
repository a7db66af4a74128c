package dev.bascule.rdma;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Frames that the two sides send each other before the region is there, in this order. */
final class Frames {
    /** Host: which transport and sizes, and what it is going to do with the agent's copy. */
    static final byte OFFER = 1;
    /** Agent: who it is, whether it holds a former host's copy, how it is reached. */
    static final byte REPLY = 2;
    /** Host: how it is reached. */
    static final byte CONNECT = 3;
    /** Agent: its queue pair is ready. */
    static final byte CONNECTED = 4;
    /** Host: the copy is whole. */
    static final byte READY = 5;

    private Frames() {}

    /**
     * The host's region.
     *
     * @param fills whether the host is going to write its whole copy to the agent; otherwise it reads the one that a
     *     former host filled, and hangs up
     */
    record Offer(String transport, boolean fills, MirrorShape shape) {
        void writeTo(DataOutputStream out) throws IOException {
            out.writeUTF(transport);
            out.writeBoolean(fills);
            out.writeLong(shape.headBytes());
            out.writeLong(shape.nicBytes());
            out.writeLong(shape.sharedBytes());
            out.writeLong(shape.privateBytes());
        }

        static Offer readFrom(DataInputStream in) throws IOException {
            return new Offer(in.readUTF(), in.readBoolean(),
                    new MirrorShape(in.readLong(), in.readLong(), in.readLong(), in.readLong()));
        }
    }

    /**
     * The agent.
     *
     * @param number which agent of the enclave it is
     * @param holdsCopy whether it has a copy of this size that a former host filled
     */
    record Reply(int number, boolean holdsCopy, PeerAddress address) {
        void writeTo(DataOutputStream out) throws IOException {
            out.writeInt(number);
            out.writeBoolean(holdsCopy);
            address.writeTo(out);
        }

        static Reply readFrom(DataInputStream in) throws IOException {
            return new Reply(in.readInt(), in.readBoolean(), PeerAddress.readFrom(in));
        }
    }
}
