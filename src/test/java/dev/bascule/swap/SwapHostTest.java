package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.DeviceWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bad input of the swap transport, one after the other. */
class SwapHostTest {
    private static final SwapOptions SWAP1 = SwapOptions.DEFAULT;
    private static final long LINE = 64;

    private static SwapEnds ends(SwapMode mode) {
        return new SwapEnds(SWAP1.withMode(mode));
    }

    private static void exchange(SwapEnds ends, int cpu) {
        Transaction promised = ends.promise(cpu);
        Transaction taken = ends.take(cpu);
        assertThat(taken).isNotNull();
        assertThat(taken.identity()).isEqualTo(promised.identity());
        ends.host.settle(taken, Outcome.COMPLETE);
        ends.commitHost();
    }

    @ParameterizedTest
    @EnumSource
    void aDecisionGoesThereAndItsOutcomeComesBack(SwapMode mode) {
        SwapEnds ends = ends(mode);
        List<Outcome> told = new ArrayList<>();
        for (Outcome outcome : Outcome.values()) {
            ends.promise(1);
            ends.host.settle(ends.take(1), outcome);
            ends.commitHost();
            ends.agent.outcomes((cpu, number, identity, what) -> told.add(what));
        }
        assertThat(told).containsExactly(Outcome.values());
    }

    @Test
    void severalDecisionsGoInOneExchangeAndEachIsAnswered() {
        SwapEnds ends = ends(SwapMode.SWAP_END);
        ends.ask(0);
        for (int task = 1; task <= 2; task++) {
            assertThat(ends.agent.stage(0, new Transaction().set(0, 1, 9, task))).isTrue();
        }
        ends.agent.commit();
        ends.host.settle(ends.take(0), Outcome.TARGET_STALE);
        ends.commitHost(); // no line yet: one decision is not answered
        List<Outcome> told = new ArrayList<>();
        ends.agent.outcomes((cpu, number, identity, outcome) -> told.add(outcome));
        assertThat(told).isEmpty();
        ends.host.settle(ends.take(0), Outcome.COMPLETE);
        ends.commitHost();
        ends.agent.outcomes((cpu, number, identity, outcome) -> told.add(outcome));
        assertThat(told).containsExactly(Outcome.TARGET_STALE, Outcome.COMPLETE);
        assertThat(ends.hostLedger.number(ends.hostLedger.size() - 1)).as("one exchange").isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void whatWasReversedComesBackAborted(SwapMode mode) {
        SwapEnds ends = ends(mode);
        ends.promise(0);
        ends.host.abandon(0);
        ends.commitHost();
        assertThat(ends.take(0)).isNull();
        List<Outcome> told = new ArrayList<>();
        ends.agent.outcomes((cpu, number, identity, outcome) -> told.add(outcome));
        assertThat(told).containsExactly(Outcome.ABORTED);
        assertThat(ends.host.counters().reversals).isEqualTo(1);
        exchange(ends, 0);
    }

    @ParameterizedTest
    @EnumSource
    void anAgentThatIsNotReadyIsOfferedNothingUntilItIs(SwapMode mode) {
        SwapEnds ends = ends(mode);
        assertThat(ends.host.isReady(0)).isFalse();
        for (int i = 0; i < 3; i++) {
            ends.host.want(0);
            ends.commitHost();
            ends.host.abandon(0); // the CPU decides by itself
            ends.commitHost();
        }
        assertThat(ends.host.counters().reversals).as("nothing was taken back").isZero();
        ends.host.want(0);
        ends.agent.ready();
        assertThat(ends.host.isReady(0)).isTrue();
        ends.commitHost();
        ends.agent.outcomes((cpu, number, identity, outcome) -> {});
        assertThat(ends.agent.stage(0, new Transaction().set(0, 1, 9, 3))).isTrue();
        ends.agent.commit();
        assertThat(ends.take(0)).isNotNull();
    }

    @Test
    void anAgentThatComesBringsNoOffersToTheOthers() {
        EnclaveShape shape = new EnclaveShape(2, 16, 2, 16, 2);
        PinnedMemory nic = PinnedMemory.allocate(SwapHost.nicBytes(shape, SWAP1));
        PinnedMemory memory = PinnedMemory.allocate(SwapHost.hostBytes(shape, SWAP1));
        RegionHost host = SwapHost.open(new RegionLinks(new PinnedWindow(nic), new PinnedWindow(nic),
                new PinnedWindow(memory), nic.segment(), List.of()), shape, SWAP1);
        for (int agent = 0; agent < 2; agent++) {
            assertThat(host.isReady(agent)).isFalse();
            host.want(agent);
        }
        SwapAgent.attach(new PinnedWindow(nic), new PinnedWindow(memory), nic.segment(), 0, 1, Doorbell.NONE).ready();
        assertThat(host.isReady(0)).isTrue();
        host.abandon(1);
        assertThat(host.counters().reversals).as("there was no offer to the absent one").isZero();
        host.abandon(0);
        assertThat(host.counters().reversals).as("there was one to the agent that came").isEqualTo(1);
    }

    // ---- wrap --------------------------------------------------------------------------------------------------

    @Test
    void theSwapNumberIsFencedBeforeItWraps() {
        SwapLimits limits = new SwapLimits(1_000_000, 0, 0, 100, 5);
        SwapEnds ends = new SwapEnds(SWAP1.withLimits(limits));
        for (int i = 0; i < 5; i++) {
            assertThat(ends.host.trouble(0)).isNull();
            exchange(ends, 0);
        }
        assertThat(ends.host.trouble(0)).contains("CPU 0").contains("used up");
        ends.host.openEpoch(0);
        assertThat(ends.host.trouble(0)).isNull();
        ends.agent = ends.attach();
        exchange(ends, 0);
    }

    @Test
    void theNumberOfAWordWrapsWithoutTheAgentBeingReplaced() {
        SwapEnds ends = ends(SwapMode.ONE_WORD);
        for (int i = 0; i < 140_000; i++) {
            exchange(ends, 0);
        }
        assertThat(ends.host.trouble(0)).isNull();
        assertThat(ends.agent.isFenced()).isFalse();
    }

    // ---- lines that are not meant ------------------------------------------------------------------------------

    private static MemorySegment line(SwapEnds ends, int cpu) {
        return ends.nic.asSlice(ends.layout.agentLine(false, ends.host.epoch(), cpu), 2 * LINE);
    }

    @Test
    void theLineOfAnotherCellIsNotTaken() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        ends.ask(1); // same epoch and number at both CPUs
        ends.promise(0);
        line(ends, 1).copyFrom(line(ends, 0));
        assertThat(ends.take(1)).isNull();
        assertThat(ends.take(0)).isNotNull();
    }

