package dev.bascule.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Structures of {@code infiniband/verbs.h} (rdma-core 44 and newer), with the members' C names, as jextract gives them.
 * Members behind the last one used are left out where libibverbs allocates the structure. The layout-conformance test
 * compares each of them with {@code native/conformance/verbs.c}.
 */
final class VerbsLayouts {
    static final GroupLayout IBV_CONTEXT_OPS = struct("ibv_context_ops", pointers("_compat_query_device",
            "_compat_query_port", "_compat_alloc_pd", "_compat_dealloc_pd", "_compat_reg_mr", "_compat_rereg_mr",
            "_compat_dereg_mr", "alloc_mw", "bind_mw", "dealloc_mw", "_compat_create_cq", "poll_cq", "req_notify_cq",
            "_compat_cq_event", "_compat_resize_cq", "_compat_destroy_cq", "_compat_create_srq",
            "_compat_modify_srq", "_compat_query_srq", "_compat_destroy_srq", "post_srq_recv", "_compat_create_qp",
            "_compat_query_qp", "_compat_modify_qp", "_compat_destroy_qp", "post_send", "post_recv",
            "_compat_create_ah", "_compat_destroy_ah", "_compat_attach_mcast", "_compat_detach_mcast",
            "_compat_async_event"));
    static final GroupLayout IBV_CONTEXT = struct("ibv_context", ADDRESS.withName("device"),
            IBV_CONTEXT_OPS.withName("ops"), JAVA_INT.withName("cmd_fd"), JAVA_INT.withName("async_fd"));
    static final GroupLayout IBV_DEVICE = struct("ibv_device",
            MemoryLayout.sequenceLayout(2, ADDRESS).withName("_ops"), JAVA_INT.withName("node_type"),
            JAVA_INT.withName("transport_type"));
    static final GroupLayout IBV_DEVICE_ATTR = struct("ibv_device_attr", bytes(64, "fw_ver"),
            JAVA_LONG.withName("node_guid"), JAVA_LONG.withName("sys_image_guid"), JAVA_LONG.withName("max_mr_size"),
            JAVA_LONG.withName("page_size_cap"), JAVA_INT.withName("vendor_id"), JAVA_INT.withName("vendor_part_id"),
            JAVA_INT.withName("hw_ver"), JAVA_INT.withName("max_qp"), JAVA_INT.withName("max_qp_wr"),
            JAVA_INT.withName("device_cap_flags"), JAVA_INT.withName("max_sge"), JAVA_INT.withName("max_sge_rd"),
            JAVA_INT.withName("max_cq"), JAVA_INT.withName("max_cqe"), JAVA_INT.withName("max_mr"),
            JAVA_INT.withName("max_pd"), JAVA_INT.withName("max_qp_rd_atom"), bytes(84, "unused"));
    static final GroupLayout IBV_PORT_ATTR = struct("ibv_port_attr", JAVA_INT.withName("state"),
            JAVA_INT.withName("max_mtu"), JAVA_INT.withName("active_mtu"), JAVA_INT.withName("gid_tbl_len"),
            JAVA_INT.withName("port_cap_flags"), JAVA_INT.withName("max_msg_sz"), JAVA_INT.withName("bad_pkey_cntr"),
            JAVA_INT.withName("qkey_viol_cntr"), JAVA_SHORT.withName("pkey_tbl_len"), JAVA_SHORT.withName("lid"),
            JAVA_SHORT.withName("sm_lid"), bytes(8, "unused"), JAVA_BYTE.withName("link_layer"),
            JAVA_BYTE.withName("flags"), JAVA_SHORT.withName("port_cap_flags2"));
    static final GroupLayout IBV_MR = struct("ibv_mr", ADDRESS.withName("context"), ADDRESS.withName("pd"),
            ADDRESS.withName("addr"), JAVA_LONG.withName("length"), JAVA_INT.withName("handle"),
            JAVA_INT.withName("lkey"), JAVA_INT.withName("rkey"));
    static final GroupLayout IBV_COMP_CHANNEL = struct("ibv_comp_channel", ADDRESS.withName("context"),
            JAVA_INT.withName("fd"), JAVA_INT.withName("refcnt"));
    static final GroupLayout IBV_QP = struct("ibv_qp", ADDRESS.withName("context"), ADDRESS.withName("qp_context"),
            ADDRESS.withName("pd"), ADDRESS.withName("send_cq"), ADDRESS.withName("recv_cq"), ADDRESS.withName("srq"),
            JAVA_INT.withName("handle"), JAVA_INT.withName("qp_num"));
    static final GroupLayout IBV_QP_CAP = struct("ibv_qp_cap", JAVA_INT.withName("max_send_wr"),
            JAVA_INT.withName("max_recv_wr"), JAVA_INT.withName("max_send_sge"), JAVA_INT.withName("max_recv_sge"),
            JAVA_INT.withName("max_inline_data"));
    static final GroupLayout IBV_QP_INIT_ATTR = struct("ibv_qp_init_attr", ADDRESS.withName("qp_context"),
            ADDRESS.withName("send_cq"), ADDRESS.withName("recv_cq"), ADDRESS.withName("srq"),
            IBV_QP_CAP.withName("cap"), JAVA_INT.withName("qp_type"), JAVA_INT.withName("sq_sig_all"));
    static final GroupLayout IBV_GLOBAL_ROUTE = struct("ibv_global_route",
            MemoryLayout.sequenceLayout(2, JAVA_LONG).withName("dgid"), JAVA_INT.withName("flow_label"),
            JAVA_BYTE.withName("sgid_index"), JAVA_BYTE.withName("hop_limit"), JAVA_BYTE.withName("traffic_class"));
    static final GroupLayout IBV_AH_ATTR = struct("ibv_ah_attr", IBV_GLOBAL_ROUTE.withName("grh"),
            JAVA_SHORT.withName("dlid"), JAVA_BYTE.withName("sl"), JAVA_BYTE.withName("src_path_bits"),
            JAVA_BYTE.withName("static_rate"), JAVA_BYTE.withName("is_global"), JAVA_BYTE.withName("port_num"));
    static final GroupLayout IBV_QP_ATTR = struct("ibv_qp_attr", JAVA_INT.withName("qp_state"),
            JAVA_INT.withName("cur_qp_state"), JAVA_INT.withName("path_mtu"), JAVA_INT.withName("path_mig_state"),
            JAVA_INT.withName("qkey"), JAVA_INT.withName("rq_psn"), JAVA_INT.withName("sq_psn"),
            JAVA_INT.withName("dest_qp_num"), JAVA_INT.withName("qp_access_flags"), IBV_QP_CAP.withName("cap"),
            IBV_AH_ATTR.withName("ah_attr"), IBV_AH_ATTR.withName("alt_ah_attr"), JAVA_SHORT.withName("pkey_index"),
            JAVA_SHORT.withName("alt_pkey_index"), JAVA_BYTE.withName("en_sqd_async_notify"),
            JAVA_BYTE.withName("sq_draining"), JAVA_BYTE.withName("max_rd_atomic"),
            JAVA_BYTE.withName("max_dest_rd_atomic"), JAVA_BYTE.withName("min_rnr_timer"),
            JAVA_BYTE.withName("port_num"), JAVA_BYTE.withName("timeout"), JAVA_BYTE.withName("retry_cnt"),
            JAVA_BYTE.withName("rnr_retry"), JAVA_BYTE.withName("alt_port_num"), JAVA_BYTE.withName("alt_timeout"),
            JAVA_INT.withName("rate_limit"));
    static final GroupLayout IBV_SGE = struct("ibv_sge", JAVA_LONG.withName("addr"), JAVA_INT.withName("length"),
            JAVA_INT.withName("lkey"));
    static final GroupLayout IBV_SEND_WR = struct("ibv_send_wr", JAVA_LONG.withName("wr_id"),
            ADDRESS.withName("next"), ADDRESS.withName("sg_list"), JAVA_INT.withName("num_sge"),
            JAVA_INT.withName("opcode"), JAVA_INT.withName("send_flags"), JAVA_INT.withName("imm_data"),
            JAVA_LONG.withName("wr.rdma.remote_addr"), JAVA_INT.withName("wr.rdma.rkey"),
            MemoryLayout.sequenceLayout(9, JAVA_LONG).withName("unused"));
    static final GroupLayout IBV_RECV_WR = struct("ibv_recv_wr", JAVA_LONG.withName("wr_id"),
            ADDRESS.withName("next"), ADDRESS.withName("sg_list"), JAVA_INT.withName("num_sge"));
    static final GroupLayout IBV_WC = struct("ibv_wc", JAVA_LONG.withName("wr_id"), JAVA_INT.withName("status"),
            JAVA_INT.withName("opcode"), JAVA_INT.withName("vendor_err"), JAVA_INT.withName("byte_len"),
            JAVA_INT.withName("imm_data"), JAVA_INT.withName("qp_num"), JAVA_INT.withName("src_qp"),
            JAVA_INT.withName("wc_flags"), JAVA_SHORT.withName("pkey_index"), JAVA_SHORT.withName("slid"),
            JAVA_BYTE.withName("sl"), JAVA_BYTE.withName("dlid_path_bits"));

