package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceRemovedException;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.Nic;
import dev.bascule.nic.edu.EduDriver;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What becomes of tests that use {@link Loopback}, seen from outside: those of {@link Samples} are run here only. */
class LoopbackRunsTest {
    static final class Samples {
        static class Fails {
            @Loopback(device = { "cndm", "corundum", "enso", "virtio" })
            void always(Nic nic) {
                throw new AssertionError("as it should");
            }

            @Loopback(device = "edu")
            void also(EduDriver driver) {
                throw new AssertionError("as it should");
            }
        }

        static class Removed {
            @Loopback(device = "corundum")
            @Faults("remove:register-read:message=200")
            void whileItIsUsed(Nic nic) {
                for (int i = 0; i < 1_000; i++) {
                    nic.check();
                }
            }
        }

        static class UnknownDevice {
            @Loopback(device = "mlx5")
            void run() {}
        }

        static class NoCable {
            @Loopback(device = "enso", wire = Loopback.Wire.CROSS)
            void run() {}
        }

        static class NoNic {
            @Loopback(device = "edu")
            void run(Nic nic) {}
        }

        static class ThirdPort {
            @Loopback(device = "corundum")
            void run(Nic one, Nic two, Nic three) {}
        }

        static class OthersModel {
            @Loopback(device = "enso")
            void run(CorundumModel model) {}
        }
    }

    @Test
    void everythingIsClosedAlsoAfterAFailure() throws Exception {
        Inner first = Inner.run(Samples.Fails.class); // what is loaded once is loaded
        assertThat(first.failures()).hasSize(5).allSatisfy(failure -> assertThat(failure).hasMessage("as it should"));
        assertThat(first.printed()).contains("Fails.always [enso] failed with seed ");
        TreeSet<String> before = Resources.held();
        for (int i = 0; i < 3; i++) {
            Inner.run(Samples.Fails.class);
        }
        assertThat(Resources.held()).isSubsetOf(before); // others may let go of theirs meanwhile
    }

    @Test
    void aCardThatIsPulledOutByAFaultIsClosedToo() throws Exception {
        Inner.run(Samples.Removed.class);
        TreeSet<String> before = Resources.held();
        Inner removed = Inner.run(Samples.Removed.class);
        assertThat(removed.failures()).hasSize(1);
        assertThat(removed.failures().getFirst()).isInstanceOf(DeviceRemovedException.class);
        assertThat(Resources.held()).isSubsetOf(before); // others may let go of theirs meanwhile
    }

    @Test
    void whatCannotBeOpenedIsToldWithWhatCan() {
        assertThat(Inner.run(Samples.UnknownDevice.class).failure())
                .contains(
                        "no device is called 'mlx5'; there are [cndm, cndm-proto, corundum, edu, enso, ivshmem, smartnic, virtio]");
        assertThat(Inner.run(Samples.NoCable.class).failure()).contains("enso has 1");
    }

    @Test
    void whatCannotBeInjectedIsToldWithWhatCan() {
        assertThat(Inner.run(Samples.NoNic.class).failure()).contains("cannot be injected into a test on edu")
                .contains("LoopbackDevice, EduModel, EduDriver");
        assertThat(Inner.run(Samples.ThirdPort.class).failure()).contains("corundum has 2 ports");
        assertThat(Inner.run(Samples.OthersModel.class).failure()).contains("EnsoCard").contains("NicAdapter, Nic");
    }
}
