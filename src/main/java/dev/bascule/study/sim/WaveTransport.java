package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;
import java.util.List;

/**
 * Wave's queues and transactions over a simulated PCIe link.
 *
 * @param name for reports
 * @param options Wave's optimisations
 * @param writeCombining towards the NIC; off: uncached
 * @param writeThrough from the NIC; off: uncached
 */
record WaveTransport(String name, WaveOptions options, boolean writeCombining, boolean writeThrough)
        implements
            SimTransport,
            NicEnds {
    @Override
    public boolean onNic() {
        return true;
    }

    @Override
    public boolean isOnDemand() {
        return !options.prestage();
    }

    @Override
    public SimRegion open(EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals) {
        return new NicRegion(this, writeCombining, writeThrough, shape, costs, time, signals);
    }

    @Override
    public long nicBytes(EnclaveShape shape) {
        return WaveHost.nicBytes(shape);
    }

    @Override
    public long hostBytes(EnclaveShape shape) {
        return WaveHost.hostBytes(shape);
    }

    @Override
    public boolean isPush() {
        return options.push();
    }

    @Override
    public boolean isWord() {
        return false;
    }

    @Override
    public boolean isCoherent() {
        return false;
    }

    @Override
    public boolean isBatch() {
        return options.batch();
    }

    @Override
    public boolean isAsked() {
        return false;
    }

    @Override
    public MechanismEnd host(Window toNic, Window fromNic, Window hostMemory, EnclaveShape shape, Clock clock) {
        return WaveHost.open(new RegionLinks(toNic, fromNic, hostMemory, List.of()), shape, options);
    }

    @Override
    public AgentEnd agent(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell, Clock clock) {
        return WaveAgent.attach(nic, hostMemory, agent, nonce, bell, clock);
    }
}
