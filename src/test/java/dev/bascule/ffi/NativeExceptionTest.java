package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;

class NativeExceptionTest {
    @Test
    void everyErrnoNameIsFoundByItsNumberAndBack() {
        int named = 0;
        for (int number = 1; number < 134; number++) {
            String name = Errno.name(number);
            if (name.startsWith("E")) {
                assertThat(Errno.number(name)).as(name).isEqualTo(number);
                named++;
            }
        }
        assertThat(named).isEqualTo(131); // as many as errno.h of Linux defines, without aliases
    }

    @Test
    void constantsAgreeWithTheTable() throws IllegalAccessException {
        for (var field : Errno.class.getFields()) {
            assertThat(Errno.name(field.getInt(null))).isEqualTo(field.getName());
        }
    }

    @Test
    void unknownNumbersAreNamedAsNumbers() {
        assertThat(Errno.name(41)).isEqualTo("errno 41");
        assertThat(Errno.name(0)).isEqualTo("errno 0");
        assertThat(Errno.name(-5)).isEqualTo("errno -5");
        assertThat(Errno.name(4000)).isEqualTo("errno 4000");
        assertThat(Errno.number("ENOTHING")).isEqualTo(-1);
        assertThat(Errno.number("")).isEqualTo(-1);
    }

    @Test
    void messageNamesStepObjectErrnoAndRemedy() {
        NativeException e = new NativeException("open", "/dev/vfio/17", Errno.EACCES);
        assertThat(e).hasMessage("open /dev/vfio/17: EACCES (13). Give yourself the device: sudo chown $USER"
                + " /dev/vfio/17");
        assertThat(e.step()).isEqualTo("open");
        assertThat(e.object()).isEqualTo("/dev/vfio/17");
        assertThat(e.errnoName()).isEqualTo("EACCES");
    }

    @Test
    void messageWithoutRemedyEndsAfterTheErrno() {
        assertThat(new NativeException("read", "eventfd", Errno.EINVAL)).hasMessage("read eventfd: EINVAL (22)");
    }

    @Test
    void refusedLockNamesTheMemlockCommands() {
        for (int errno : new int[] { Errno.ENOMEM, Errno.EPERM, Errno.EAGAIN }) {
            assertThat(new NativeException("mlock", "2 MiB at 0x1000", errno).remedy()).contains("ulimit -l")
                    .contains("/etc/security/limits.conf");
        }
        assertThat(new NativeException("VFIO_IOMMU_MAP_DMA", "64 MiB", Errno.ENOMEM).remedy()).contains("ulimit -l");
    }

    @Test
    void missingHugepagesNameTheCountAndTheFileOfTheirSize() {
        assertThat(new NativeException("mmap MAP_HUGETLB", "3 hugepages of 2048 KiB", Errno.ENOMEM).remedy())
                .contains("echo 3 > /proc/sys/vm/nr_hugepages");
        assertThat(new NativeException("mmap MAP_HUGETLB", "1 hugepages of 1048576 KiB", Errno.ENOMEM).remedy())
                .contains("echo 1 > /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
    }

    @Test
    void commonVfioFailuresNameTheirCommand() {
        assertThat(new NativeException("open", "/dev/vfio/vfio", Errno.ENOENT).remedy()).contains("modprobe vfio-pci");
        assertThat(new NativeException("open", "/dev/vfio/3", Errno.ENOENT).remedy()).contains("driver_override");
        assertThat(new NativeException("open", "/dev/vfio/3", Errno.EBUSY).remedy()).contains("fuser -v /dev/vfio/3");
        assertThat(new NativeException("VFIO_GROUP_GET_DEVICE_FD", "0000:03:00.0", Errno.EPERM).remedy())
                .contains("iommu_groups");
        assertThat(new NativeException("write", "/dev/shm/x", Errno.ENOSPC).remedy()).contains("df -h /dev/shm");
    }

    @Test
    void failedCallCarriesTheErrnoOfThatCall() {
        NativeException e = catchThrowableOfType(NativeException.class,
                () -> Libc.open("/nonexistent/bascule", Linux.O_RDONLY));
        assertThat(e.errno()).isEqualTo(Errno.ENOENT);
        assertThat(e).hasMessageContaining("open /nonexistent/bascule: ENOENT (2)");
        assertThatThrownBy(() -> Libc.open("/proc/self", Linux.O_RDWR)).hasMessageContaining("EISDIR");
    }
}
