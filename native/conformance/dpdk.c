/*
 * Prints the fields of DPDK's structures that dev.bascule.nic.dpdk writes out by hand, for the layout-conformance test.
 * One line per item: NAME VALUE
 */
#include <rte_config.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_version.h>
#include <stddef.h>
#include <stdio.h>

#define F(name, type, field) printf("%s %zu\n", name, offsetof(struct type, field))

int main(void) {
    printf("year %d\nmonth %d\n", RTE_VER_YEAR, RTE_VER_MONTH);
    F("rxFunction", rte_eth_fp_ops, rx_pkt_burst);
    F("rxQueues", rte_eth_fp_ops, rxq);
    F("txFunction", rte_eth_fp_ops, tx_pkt_burst);
    F("txQueues", rte_eth_fp_ops, txq);
    printf("PORT_ENTRY_BYTES %zu\n", sizeof(struct rte_eth_fp_ops));
    printf("MOST_PORTS %d\n", RTE_MAX_ETHPORTS);
    F("maxRxBytes", rte_eth_dev_info, max_rx_pktlen);
    F("maxRxQueues", rte_eth_dev_info, max_rx_queues);
    printf("txQueuesFollow %zu\n", offsetof(struct rte_eth_dev_info, max_tx_queues)
                                       - offsetof(struct rte_eth_dev_info, max_rx_queues));
    F("rssTypes", rte_eth_dev_info, flow_type_rss_offloads);
    F("INFO_DRIVER", rte_eth_dev_info, driver_name);
    printf("infoBytes %zu\n", sizeof(struct rte_eth_dev_info));
    printf("confBytes %zu\n", sizeof(struct rte_eth_conf));
    F("CONF_RX_MODE", rte_eth_conf, rxmode.mq_mode);
    F("INFO_MIN_MTU", rte_eth_dev_info, min_mtu);
    F("INFO_MAX_MTU", rte_eth_dev_info, max_mtu);
    F("CONF_TX_OFFLOADS", rte_eth_conf, txmode.offloads);
    printf("OFFLOAD_UDP_CHECKSUM %llu\n", (unsigned long long) RTE_ETH_TX_OFFLOAD_UDP_CKSUM);
    printf("OFFLOAD_TCP_CHECKSUM %llu\n", (unsigned long long) RTE_ETH_TX_OFFLOAD_TCP_CKSUM);
    F("INFO_TX_CAPABILITIES", rte_eth_dev_info, tx_offload_capa);
    F("MBUF_TX_OFFLOAD", rte_mbuf, tx_offload);
    printf("MBUF_UDP_CHECKSUM %llu\n", (unsigned long long) RTE_MBUF_F_TX_UDP_CKSUM);
    printf("MBUF_TCP_CHECKSUM %llu\n", (unsigned long long) RTE_MBUF_F_TX_TCP_CKSUM);
    printf("MBUF_IPV4 %llu\n", (unsigned long long) RTE_MBUF_F_TX_IPV4);
    F("CONF_RSS_TYPES", rte_eth_conf, rx_adv_conf.rss_conf.rss_hf);
    printf("RX_MODE_RSS %d\n", RTE_ETH_MQ_RX_RSS);
    printf("RSS_IP %llu\n", (unsigned long long) RTE_ETH_RSS_IP);
    printf("RSS_TCP %llu\n", (unsigned long long) RTE_ETH_RSS_TCP);
    printf("RSS_UDP %llu\n", (unsigned long long) RTE_ETH_RSS_UDP);
    printf("statsBytes %zu\n", sizeof(struct rte_eth_stats));
    printf("XSTAT_BYTES %zu\n", sizeof(struct rte_eth_xstat));
    F("XSTAT_VALUE", rte_eth_xstat, value);
    printf("XSTAT_NAME_BYTES %zu\n", sizeof(struct rte_eth_xstat_name));
    F("LINK_SPEED", rte_eth_link, link_speed);
    printf("MBUF_BYTES %zu\n", sizeof(struct rte_mbuf));
    F("MBUF_ADDRESS", rte_mbuf, buf_addr);
    F("MBUF_DATA_OFFSET", rte_mbuf, data_off);
    F("MBUF_REFERENCES", rte_mbuf, refcnt);
    F("MBUF_SEGMENTS", rte_mbuf, nb_segs);
    F("MBUF_FLAGS", rte_mbuf, ol_flags);
    F("MBUF_PACKET_TYPE", rte_mbuf, packet_type);
    F("MBUF_PACKET_BYTES", rte_mbuf, pkt_len);
    F("MBUF_DATA_BYTES", rte_mbuf, data_len);
    F("MBUF_HASH", rte_mbuf, hash.rss);
    F("MBUF_BUFFER_BYTES", rte_mbuf, buf_len);
    F("MBUF_POOL", rte_mbuf, pool);
    F("poolSocket", rte_mempool, socket_id);
    F("MBUF_NEXT", rte_mbuf, next);
    printf("MBUF_HAS_HASH %llu\n", (unsigned long long) RTE_MBUF_F_RX_RSS_HASH);
    printf("HEADROOM_BYTES %d\n", RTE_PKTMBUF_HEADROOM);
    return 0;
}
