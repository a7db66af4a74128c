package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LayersTest {
    /** A model may import these of its driver: numbers of registers and formats, nothing that acts. */
    private static final List<String> CONSTANTS = List.of("Registers", "Register", "Format", "Layout", "Constants");

    private static JavaClasses classes = new ClassFileImporter().importClasses();

    @BeforeAll
    static void readTheClasses() {
        classes = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));
        assertThat(classes.size()).as("classes below target/classes").isPositive();
    }

    @Test
    void packagesDependDownwardOnly() {
        Map<String, String> objections = new TreeMap<>();
        for (Dependency dependency : dependencies()) {
            Layers.objection(dependency.getOriginClass().getPackageName(), dependency.getTargetClass().getPackageName())
                    .ifPresent(why -> objections.putIfAbsent(why, "for example: " + dependency.getDescription()));
        }
        assertThat(objections).isEmpty();
    }

    @Test
    void nothingOfTheProductNamesTheStudyWing() {
        assertThat(dependencies().stream()
                .filter(one -> !Layers.isStudy(one.getOriginClass().getPackageName())
                        && Layers.isStudy(one.getTargetClass().getPackageName()))
                .map(Dependency::getDescription)).isEmpty();
        assertThat(House.files("src/main/java", ".java").stream()
                .filter(file -> !House.relative(file).contains("/study/"))
                .filter(file -> House.read(file).contains(Layers.ROOT + Layers.STUDY)).map(House::relative))
                .as("product's sources with a name of the wing, in a text or a comment").isEmpty();
    }

    @Test
    void everyPackageHasARow() {
        Set<String> unknown = new TreeSet<>();
        for (JavaClass type : classes) {
            if (!type.getPackageName().isEmpty() && Layers.row(type.getPackageName()) < 0) {
                unknown.add(type.getPackageName());
            }
        }
        assertThat(unknown).as("packages that the design does not list").isEmpty();
    }

    @Test
    void aDriverNeverImportsAModelAndAModelOnlyConstants() {
        Set<String> objections = new TreeSet<>();
        for (Dependency dependency : dependencies()) {
            String from = dependency.getOriginClass().getPackageName();
            String to = dependency.getTargetClass().getPackageName();
            if (Layers.top(from).equals("nic") && Layers.top(to).equals("model")) {
                objections.add(dependency.getDescription());
            }
            if (Layers.top(from).equals("model") && Layers.top(to).equals("nic")
                    && !isConstants(dependency.getTargetClass())) {
                objections.add(dependency.getDescription());
            }
        }
        assertThat(objections).isEmpty();
    }

    @Test
    void theUnsafePackageIsNotExported() throws Exception {
        Path file = House.BUILD.resolve("classes/module-info.class");
        try (var in = Files.newInputStream(file)) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.name()).isEqualTo("dev.bascule");
            assertThat(module.exports()).filteredOn(e -> !e.isQualified()).extracting(e -> Layers.top(e.source()))
                    .doesNotContain("ffi");
        }
    }

    @Test
    void theTableRefusesWhatTheDesignForbids() {
        assertThat(Layers.objection("dev.bascule.ring", "dev.bascule.agent")).isPresent();
        assertThat(Layers.objection("dev.bascule.wave", "dev.bascule.swap")).isPresent();
        assertThat(Layers.objection("dev.bascule.agent", "dev.bascule.loopback")).isPresent();
        assertThat(Layers.objection("dev.bascule.policy", "dev.bascule.ring")).isPresent();
        assertThat(Layers.objection("dev.bascule.nic.enso", "dev.bascule.nic.corundum")).isPresent();
        assertThat(Layers.objection("dev.bascule.nic", "dev.bascule.nic.corundum")).isPresent();
        assertThat(Layers.objection("dev.bascule.memory", "dev.bascule.unheardof")).isPresent();
        assertThat(Layers.objection("dev.bascule.model.replay", "dev.bascule.model.enso")).isPresent();
        assertThat(Layers.objection("dev.bascule.cli", "dev.bascule.study.cli")).isPresent();
        assertThat(Layers.objection("dev.bascule.agent", "dev.bascule.study")).isPresent();
        assertThat(Layers.objection("dev.bascule.study.sim", "dev.bascule.study.fabric")).isPresent();
        assertThat(Layers.objection("dev.bascule.study.fabric", "dev.bascule.study.fabric.graph")).isPresent();
    }

    @Test
    void theTableAdmitsWhatTheDesignDraws() {
        assertThat(Layers.objection("dev.bascule.cli", "dev.bascule.ffi")).isEmpty();
        assertThat(Layers.objection("dev.bascule.wave", "dev.bascule.agent")).isEmpty();
        assertThat(Layers.objection("dev.bascule.agent", "dev.bascule.ring")).isEmpty();
        assertThat(Layers.objection("dev.bascule.policy", "dev.bascule.agent")).isEmpty();
        assertThat(Layers.objection("dev.bascule.nic.corundum", "dev.bascule.nic")).isEmpty();
        assertThat(Layers.objection("dev.bascule.ffi", "dev.bascule.ffi.generated")).isEmpty();
        assertThat(Layers.objection("dev.bascule.ring", "java.util")).isEmpty();
        assertThat(Layers.objection("dev.bascule.study.enso", "dev.bascule.study.fabric")).isEmpty();
        assertThat(Layers.objection("dev.bascule.study.fabric.graph", "dev.bascule.study.fabric")).isEmpty();
        assertThat(Layers.objection("dev.bascule.study.compare", "dev.bascule.cli")).isEmpty();
    }

    private static boolean isConstants(JavaClass type) {
        JavaClass outer = type;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return CONSTANTS.stream().anyMatch(outer.getSimpleName()::endsWith);
    }

    private static List<Dependency> dependencies() {
        List<Dependency> all = new ArrayList<>();
        for (JavaClass type : classes) {
            all.addAll(type.getDirectDependenciesFromSelf());
        }
        return all;
    }
}
