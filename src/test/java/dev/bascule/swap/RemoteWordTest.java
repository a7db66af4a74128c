package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import org.junit.jupiter.api.Test;

/** The word in host memory, of which the NIC sees a copy that may be late, or never come. */
class RemoteWordTest {
    private static final long AT = 64;
    private static final long COPY = 128;

    private final Window memory = new PinnedWindow(PinnedMemory.allocate(4096));
    private final Window nic = new PinnedWindow(PinnedMemory.allocate(4096));
    private final Window late = new PinnedWindow(PinnedMemory.allocate(4096));
    private final OneWordSwap host = new OneWordSwap(new MirroredWord(memory, AT, late, COPY), 1);

    private final OneWordSwap agent;

    RemoteWordTest() {
        host.fence(2);
        copyArrives();
        agent = new OneWordSwap(new RemoteWord(nic, COPY, memory, AT), 1);
        agent.follow();
    }

    private void copyArrives() {
        nic.storeRelease(COPY, late.loadAcquire(COPY));
    }

    @Test
    void itsOwnPromiseStandsThoughTheCopyIsOlder() {
        host.offer(0);
        assertThat(agent.look()).as("nothing has come").isZero();
        copyArrives();
        assertThat(agent.look()).isEqualTo(SwapAction.DECIDE);
        assertThat(agent.reflect(9)).isEqualTo(SwapAction.WRITE);
        assertThat(agent.look()).as("the copy still says offered").isZero();
        assertThat(host.promise()).isEqualTo(9);
        assertThat(host.commit()).isEqualTo(SwapAction.COMMITTED);
        assertThat(agent.look()).isZero();
        copyArrives();
        assertThat(agent.look()).isEqualTo(SwapAction.RESOLVED_COMMITTED);
    }

    @Test
    void aPromiseToAnOfferThatIsOverIsRefusedByTheWordAndNotByTheCopy() {
        host.offer(0);
        copyArrives();
        agent.look();
        host.reverse();
        host.offer(0);
        assertThat(agent.reflect(9)).as("the completion says what is there").isEqualTo(SwapAction.IGNORED);
        assertThat(agent.look()).as("which it has learned although no copy came").isEqualTo(SwapAction.DECIDE);
        assertThat(agent.reflect(9)).isEqualTo(SwapAction.WRITE);
        copyArrives();
        assertThat(agent.look()).as("an older copy changes nothing").isZero();
        assertThat(host.promise()).isEqualTo(9);
        assertThat(agent.withdraw()).isEqualTo(SwapAction.RESOLVED_REVERSED);
        assertThat(host.commit()).isEqualTo(SwapAction.REVERSED);
    }

    @Test
    void aCopyThatWasLostIsWrittenAgain() {
        host.offer(0);
        late.storeRelease(COPY, 0);
        copyArrives();
        assertThat(agent.look()).isZero();
        host.repeat();
        copyArrives();
        assertThat(agent.look()).isEqualTo(SwapAction.DECIDE);
    }

    /** What a host that unmapped the memory answers: all ones, for ever. */
    @Test
    void anAccessThatIsRefusedPromisesNothingAndEnds() {
        host.offer(0);
        copyArrives();
        agent.look();
        Window refused = new PinnedWindow(PinnedMemory.allocate(4096));
        refused.storeRelease(AT, -1);
        OneWordSwap cut = new OneWordSwap(new RemoteWord(nic, COPY, refused, AT), 2);
        cut.follow();
        assertThat(cut.look()).isEqualTo(SwapAction.DECIDE);
        assertThat(cut.reflect(9)).isEqualTo(SwapAction.IGNORED);
        assertThat(host.promise()).isEqualTo(-1);
    }
}
