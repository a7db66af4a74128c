package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Mechanism;
import dev.bascule.host.Session;
import dev.bascule.policy.FifoAgent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of tests that use {@link SmartNic}, seen from outside: those of {@link Samples} are run here only. */
class SmartNicRunsTest {
    static final class Samples {
        static final List<Long> SEEDS = new ArrayList<>();
        static final List<Path> FOLDERS = new ArrayList<>();
        static final List<Integer> DECISIONS = new ArrayList<>();

        /** Loses what either side writes behind the header: no decision comes about. */
        static class Deaf {
            @SmartNic(transport = { Transport.WAVE, Transport.SWAP })
            @Faults({ "drop:host-to-nic:offset=0x200-0xfffffff", "drop:nic-to-host:offset=0x200-0xfffffff",
                    "drop:dma-write:offset=0x200-0xfffffff" })
            void run(TransportRig rig) {
                decisions(rig);
            }
        }

        static class Hearing {
            @SmartNic(transport = { Transport.WAVE, Transport.SWAP })
            void run(TransportRig rig) {
                decisions(rig);
            }
        }

        private static void decisions(TransportRig rig) {
            TransportRig.Attached agent = rig.attach(new FifoAgent());
            rig.create(true);
            rig.host().commit();
            for (int turn = 0; turn < 20; turn++) {
                agent.turn();
                rig.host().want(0);
                if (rig.host().decide(0) != Mechanism.NONE) {
                    break;
                }
                rig.host().commit();
            }
            DECISIONS.add(rig.hostLedger().size());
        }

        static class Fails {
            @SmartNic(transport = Transport.SWAP)
            void always(@Seed long seed, TransportRig rig, Session session, @TempDir Path other) {
                SEEDS.add(seed);
                FOLDERS.add(session.directory());
                throw new AssertionError("as it should");
            }
        }

        @Seed({ 3, 4 })
        static class TwoSeeds {
            @SmartNic(transport = Transport.SWAP)
            void run(@Seed long seed) {
                SEEDS.add(seed);
            }
        }

        static class WrongParameter {
            @SmartNic(transport = Transport.SWAP)
            void run(dev.bascule.nic.Nic nic) {}
        }

        static class LongWithoutSeed {
            @SmartNic(transport = Transport.SWAP)
            void run(long seed) {}
        }

        static class InConstructor {
            InConstructor(TransportRig rig) {}

            @SmartNic(transport = Transport.SWAP)
            void run() {}
        }

        static class FaultsOnHost {
            @SmartNic(transport = Transport.ON_HOST)
            @Faults("drop:host-to-nic")
            void run() {}
        }

        static class FaultNowhere {
            @SmartNic
            @Faults("drop:register-read")
            void run() {}
        }

        static class FaultUnreadable {
            @SmartNic
            @Faults("lose:host-to-nic")
            void run() {}
        }

        static class NoTransport {
            @SmartNic(transport = {})
            void run() {}
        }

        static class ImpossibleShape {
            @SmartNic(cpus = 0)
            void run() {}
        }
    }

    @Test
    void aTestThatFailsSaysItsSeedAndRunsAgainWithIt() {
        Samples.SEEDS.clear();
        Inner first = Inner.run(Samples.Fails.class);
        long seed = Samples.SEEDS.getFirst();
        assertThat(first.failure()).isEqualTo("as it should");
        assertThat(first.printed()).contains("Fails.always [swap] failed with seed " + seed)
                .contains("-Dbascule.seed=" + seed);
        assertThat(first.failures().getFirst().getSuppressed()).anySatisfy(
                note -> assertThat(note).hasToString("seed " + seed + "; again with -Dbascule.seed=" + seed));
        Inner.run(Samples.Fails.class);
        Inner.run(Samples.Fails.class, Map.of("bascule.seed", "" + seed));
        assertThat(Samples.SEEDS.get(1)).as("a run without draws another").isNotEqualTo(seed);
        assertThat(Samples.SEEDS.get(2)).isEqualTo(seed);
    }

    @Test
    void severalSeedsAreOneRunEach() {
        Samples.SEEDS.clear();
        assertThat(Inner.run(Samples.TwoSeeds.class).passed()).containsExactly("swap, seed 3", "swap, seed 4");
        assertThat(Samples.SEEDS).containsExactly(3L, 4L);
        assertThat(Inner.run(Samples.TwoSeeds.class, Map.of("bascule.seed", "0x10")).passed()).hasSize(1);
        assertThat(Samples.SEEDS).endsWith(16L);
        assertThat(Inner.run(Samples.TwoSeeds.class, Map.of("bascule.seed", "many")).failure())
                .contains("bascule.seed is 'many'");
    }

    @Test
    void everythingIsClosedAlsoAfterAFailure() throws Exception {
        Inner.run(Samples.Fails.class); // what is loaded once is loaded
        Samples.FOLDERS.clear();
        TreeSet<String> before = Resources.held();
        for (int i = 0; i < 5; i++) {
            Inner.run(Samples.Fails.class);
        }
        assertThat(Resources.held()).isSubsetOf(before); // others may let go of theirs meanwhile
        assertThat(Samples.FOLDERS).hasSize(5).allSatisfy(folder -> assertThat(folder).doesNotExist());
    }

    @Test
    void faultsStrikeOnTheLinkOfEachTransport() {
        Samples.DECISIONS.clear();
        Inner.run(Samples.Hearing.class);
        assertThat(Samples.DECISIONS).hasSize(2).doesNotContain(0);
        Samples.DECISIONS.clear();
        Inner deaf = Inner.run(Samples.Deaf.class);
        assertThat(Samples.DECISIONS).as("%s", deaf.failures()).containsOnly(0);
    }

    @Test
    void whatCannotBeInjectedIsToldWithWhatCan() {
        assertThat(Inner.run(Samples.WrongParameter.class).failure())
                .contains("Nic (parameter 1 of WrongParameter.run) cannot be injected into a test over swap")
                .contains("TransportRig, Session, MechanismEnd, Mechanism, AgentEnd").contains("@Seed long");
        assertThat(Inner.run(Samples.LongWithoutSeed.class).failure()).contains("annotated with @Seed");
        assertThat(Inner.run(Samples.InConstructor.class).failure()).contains("a constructor is too early");
    }

    @Test
    void annotationsThatCannotBeMetAreRefused() {
        assertThat(Inner.run(Samples.FaultsOnHost.class).failure()).contains("no link");
        assertThat(Inner.run(Samples.FaultNowhere.class).failure()).contains("'drop:register-read' never strikes")
                .contains("host-to-nic");
        assertThat(Inner.run(Samples.FaultUnreadable.class).failure()).contains("'lose' is none of");
        assertThat(Inner.run(Samples.NoTransport.class).failure()).contains("ON_HOST, WAVE, SWAP");
        assertThat(Inner.run(Samples.ImpossibleShape.class).failure()).startsWith("@SmartNic: ").contains("0 CPUs");
    }
}
