package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.bascule.host.CardPlace;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioNotice;
import dev.bascule.vfio.VfioOptions;
import org.junit.jupiter.api.Test;

/** Every command that holds a device of the kernel's gives it up when it is asked to, since none opens one in another way. */
class HeldDeviceTest {
    private static final JavaClasses COMMANDS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.bascule.cli", "dev.bascule.run");

    @Test
    void noCommandOpensADeviceWithoutWatchingIt() {
        ArchRuleDefinition.noClasses().that().doNotHaveFullyQualifiedName(HeldDevice.class.getName()).should()
                .callMethod(VfioDevice.class, "open", PciAddress.class, VfioOptions.class).orShould()
                .accessField(CardPlace.class, "OPENER").check(COMMANDS);
        assertThat(COMMANDS.get(HeldDevice.class).getMethodCallsFromSelf())
                .extracting(call -> call.getTarget().getFullName())
                .anyMatch(name -> name.startsWith(VfioDevice.class.getName() + ".open("))
                .anyMatch(name -> name.startsWith(VfioDevice.class.getName() + ".onNotice("));
    }

    @Test
    void whatIsSaidTellsAnErrorFromAWishOfTheKernels() {
        PciAddress card = PciAddress.parse("65:00.0");
        assertThat(HeldDevice.words(card, VfioNotice.GIVE_BACK))
                .isEqualTo("the kernel asks for 0000:65:00.0 back (unbind or removal); giving it up");
        assertThat(HeldDevice.words(card, VfioNotice.ERROR))
                .isEqualTo("0000:65:00.0 has reported an uncorrectable PCIe error"
                        + " (AER); giving it up. What: dmesg | grep 0000:65:00.0");
    }
}
