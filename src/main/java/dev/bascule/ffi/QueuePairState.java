package dev.bascule.ffi;

import static dev.bascule.ffi.VerbsLayouts.offset;

import java.lang.foreign.Arena;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * The states that a queue pair goes through, with what {@code ibv_modify_qp} wants for each.
 *
 * @param name for messages
 * @param mask members that are set
 * @param fill sets them
 */
record QueuePairState(String name, int mask, Consumer<MemorySegment> fill) {
    private static final GroupLayout ATTRIBUTES = VerbsLayouts.IBV_QP_ATTR;
    private static final long ADDRESS = offset(ATTRIBUTES, "ah_attr");
    private static final long ROUTE = ADDRESS + offset(VerbsLayouts.IBV_AH_ATTR, "grh");
    private static final int HOPS = 64;
    /** The peer posts a receive as soon as it has taken a completion: code of 0.64 ms. */
    private static final int RECEIVE_TIMER = 12;
    /** 4.096 us times two to this: 67 ms until a packet is sent again. */
    private static final int TIMEOUT = 14;
    /** Times it is sent again; soft-RoCE takes 7 for ever, and the sender of a dead peer never learns of it. */
    private static final int RETRIES = 6;

    /** Calls {@code ibv_modify_qp}. */
    interface Modify {
        void call(long pair, String state, MemorySegment attributes, int mask);
    }

    static QueuePairState initialise(int port, int access) {
        return new QueuePairState("INIT", VerbsCodes.IBV_QP_STATE | VerbsCodes.IBV_QP_PKEY_INDEX
                | VerbsCodes.IBV_QP_PORT | VerbsCodes.IBV_QP_ACCESS_FLAGS, attributes -> {
                    setInt(attributes, "qp_state", VerbsCodes.IBV_QPS_INIT);
                    setInt(attributes, "qp_access_flags", access);
                    setByte(attributes, offset(ATTRIBUTES, "port_num"), port);
                });
    }

    static QueuePairState receiving(Verbs.Route route) {
        return new QueuePairState("RTR", VerbsCodes.IBV_QP_STATE | VerbsCodes.IBV_QP_AV | VerbsCodes.IBV_QP_PATH_MTU
                | VerbsCodes.IBV_QP_DEST_QPN | VerbsCodes.IBV_QP_RQ_PSN | VerbsCodes.IBV_QP_MAX_DEST_RD_ATOMIC
                | VerbsCodes.IBV_QP_MIN_RNR_TIMER, attributes -> {
                    setInt(attributes, "qp_state", VerbsCodes.IBV_QPS_RTR);
                    setInt(attributes, "path_mtu", route.mtu());
                    setInt(attributes, "dest_qp_num", route.number());
                    setInt(attributes, "rq_psn", route.peerPacket());
                    setByte(attributes, offset(ATTRIBUTES, "max_dest_rd_atomic"), route.reads());
                    setByte(attributes, offset(ATTRIBUTES, "min_rnr_timer"), RECEIVE_TIMER);
                    address(attributes, route);
                });
    }

    private static void address(MemorySegment attributes, Verbs.Route route) {
        GroupLayout global = VerbsLayouts.IBV_GLOBAL_ROUTE;
        MemorySegment.copy(MemorySegment.ofArray(route.gid()), 0, attributes, ROUTE + offset(global, "dgid"), 16);
        setByte(attributes, ROUTE + offset(global, "sgid_index"), route.gidIndex());
        setByte(attributes, ROUTE + offset(global, "hop_limit"), HOPS);
        setByte(attributes, ROUTE + offset(global, "traffic_class"), route.trafficClass());
        attributes.set(ValueLayout.JAVA_SHORT, ADDRESS + offset(VerbsLayouts.IBV_AH_ATTR, "dlid"), (short) route.lid());
        setByte(attributes, ADDRESS + offset(VerbsLayouts.IBV_AH_ATTR, "is_global"), 1);
        setByte(attributes, ADDRESS + offset(VerbsLayouts.IBV_AH_ATTR, "port_num"), route.port());
    }

    static QueuePairState sending(Verbs.Route route) {
        return new QueuePairState("RTS", VerbsCodes.IBV_QP_STATE | VerbsCodes.IBV_QP_TIMEOUT
                | VerbsCodes.IBV_QP_RETRY_CNT | VerbsCodes.IBV_QP_RNR_RETRY | VerbsCodes.IBV_QP_SQ_PSN
                | VerbsCodes.IBV_QP_MAX_QP_RD_ATOMIC, attributes -> {
                    setInt(attributes, "qp_state", VerbsCodes.IBV_QPS_RTS);
                    setInt(attributes, "sq_psn", route.ownPacket());
                    setByte(attributes, offset(ATTRIBUTES, "max_rd_atomic"), route.reads());
                    setByte(attributes, offset(ATTRIBUTES, "timeout"), TIMEOUT);
                    setByte(attributes, offset(ATTRIBUTES, "retry_cnt"), RETRIES);
                    setByte(attributes, offset(ATTRIBUTES, "rnr_retry"), RETRIES);
                });
    }

    private static void setInt(MemorySegment attributes, String member, int value) {
        attributes.set(ValueLayout.JAVA_INT, offset(ATTRIBUTES, member), value);
    }

    private static void setByte(MemorySegment attributes, long at, int value) {
        attributes.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    void enter(Modify modify, long pair) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES);
            fill.accept(attributes);
            modify.call(pair, name, attributes, mask);
        }
    }
}
