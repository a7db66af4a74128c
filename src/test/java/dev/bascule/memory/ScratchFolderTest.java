package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.ProcessMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchFolderTest {
    private static final String PREFIX = "bascule-";

    @TempDir
    private Path base = Path.of("");

    /** As a killed process leaves it: somebody of another start than ours. */
    private Path leftover(String name) throws IOException {
        Path folder = Files.createDirectory(base.resolve(name));
        ProcessMark own = ProcessMark.own();
        ProcessMark dead = new ProcessMark(own.pid(), own.startTicks() + 1, own.namespace(), own.boot());
        Files.writeString(folder.resolve(ScratchFolder.OWNER_FILE), dead.line());
        Files.createDirectories(folder.resolve("db/deep"));
        Files.writeString(folder.resolve("db/deep/file"), "content");
        return folder;
    }

    @Test
    void aFolderIsPrivateAndGoesWithItsContent() throws IOException {
        ScratchFolder folder = ScratchFolder.create(base, PREFIX);
        assertThat(folder.path().getParent()).isEqualTo(base);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path()))).isEqualTo("rwx------");
        Files.createDirectories(folder.path().resolve("a/b"));
        Files.writeString(folder.path().resolve("a/b/c"), "content");
        folder.close();
        assertThat(base).isEmptyDirectory();
        folder.close();
    }

    @Test
    void whatADeadProcessLeftIsRemovedAndCounted() throws IOException {
        leftover("bascule-1");
        leftover("bascule-rocksdb-2");
        assertThat(ScratchFolder.removeLeftovers(base, PREFIX)).isEqualTo(2);
        assertThat(base).isEmptyDirectory();
        assertThat(ScratchFolder.removeLeftovers(base, PREFIX)).isZero();
    }

    @Test
    void whatIsInUseOrNotOursStays() throws IOException {
        try (ScratchFolder used = ScratchFolder.create(base, PREFIX)) {
            Path other = leftover("another-1");
            Path unmarked = Files.createDirectory(base.resolve("bascule-unmarked"));
            Path garbled = Files.createDirectory(base.resolve("bascule-garbled"));
            Files.writeString(garbled.resolve(ScratchFolder.OWNER_FILE), "who knows");
            Path file = Files.writeString(base.resolve("bascule-file"), "");
            Path link = Files.createSymbolicLink(base.resolve("bascule-link"), other);
            assertThat(ScratchFolder.removeLeftovers(base, PREFIX)).isZero();
            assertThat(used.path()).exists();
            assertThat(other.resolve("db/deep/file")).exists();
            assertThat(unmarked).exists();
            assertThat(garbled).exists();
            assertThat(file).exists();
            assertThat(link).isSymbolicLink();
        }
    }

    @Test
    void aLinkInALeftoverIsRemovedAndNotFollowed() throws IOException {
        Path precious = Files.createDirectory(base.resolve("precious"));
        Files.writeString(precious.resolve("thesis.txt"), "mine");
        Files.createSymbolicLink(leftover("bascule-1").resolve("link"), precious);
        assertThat(ScratchFolder.removeLeftovers(base, PREFIX)).isEqualTo(1);
        assertThat(precious.resolve("thesis.txt")).hasContent("mine");
    }

    @Test
    void aRemovalThatWasCutShortIsTakenUpAgain() throws IOException {
        Path folder = leftover("bascule-1");
        Files.delete(folder.resolve("db/deep/file"));
        Files.delete(folder.resolve("db/deep"));
        assertThat(ScratchFolder.removeLeftovers(base, PREFIX)).isEqualTo(1);
    }

    @Test
    void aFolderThatIsNotThereHasNoLeftovers() {
        assertThat(ScratchFolder.removeLeftovers(base.resolve("none"), PREFIX)).isZero();
        assertThatThrownBy(() -> ScratchFolder.create(base.resolve("none"), PREFIX)).isInstanceOf(IOException.class)
                .hasMessageContaining("none");
    }
}
