package dev.bascule.model.corundum;

import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Host memory that swallows writes and answers reads with zeros, or with random bytes and now and then not at all. */
final class DiscardingMemory implements DmaAccess {
    @Nullable
    Random random;
    long accesses;

    @Override
    public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        accesses++;
        Random source = random;
        if (source == null) {
            to.asSlice(toOffset, lengthBytes).fill((byte) 0);
            return true;
        }
        for (long i = 0; i < Math.min(lengthBytes, 128); i++) {
            to.set(ValueLayout.JAVA_BYTE, toOffset + i, (byte) source.nextInt());
        }
        return source.nextInt(50) != 0;
    }

    @Override
    public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        accesses++;
        return random == null || iova % 97 != 0;
    }
}
