package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generated and hand-written layouts and constants against what the C compiler of this machine says. */
class LayoutConformanceTest {
    private static final String GENERATED = "dev.bascule.ffi.generated.";

    @TempDir
    private Path folder;

    @Test
    void vfioLayoutsAndConstantsAgreeWithTheCompiler() throws Exception {
        SoftAssertions softly = new SoftAssertions();
        Set<String> probed = new TreeSet<>();
        for (String[] line : ConformanceProbe.run("vfio.c", folder)) {
            String what = String.join(" ", line);
            switch (line[0]) {
                case "struct" -> softly.assertThat(layout(line[1]).byteSize()).as(what)
                        .isEqualTo(Long.parseLong(line[2]));
                case "field" -> softly
                        .assertThat(layout(line[1]).byteOffset(MemoryLayout.PathElement.groupElement(line[2])))
                        .as(what).isEqualTo(Long.parseLong(line[3]));
                default -> softly.assertThat(constant(line[1])).as(what).isEqualTo((int) Long.parseLong(line[2]));
            }
            probed.add(line[0].equals("field") ? line[1] + "." + line[2] : line[1]);
        }
        softly.assertAll();
        assertThat(probed).as("the probe covers every generated field and constant").containsAll(generatedNames());
    }

    @Test
    void accessorsOfTheGeneratedClassesUseTheirOffsets() throws Exception {
        Class<?> irqSet = Class.forName(GENERATED + "vfio_irq_set");
        assertThat(irqSet.getMethod("data$offset").invoke(null)).isEqualTo(20L);
        assertThat(constant("VFIO_DEVICE_GET_INFO")).isEqualTo(0x3b6b);
        assertThat(constant("VFIO_IOMMU_MAP_DMA")).isEqualTo(0x3b71);
    }

    @Test
    void handWrittenConstantsAndOffsetsAgreeWithTheCompiler() throws Exception {
        Map<String, Long> java = handWritten();
        SoftAssertions softly = new SoftAssertions();
        Set<String> probed = new TreeSet<>();
        for (String[] line : ConformanceProbe.run("linux.c", folder)) {
            String name = String.join(" ", List.of(line).subList(1, line.length - 1));
            softly.assertThat(java).as(String.join(" ", line)).containsEntry(name,
                    Long.parseLong(line[line.length - 1]));
            probed.add(name);
        }
        softly.assertAll();
        assertThat(probed).containsAll(java.keySet());
    }

    @Test
    void iommufdAgreesWithTheCompilerWhereTheHeadersHaveIt() throws Exception {
        Map<String, Long> java = new HashMap<>();
        java.putAll(Map.of("IOMMU_DESTROY", 0x3b80L, "IOMMU_IOAS_ALLOC", 0x3b81L, "IOMMU_IOAS_IOVA_RANGES", 0x3b84L,
                "IOMMU_IOAS_MAP", 0x3b85L, "IOMMU_IOAS_UNMAP", 0x3b86L, "VFIO_DEVICE_BIND_IOMMUFD", 0x3b76L,
                "VFIO_DEVICE_ATTACH_IOMMUFD_PT", 0x3b77L, "IOMMU_IOAS_MAP_FIXED_IOVA", (long) Iommufd.MAP_FIXED_IOVA,
                "IOMMU_IOAS_MAP_WRITEABLE", (long) Iommufd.MAP_WRITEABLE, "IOMMU_IOAS_MAP_READABLE",
                (long) Iommufd.MAP_READABLE));
        java.putAll(Map.of("iommu_destroy", 8L, "iommu_destroy id", 4L, "iommu_ioas_alloc", 12L,
                "iommu_ioas_alloc out_ioas_id", 8L, "iommu_iova_range", 16L, "iommu_iova_range last", 8L));
        java.putAll(Map.of("iommu_ioas_iova_ranges", 32L, "iommu_ioas_iova_ranges ioas_id", 4L,
                "iommu_ioas_iova_ranges num_iovas", 8L, "iommu_ioas_iova_ranges allowed_iovas", 16L,
                "iommu_ioas_iova_ranges out_iova_alignment", 24L));
        java.putAll(Map.of("iommu_ioas_map", 40L, "iommu_ioas_map flags", 4L, "iommu_ioas_map ioas_id", 8L,
                "iommu_ioas_map user_va", 16L, "iommu_ioas_map length", 24L, "iommu_ioas_map iova", 32L));
        java.putAll(Map.of("iommu_ioas_unmap", 24L, "iommu_ioas_unmap ioas_id", 4L, "iommu_ioas_unmap iova", 8L,
                "iommu_ioas_unmap length", 16L, "vfio_device_bind_iommufd iommufd", 8L,
                "vfio_device_bind_iommufd out_devid", 12L, "vfio_device_attach_iommufd_pt pt_id", 8L));
        SoftAssertions softly = new SoftAssertions();
        for (String[] line : ConformanceProbe.run("iommufd.c", folder)) {
            String name = String.join(" ", List.of(line).subList(1, line.length - 1));
            softly.assertThat(java).as(String.join(" ", line)).containsEntry(name,
                    Long.parseLong(line[line.length - 1]));
        }
        softly.assertAll();
    }

