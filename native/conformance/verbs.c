/*
 * Prints the structures and constants of infiniband/verbs.h that dev.bascule.ffi writes out by hand, for the
 * layout-conformance test. One line per item: struct NAME SIZE | field STRUCT NAME OFFSET | constant NAME VALUE.
 * No size is printed of what libibverbs allocates: newer ones may append members.
 */
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdio.h>

#define S(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define F(name, field) printf("field %s %s %zu\n", #name, #field, offsetof(struct name, field))
#define C(name) printf("constant %s %lld\n", #name, (long long)(name))

int main(void)
{
    F(ibv_context, device);
    F(ibv_context, ops);
    F(ibv_context, cmd_fd);
    F(ibv_context, async_fd);
    F(ibv_context_ops, poll_cq);
    F(ibv_context_ops, req_notify_cq);
    F(ibv_context_ops, post_send);
    F(ibv_context_ops, post_recv);
    S(ibv_context_ops);
    F(ibv_device, node_type);
    F(ibv_device, transport_type);
    F(ibv_device_attr, max_qp_wr);
    F(ibv_device_attr, max_cqe);
    F(ibv_device_attr, max_qp_rd_atom);
    S(ibv_device_attr);
    F(ibv_port_attr, state);
    F(ibv_port_attr, active_mtu);
    F(ibv_port_attr, lid);
    F(ibv_port_attr, link_layer);
    S(ibv_port_attr);
    F(ibv_mr, lkey);
    F(ibv_mr, rkey);
    F(ibv_comp_channel, fd);
    F(ibv_qp, qp_num);
    F(ibv_qp_init_attr, send_cq);
    F(ibv_qp_init_attr, recv_cq);
    F(ibv_qp_init_attr, cap);
    F(ibv_qp_init_attr, qp_type);
    S(ibv_qp_init_attr);
    F(ibv_qp_cap, max_send_wr);
    F(ibv_qp_cap, max_recv_wr);
    F(ibv_qp_cap, max_send_sge);
    F(ibv_qp_cap, max_recv_sge);
    F(ibv_qp_cap, max_inline_data);
    S(ibv_qp_cap);
    F(ibv_global_route, dgid);
    F(ibv_global_route, sgid_index);
    F(ibv_global_route, hop_limit);
    F(ibv_global_route, traffic_class);
    S(ibv_global_route);
    F(ibv_ah_attr, grh);
    F(ibv_ah_attr, dlid);
    F(ibv_ah_attr, is_global);
    F(ibv_ah_attr, port_num);
    S(ibv_ah_attr);
    F(ibv_qp_attr, qp_state);
    F(ibv_qp_attr, path_mtu);
    F(ibv_qp_attr, rq_psn);
    F(ibv_qp_attr, sq_psn);
    F(ibv_qp_attr, dest_qp_num);
    F(ibv_qp_attr, qp_access_flags);
    F(ibv_qp_attr, ah_attr);
    F(ibv_qp_attr, pkey_index);
    F(ibv_qp_attr, max_rd_atomic);
    F(ibv_qp_attr, max_dest_rd_atomic);
    F(ibv_qp_attr, min_rnr_timer);
    F(ibv_qp_attr, port_num);
    F(ibv_qp_attr, timeout);
    F(ibv_qp_attr, retry_cnt);
    F(ibv_qp_attr, rnr_retry);
    S(ibv_qp_attr);
    F(ibv_sge, addr);
    F(ibv_sge, length);
    F(ibv_sge, lkey);
    S(ibv_sge);
    F(ibv_send_wr, wr_id);
    F(ibv_send_wr, next);
    F(ibv_send_wr, sg_list);
    F(ibv_send_wr, num_sge);
    F(ibv_send_wr, opcode);
    F(ibv_send_wr, send_flags);
    F(ibv_send_wr, imm_data);
    F(ibv_send_wr, wr.rdma.remote_addr);
    F(ibv_send_wr, wr.rdma.rkey);
    S(ibv_send_wr);
    F(ibv_recv_wr, wr_id);
    F(ibv_recv_wr, next);
    F(ibv_recv_wr, sg_list);
    F(ibv_recv_wr, num_sge);
    S(ibv_recv_wr);
    F(ibv_wc, wr_id);
    F(ibv_wc, status);
    F(ibv_wc, opcode);
    F(ibv_wc, vendor_err);
    F(ibv_wc, imm_data);
    S(ibv_wc);
    C(IBV_QPT_RC);
    C(IBV_QPS_INIT);
    C(IBV_QPS_RTR);
    C(IBV_QPS_RTS);
    C(IBV_QP_STATE);
    C(IBV_QP_ACCESS_FLAGS);
    C(IBV_QP_PKEY_INDEX);
    C(IBV_QP_PORT);
    C(IBV_QP_AV);
    C(IBV_QP_PATH_MTU);
    C(IBV_QP_TIMEOUT);
    C(IBV_QP_RETRY_CNT);
    C(IBV_QP_RNR_RETRY);
    C(IBV_QP_RQ_PSN);
    C(IBV_QP_MAX_QP_RD_ATOMIC);
    C(IBV_QP_MIN_RNR_TIMER);
    C(IBV_QP_SQ_PSN);
    C(IBV_QP_MAX_DEST_RD_ATOMIC);
    C(IBV_QP_DEST_QPN);
    C(IBV_ACCESS_LOCAL_WRITE);
    C(IBV_ACCESS_REMOTE_WRITE);
    C(IBV_ACCESS_REMOTE_READ);
    C(IBV_WR_RDMA_WRITE);
    C(IBV_WR_RDMA_WRITE_WITH_IMM);
    C(IBV_WR_RDMA_READ);
    C(IBV_SEND_SIGNALED);
    C(IBV_SEND_INLINE);
    C(IBV_WC_RECV_RDMA_WITH_IMM);
    C(IBV_TRANSPORT_IB);
    C(IBV_TRANSPORT_IWARP);
    C(IBV_PORT_ACTIVE);
    C(IBV_LINK_LAYER_ETHERNET);
    return 0;
}
