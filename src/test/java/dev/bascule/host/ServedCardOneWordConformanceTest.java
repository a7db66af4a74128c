package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.device.DeviceException;
import dev.bascule.device.ForwardingModel;
import dev.bascule.junit.TransportConformance;
import dev.bascule.model.smartnic.SmartNicModel;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The swap on one word over a served card. Pushed: the card's AtomicOps on host memory are the server's locked instructions
 * in memory that the host maps as well. Pulled: the host's locked instructions in the card's BAR, which is shared memory.
 */
class ServedCardOneWordConformanceTest {
    private static final SwapOptions PULLED = SwapOptions.DEFAULT.withMode(SwapMode.ONE_WORD);

    /** The suite, with the word in one place. */
    abstract static class OneWord extends TransportConformance {
        private final ServedCards cards = new ServedCards();
        private final boolean push;

        OneWord(boolean push) {
            this.push = push;
        }

        @AfterEach
        void closeCards() {
            cards.close();
        }

        @Override
        protected Session open(Path where, boolean keep) {
            cards.in(where);
            return new Session(new SwapProtocol(PULLED.withPush(push)),
                    new CardPlace(where, keep, true, CardPlace.OPENER));
        }

        @Override
        protected boolean canWithdraw() {
            return true;
        }
    }

    @Nested
    @ByTurns(of = 2, place = 0)
    class InHostMemoryByAtomicOps extends OneWord {
        InHostMemoryByAtomicOps() {
            super(true);
        }
    }

    @Nested
    @ByTurns(of = 2, place = 1)
    class InTheCardsMemory extends OneWord {
        InTheCardsMemory() {
            super(false);
        }
    }

    /** A card that completes no AtomicOps, or whose enable bit is hard-wired to zero. */
    private record Poor(ServedCards.Card card, Path where, boolean completes) {
        private void refuses(boolean push, String why) {
            Path socket = where.resolve("poor");
            ForwardingModel model = new ForwardingModel(new SmartNicModel(card.region())) {
                @Override
                public ConfigSpace powerOnConfig() {
                    ConfigSpace config = super.powerOnConfig();
                    int at = Capabilities.of(config).find(Capability.EXPRESS).orElseThrow().offset();
                    config.set(at + 36, 4, completes ? 3 << 7 : 0);
                    byte[] fixed = config.toBytes();
                    return completes ? ConfigSpace.copyOf(fixed) : config;
                }
            };
            try (VfioUserServer server = VfioUserServer.serve(model, socket, event -> {});
                    Session session = new Session(new SwapProtocol(PULLED.withPush(push)),
                            new CardPlace(where, false, true,
                                    (name, combining) -> VfioUserDevice.open(socket)))) {
                assertThatThrownBy(() -> session.openHost(new EnclaveShape(2, 8, 1, 8, 1)))
                        .isInstanceOf(DeviceException.class).hasMessageContaining("one-word mode")
                        .hasMessageContaining(why).hasMessageContaining("--swap-mode swap1");
            }
        }
    }

    @Test
    void aCardThatCompletesNoAtomicOpsIsRefusedByName(@TempDir Path where) {
        try (ServedCards cards = new ServedCards()) {
            new Poor(cards.in(where), where, false).refuses(false, "does not complete AtomicOps of 64 bits");
        }
    }

    @Test
    void aCardThatMayNotSendAtomicOpsIsRefusedByName(@TempDir Path where) {
        try (ServedCards cards = new ServedCards()) {
            new Poor(cards.in(where), where, true).refuses(true, "AtomicOp Requester Enable bit stays off");
        }
    }
}
