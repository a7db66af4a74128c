package dev.bascule.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RestrictedCallsTest {
    /** The restricted methods of java.base that a run-time class could reach. */
    private static final Map<String, Set<String>> RESTRICTED = Map.of(
            "java.lang.foreign.MemorySegment", Set.of("reinterpret"),
            "java.lang.foreign.Linker", Set.of("downcallHandle", "upcallStub"),
            "java.lang.foreign.SymbolLookup", Set.of("libraryLookup"),
            "java.lang.foreign.AddressLayout", Set.of("withTargetLayout"),
            "java.lang.ModuleLayer$Controller", Set.of("enableNativeAccess"),
            "java.lang.System", Set.of("load", "loadLibrary"),
            "java.lang.Runtime", Set.of("load", "loadLibrary"));

    private final JavaClasses classes = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));

    @Test
    void restrictedCallsAreInFfiOnly() {
        restrictedCallsOnlyIn("dev.bascule.ffi..").check(classes);
    }

    @Test
    void linkersAndLookupsAreKnownToFfiOnly() {
        noClasses().that().resideOutsideOfPackage("dev.bascule.ffi..").should().dependOnClassesThat()
                .belongToAnyOf(Linker.class, SymbolLookup.class).allowEmptyShould(true).check(classes);
    }

    @Test
    void nobodyUsesUnsafeOrTheInsideOfTheJdk() {
        noClasses().should().dependOnClassesThat()
                .resideInAnyPackage("sun..", "jdk.internal..", "com.sun.proxy..", "sun.misc..").check(classes);
    }

    @Test
    void thereAreNoNativeMethods() {
        noMethods().should().haveModifier(JavaModifier.NATIVE).allowEmptyShould(true).check(classes);
    }

    @Test
    void theRuleSeesARestrictedCall() {
        JavaClasses offender = new ClassFileImporter().importClasses(Offender.class);
        assertThat(offender).hasSize(1);
        assertThatThrownBy(() -> restrictedCallsOnlyIn("dev.bascule.ffi..").check(offender))
                .isInstanceOf(AssertionError.class).hasMessageContaining("reinterpret");
    }

    private static ArchRule restrictedCallsOnlyIn(String packages) {
        return noClasses().that().resideOutsideOfPackage(packages).should()
                .accessTargetWhere(
                        DescribedPredicate.describe("is a restricted method", RestrictedCallsTest::isRestricted))
                .allowEmptyShould(true);
    }

    private static boolean isRestricted(JavaAccess<?> access) {
        return RESTRICTED.getOrDefault(access.getTargetOwner().getName(), Set.of()).contains(access.getName());
    }

    /** What the rule must find; never run. */
    private static final class Offender {
        @SuppressWarnings("unused")
        MemorySegment grow(MemorySegment segment) {
            return segment.reinterpret(8);
        }
    }
}
