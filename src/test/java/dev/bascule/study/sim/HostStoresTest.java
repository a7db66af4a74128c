package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What stores to NIC memory cost the host and when the NIC sees them. A write costs 50 ns and takes 375 ns more. */
class HostStoresTest {
    private static final long WRITE = 50;
    private static final long FLIGHT = 375;
    private static final SimCosts COSTS = LinkCosts
            .of(new SimCosts.Link(80, 80, WRITE, FLIGHT, 750, 300, 0, 0, 8, 1e18));

    private final SimTime time = new SimTime();
    private final NicMemory nic = new NicMemory(4096);
    private final BusCounters bus = new BusCounters(COSTS);

    private HostStores stores(boolean combining) {
        nic.begin();
        time.set(1000);
        return new HostStores(nic, time, COSTS, combining, bus);
    }

    @Test
    void anUncachedStoreIsAWriteOfItsOwn() {
        HostStores stores = stores(false);
        stores.storeRelease(0, 7);
        stores.storeRelease(8, 8);
        assertThat(time.nanoTime()).isEqualTo(1000 + 2 * WRITE);
        assertThat(bus.hostWrites).isEqualTo(2);
        long arrives = 1000 + WRITE + FLIGHT;
        assertThat(nic.load(arrives - 1, 0)).isZero();
        assertThat(nic.load(arrives, 0)).isEqualTo(7);
        assertThat(nic.load(arrives, 1)).as("the second left later").isZero();
        assertThat(nic.load(arrives + WRITE, 1)).isEqualTo(8);
    }

    @Test
    void combinedStoresLeaveAtTheFenceOneWriteForEachLine() {
        HostStores stores = stores(true);
        for (int word = 0; word < 12; word++) {
            stores.storeRelease(word * 8L, 100 + word);
        }
        assertThat(time.nanoTime()).as("gathering costs nothing").isEqualTo(1000);
        assertThat(nic.load(1_000_000, 0)).as("nothing has left").isZero();
        stores.writeFence();
        assertThat(time.nanoTime()).isEqualTo(1000 + 2 * WRITE);
        assertThat(bus.hostWrites).isEqualTo(2);
        long first = 1000 + WRITE + FLIGHT;
        assertThat(nic.load(first - 1, 0)).isZero();
        assertThat(nic.load(first, 7)).isEqualTo(107);
        assertThat(nic.load(first, 8)).isZero();
        assertThat(nic.load(first + WRITE, 11)).isEqualTo(111);
        stores.writeFence();
        assertThat(bus.hostWrites).as("nothing was left").isEqualTo(2);
    }

    @Test
    void aLineInPartsLeavesTheNicsOtherWordsAlone() {
        HostStores stores = stores(true);
        nic.store(0, 3, 33);
        stores.storeRelease(16, 22);
        stores.storeRelease(16, 23);
        stores.writeFence();
        assertThat(nic.load(1_000_000, 2)).as("the last store of a word counts").isEqualTo(23);
        assertThat(nic.load(1_000_000, 3)).isEqualTo(33);
        assertThat(bus.hostWrites).isEqualTo(1);
    }

    @Test
    void anEleventhLinePushesTheOldestOut() {
        HostStores stores = stores(true);
        for (int line = 0; line < 11; line++) {
            stores.storeRelease(line * 64L, 1 + line);
        }
        assertThat(bus.hostWrites).isEqualTo(1);
        assertThat(time.nanoTime()).isEqualTo(1000 + WRITE);
        assertThat(nic.load(1_000_000, 0)).isEqualTo(1);
        assertThat(nic.load(1_000_000, 8)).as("the second line is still here").isZero();
        stores.writeFence();
        assertThat(bus.hostWrites).isEqualTo(11);
        assertThat(nic.load(1_000_000, 80)).isEqualTo(11);
    }

    @Test
    void aLoadOfTheHostSeesItsOwnStoresAndCostsAReadAfterThem() {
        HostStores stores = stores(true);
        stores.storeRelease(0, 7);
        assertThat(stores.loadAcquire(0)).isEqualTo(7);
        assertThat(time.nanoTime()).as("a read pushes writes out first").isEqualTo(1000 + WRITE + 80);
    }
}
