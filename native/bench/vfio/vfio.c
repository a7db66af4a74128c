/* What a C program does to drive QEMU's edu device through VFIO's group interface, for comparison with Java: open,
 * register read and write, DMA map and unmap, an interrupt that the device raises. Each function runs its step `count`
 * times and returns 0, or -(line number) of the step that failed. One device at a time, one thread. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAIL return -__LINE__
#define TRY(condition) do { if (!(condition)) FAIL; } while (0)

enum { LIVENESS = 0x04, STATUS = 0x24, RAISE = 0x60, ACKNOWLEDGE = 0x64 };
static const uint64_t iova = 16 << 20;

static int container = -1, group = -1, device = -1, event = -1;
static volatile uint32_t *bar;
static uint64_t bar_bytes;

static int64_t enable_msi(void) {
    char space[sizeof(struct vfio_irq_set) + sizeof(int32_t)];
    struct vfio_irq_set *set = (struct vfio_irq_set *)space;
    memset(space, 0, sizeof space);
    set->argsz = sizeof space;
    set->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
    set->index = VFIO_PCI_MSI_IRQ_INDEX;
    set->count = 1;
    TRY((event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) >= 0);
    memcpy(set->data, &event, sizeof event);
    TRY(ioctl(device, VFIO_DEVICE_SET_IRQS, set) == 0);
    return 0;
}

/* Memory decoding and bus mastering, which MSI needs. */
static int64_t enable_device(void) {
    struct vfio_region_info config = {.argsz = sizeof config, .index = VFIO_PCI_CONFIG_REGION_INDEX};
    uint16_t command;
    TRY(ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &config) == 0);
    TRY(pread(device, &command, 2, (off_t)config.offset + 4) == 2);
    command |= 6;
    TRY(pwrite(device, &command, 2, (off_t)config.offset + 4) == 2);
    return 0;
}

int64_t vfio_twin_open(const char *address, int64_t group_number) {
    struct vfio_region_info info = {.argsz = sizeof info, .index = 0};
    char node[64];
    int64_t failed;
    snprintf(node, sizeof node, "/dev/vfio/%d", (int)group_number);
    TRY((container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC)) >= 0);
    TRY((group = open(node, O_RDWR | O_CLOEXEC)) >= 0);
    TRY(ioctl(group, VFIO_GROUP_SET_CONTAINER, &container) == 0);
    TRY(ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == 0);
    TRY((device = ioctl(group, VFIO_GROUP_GET_DEVICE_FD, address)) >= 0);
    TRY(ioctl(device, VFIO_DEVICE_GET_REGION_INFO, &info) == 0);
    bar_bytes = info.size;
    bar = mmap(NULL, bar_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)info.offset);
    TRY(bar != MAP_FAILED);
    if ((failed = enable_device()) != 0) return failed;
    return enable_msi();
}

int64_t vfio_twin_close(void) {
    munmap((void *)bar, bar_bytes);
    close(event);
    close(device);
    close(group);
    close(container);
    return 0;
}

int64_t vfio_twin_read(int64_t count) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += bar[LIVENESS / 4];
    return sum == 1 ? -1 : 0;
}

int64_t vfio_twin_write(int64_t count) {
    for (int64_t i = 0; i < count; i++) bar[LIVENESS / 4] = (uint32_t)i;
    return 0;
}

static void *buffer_of(uint64_t bytes, unsigned int flags) {
    int memory = memfd_create("twin", MFD_CLOEXEC | flags);
    void *at;
    if (memory < 0 || ftruncate(memory, (off_t)bytes) != 0) return NULL;
    at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
    close(memory);
    if (at == MAP_FAILED) return NULL;
    mlock(at, bytes); /* as a driver's buffers are */
    return at;
}

/* Memory that stays: mapped for the device and unmapped again, as a driver does with its buffers. */
static int64_t map_and_unmap(int64_t count, void *at, uint64_t bytes) {
    TRY(at != NULL);
    for (int64_t i = 0; i < count; i++) {
        struct vfio_iommu_type1_dma_map map = {.argsz = sizeof map, .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
            .vaddr = (uint64_t)(uintptr_t)at, .iova = iova, .size = bytes};
        struct vfio_iommu_type1_dma_unmap unmap = {.argsz = sizeof unmap, .iova = iova, .size = bytes};
        TRY(ioctl(container, VFIO_IOMMU_MAP_DMA, &map) == 0);
        TRY(ioctl(container, VFIO_IOMMU_UNMAP_DMA, &unmap) == 0);
    }
    return 0;
}

int64_t vfio_twin_map_small(int64_t count) {
    static void *at;
    if (at == NULL) at = buffer_of(4096, 0);
    return map_and_unmap(count, at, 4096);
}

int64_t vfio_twin_map_huge(int64_t count) {
    static void *at;
    if (at == NULL) at = buffer_of(2 << 20, MFD_HUGETLB | 21u << 26);
    return map_and_unmap(count, at, 2 << 20);
}

/* The device raises, the kernel delivers, the program wakes, reads the cause and acknowledges it. */
int64_t vfio_twin_interrupt(int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        struct pollfd waiting = {.fd = event, .events = POLLIN};
        uint64_t delivered = 0;
        uint32_t cause;
        bar[RAISE / 4] = 2;
        TRY(poll(&waiting, 1, 20000) == 1);
        TRY(read(event, &delivered, sizeof delivered) == sizeof delivered);
        cause = bar[STATUS / 4];
        TRY(cause == 2);
        bar[ACKNOWLEDGE / 4] = cause;
    }
    return 0;
}
