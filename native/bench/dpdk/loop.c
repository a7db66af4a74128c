/* C twin of a DPDK forwarding loop: bursts in, stations swapped, bursts out, what does not fit is freed. */
#include <rte_config.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdint.h>

#define MOST 64

int64_t dpdk_forward(int64_t in, int64_t out, int64_t burst, int64_t count) {
    struct rte_mbuf *packets[MOST];
    int64_t done = 0;
    while (done < count) {
        uint16_t got = rte_eth_rx_burst((uint16_t) in, 0, packets, (uint16_t) burst);
        for (uint16_t i = 0; i < got; i++) {
            struct rte_ether_hdr *head = rte_pktmbuf_mtod(packets[i], struct rte_ether_hdr *);
            struct rte_ether_addr kept = head->dst_addr;
            head->dst_addr = head->src_addr;
            head->src_addr = kept;
        }
        uint16_t sent = rte_eth_tx_burst((uint16_t) out, 0, packets, got);
        if (sent < got) {
            rte_pktmbuf_free_bulk(packets + sent, got - sent);
        }
        done += got;
    }
    return done;
}
