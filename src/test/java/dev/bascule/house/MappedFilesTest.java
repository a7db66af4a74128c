package dev.bascule.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.bascule.memory.SharedMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Whose files are mapped. Whoever may write a file can cut it, and the next access of the other side is a fault; so memory
 * of a less trusted peer is a sealed memfd that goes over a socket. What maps a file all the same is here, with the reason.
 */
class MappedFilesTest {
    private static final Map<String, String> ALLOWED = Map.ofEntries(
            Map.entry("memory.SharedMemory", "has both kinds"),
            Map.entry("model.smartnic.RegionFiles", "regions of agents: LiveHost stops with the reason (Errors too)"),
            Map.entry("host.FilePlace", "the same"),
            Map.entry("host.HostMemory", "the same"),
            Map.entry("host.CounterPage", "written by the host that made it, read by others"),
            Map.entry("host.CounterReader", "top: what it reads is a fault of its own only"),
            Map.entry("host.LiveTrace", "written by the host that made it, read by agents of its user"),
            Map.entry("rdma.Mirror", "the copy is this side's own file; the peer reaches it by the adapter only"),
            Map.entry("model.Cables", "a cable in a file, both ends of one user's tests"),
            Map.entry("model.enso.backend.HugePageFiles",
                    "files of a program under test: SoftwareBackend attributes faults"),
            Map.entry("study.cli.LiveWave", "a file of its own, for measuring"),
            Map.entry("vfio.VfioBars", "a device's registers"),
            Map.entry("vfio.BarClaims", "a device's registers"),
            Map.entry("nic.smartnic.MappedCores", "a device's registers"),
            Map.entry("nic.smartnic.SocketCores",
                    "an agent maps what its server sent: the less trusted one is the agent"),
            Map.entry("vfiouser.VfioUserDevice",
                    "a client maps what its server sent: MappedRegisters attributes faults"),
            Map.entry("vfiouser.ServedClock",
                    "the server's clock: a fault ends this connection, which trusts its device"),
            Map.entry("vfiouser.ClientFiles", "a client's memory, which it may cut: ClientMemory attributes faults"),
            Map.entry("memory.DmaBuffer", "memory of its own"),
            Map.entry("ffi.BpfBell", "a map of the kernel's"),
            Map.entry("host.scx.KernelPage", "a map of the kernel's"),
            Map.entry("host.tier.SoftDirty", "a page of its own"));

    private final JavaClasses classes = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));

    @Test
    void filesAreMappedOnlyWhereTheirPeerIsTrustedOrFaultsAreAttributed() {
        rule().check(classes);
    }

    @Test
    void theListHasNobodyWhoMapsNothing() {
        List<String> mapping = classes.stream().filter(one -> one.getAccessesFromSelf().stream()
                .anyMatch(MappedFilesTest::mapsFile)).map(MappedFilesTest::outermost).distinct().toList();
        assertThat(mapping).containsAll(ALLOWED.keySet());
    }

    @Test
    void theRuleSeesAMappedFile() {
        JavaClasses offender = new ClassFileImporter().importClasses(Offender.class);
        assertThatThrownBy(() -> rule().check(offender)).isInstanceOf(AssertionError.class)
                .hasMessageContaining("SharedMemory.open");
    }

    private static ArchRule rule() {
        return noClasses().that(DescribedPredicate.describe("have no reason to",
                (JavaClass one) -> !ALLOWED.containsKey(outermost(one)))).should().accessTargetWhere(
                        DescribedPredicate.describe("maps a file", MappedFilesTest::mapsFile));
    }

    private static String outermost(JavaClass one) {
        return one.getName().replaceFirst("\\$.*", "").replaceFirst("^dev\\.bascule\\.", "");
    }

    private static boolean mapsFile(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        String name = access.getName();
        boolean named = owner.equals("dev.bascule.memory.SharedMemory")
                && (name.startsWith("open") || name.equals("create"))
                && access.getTarget().getFullName().contains("java.nio.file.Path");
        return named || owner.equals("java.nio.channels.FileChannel") && name.equals("map")
                || owner.equals("dev.bascule.ffi.Libc") && name.equals("map")
                        && access.getTarget().getFullName().contains("dev.bascule.ffi.Fd");
    }

    /** What the rule must find; never run. */
    private static final class Offender {
        @SuppressWarnings("unused")
        SharedMemory map(Path file) {
            return SharedMemory.open(file, 4096);
        }
    }
}
