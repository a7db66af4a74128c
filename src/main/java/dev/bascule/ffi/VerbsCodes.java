package dev.bascule.ffi;

/** Numbers of {@code infiniband/verbs.h} by their C names; the layout-conformance test compares them with the header. */
public final class VerbsCodes {
    /** The adapter may write the memory for its own side: what a READ brings. */
    public static final int IBV_ACCESS_LOCAL_WRITE = 1;
    /** The peer may write the memory. */
    public static final int IBV_ACCESS_REMOTE_WRITE = 2;
    /** The peer may read the memory. */
    public static final int IBV_ACCESS_REMOTE_READ = 4;

    /** A port that carries packets. */
    public static final int IBV_PORT_ACTIVE = 4;
    /** A port of RoCE. */
    public static final int IBV_LINK_LAYER_ETHERNET = 2;
    /** InfiniBand and RoCE. */
    public static final int IBV_TRANSPORT_IB = 0;
    /** RDMA over TCP. */
    public static final int IBV_TRANSPORT_IWARP = 1;
    /** Completion of a receive that an RDMA WRITE with immediate data used up. */
    public static final int IBV_WC_RECV_RDMA_WITH_IMM = 129;

    static final int IBV_QPT_RC = 2;
    static final int IBV_QPS_INIT = 1;
    static final int IBV_QPS_RTR = 2;
    static final int IBV_QPS_RTS = 3;
    static final int IBV_QP_STATE = 1;
    static final int IBV_QP_ACCESS_FLAGS = 1 << 3;
    static final int IBV_QP_PKEY_INDEX = 1 << 4;
    static final int IBV_QP_PORT = 1 << 5;
    static final int IBV_QP_AV = 1 << 7;
    static final int IBV_QP_PATH_MTU = 1 << 8;
    static final int IBV_QP_TIMEOUT = 1 << 9;
    static final int IBV_QP_RETRY_CNT = 1 << 10;
    static final int IBV_QP_RNR_RETRY = 1 << 11;
    static final int IBV_QP_RQ_PSN = 1 << 12;
    static final int IBV_QP_MAX_QP_RD_ATOMIC = 1 << 13;
    static final int IBV_QP_MIN_RNR_TIMER = 1 << 15;
    static final int IBV_QP_SQ_PSN = 1 << 16;
    static final int IBV_QP_MAX_DEST_RD_ATOMIC = 1 << 17;
    static final int IBV_QP_DEST_QPN = 1 << 20;
    static final int IBV_WR_RDMA_WRITE = 0;
    static final int IBV_WR_RDMA_WRITE_WITH_IMM = 1;
    static final int IBV_WR_RDMA_READ = 4;
    static final int IBV_SEND_SIGNALED = 2;
    static final int IBV_SEND_INLINE = 8;

    private VerbsCodes() {}
}
