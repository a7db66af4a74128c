package dev.bascule.host.lauberhorn;

import dev.bascule.host.YieldPoint;
import dev.bascule.model.lauberhorn.Service;
import java.util.List;

/**
 * Handlers of Java services for a host whose requests lie in memory and not in lines: served by whatever thread calls.
 * <p>
 * Thread rule: any thread; a {@link Place} belongs to one at a time. Serving allocates what the handler does, and no more.
 */
public final class DirectCalls {
    private final List<JavaService> services;
    private final RpcHandler[] handlers;

    /** Of these services. */
    public DirectCalls(List<JavaService> services) {
        this.services = List.copyOf(services);
        handlers = RpcProcess.handlers(this.services);
    }

    /** Their rows of a NIC's table; a procedure's code pointer is what {@link #serve} takes. */
    public List<Service> rows() {
        return RpcProcess.rows(services);
    }

    /** How many procedures there are: code pointers are 0 to one less. */
    public int procedures() {
        return handlers.length;
    }

    /**
     * Serves a request; its result is then at the place. What the handler throws passes through.
     *
     * @param arguments decoded words
     * @param yield where a long handler lets other work have its core
     */
    public void serve(long codePointer, Place place, long[] arguments, int bytes, YieldPoint yield) {
        place.begin(arguments, bytes, yield);
        handlers[(int) codePointer].handle(place.call);
    }

    /** Where a request is served: used again and again. */
    public static final class Place {
        private final RpcCall call = new RpcCall(new Words());
        private long[] arguments = {};
        private int bytes;
        private YieldPoint yield = YieldPoint.NONE;

        /** A place without a request. */
        public Place() {}

        private void begin(long[] newArguments, int newBytes, YieldPoint newYield) {
            arguments = newArguments;
            bytes = newBytes;
            yield = newYield;
            call.begin();
        }

        /** Decoded words of the result, from index 0. */
        public long[] result() {
            return call.result();
        }

        /** Bytes of it. */
        public int resultBytes() {
            return call.resultWords() * Long.BYTES;
        }

        /** A call's place: an array. */
        private final class Words implements CallPlace {
            @Override
            public long payload(int word) {
                return arguments[word];
            }

            @Override
            public int bytes() {
                return bytes;
            }

            @Override
            public long dataPointer() {
                return 0;
            }

            @Override
            public int owner() {
                return 1;
            }

            @Override
            public void yieldPoint() {
                yield.maybeYield();
            }

            @Override
            public NestedClient client() {
                throw new UnsupportedOperationException("this service calls another one, which works behind a NIC that "
                        + "dispatches only: bascule lauberhorn serve");
            }
        }
    }
}
