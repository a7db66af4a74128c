package dev.bascule.swap;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What must hold in every state, what is deliberately not claimed, and probes that the interesting is reachable. */
final class SwapInvariants {
    private static final String[] SAFETY = { "Agreement", "ValidByConstruction", "UniqueReflection", "NoDoubleUse",
            "ViewExact", "LagAtMostOne", "Atomic" };
    private static final String[] OTHERS = { "NeverInDoubt", "NoFalseSuspicion", "AutonomousSafety", "EveryOfferEnds",
            "ProbeRealSwap", "ProbeBothKnow", "ProbeLateReflect", "ProbeOldEpoch", "ProbeZombie" };

    static final Predicate<String> ALL = name -> java.util.List.of(SAFETY).contains(name);

    private final SwapSetting setting;
    private final SwapLine line = new SwapLine();
    private final HostState copy = new HostState(0);
    private int matching;
    private boolean valid;

    SwapInvariants(SwapSetting setting) {
        this.setting = setting;
    }

    @Nullable
    String violated(SwapWorld w, Predicate<String> wanted) {
        matches(w);
        for (String name : SAFETY) {
            if (wanted.test(name) && !safe(name, w)) {
                return name;
            }
        }
        for (String name : OTHERS) {
            if (wanted.test(name) && !other(name, w)) {
                return name;
            }
        }
        return null;
    }

    private boolean safe(String name, SwapWorld w) {
        return switch (name) {
            case "Agreement" -> agreement(w);
            case "ValidByConstruction" -> valid;
            case "UniqueReflection" -> matching <= 1;
            case "NoDoubleUse" -> (hostUsable(w) & current(w) & agentUsable(w)) == 0;
            case "ViewExact" -> viewExact(w);
            case "LagAtMostOne" -> lag(w) <= 1;
            case "Atomic" -> w.applied || w.hostOwned() == w.atomicHost;
            default -> throw new IllegalArgumentException(name);
        };
    }

    private boolean other(String name, SwapWorld w) {
        int open = w.host.n == 0 ? -1 : w.key(w.host.epoch, w.host.n);
        return switch (name) {
            case "NeverInDoubt" -> !inDoubt(w);
            case "NoFalseSuspicion" -> !(w.agent.up && w.agent.state.epoch != w.host.epoch);
            case "AutonomousSafety" -> !w.agent.up || (hostUsable(w) & agentUsable(w)) == 0;
            // without a window: a dead agent, nothing of it in flight, an offer that nobody can end
            case "EveryOfferEnds" -> w.host.phase != HostState.OFFERED || w.agent.up || matching > 0;
            case "ProbeRealSwap" -> !any(w.hostOut, true);
            case "ProbeBothKnow" -> !any(w.agentOut, false);
            case "ProbeLateReflect" -> !(w.host.phase == HostState.IDLE && open >= 0
                    && w.hostOut[open] == SwapWorld.REVERSED && reflected(w, w.host.epoch, w.host.n));
            case "ProbeOldEpoch" -> !(w.host.phase == HostState.OFFERED
                    && reflected(w, w.host.epoch - 1, w.host.n));
            case "ProbeZombie" -> !(w.zombie.up && w.zombie.state.phase == AgentState.REFLECTED && w.agent.up
                    && w.agent.state.phase == AgentState.REFLECTED);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private boolean agreement(SwapWorld w) {
        for (int i = 0; i < w.agentOut.length; i++) {
            if (w.agentOut[i] != SwapWorld.UNKNOWN && w.agentOut[i] != w.hostOut[i]) {
                return false;
            }
        }
        return true;
    }

    /** Which of the lines sent the host would commit now, and whether those name tokens owned as they must be. */
    private void matches(SwapWorld w) {
        matching = 0;
        valid = true;
        if (w.host.phase != HostState.OFFERED) {
            return;
        }
        for (int i = 0; i < w.sentCount; i++) {
            System.arraycopy(w.lines.words(w.sent[i]), 0, line.w, 0, Line.WORDS);
            if (line.kind() != SwapLine.REFLECT
                    || !line.accepted(w.host.epoch, w.host.n, SwapLine.agentSeed(0))) {
                continue;
            }
            hostCopy(w.host);
            if ((HostMachine.line(copy, line, w.limits) & SwapAction.COMMITTED) != 0) {
                matching++;
                int a = SwapWorld.bit(copy.given);
                int b = SwapWorld.bit(copy.received);
                valid &= (a & ~w.hostOwned()) == 0 && (b & ~w.agentOwned()) == 0;
            }
        }
    }

    private void hostCopy(HostState h) {
        copy.epoch = h.epoch;
        copy.incarnation = h.incarnation;
        copy.n = h.n;
        copy.last = h.last;
        copy.phase = h.phase;
        copy.offered = h.offered;
        copy.offerDigest = h.offerDigest;
        copy.lastHold = h.lastHold;
        copy.heldCount = h.heldCount;
        System.arraycopy(h.held, 0, copy.held, 0, h.held.length);
    }

    private static int hostUsable(SwapWorld w) {
        return w.hostOwned() & ~(w.host.phase == HostState.OFFERED ? SwapWorld.bit(w.host.offered) : 0);
    }

    private static int agentUsable(SwapWorld w) {
        AgentState s = w.agent.state;
        return w.agent.up ? w.agent.view & ~(s.phase == AgentState.REFLECTED ? SwapWorld.bit(s.gave) : 0) : 0;
    }

    private static int current(SwapWorld w) {
        return w.agent.state.epoch == w.host.epoch ? -1 : 0;
    }

    /** The agent's view is exact whenever it has nothing in doubt and nothing is on its way. */
    private static boolean viewExact(SwapWorld w) {
        AgentState s = w.agent.state;
        boolean quiet = w.agent.up && s.epoch == w.host.epoch && s.phase == AgentState.IDLE && s.n >= w.host.last
                && w.host.phase == HostState.IDLE && !w.applied;
        return !quiet || w.agent.view == w.agentOwned();
    }

    private int lag(SwapWorld w) {
        if (!w.agent.up || w.agent.state.epoch != w.host.epoch || setting.has(SwapSetting.Switch.NO_EPOCH)) {
            return 0;
        }
        int behind = 0;
        for (int n = 1; n <= setting.maxN(); n++) {
            int key = w.key(w.host.epoch, n);
            behind += w.hostOut[key] > SwapWorld.REVERSED && w.agentOut[key] <= SwapWorld.REVERSED ? 1 : 0;
        }
        return behind;
    }

    private boolean inDoubt(SwapWorld w) {
        for (int n = 1; w.agent.up && n <= setting.maxN(); n++) {
            int key = w.key(w.agent.state.epoch, n);
            if (w.hostOut[key] > SwapWorld.REVERSED && w.agentOut[key] <= SwapWorld.REVERSED) {
                return true;
            }
        }
        return false;
    }

    private static boolean any(int[] outcomes, boolean both) {
        for (int outcome : outcomes) {
            int tokens = outcome - 2;
            if (outcome > SwapWorld.REVERSED && (tokens & 7) != 0 && (!both || tokens >> 3 != 0)) {
                return true;
            }
        }
        return false;
    }

    private boolean reflected(SwapWorld w, int epoch, long n) {
        for (int i = 0; i < w.sentCount; i++) {
            System.arraycopy(w.lines.words(w.sent[i]), 0, line.w, 0, Line.WORDS);
            if (line.kind() == SwapLine.REFLECT && line.epoch() == epoch && line.n() == n) {
                return true;
            }
        }
        return false;
    }
}
