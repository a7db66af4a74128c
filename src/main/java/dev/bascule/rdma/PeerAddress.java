package dev.bascule.rdma;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * How a side's queue pair and its copy of the region are reached.
 *
 * @param number of the queue pair
 * @param firstPacket number of the first packet it sends
 * @param gid 16 bytes
 * @param lid in an InfiniBand subnet; 0 on Ethernet
 * @param mtu code of the largest packet
 * @param base address of the copy
 * @param key remote key of the copy
 * @param reads RDMA READs that it answers at a time
 */
record PeerAddress(int number, int firstPacket, byte[] gid, int lid, int mtu, long base, int key, int reads) {
    PeerAddress {
        gid = gid.clone();
    }

    void writeTo(DataOutputStream out) throws IOException {
        out.writeInt(number);
        out.writeInt(firstPacket);
        out.write(gid);
        out.writeInt(lid);
        out.writeInt(mtu);
        out.writeLong(base);
        out.writeInt(key);
        out.writeInt(reads);
    }

    static PeerAddress readFrom(DataInputStream in) throws IOException {
        int number = in.readInt();
        int firstPacket = in.readInt();
        byte[] gid = in.readNBytes(16);
        return new PeerAddress(number, firstPacket, gid, in.readInt(), in.readInt(), in.readLong(), in.readInt(),
                in.readInt());
    }
}