    private VerbsLayouts() {}

    /** Bytes from the start of a structure to a member, or to a member of a member. */
    static long offset(GroupLayout struct, String... path) {
        return struct.byteOffset(Stream.of(path).map(PathElement::groupElement).toArray(PathElement[]::new));
    }

    private static MemoryLayout[] pointers(String... names) {
        return Stream.of(names).map(ADDRESS::withName).toArray(MemoryLayout[]::new);
    }

    private static MemoryLayout bytes(long count, String name) {
        return MemoryLayout.sequenceLayout(count, JAVA_BYTE).withName(name);
    }

    /** With the padding that a C compiler puts before members and behind the last. */
    private static GroupLayout struct(String name, MemoryLayout... members) {
        List<MemoryLayout> all = new ArrayList<>();
        long end = 0;
        long alignment = 1;
        for (MemoryLayout member : members) {
            end = pad(all, end, member.byteAlignment()) + member.byteSize();
            alignment = Math.max(alignment, member.byteAlignment());
            all.add(member);
        }
        pad(all, end, alignment);
        return MemoryLayout.structLayout(all.toArray(MemoryLayout[]::new)).withName(name);
    }

    private static long pad(List<MemoryLayout> members, long end, long alignment) {
        long padding = -end & alignment - 1;
        if (padding > 0) {
            members.add(MemoryLayout.paddingLayout(padding));
        }
        return end + padding;
    }
}
