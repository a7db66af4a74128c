package dev.bascule.workload.lauberhorn;

import dev.bascule.rpc.Signature;
import java.util.List;

/** Several clients, each with a channel of its own, that call in turn by the number of the call. Thread rule: one thread. */
public final class ManyChannels implements RpcChannel {
    private final RpcChannel[] channels;

    /** Of at least one. */
    public ManyChannels(List<? extends RpcChannel> channels) {
        this.channels = channels.toArray(RpcChannel[]::new);
    }

    @Override
    public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
            int bytes) {
        return channels[Integer.remainderUnsigned(xid, channels.length)].call(xid, program, version, procedure,
                signature, words, bytes);
    }

    @Override
    public int poll(int budget) {
        int count = 0;
        for (RpcChannel channel : channels) {
            count += channel.poll(budget);
        }
        return count;
    }

    @Override
    public long unreachable() {
        long sum = 0;
        for (RpcChannel channel : channels) {
            sum += channel.unreachable();
        }
        return sum;
    }

    @Override
    public void close() {
        for (RpcChannel channel : channels) {
            channel.close();
        }
    }
}
