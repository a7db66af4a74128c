package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/** Applies configuration entries; unknown ids do nothing. Accepted from any notification buffer. */
final class Configurator implements ConfigSink {
    private final FlowTable flows;
    private final FlowDirector director;
    private final Timestamper timestamper;
    private final RateLimiter limiter;
    private final CycleClock clock;
    private final EnsoMetrics metrics;

    Configurator(FlowTable flows, FlowDirector director, Timestamper timestamper, RateLimiter limiter, CycleClock clock,
            EnsoMetrics metrics) {
        this.flows = flows;
        this.director = director;
        this.timestamper = timestamper;
        this.limiter = limiter;
        this.clock = clock;
        this.metrics = metrics;
    }

    @Override
    public void config(byte[] entry) {
        long id = Bytes.u64(entry, EnsoFormats.CONFIG_ID);
        if (id == EnsoFormats.CONFIG_FLOW) {
            insertFlow(entry);
        } else if (id == EnsoFormats.CONFIG_TIMESTAMP) {
            timestamper.configure(Bytes.u64(entry, EnsoFormats.TIMESTAMP_ENABLE) < 0,
                    Bytes.u64(entry, EnsoFormats.TIMESTAMP_OFFSET));
        } else if (id == EnsoFormats.CONFIG_RATE_LIMIT) {
            limiter.configure(Bytes.u32(entry, EnsoFormats.RATE_ENABLE) < 0,
                    Bytes.u16(entry, EnsoFormats.RATE_NUMERATOR), Bytes.u16(entry, EnsoFormats.RATE_DENOMINATOR),
                    clock.cycles());
        } else if (id == EnsoFormats.CONFIG_FALLBACK) {
            director.configure(Bytes.u32(entry, EnsoFormats.FALLBACK_COUNT),
                    Bytes.u32(entry, EnsoFormats.FALLBACK_MASK),
                    Bytes.u64(entry, EnsoFormats.FALLBACK_ROUND_ROBIN) < 0, clock.cycles());
        }
    }

    private void insertFlow(byte[] entry) {
        boolean stored = flows.insert(Bytes.u32(entry, EnsoFormats.FLOW_SOURCE_IP),
                Bytes.u16(entry, EnsoFormats.FLOW_SOURCE_PORT), Bytes.u32(entry, EnsoFormats.FLOW_DESTINATION_IP),
                Bytes.u16(entry, EnsoFormats.FLOW_DESTINATION_PORT), Bytes.u32(entry, EnsoFormats.FLOW_PIPE));
        metrics.count(stored ? EnsoCounter.FLOWS_STORED : EnsoCounter.FLOWS_LOST);
    }
}
