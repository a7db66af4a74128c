package dev.bascule.host;

import static dev.bascule.host.PolicyVerifier.Property.CONSERVES;
import static dev.bascule.host.PolicyVerifier.Property.DETERMINISTIC;
import static dev.bascule.host.PolicyVerifier.Property.FAIR;
import static dev.bascule.host.PolicyVerifier.Property.FRUGAL;
import static dev.bascule.host.PolicyVerifier.Property.REBUILDS;
import static dev.bascule.host.PolicyVerifier.Property.REMEMBERS;
import static dev.bascule.host.PolicyVerifier.Property.SOUND;
import static dev.bascule.host.PolicyVerifier.Property.VALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.junit.ByTurns;
import dev.bascule.host.PolicyVerifier.Property;
import dev.bascule.host.PolicyVerifier.Result;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicySpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search for what policies do wrong: those that ship, and such with a fault each. */
class PolicyVerifierTest {
    private static final long NO_LIMIT = Long.MAX_VALUE / 4;

    static Stream<String> shipped() {
        return Policies.ALL.stream().map(policy -> policy.name());
    }

    private static Supplier<Agent> shipped(String name) {
        return PolicySpec.of(name).withDefault("work", "1").factory();
    }

    /** Properties that a policy that ships does not promise; policies.md says why. */
    private static Set<Property> byIntent(String name) {
        return Policies.NOT_PROMISED.getOrDefault(name, Set.of());
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void policiesThatShipKeepWhatTheyPromise(String name) {
        Result result = new PolicyVerifier(2, 3).verify(name, shipped(name), 2, NO_LIMIT);
        assertThat(result.depth()).isEqualTo(2);
        assertThat(byIntent(name)).as(result.text()).containsAll(result.found().keySet());
    }

    @ByTurns(of = 6)
    @ParameterizedTest
    @MethodSource("shipped")
    void theyDoSoAfterThreeEventsToo(String name) {
        Result result = new PolicyVerifier(2, 3).verify(name, shipped(name), 3, NO_LIMIT);
        assertThat(result.found().keySet()).as(result.text()).isEqualTo(byIntent(name));
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void oneCpuAndFourTasksAndFourCpusAndTwo(String name) {
        for (Result result : List.of(new PolicyVerifier(1, 4).verify(name, shipped(name), 1, NO_LIMIT),
                new PolicyVerifier(4, 2).verify(name, shipped(name), 1, NO_LIMIT))) {
            assertThat(byIntent(name)).as(result.text()).containsAll(result.found().keySet());
        }
    }

    /** FIFO, of which each fault is a change. */
    private static class Plain extends QueueAgent {
        TaskQueue queue = new TaskQueue(0);

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void enqueue(int task) {
            queue.addLast(task);
        }

        @Override
        protected void remove(int task) {
            queue.remove(task);
        }

        @Override
        protected int pick(int cpu) {
            return takeFirst(queue, cpu);
        }
    }

    private static Result verify(Supplier<Agent> policy) {
        return new PolicyVerifier(2, 3).verify("planted", policy, 3, NO_LIMIT);
    }

    private static void finds(Property property, int steps, String last, Supplier<Agent> policy) {
        Result result = verify(policy);
        assertThat(result.found()).as(result.text()).containsKey(property);
        assertThat(result.found().get(property)).as("the shortest: %s", result.text()).hasSize(steps + 2)
                .last().asString().contains(last);
    }

    @Test
    void aPolicyWithoutAFaultHasNone() {
        Result result = verify(Plain::new);
        assertThat(result.isClean()).as(result.text()).isTrue();
        assertThat(result.text()).startsWith("planted: nothing found; every sequence of up to 3 events, ");
    }

    @Test
    void aTaskThatIsForgottenOnceItWasBoundIsFound() {
        finds(REMEMBERS, 1, "also when all others have blocked", () -> new Plain() {
            @Override
            protected void affinityChanged(int task) {
                remove(task);
            }
        });
    }

    @Test
    void theNewestFirstStarvesAnOlder() {
        finds(FAIR, 0, "the others take turns without it", () -> new Plain() {
            @Override
            protected void enqueue(int task) {
                queue.addFirst(task);
            }
        });
    }

    @Test
    void aCpuThatIsNotUsedOnceItWasGivenBackIsFound() {
        finds(CONSERVES, 1, "idles", () -> new Plain() {
            private final boolean[] wasAway = new boolean[8];

            @Override
            protected void cpuChanged(int cpu) {
                wasAway[cpu] = true;
            }

            @Override
            protected int pick(int cpu) {
                return wasAway[cpu] && queue.size() < 3 ? NONE : super.pick(cpu);
            }
        });
    }

    @Test
    void aTaskOnACpuThatItMayNotUseIsFound() {
        finds(VALID, 1, "NOT_PERMITTED", () -> new Plain() {
            @Override
            protected int pick(int cpu) {
                int task = queue.peekFirst();
                if (task != NONE) {
                    queue.remove(task);
                }
                return task;
            }
        });
    }

    @Test
    void aSuccessorThatKnowsNoTaskIsFound() {
        finds(REBUILDS, 1, "waits", () -> new Plain() {
            private boolean isOld;

            @Override
            protected void observe(Message message) {
                isOld = message.type() == MessageType.TASK_NEW && (message.flags() & Message.SYNTHETIC) != 0;
            }

            @Override
            protected void enqueue(int task) {
                if (!isOld) {
                    super.enqueue(task);
                }
            }

            @Override
            protected void remove(int task) {
                if (queue.contains(task)) {
                    super.remove(task);
                }
            }
        });
    }

    @Test
    void chanceIsFound() {
        AtomicInteger made = new AtomicInteger();
        finds(DETERMINISTIC, 0, "the decisions differ", () -> {
            boolean isOdd = made.incrementAndGet() % 2 == 1;
            return new Plain() {
                @Override
                protected void enqueue(int task) {
                    if (isOdd) {
                        queue.addFirst(task);
                    } else {
                        queue.addLast(task);
                    }
                }
            };
        });
    }

    /** A chance in one of many policies is found, in whatever sequence it strikes. */
    @Test
    void aRareChanceIsFound() {
        AtomicInteger made = new AtomicInteger();
        Result result = verify(() -> {
            boolean isRare = made.incrementAndGet() % 251 == 0;
            return new Plain() {
                private boolean reverses;

                @Override
                protected void observe(Message message) {
                    reverses |= isRare && message.type() == MessageType.TASK_BLOCKED;
                }

                @Override
                protected void enqueue(int task) {
                    if (reverses) {
                        queue.addFirst(task);
                    } else {
                        queue.addLast(task);
                    }
                }
            };
        });
        assertThat(result.found()).as(result.text()).containsKey(DETERMINISTIC);
    }

    @Test
    void aSliceThatDiffersIsFound() {
        AtomicInteger made = new AtomicInteger();
        finds(DETERMINISTIC, 0, "the decisions differ", () -> {
            int slice = 1_000_000_000 + made.incrementAndGet();
            return new Plain() {
                @Override
                protected long sliceNanos(int task) {
                    return slice;
                }
            };
        });
    }

    /** A starved task is found although it hides nothing: the idle CPU of the same sequences is told too. */
    @Test
    void twoFaultsInOneSequenceAreFoundBoth() {
        Result result = new PolicyVerifier(2, 3).verify("planted", () -> new Plain() {
            @Override
            protected void enqueue(int task) {
                queue.addFirst(task);
            }

            @Override
            protected int pick(int cpu) {
                return cpu == 1 ? NONE : super.pick(cpu);
            }
        }, 0, NO_LIMIT);
        assertThat(result.found()).as(result.text()).containsOnlyKeys(FAIR, CONSERVES);
    }

    /** The smallest object, when a task is woken up alone. */
    @Test
    void oneObjectAWakeUpIsFound() {
        finds(FRUGAL, 0, " bytes of heap a decision", () -> new Plain() {
            @Nullable
            Object last;

            @Override
            protected void observe(Message message) {
                if (message.type() == MessageType.TASK_WAKEUP) {
                    last = new Object();
                }
            }
        });
    }

    @Test
    void whatAllocatesIsFound() {
        finds(FRUGAL, 0, "bytes of heap a decision", () -> new Plain() {
            private final ArrayDeque<List<Integer>> last = new ArrayDeque<>();

            @Override
            protected int pick(int cpu) {
                last.addLast(new ArrayList<>(List.of(cpu)));
                if (last.size() > 8) {
                    last.removeFirst();
                }
                return super.pick(cpu);
            }
        });
    }

    @Test
    void whatThrowsIsFound() {
        finds(SOUND, 1, "it throws java.lang.IllegalStateException: gone", () -> new Plain() {
            @Override
            protected void observe(Message message) {
                if (message.type() == MessageType.TASK_DEAD) {
                    throw new IllegalStateException("gone");
                }
            }
        });
    }

    @Test
    void theTimeEndsASearchAndItSaysHowFarItCame() {
        long[] now = { 0 };
        Result result = new PolicyVerifier(2, 3, () -> now[0]++).verify("short", Plain::new, 9, 3_000);
        assertThat(result.depth()).isEqualTo(2);
        assertThat(result.isWhole()).isFalse();
        assertThat(result.sequences()).isBetween(2_000L, 3_100L);
        assertThat(result.text()).startsWith("short: nothing found; every sequence of up to 2 events, ")
                .endsWith(" tried; the time was over before all of 9 events\n");
    }

    @Test
    void boundsAreChecked() {
        assertThatThrownBy(() -> new PolicyVerifier(5, 3)).hasMessageContaining("1 to 4 CPUs, 1 to 6 tasks");
        assertThatThrownBy(() -> new PolicyVerifier(2, 0)).hasMessageContaining("1 to 4 CPUs, 1 to 6 tasks");
    }

    @Test
    void aStoryNamesEachStep() {
        Map<Property, List<String>> found = verify(() -> new Plain() {
            @Override
            protected void affinityChanged(int task) {
                remove(task);
            }
        }).found();
        assertThat(found.get(REMEMBERS)).satisfiesExactly(
                first -> assertThat(first).isEqualTo("3 tasks come: CPU 0 runs task 0, CPU 1 runs task 1"),
                second -> assertThat(second).startsWith("task ").contains(" may use CPU "),
                third -> assertThat(third).startsWith("nothing more happens: "));
    }
}
