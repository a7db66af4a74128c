package dev.bascule.vfiouser;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Disjoint mappings by address: a treap, so that every operation takes logarithmic time whatever order a client chooses, and
 * finding allocates nothing. Not thread-safe, its owner guards it; finding may go on from many threads.
 */
final class AddressTree {
    private static final class Node {
        final ClientMapping mapping;
        final int priority = ThreadLocalRandom.current().nextInt();
        @Nullable
        Node left;
        @Nullable
        Node right;

        Node(ClientMapping mapping) {
            this.mapping = mapping;
        }
    }

    private @Nullable Node root;
    private volatile int size;

    /** How many there are. Any thread. */
    int size() {
        return size;
    }

    /** The highest mapping that starts at or below an address. */
    @Nullable
    ClientMapping floor(long address) {
        ClientMapping best = null;
        for (Node at = root; at != null;) {
            if (Long.compareUnsigned(at.mapping.first(), address) <= 0) {
                best = at.mapping;
                at = at.right;
            } else {
                at = at.left;
            }
        }
        return best;
    }

    /** The lowest mapping that starts at or above an address. */
    @Nullable
    ClientMapping ceiling(long address) {
        ClientMapping best = null;
        for (Node at = root; at != null;) {
            if (Long.compareUnsigned(at.mapping.first(), address) >= 0) {
                best = at.mapping;
                at = at.left;
            } else {
                at = at.right;
            }
        }
        return best;
    }

    /** Adds a mapping that overlaps none. */
    void add(ClientMapping mapping) {
        root = add(root, new Node(mapping));
        count(1);
    }

    private void count(int more) {
        int before = size;
        size = before + more; // one writer at a time
    }

    private static Node add(@Nullable Node at, Node added) {
        if (at == null) {
            return added;
        }
        if (Long.compareUnsigned(added.mapping.first(), at.mapping.first()) < 0) {
            Node left = add(at.left, added);
            at.left = left;
            if (left.priority > at.priority) {
                at.left = left.right;
                left.right = at;
                return left;
            }
        } else {
            Node right = add(at.right, added);
            at.right = right;
            if (right.priority > at.priority) {
                at.right = right.left;
                right.left = at;
                return right;
            }
        }
        return at;
    }

    /** Takes a mapping of this tree away. */
    void remove(ClientMapping mapping) {
        root = remove(root, mapping.first());
        count(-1);
    }

    private static @Nullable Node remove(@Nullable Node at, long first) {
        if (at == null) {
            throw new IllegalArgumentException("no mapping starts at 0x" + Long.toHexString(first));
        }
        int order = Long.compareUnsigned(first, at.mapping.first());
        if (order == 0) {
            return join(at.left, at.right);
        }
        if (order < 0) {
            at.left = remove(at.left, first);
        } else {
            at.right = remove(at.right, first);
        }
        return at;
    }

    private static @Nullable Node join(@Nullable Node low, @Nullable Node high) {
        if (low == null) {
            return high;
        }
        if (high == null) {
            return low;
        }
        if (low.priority > high.priority) {
            low.right = join(low.right, high);
            return low;
        }
        high.left = join(low, high.left);
        return high;
    }
}
