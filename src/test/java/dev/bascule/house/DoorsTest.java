package dev.bascule.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.bascule.ffi.Door;
import dev.bascule.ffi.UnixListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Listeners without a bound: nothing but {@code ffi.Door} accepts a connection, and no server of the JDK does for us. */
class DoorsTest {
    private static final List<String> ACCEPTING = List.of(UnixListener.class.getName(), ServerSocket.class.getName(),
            ServerSocketChannel.class.getName(), AsynchronousServerSocketChannel.class.getName());

    private static final JavaClasses CLASSES = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));

    @Test
    void onlyTheDoorAccepts() {
        rule().check(CLASSES);
    }

    @Test
    void theDoorDoes() {
        assertThat(CLASSES.stream().filter(one -> one.getAccessesFromSelf().stream().anyMatch(DoorsTest::accepts))
                .map(DoorsTest::outermost).distinct()).containsExactly(Door.class.getName());
    }

    /** Each is held half open, up to its own bound. */
    @Test
    void everyListenerIsAKindThatIsHeldHalfOpen() {
        assertThat(CLASSES.stream().filter(one -> one.getMethodCallsFromSelf().stream().anyMatch(DoorsTest::opens))
                .map(DoorsTest::outermost).distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(HalfOpenTest.Kind.values()).map(kind -> kind.owner).toList());
    }

    private static boolean opens(JavaMethodCall call) {
        return call.getName().equals("open") && call.getTargetOwner().isEquivalentTo(Door.class);
    }

    @Test
    void theRuleSeesEachWayToAccept() {
        for (Class<?> offender : List.of(BySocket.class, ByChannel.class, ByListener.class, ByAServer.class)) {
            JavaClasses one = new ClassFileImporter().importClasses(offender);
            assertThatThrownBy(() -> rule().check(one)).as(offender.getSimpleName())
                    .isInstanceOf(AssertionError.class).hasMessageContaining("accepts connections");
        }
    }

    private static ArchRule rule() {
        return noClasses().that(DescribedPredicate.describe("are not the door",
                (JavaClass one) -> !outermost(one).equals(Door.class.getName()))).should().accessTargetWhere(
                        DescribedPredicate.describe("accepts connections", DoorsTest::accepts));
    }

    private static String outermost(JavaClass one) {
        return one.getName().replaceFirst("\\$.*", "");
    }

    private static boolean accepts(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        return access.getName().equals("accept") && ACCEPTING.contains(owner)
                || owner.startsWith("com.sun.net.httpserver.");
    }

    // ---- what the rule must find; never run

    private static final class BySocket {
        @SuppressWarnings("unused")
        Object accept(ServerSocket listener) throws IOException {
            return listener.accept();
        }
    }

    private static final class ByChannel {
        @SuppressWarnings("unused")
        Object accept(ServerSocketChannel listener) throws IOException {
            return listener.accept();
        }
    }

    private static final class ByListener {
        @SuppressWarnings("unused")
        Object accept(UnixListener listener) {
            return listener.accept(-1);
        }
    }

    private static final class ByAServer {
        @SuppressWarnings("unused")
        Object serve(InetSocketAddress at) throws IOException {
            return com.sun.net.httpserver.HttpServer.create(at, 0);
        }
    }
}
