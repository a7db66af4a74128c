/* What a client lets the device reach. Memory with a descriptor is mapped here, other memory is fetched by message. */
#pragma once
#include "design.h"
#include "wire.h"
#include <csetjmp>
#include <csignal>
#include <functional>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>

namespace bascule {

/* Touching memory whose file the client has cut is SIGBUS: inside of run() it makes that return false. */
class BusGuard {
public:
    template <class Touch> static bool run(Touch touch)
    {
        install();
        sigjmp_buf here;
        if (sigsetjmp(here, 0)) {
            armed() = nullptr;
            return false;
        }
        armed() = &here;
        touch();
        armed() = nullptr;
        return true;
    }

private:
    static sigjmp_buf *&armed()
    {
        static thread_local sigjmp_buf *at = nullptr;
        return at;
    }
    static void install()
    {
        static const bool once = [] {
            struct sigaction action = {};
            action.sa_handler = [](int) {
                if (armed()) siglongjmp(*armed(), 1);
                signal(SIGBUS, SIG_DFL); /* not ours: the access is repeated and ends the process */
            };
            action.sa_flags = SA_NODEFER;
            return sigaction(SIGBUS, &action, nullptr) == 0;
        }();
        (void)once;
    }
};

/*
 * How a device's write comes into memory: the last aligned word in one store after all others, so that whoever sees the byte
 * with the phase tag, the last one of a completion, sees the completion.
 */
inline void store_in_order(uint8_t *to, const uint8_t *from, size_t bytes)
{
    const uintptr_t end = reinterpret_cast<uintptr_t>(to) + bytes;
    size_t tail = 8;
    while (tail > 1 && (tail > bytes || end % tail)) tail /= 2;
    memcpy(to, from, bytes - tail);
    uint64_t word = 0;
    memcpy(&word, from + bytes - tail, tail);
    void *last = to + bytes - tail;
    /* release: its partner is the driver's acquire of the word with the phase tag */
    if (tail == 8) __atomic_store_n(static_cast<uint64_t *>(last), word, __ATOMIC_RELEASE);
    else if (tail == 4) __atomic_store_n(static_cast<uint32_t *>(last), (uint32_t)word, __ATOMIC_RELEASE);
    else if (tail == 2) __atomic_store_n(static_cast<uint16_t *>(last), (uint16_t)word, __ATOMIC_RELEASE);
    else __atomic_store_n(static_cast<uint8_t *>(last), (uint8_t)word, __ATOMIC_RELEASE);
}

class ClientMemory {
public:
    static constexpr uint32_t READABLE = 1, WRITABLE = 2;
    static constexpr uint64_t PAGE = 4096;
    static constexpr size_t MOST = 16384;

    /* The way to memory without a descriptor. */
    using Messages = std::function<bool(uint64_t address, uint8_t *local, size_t bytes, bool write)>;

    ClientMemory(Messages messages, bool keep_msix_free) : messages_(std::move(messages)), keep_msix_free_(keep_msix_free) {}

    void map(uint64_t first, uint64_t bytes, uint32_t flags, const Fd *file, uint64_t offset)
    {
        const uint64_t last = last_of(first, bytes);
        require(flags && !(flags & ~(READABLE | WRITABLE)), "mapping flags");
        require(!((first | bytes) % PAGE), "a mapping that is not whole pages");
        const bool apart = first >= MSIX_ADDRESS + MSIX_BYTES || last < MSIX_ADDRESS;
        require(apart || !keep_msix_free_, "a mapping over the interrupt range");
        if (at_or_below(last) && at_or_below(last)->second.last >= first) refuse("a mapping over an existing one", EEXIST);
        if (maps_.size() >= MOST) refuse("more mappings than agreed", ENOSPC);
        uint8_t *memory = file ? of_file(*file, offset, bytes, flags) : nullptr;
        maps_.emplace(first, Mapping(last, flags, memory));
    }

