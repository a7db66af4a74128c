package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PatListTest {
    @TempDir
    private Path folder = Path.of("");

    private PatList list() throws Exception {
        return PatList.read(Files.writeString(folder.resolve("list"), """
                PAT memtype list:
                PAT: [mem 0x00000000fc000000-0x00000000fd000000] write-combining
                PAT: [mem 0x00000000fd100000-0x00000000fd101000] uncached-minus
                PAT: [mem 0x00000000fe000000-0x00000000fe001000] uncached
                PAT: [mem 0x0000000100000000-0x0000000100002000] write-back
                """));
    }

    @Test
    void aRangeHasTheTypeOfTheMappingThatCoversPartOfIt() throws Exception {
        PatList list = list();
        assertThat(list.problem()).isEmpty();
        assertThat(list.typeOf(0xfc00_0000L, 4096)).contains(MemoryType.WC);
        assertThat(list.typeOf(0xfcff_f000L, 4096)).contains(MemoryType.WC);
        assertThat(list.typeOf(0xfd10_0000L, 1 << 20)).contains(MemoryType.UC);
        assertThat(list.word(0xfd10_0000L, 1)).contains("uncached-minus");
        assertThat(list.typeOf(0xfe00_0000L, 16)).contains(MemoryType.UC);
        assertThat(list.typeOf(0x1_0000_1000L, 16)).contains(MemoryType.WB);
    }

    @Test
    void whatIsNotMappedHasNone() throws Exception {
        assertThat(list().typeOf(0xfd00_0000L, 0x10_0000)).as("between two").isEmpty();
        assertThat(list().typeOf(0, 4096)).isEmpty();
    }

    @Test
    void aListThatCannotBeReadSaysSo() {
        PatList none = PatList.read(folder.resolve("absent"));
        assertThat(none.problem()).contains("root");
        assertThat(none.typeOf(0xfc00_0000L, 4096)).isEmpty();
    }
}
