/* The design's time in a page that the client maps: what its drivers' waits count. */
#pragma once
#include "wire.h"
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace bascule {

class SharedClock {
public:
    static constexpr size_t BYTES = 4096;

    SharedClock() : file_(memfd_create("bascule-clock", MFD_CLOEXEC | MFD_ALLOW_SEALING))
    {
        if (file_.number() < 0 || ftruncate(file_.number(), BYTES) || fcntl(file_.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
            throw std::string("make the clock's page: ") + strerror(errno);
        void *page = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
        if (page == MAP_FAILED) throw std::string("map the clock's page: ") + strerror(errno);
        word_ = static_cast<uint64_t *>(page);
    }
    ~SharedClock() { munmap(word_, BYTES); }
    SharedClock(const SharedClock &) = delete;
    SharedClock &operator=(const SharedClock &) = delete;

    int file() const { return file_.number(); }

    /* Release: who sees this time sees the memory and the interrupts of before. It never goes back. */
    void publish(uint64_t nanos)
    {
        if (nanos > *word_) __atomic_store_n(word_, nanos, __ATOMIC_RELEASE);
    }

private:
    Fd file_;
    uint64_t *word_ = nullptr;
};

} // namespace bascule