    /* A range without any mapping is refused only when it is small: behind a virtual IOMMU QEMU sweeps the address space. */
    void unmap(uint64_t first, uint64_t bytes)
    {
        const uint64_t last = last_of(first, bytes);
        const auto *low = at_or_below(first), *high = at_or_below(last);
        const bool begins = low && low->first < first && low->second.last >= first;
        const bool ends = high && high->second.last > last;
        require(!begins && !ends, "an unmapping of a part of a mapping");
        const auto from = maps_.lower_bound(first), to = maps_.upper_bound(last);
        if (from == to && bytes < (1 << 20)) refuse("an unmapping where nothing is mapped", ENOENT);
        erase(from, to);
    }

    void unmap_all() { erase(maps_.begin(), maps_.end()); }
    ~ClientMemory() { unmap_all(); }

    /* Whether all of it was reached; checked as a whole before anything is touched, split where mappings meet. */
    bool transfer(uint64_t address, uint8_t *local, size_t bytes, bool write)
    {
        if (bytes == 0) return true;
        if (!reaches(address, bytes, write ? WRITABLE : READABLE)) return false;
        for (size_t done = 0; done < bytes;) {
            const auto *piece = at_or_below(address + done);
            if (!piece) return false; /* unmapped while a message was under way */
            const uint64_t inside = address + done - piece->first, left = piece->second.last - (address + done);
            const size_t part = left >= bytes - done ? bytes - done : (size_t)left + 1;
            uint8_t *memory = piece->second.memory, *at = local + done;
            if (!(memory ? copy(memory + inside, at, part, write) : messages_(address + done, at, part, write))) return false;
            done += part;
        }
        return true;
    }

    /* Whether the client cut a file behind its mapping since the last call. */
    bool take_cut() { return std::exchange(cut_, false); }

private:
    struct Mapping {
        Mapping(uint64_t end, uint32_t allowed, uint8_t *at) : last(end), flags(allowed), memory(at) {}
        uint64_t last;
        uint32_t flags;
        uint8_t *memory; /* null: by message */
    };
    using Maps = std::map<uint64_t, Mapping>;

    static uint64_t last_of(uint64_t first, uint64_t bytes)
    {
        require(bytes && first + bytes - 1 >= first, "an empty range, or one that leaves the address space");
        return first + bytes - 1;
    }

    const Maps::value_type *at_or_below(uint64_t address) const
    {
        auto above = maps_.upper_bound(address);
        return above == maps_.begin() ? nullptr : &*--above;
    }

    bool reaches(uint64_t address, size_t bytes, uint32_t needed) const
    {
        const uint64_t last = address + bytes - 1;
        if (last < address) return false;
        for (uint64_t at = address;;) {
            const auto *piece = at_or_below(at);
            if (!piece || piece->second.last < at || !(piece->second.flags & needed)) return false;
            if (piece->second.last >= last) return true;
            at = piece->second.last + 1;
        }
    }

    bool copy(uint8_t *memory, uint8_t *local, size_t bytes, bool write)
    {
        const bool whole = BusGuard::run([=] {
            if (write) {
                store_in_order(memory, local, bytes);
            } else {
                __atomic_thread_fence(__ATOMIC_ACQUIRE); /* partner: the driver's release before it tells the device */
                memcpy(local, memory, bytes);
            }
        });
        cut_ |= !whole;
        return whole;
    }

    static uint8_t *of_file(const Fd &file, uint64_t offset, uint64_t bytes, uint32_t flags)
    {
        struct stat status;
        if (fstat(file.number(), &status)) refuse(strerror(errno), errno);
        const auto size = (uint64_t)status.st_size;
        require(S_ISREG(status.st_mode), "a mapping of something else than a memory file");
        require(offset % PAGE == 0 && bytes <= size && offset <= size - bytes, "a mapping beyond the end of its file");
        const int protection = flags & WRITABLE ? PROT_READ | PROT_WRITE : PROT_READ;
        void *memory = mmap(nullptr, bytes, protection, MAP_SHARED, file.number(), (off_t)offset);
        if (memory == MAP_FAILED) refuse("a descriptor that cannot be mapped", errno);
        return static_cast<uint8_t *>(memory);
    }

    void erase(Maps::iterator from, Maps::iterator to)
    {
        for (auto at = from; at != to; ++at)
            if (at->second.memory) munmap(at->second.memory, at->second.last - at->first + 1);
        maps_.erase(from, to);
    }

    Messages messages_;
    bool keep_msix_free_;
    Maps maps_;
    bool cut_ = false;
};

} // namespace bascule
