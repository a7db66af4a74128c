/* Messages of vfio-user, version 0.0 and 0.1, over a UNIX stream socket: framing, descriptors, errors. */
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace bascule {

enum Command : uint16_t {
    VERSION = 1, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS, GET_IRQ_INFO, SET_IRQS, REGION_READ,
    REGION_WRITE, DMA_READ, DMA_WRITE, RESET, REGION_WRITE_MULTI = 15, DEVICE_FEATURE, MIG_DATA_READ, MIG_DATA_WRITE
};

constexpr size_t HEADER_BYTES = 16;
constexpr size_t MAX_TRANSFER = 1 << 20;
constexpr size_t MAX_MESSAGE = HEADER_BYTES + 64 + MAX_TRANSFER;
constexpr size_t MAX_FDS = 16;
constexpr uint32_t TYPE_MASK = 0xf, TYPE_REPLY = 1, NO_REPLY = 0x10, FAILED = 0x20;

/* Why a message is answered with an error. */
struct Refusal {
    int error;
    std::string why;
};
[[noreturn]] inline void refuse(const std::string &why, int error = EINVAL) { throw Refusal{error, why}; }
inline void require(bool good, const char *why) { if (!good) refuse(why); }

/* Why a connection ends. */
struct Disconnected {
    std::string why;
};

inline int64_t now_ms()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* A descriptor with one owner. */
class Fd {
public:
    explicit Fd(int number = -1) : number_(number) {}
    Fd(Fd &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Fd &operator=(Fd &&other) noexcept { std::swap(number_, other.number_); return *this; }
    ~Fd() { if (number_ >= 0) close(number_); }
    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

struct Message {
    uint16_t id = 0, command = 0;
    uint32_t flags = 0, error = 0;
    std::vector<uint8_t> body;
    std::vector<Fd> fds;
    std::string malformed; /* empty: well formed */

    bool is_reply() const { return (flags & TYPE_MASK) == TYPE_REPLY; }
    uint64_t get(size_t at, size_t bytes) const
    {
        if (at + bytes > body.size()) refuse("a body of " + std::to_string(body.size()) + " bytes is too short");
        uint64_t value = 0;
        memcpy(&value, &body[at], bytes);
        return value;
    }
    uint32_t u32(size_t at) const { return (uint32_t)get(at, 4); }
    uint64_t u64(size_t at) const { return get(at, 8); }
};

/* Puts little-endian numbers one behind the other. */
struct Bytes : std::vector<uint8_t> {
    template <class T> Bytes &put(T value)
    {
        const auto *from = reinterpret_cast<const uint8_t *>(&value);
        insert(end(), from, from + sizeof value);
        return *this;
    }
};

/* One connection. Messages are read in exact pieces, so that descriptors belong to the message they came with. */
class Connection {
public:
    explicit Connection(Fd socket) : socket_(std::move(socket)) {}
    int fd() const { return socket_.number(); }

    /* The next message if all of it is there; one that stays half there for a second ends the connection. */
    bool receive(Message &message)
    {
        if (!header_done_) {
            if (!fill(header_, HEADER_BYTES)) return false;
            start();
        }
        if (!fill(part_.body.data(), part_.body.size())) return false;
        message = std::move(part_);
        part_ = Message();
        have_ = 0;
        header_done_ = false;
        return true;
    }

    /* A descriptor goes with the first bytes; -1: none. */
    void send(uint16_t id, uint16_t command, uint32_t flags, uint32_t error, const std::vector<uint8_t> &body, int file = -1)
    {
        Bytes all;
        all.put(id).put(command).put((uint32_t)(HEADER_BYTES + body.size())).put(flags).put(error);
        all.insert(all.end(), body.begin(), body.end());
        size_t done = 0;
        const int64_t deadline = now_ms() + 1000;
        while (done < all.size()) {
            const ssize_t sent = send_part(&all[done], all.size() - done, done == 0 ? file : -1);
            if (sent >= 0) {
                done += (size_t)sent;
            } else if (errno == EAGAIN && now_ms() < deadline) {
                wait(POLLOUT, 10);
            } else if (errno != EINTR) {
                throw Disconnected{errno == EAGAIN ? "the client does not read its replies" : strerror(errno)};
            }
        }
    }

    void wait(short events, int milliseconds) const
    {
        pollfd look = {fd(), events, 0};
        poll(&look, 1, milliseconds);
    }

private:
    ssize_t send_part(uint8_t *from, size_t bytes, int file) const
    {
        iovec part = {from, bytes};
        msghdr all = {};
        all.msg_iov = &part;
        all.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
        if (file >= 0) {
            all.msg_control = control;
            all.msg_controllen = sizeof control;
            cmsghdr *c = CMSG_FIRSTHDR(&all);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(sizeof file);
            memcpy(CMSG_DATA(c), &file, sizeof file);
        }
        return sendmsg(fd(), &all, MSG_NOSIGNAL | MSG_DONTWAIT);
    }

    void start()
    {
        uint32_t size;
        memcpy(&part_.id, header_, 2);
        memcpy(&part_.command, header_ + 2, 2);
        memcpy(&size, header_ + 4, 4);
        memcpy(&part_.flags, header_ + 8, 4);
        memcpy(&part_.error, header_ + 12, 4);
        if (size < HEADER_BYTES || size > MAX_MESSAGE)
            throw Disconnected{"a message of " + std::to_string(size) + " bytes: nobody knows where the next one starts"};
        const uint32_t known = TYPE_MASK | NO_REPLY | (part_.is_reply() ? FAILED : 0);
        if ((part_.flags & ~known) || (part_.flags & TYPE_MASK) > TYPE_REPLY)
            part_.malformed = "flags " + std::to_string(part_.flags);
        part_.body.resize(size - HEADER_BYTES);
        have_ = 0;
        header_done_ = true;
    }

    bool fill(uint8_t *to, size_t bytes)
    {
        while (have_ < bytes) {
            const ssize_t got = receive_some(to + have_, bytes - have_);
            if (got == 0) throw Disconnected{"the client closed the connection"};
            if (got < 0) {
                if (began_ && now_ms() - began_ > 1000) throw Disconnected{"the client stopped in the middle of a message"};
                if (!began_ && (have_ || header_done_)) began_ = now_ms();
                return false;
            }
            have_ += (size_t)got;
        }
        began_ = 0;
        return true;
    }

    ssize_t receive_some(uint8_t *to, size_t bytes)
    {
        alignas(cmsghdr) char control[CMSG_SPACE(253 * sizeof(int))];
        iovec part = {to, bytes};
        msghdr header = {};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        ssize_t got;
        do got = recvmsg(fd(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        while (got < 0 && errno == EINTR);
        if (got < 0 && errno != EAGAIN) throw Disconnected{strerror(errno)};
        for (cmsghdr *c = got < 0 ? nullptr : CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c))
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
                keep(CMSG_DATA(c), (c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        return got;
    }

    /* Once they are too many none is kept. */
    void keep(const unsigned char *numbers, size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            int number;
            memcpy(&number, numbers + i * sizeof number, sizeof number);
            part_.fds.emplace_back(number);
        }
        if (part_.fds.size() > MAX_FDS) {
            part_.malformed = std::to_string(part_.fds.size()) + " descriptors";
            part_.fds.clear();
        }
    }

    Fd socket_;
    uint8_t header_[HEADER_BYTES];
    Message part_;
    size_t have_ = 0;
    bool header_done_ = false;
    int64_t began_ = 0;
};

} // namespace bascule
