package dev.bascule.study.sim;

import dev.bascule.ffi.NearestWord;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveOptions;
import dev.bascule.wave.WaveProtocol;
import java.util.List;

/** The transports of the simulated host. */
public final class SimTransports {
    /** Names for {@link #named}. */
    public static final List<String> NAMES = List.of("on-host", "wave", "wave-push", "wave-on-demand", "swap0",
            "swap1", "swap-end", "one-word", "swap0-push", "swap1-push", "swap-end-push",
            "one-word-push");

    private SimTransports() {}

    /** Coherent memory, the agent on a core of the host. */
    public static SimTransport onHost() {
        return new LocalTransport();
    }

    /** Wave with all optimisations; decisions are pulled from NIC memory. */
    public static SimTransport wave() {
        return wave("wave", WaveOptions.ALL, true, true);
    }

    /** Wave with chosen optimisations. */
    public static SimTransport wave(String name, WaveOptions options, boolean writeCombining, boolean writeThrough) {
        return new NicTransport(name, new WaveProtocol(options), writeCombining, writeThrough, !options.prestage(),
                options.batch(), false);
    }

    /** Wave without staging ahead: the agent decides when a CPU has asked, and so never binds a task too early. */
    public static SimTransport onDemand() {
        return wave("wave-on-demand", new WaveOptions(false, true, true, false, 0), true, true);
    }

    /**
     * The bilateral swap; lines are pulled from NIC memory, as Wave's decisions are. Of the one-word mode, the word lies
     * in NIC memory behind a coherent link.
     */
    public static SimTransport swap(SwapMode mode) {
        return swap(mode.text(), SwapOptions.DEFAULT.withMode(mode));
    }

    /** Pushed, the one word lies in host memory, and the NIC compares and swaps by AtomicOps. */
    private static SimTransport swapPush(SwapMode mode) {
        return swap(mode.text() + "-push", SwapOptions.DEFAULT.withMode(mode).withPush(true));
    }

    /** Mappings are those of Wave with all its optimisations. */
    private static SimTransport swap(String name, SwapOptions options) {
        return new NicTransport(name, new SwapProtocol(options), true, true, options.mode() == SwapMode.SWAP0, true,
                true);
    }

    /** A transport by its name. */
    public static SimTransport named(String name) {
        return switch (name) {
            case "on-host" -> onHost();
            case "wave" -> wave();
            case "wave-push" -> wave("wave-push", new WaveOptions(true, true, true, true, 0), true, true);
            case "wave-on-demand" -> onDemand();
            case "swap0" -> swap(SwapMode.SWAP0);
            case "swap1" -> swap(SwapMode.SWAP1);
            case "swap-end" -> swap(SwapMode.SWAP_END);
            case "one-word" -> swap(SwapMode.ONE_WORD);
            case "swap0-push" -> swapPush(SwapMode.SWAP0);
            case "swap1-push" -> swapPush(SwapMode.SWAP1);
            case "swap-end-push" -> swapPush(SwapMode.SWAP_END);
            case "one-word-push" -> swapPush(SwapMode.ONE_WORD);
            default -> throw new IllegalArgumentException(NearestWord.none("simulated transport", name, NAMES));
        };
    }
}
