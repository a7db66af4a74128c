package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.bascule.ffi.Fd;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The exported packages name no type that a user of the module cannot name. */
class PublicFaceTest {
    /** Members that name such a type all the same, since only this module has a use for them. */
    private static final Set<String> DELIBERATE = Set.of(
            // the command replays recorded runs; the results are the model's business
            "dev.bascule.model.cndm.CndmReplay.run", "dev.bascule.model.enso.EnsoReplay.run",
            "dev.bascule.model.enso.FlowHashReplay.run");

    @Test
    void noSignatureNamesTheUnsafePackage() throws Exception {
        assertThat(named(exported()).filter(use -> use.type.getPackageName().startsWith("dev.bascule.ffi")))
                .isEmpty();
    }

    @Test
    void noSignatureNamesATypeThatUsersDoNotSee() throws Exception {
        Set<String> packages = PublicFace.packages();
        assertThat(named(exported()).filter(use -> use.type.getPackageName().startsWith("dev.bascule"))
                .filter(use -> !packages.contains(use.type.getPackageName()) || !isVisible(use.type))
                .filter(use -> !DELIBERATE.contains(use.member))).isEmpty();
    }

    @Test
    void whatIsDeliberateIsThere() throws Exception {
        Set<String> members = new TreeSet<>();
        named(exported()).forEach(use -> members.add(use.member));
        assertThat(members).containsAll(DELIBERATE);
    }

    @Test
    void thePackagesThatAreExportedAreThere() throws Exception {
        assertThat(PublicFace.packages()).isNotEmpty()
                .allSatisfy(name -> assertThat(PublicFace.types(name)).as("visible types of %s", name).isNotEmpty())
                .doesNotContain("dev.bascule.report", "dev.bascule.app").noneMatch(Layers::isStudy);
    }

    @Test
    void theRuleSeesEveryPlaceOfASignature() {
        List<JavaClass> leak = new ClassFileImporter().importClasses(Leak.class).stream().toList();
        assertThat(named(leak).filter(use -> use.type.isEquivalentTo(Fd.class)).map(use -> use.member).sorted())
                .containsExactly(Leak.class.getName() + ".<init>", Leak.class.getName() + ".field",
                        Leak.class.getName() + ".give", Leak.class.getName() + ".take");
    }

    /** What the rule is to find. */
    public static class Leak {
        /** A field. */
        protected Fd field;

        /** A parameter of a constructor. */
        public Leak(Fd field) {
            this.field = field;
        }

        /** Inside a generic result. */
        public List<Fd> give() {
            return List.of(field);
        }

        /** An array. */
        public void take(Fd[] many) {
            field = many[0];
        }

        void nobodySees(Fd other) {
            field = other;
        }
    }

    /** That a member names a type. */
    private record Use(String member, JavaClass type) {}

    private static List<JavaClass> exported() throws Exception {
        JavaClasses all = new ClassFileImporter().importPath(PublicFace.classes());
        Set<String> packages = PublicFace.packages();
        return all.stream().filter(type -> packages.contains(type.getPackageName()) && isVisible(type)).toList();
    }

    private static boolean isVisible(JavaClass type) {
        JavaClass plain = type.getBaseComponentType();
        return isVisible(plain.getModifiers())
                && plain.getEnclosingClass().map(PublicFaceTest::isVisible).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    /** All types in what users see of these: interfaces, fields, parameters, results, exceptions. */
    private static Stream<Use> named(List<JavaClass> types) {
        List<Use> uses = new ArrayList<>();
        for (JavaClass type : types) {
            type.getInterfaces().forEach(above -> add(uses, type.getName(), above));
            for (JavaField field : type.getFields()) {
                if (isVisible(field.getModifiers())) {
                    add(uses, type.getName() + "." + field.getName(), field.getType());
                }
            }
            for (JavaCodeUnit unit : type.getCodeUnits()) {
                if (isVisible(unit.getModifiers())) {
                    String member = type.getName() + "." + unit.getName();
                    add(uses, member, unit.getReturnType());
                    unit.getParameterTypes().forEach(one -> add(uses, member, one));
                    unit.getExceptionTypes().forEach(one -> add(uses, member, one));
                }
            }
        }
        return uses.stream();
    }

    private static void add(List<Use> uses, String member, JavaType type) {
        type.getAllInvolvedRawTypes().forEach(raw -> uses.add(new Use(member, raw.getBaseComponentType())));
    }
}