    @Test
    void aReplayedLineIsNotTaken() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        ends.promise(0);
        byte[] old = line(ends, 0).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        ends.host.settle(ends.take(0), Outcome.COMPLETE);
        ends.commitHost(); // the next offer
        line(ends, 0).copyFrom(MemorySegment.ofArray(old));
        assertThat(ends.take(0)).isNull();
        exchange(ends, 0);
    }

    @Test
    void anyOneBitOfLineOrDecisionThatIsWrongIsFound() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        ends.promise(0);
        MemorySegment lines = line(ends, 0);
        for (int bit = 0; bit < 2 * 512; bit++) {
            SwapEnds.damage(lines, bit / 64 * 8L, 1L << bit % 64);
            assertThat(ends.take(0)).as("bit %d", bit).isNull();
            SwapEnds.damage(lines, bit / 64 * 8L, 1L << bit % 64);
        }
        assertThat(ends.take(0)).isNotNull();
    }

    @Test
    void theDecisionBesideAWordIsBoundToItsNumber() {
        SwapEnds ends = ends(SwapMode.ONE_WORD);
        ends.promise(0);
        SwapEnds.damage(ends.nic, ends.layout.decision(false, 1, 0, 0) + 16, 4);
        assertThat(ends.take(0)).isNull();
        ends.commitHost();
        assertThat(ends.host.counters().torn).isEqualTo(1);
        assertThat(ends.host.counters().reversals).isEqualTo(1);
        exchange(ends, 0);
    }

    // ---- commit word -------------------------------------------------------------------------------------------

    @Test
    void aDamagedCommitWordIsFoundFencedRebuiltAndSaid() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        exchange(ends, 0);
        ends.promise(0);
        SwapEnds.damage(ends.memory, ends.layout.record(0) + 2 * LINE, 1L << 40);
        assertThat(ends.take(0)).as("nothing is committed on a damaged record").isNull();
        assertThat(ends.host.trouble(0)).contains("commit word of CPU 0 was damaged");
        ends.host.openEpoch(0);
        assertThat(ends.host.trouble(0)).isNull();
        ends.agent = ends.attach();
        exchange(ends, 0);
    }

    @Test
    void aHostThatFindsADamagedRecordSaysSoAndGoesOn() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        exchange(ends, 0);
        exchange(ends, 1);
        SwapEnds.damage(ends.memory, ends.layout.record(0) + 2 * LINE, 1L << 40);
        SwapEnds.damage(ends.memory, ends.layout.record(1) + 2 * LINE, 1);
        SwapEnds.damage(ends.memory, ends.layout.record(1) + 2 * LINE + 8, 1);
        RegionHost after = ends.openHost();
        assertThat(after.repairs()).hasSize(2);
        assertThat(after.repairs().get(0)).contains("cell 0").contains("rebuilt from its mirror");
        assertThat(after.repairs().get(1)).contains("cell 1").contains("guessed");
        assertThat(after.epoch()).isGreaterThan(1);
        ends.host = after;
        ends.agent = ends.attach();
        exchange(ends, 0);
        exchange(ends, 1);
    }

    @Test
    void aHostThatFindsAWholeRecordHasNothingToSay() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        exchange(ends, 0);
        RegionHost after = ends.openHost();
        assertThat(after.repairs()).isEmpty();
        assertThat(after.epoch()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aHostThatTakesOverTakesNoPromiseThatWasMadeToTheFormerOne(SwapMode mode) {
        SwapEnds ends = ends(mode);
        exchange(ends, 0);
        ends.promise(0);
        RegionAgent former = ends.agent;
        ends.host = ends.openHost();
        assertThat(ends.host.repairs()).as("a promise that was not taken is no damage").isEmpty();
        assertThat(former.isFenced()).isTrue();
        ends.host.want(0);
        ends.commitHost();
        former.tick();
        former.commit();
        assertThat(ends.take(0)).as("the old promise, repeated by its agent").isNull();
        ends.agent = ends.attach();
        exchange(ends, 0);
    }

    // ---- two agents, other versions ----------------------------------------------------------------------------

    @Test
    void ofTwoAgentsForOneCellOneGoes() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        RegionAgent first = ends.agent;
        assertThatThrownBy(ends::attach).isInstanceOf(AgentException.class).hasMessageContaining("another agent");
        long owner = ends.layout.agentControl(1, 0) + 8;
        SwapEnds.damage(ends.nic, owner, -1); // as if both had passed the look at the place
        assertThat(first.isFenced()).isTrue();
    }

    @Test
    void aRegionOfAnotherModeShapeOrVersionIsRefused() {
        SwapEnds ends = ends(SwapMode.SWAP1);
        assertThatThrownBy(() -> ends.openHost(SWAP1.withMode(SwapMode.SWAP0), SwapLedger.OFF))
                .isInstanceOf(AgentException.class).hasMessageContaining("former host laid it out")
                .hasMessageContaining("another run directory");
        SwapEnds.damage(ends.nic, 8, 1);
        assertThatThrownBy(ends::openHost).isInstanceOf(AgentException.class).hasMessageContaining("damaged");
        SwapEnds.damage(ends.nic, 8, 1);
        SwapEnds.damage(ends.nic, 0, 1L << 8); // the magic of another version
        assertThatThrownBy(ends::openHost).isInstanceOf(AgentException.class);
        assertThatThrownBy(ends::attach).isInstanceOf(AgentException.class);
    }

    @Test
    void theOneWordModeNeedsCoherentMemory() {
        SwapEnds ends = ends(SwapMode.ONE_WORD);
        Window uncached = new DeviceWindow(ends.nic, MemoryType.UC);
        RegionLinks apart = new RegionLinks(uncached, uncached, ends.links().hostMemory(), List.of());
        assertThatThrownBy(() -> SwapHost.open(apart, SwapEnds.SHAPE, ends.options)).isInstanceOf(AgentException.class)
                .hasMessageContaining("--placement coherent");
    }

    /** Pushed, the word is in host memory; an agent that reaches it through such a mapping has no compare-and-swap either. */
    @Test
    void theOneWordModeInHostMemoryNeedsAtomicOpsOfTheAgent() {
        SwapEnds ends = ends(SwapMode.ONE_WORD);
        ends.nic.fill((byte) 0); // laid out anew
        SwapHost.open(ends.links(), SwapEnds.SHAPE, ends.options.withPush(true));
        Window uncached = new DeviceWindow(ends.memory, MemoryType.UC);
        Window nic = ends.links().fromNic();
        assertThatThrownBy(() -> SwapAgent.attach(nic, uncached, null, 0, 7, Doorbell.NONE))
                .isInstanceOf(AgentException.class).hasMessageContaining("without AtomicOps");
    }
}