    @Test
    void libbpfLayoutsAgreeWithTheCompilerWhereTheHeadersAre() throws Exception {
        SoftAssertions softly = new SoftAssertions();
        for (String[] line : ConformanceProbe.run("libbpf.c", folder)) {
            boolean isStruct = line[0].equals("struct");
            long java = isStruct
                    ? layout(line[1]).byteSize()
                    : layout(line[1]).byteOffset(MemoryLayout.PathElement.groupElement(line[2]));
            softly.assertThat(java).as(String.join(" ", line)).isEqualTo(Long.parseLong(line[line.length - 1]));
        }
        softly.assertAll();
    }

    private static GroupLayout layout(String struct) throws ReflectiveOperationException {
        return (GroupLayout) Class.forName(GENERATED + struct).getMethod("layout").invoke(null);
    }

    private static int constant(String name) throws ReflectiveOperationException {
        return ((Number) Class.forName(GENERATED + "vfio_h").getMethod(name).invoke(null)).intValue();
    }

    private static List<String> generatedNames() throws Exception {
        List<String> names = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("native", "vfio.includes"))) {
            String[] words = line.trim().split(" +");
            if (words[0].equals("--include-struct")) {
                layout(words[1]).memberLayouts().stream().flatMap(member -> member.name().stream())
                        .forEach(field -> names.add(words[1] + "." + field));
            }
        }
        assertThat(names).as("fields").hasSizeGreaterThan(50);
        names.addAll(List.of(Class.forName(GENERATED + "vfio_h").getDeclaredMethods()).stream()
                .filter(method -> method.getReturnType() == int.class).map(Method::getName)
                .filter(name -> name.startsWith("VFIO_")).collect(Collectors.toList()));
        assertThat(names).as("with constants").hasSizeGreaterThan(150);
        return names;
    }

    private static Map<String, Long> handWritten() throws IllegalAccessException {
        Map<String, Long> all = new HashMap<>();
        for (var field : Linux.class.getDeclaredFields()) {
            if (!field.getName().equals("AARCH64") && !field.isSynthetic()) {
                all.put(field.getName(), ((Number) field.get(null)).longValue());
            }
        }
        for (int number = 1; number < 134; number++) {
            if (Errno.name(number).startsWith("E")) {
                all.put(Errno.name(number), (long) number);
            }
        }
        boolean arm = Linux.AARCH64;
        all.putAll(Map.of("RLIMIT_NOFILE", 7L, "RLIMIT_MEMLOCK", 8L, "RLIMIT_AS", 9L, "SYS_mbind", arm ? 235L : 237L,
                "SYS_set_mempolicy", arm ? 237L : 238L, "SYS_move_pages", arm ? 239L : 279L, "MPOL_BIND", 2L,
                "MPOL_PREFERRED", 1L, "SOCK_STREAM", 1L, "SOCK_SEQPACKET", 5L));
        all.putAll(Map.of("SO_PEERCRED", 17L, "MSG_CTRUNC", 8L, "MSG_TRUNC", 0x20L, "MSG_DONTWAIT", 0x40L,
                "MSG_NOSIGNAL", 0x4000L, "MSG_CMSG_CLOEXEC", 0x40000000L, "SCM_RIGHTS", 1L, "AT_EMPTY_PATH", 0x1000L,
                "STATX_BASIC_STATS", 0x7ffL, "_SC_PAGESIZE", 30L));
        all.putAll(Map.of("msghdr", 56L, "msghdr msg_iov", 16L, "msghdr msg_iovlen", 24L, "msghdr msg_control", 32L,
                "msghdr msg_controllen", 40L, "msghdr msg_flags", 48L, "cmsghdr", 16L, "cmsghdr cmsg_len", 0L,
                "cmsghdr cmsg_level", 8L, "cmsghdr cmsg_type", 12L));
        all.putAll(Map.of("iovec", 16L, "iovec iov_base", 0L, "iovec iov_len", 8L, "epoll_event", arm ? 16L : 12L,
                "epoll_event events", 0L, "epoll_event data", arm ? 8L : 4L, "pollfd", 8L, "pollfd fd", 0L,
                "pollfd events", 4L, "pollfd revents", 6L));
        all.putAll(Map.of("ucred", 12L, "ucred pid", 0L, "ucred uid", 4L, "statx", 256L, "statx stx_uid", 20L,
                "statx stx_mode", 28L, "statx stx_size", 40L, "statfs", 120L, "statfs f_type", 0L, "statfs f_bsize",
                8L));
        all.putAll(Map.of("statfs f_blocks", 16L, "statfs f_bavail", 32L, "rlimit", 16L, "rlimit rlim_cur", 0L,
                "rlimit rlim_max", 8L));
        return all;
    }
}
