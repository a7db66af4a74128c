/*
 * Interrupts on their way to the client: which eventfd a vector signals, what is masked, what is pending. A vector is unmasked
 * once the client gave it an eventfd, as with the kernel's VFIO.
 */
#pragma once
#include "config.h"
#include "wire.h"
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace bascule {

/* Adds one to an eventfd of the client. Whether a write would block is the client's to change at any time; the kernel's
 * signal at the end of an asynchronous read of nothing never does. */
class EventSignal {
public:
    EventSignal() : nothing_(memfd_create("bascule-nothing", MFD_CLOEXEC))
    {
        if (syscall(SYS_io_setup, 1, &kernel_)) kernel_ = 0; /* a sandbox without asynchronous reads */
    }
    EventSignal(const EventSignal &) = delete;
    EventSignal &operator=(const EventSignal &) = delete;
    ~EventSignal()
    {
        if (kernel_) syscall(SYS_io_destroy, kernel_);
    }

    void add(const Fd &eventfd) const
    {
        iocb request = {};
        request.aio_lio_opcode = IOCB_CMD_PREAD;
        request.aio_fildes = (uint32_t)nothing_.number();
        request.aio_flags = IOCB_FLAG_RESFD;
        request.aio_resfd = (uint32_t)eventfd.number();
        iocb *requests = &request;
        io_event event;
        if (kernel_ && syscall(SYS_io_submit, kernel_, 1, &requests) == 1) {
            syscall(SYS_io_getevents, kernel_, 1, 1, &event, nullptr);
            return;
        }
        pollfd look = {eventfd.number(), POLLOUT, 0};
        const uint64_t one = 1;
        if (poll(&look, 1, 0) == 1 && write(eventfd.number(), &one, sizeof one) < 0) return; /* full: signalled already */
    }

private:
    Fd nothing_;
    aio_context_t kernel_ = 0;
};

inline bool is_eventfd(const Fd &fd)
{
    char target[64];
    const std::string link = "/proc/self/fd/" + std::to_string(fd.number());
    const ssize_t length = readlink(link.c_str(), target, sizeof target - 1);
    return length > 0 && std::string(target, (size_t)length) == "anon_inode:[eventfd]";
}

class Interrupts {
public:
    static constexpr uint32_t KINDS = 5, MSIX_KIND = 2, ERROR_KIND = 3, REQUEST_KIND = 4;

    Interrupts(const Card &card, const ConfigSpace &config, Design &design)
        : msix_(card.msix), config_(config), design_(design), vectors_(card.msix.vectors) {}

    unsigned count(uint32_t kind) const
    {
        if (kind >= KINDS) refuse("interrupt index " + std::to_string(kind));
        return kind == MSIX_KIND ? (unsigned)vectors_.size() : kind >= ERROR_KIND ? 1 : 0;
    }
    static uint32_t flags(uint32_t kind) { return kind < ERROR_KIND ? 3 : 1; } /* eventfd, maskable */

    /* SET_IRQS, all of which is checked before any of it is done. */
    void set(Message &message)
    {
        const uint32_t argsz = message.u32(0), flags = message.u32(4), kind = message.u32(8);
        const uint64_t start = message.u32(12), wanted = message.u32(16);
        const uint32_t data = flags & 7, action = flags & 0x38;
        require(argsz >= 20 && argsz <= message.body.size(), "argsz");
        require(!(flags & ~0x3fu) && one_bit(data) && one_bit(action), "flags of SET_IRQS");
        const bool none = start == 0 && wanted == 0 && data == 1 && action == TRIGGER;
        require(none || (wanted && start + wanted <= count(kind)), "vectors that the device has not");
        count(kind);
        require(action == TRIGGER || (kind == MSIX_KIND && data != EVENTFD), "a kind that cannot be masked this way");
        require(message.body.size() - 20 == (data == BOOL ? wanted : 0), "data for another number of vectors");
        require(message.fds.empty() || (data == EVENTFD && message.fds.size() == wanted),
            "descriptors for another number of vectors");
        for (const Fd &fd : message.fds) require(is_eventfd(fd), "a descriptor that is no eventfd");
        if (none) {
            for (unsigned v = 0; v < count(kind); v++) assign(kind, v, Fd());
            return;
        }
        for (unsigned i = 0; i < wanted; i++) {
            const auto v = (unsigned)start + i;
            if (data == EVENTFD) assign(kind, v, message.fds.empty() ? Fd() : std::move(message.fds[i]));
            else if (data != BOOL || message.body[20 + i]) act(kind, v, action);
        }
    }

    /* The design raises a vector. */
    void raise(unsigned vector)
    {
        if (vector >= vectors_.size() || !enabled()) return;
        Vector &v = vectors_[vector];
        v.pending = v.masked || config_.msix_masked() || !v.line;
        if (!v.pending) signal_.add(v.line);
    }

    /* Config space was written: what is pending may go now. */
    void deliver_pending()
    {
        for (unsigned v = 0; v < vectors_.size(); v++)
            if (vectors_[v].pending) raise(v);
    }

    /* After a reset of the design: eventfds stay. */
    void reset()
    {
        for (unsigned v = 0; v < vectors_.size(); v++) {
            vectors_[v].pending = false;
            mask(v, !vectors_[v].line);
        }
    }

    void release()
    {
        for (Vector &v : vectors_) v = Vector();
        error_ = Fd();
        request_ = Fd();
    }

    /* Whether an access to the BAR is one to table or pending bits that the server answers or completes; then it is done. */
    bool write(unsigned bar, uint64_t offset, unsigned bytes, uint64_t value)
    {
        if (!in_table(bar, offset)) return false;
        const auto v = (unsigned)(offset - msix_.table) / 16;
        const unsigned field = offset % 16;
        /* address and data are the server's */
        if (field + bytes > 12) mask(v, (value >> (field < 12 ? 8 * (12 - field) : 0)) & 1);
        return true;
    }
    bool read(unsigned bar, uint64_t offset, unsigned bytes, uint64_t &value) const
    {
        value = 0;
        if (msix_.in_design) return false;
        if (in_table(bar, offset)) {
            const uint64_t masked = vectors_[(offset - msix_.table) / 16].masked;
            if (offset % 16 + bytes > 12) value = masked << (offset % 16 < 12 ? 32 : 0);
            return true;
        }
        const uint64_t end = msix_.pending + (vectors_.size() + 63) / 64 * 8;
        if (bar != msix_.bar || offset < msix_.pending || offset >= end) return false;
        for (unsigned v = 0; v < 8 * bytes; v++) {
            const uint64_t at = (offset - msix_.pending) * 8 + v;
            if (at < vectors_.size() && vectors_[at].pending) value |= UINT64_C(1) << v;
        }
        return true;
    }

private:
    static constexpr uint32_t BOOL = 2, EVENTFD = 4, MASK = 8, TRIGGER = 0x20;

    struct Vector {
        Fd line;
        bool masked = true;
        bool pending = false;
    };

    static bool one_bit(uint32_t bits) { return bits && !(bits & (bits - 1)); }
    bool in_table(unsigned bar, uint64_t offset) const
    {
        return bar == msix_.bar && offset >= msix_.table && offset < msix_.table + 16 * vectors_.size();
    }
    bool enabled() const
    {
        bool any = config_.msix_enabled();
        for (const Vector &v : vectors_) any |= (bool)v.line;
        return any;
    }

    void assign(uint32_t kind, unsigned vector, Fd line)
    {
        if (kind == ERROR_KIND) error_ = std::move(line);
        if (kind == REQUEST_KIND) request_ = std::move(line);
        if (kind != MSIX_KIND) return;
        vectors_[vector].line = std::move(line);
        mask(vector, !vectors_[vector].line);
    }

    void act(uint32_t kind, unsigned vector, uint32_t action)
    {
        if (action != TRIGGER) return mask(vector, action == MASK);
        const Fd &line = kind == MSIX_KIND ? vectors_[vector].line : kind == ERROR_KIND ? error_ : request_;
        if (line) signal_.add(line);
    }

    void mask(unsigned vector, bool masked)
    {
        Vector &v = vectors_[vector];
        if (!msix_.in_design) {
            v.masked = masked;
        } else {
            v.masked = false;
            const uint32_t entry[4] = {(uint32_t)MSIX_ADDRESS, 0, vector, masked};
            for (unsigned i = 0; i < 4; i++) design_.write(msix_.bar, msix_.table + 16 * vector + 4 * i, 4, entry[i]);
            design_.settle();
        }
        if (v.pending) raise(vector);
    }

    Msix msix_;
    const ConfigSpace &config_;
    Design &design_;
    EventSignal signal_;
    std::vector<Vector> vectors_;
    Fd error_, request_;
};

} // namespace bascule
