/*
 * A vfio-user server for a compiled design: one client at a time, one thread, on which the design's clock runs too. Every
 * message is checked before anything is done; what does not fit is answered with an error.
 *
 * Order: a register read finds all earlier writes done; posted writes are settled before an unmapping, a reset, interrupt
 * set-up and a change of config space, so that a driver that stopped its device and unmaps memory has stopped it.
 */
#pragma once
#include "clock.h"
#include "interrupts.h"
#include "memory.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>

namespace bascule {

class Server final : public Host {
public:
    using Log = std::function<void(const std::string &)>;

    /* The design is made with the server as its host and then given to serve(). */
    Server(Card card, std::string path, Log log) : card_(card), path_(std::move(path)), log_(std::move(log)), config_(card) {}
    ~Server() override { unlink_own(); }

    /* Where the clock runs between two looks at the socket, in cycles. */
    unsigned burst = 64;

    /* Serves until stop is set. Throws std::string where the socket cannot be had. */
    void serve(Design &design, const volatile sig_atomic_t &stop)
    {
        listen_at();
        design_ = &design;
        interrupts_.emplace(card_, config_, design);
        if (card_.clock) clock_.emplace();
        design.reset();
        while (!stop) turn();
        leave("the server ends");
        interrupts_.reset();
        design_ = nullptr;
    }

    /* ---- the design's side */

    bool read(uint64_t address, void *to, size_t bytes) override
    {
        return transfer(address, static_cast<uint8_t *>(to), bytes, false);
    }

    bool write(uint64_t address, const void *from, size_t bytes) override
    {
        if (card_.msix.in_design && address >= MSIX_ADDRESS && address < MSIX_ADDRESS + MSIX_BYTES) {
            uint32_t vector = 0;
            memcpy(&vector, from, bytes < sizeof vector ? bytes : sizeof vector);
            if (bus_master()) interrupt(vector);
            return bus_master();
        }
        return transfer(address, const_cast<uint8_t *>(static_cast<const uint8_t *>(from)), bytes, true);
    }

    void interrupt(unsigned vector) override
    {
        if (client_) interrupts_->raise(vector);
    }

    /* DMA that was refused since the start. */
    uint64_t faults() const { return faults_; }

private:
    static constexpr unsigned REGIONS = 9, CONFIG = 7, BARS = 6;

    struct Client {
        Client(Connection admitted, ClientMemory::Messages messages, bool keep_msix_free)
            : connection(std::move(admitted)), memory(std::move(messages), keep_msix_free) {}
        Connection connection;
        ClientMemory memory;
        std::deque<Message> waiting; /* commands that came while a reply was awaited */
        size_t waiting_bytes = 0, waiting_fds = 0;
        bool agreed = false, write_multiple = false, tells_time = false;
        size_t max_transfer = MAX_TRANSFER;
        uint16_t next_id = 1;
        unsigned refusals = 0;
        std::string gone; /* why, once it is */
    };

    struct Guest {
        Connection connection;
        int64_t deadline;
    };

    /* ---- the socket */

    void listen_at()
    {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        if (path_.size() + 4 >= sizeof address.sun_path) fail("the path is too long; it has at most 103 bytes");
        memcpy(address.sun_path, path_.c_str(), path_.size());
        const auto *at = reinterpret_cast<const sockaddr *>(&address);
        Fd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (connect(probe.number(), at, sizeof address) == 0) fail("another server is there; end it, or name another path");
        if (errno == ECONNREFUSED) unlink(path_.c_str()); /* of a server that was killed */
        listener_ = Fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        /* whoever sees the path can connect to it */
        const std::string fresh = path_ + ".new";
        memcpy(address.sun_path, fresh.c_str(), fresh.size() + 1);
        unlink(fresh.c_str());
        if (bind(listener_.number(), at, sizeof address) || ::listen(listener_.number(), 16)
            || rename(fresh.c_str(), path_.c_str()))
            fail(strerror(errno) + std::string("; name a path in a folder that you may write to"));
        bound_ = true;
        log_("listens at " + path_);
    }

    [[noreturn]] void fail(const std::string &why) const { throw "listen at " + path_ + ": " + why; }

    void unlink_own()
    {
        if (bound_) unlink(path_.c_str());
    }

    /* ---- the loop */

    void turn()
    {
        accept_guests();
        if (!client_) {
            admit();
            if (!client_) return rest(guests_.empty() ? 100 : 1);
        }
        try {
            Message message;
            for (unsigned n = 0; n < 64 && take(message); n++) serve(message);
            design_->run(burst);
            tell_time();
            if (client_->memory.take_cut()) throw Disconnected{"the client cut a file behind its mapping"};
            if (!client_->gone.empty()) throw Disconnected{client_->gone};
        } catch (const Disconnected &end) {
            return leave(end.why);
        }
        if (client_->waiting.empty() && design_->idle()) sleep();
    }

    void sleep()
    {
        const auto before = std::chrono::steady_clock::now();
        client_->connection.wait(POLLIN, 1);
        slept_ += (uint64_t)std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count();
        tell_time();
    }

    void tell_time()
    {
        if (clock_) clock_->publish(design_->nanos() + slept_);
    }

    void rest(int milliseconds) const
    {
        pollfd look = {listener_.number(), POLLIN, 0};
        poll(&look, 1, milliseconds);
    }

    bool take(Message &message)
    {
        if (client_->waiting.empty()) return client_->connection.receive(message);
        message = std::move(client_->waiting.front());
        client_->waiting_bytes -= message.body.size();
        client_->waiting_fds -= message.fds.size();
        client_->waiting.pop_front();
        return true;
    }

    void accept_guests()
    {
        for (int number; guests_.size() < 16 && (number = accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
            guests_.push_back(Guest{Connection(Fd(number)), now_ms() + 1000});
        for (auto guest = guests_.begin(); client_ && guest != guests_.end();)
            guest = now_ms() < guest->deadline ? std::next(guest) : turn_away(guest);
    }

    /* The first guest who has spoken gets the device. */
    void admit()
    {
        for (auto guest = guests_.begin(); guest != guests_.end();) {
            char byte;
            const ssize_t there = recv(guest->connection.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
            if (there > 0) {
                auto way = [this](uint64_t address, uint8_t *local, size_t bytes, bool write) {
                    return by_message(address, local, bytes, write);
                };
                client_ = std::make_unique<Client>(std::move(guest->connection), way, card_.msix.in_design);
                guests_.erase(guest);
                return;
            }
            const bool stays = there < 0 && errno == EAGAIN && now_ms() < guest->deadline;
            guest = stays ? std::next(guest) : guests_.erase(guest);
        }
    }

    std::list<Guest>::iterator turn_away(std::list<Guest>::iterator guest)
    {
        try {
            Message message;
            if (guest->connection.receive(message) && !message.is_reply())
                guest->connection.send(message.id, message.command, TYPE_REPLY | FAILED, EBUSY, {});
        } catch (const Disconnected &) {
            /* it went by itself */
        }
        return guests_.erase(guest);
    }

    /* The device is as after power-on for the next client. */
    void leave(const std::string &why)
    {
        if (!client_) return;
        log_("the client is gone: " + why);
        client_.reset();
        interrupts_->release();
        config_.reset();
        design_->reset();
    }

    /* ---- messages */

    void serve(Message &message)
    {
        const bool first = !client_->agreed;
        Bytes answer;
        try {
            dispatch(message, answer);
        } catch (const Refusal &refusal) {
            if (++client_->refusals <= 16) log_("refused command " + std::to_string(message.command) + ": " + refusal.why);
            if (!message.is_reply()) reply(message, TYPE_REPLY | FAILED, (uint32_t)refusal.error, {});
            if (first) throw Disconnected{"no version was agreed"};
            return;
        }
        const bool tells = message.command == VERSION && client_->tells_time;
        reply(message, TYPE_REPLY, 0, answer, tells ? clock_->file() : -1);
    }

    void reply(const Message &to, uint32_t flags, uint32_t error, const Bytes &body, int file = -1)
    {
        if (!(to.flags & NO_REPLY)) client_->connection.send(to.id, to.command, flags, error, body, file);
    }

    void dispatch(Message &message, Bytes &answer)
    {
        if (!message.malformed.empty()) refuse(message.malformed);
        require(!message.is_reply(), "a reply that nobody waits for");
        require(client_->agreed || message.command == VERSION, "a command before the version message");
        require(!client_->agreed || message.command != VERSION, "a second version message");
        const bool takes_fds = message.command == DMA_MAP || message.command == SET_IRQS;
        require(message.fds.empty() || takes_fds, "descriptors where none belong");
        switch (message.command) {
        case VERSION: return version(message, answer);
        case DMA_MAP: return map(message);
        case DMA_UNMAP: return unmap(message, answer);
        case GET_INFO: return info(message, answer);
        case GET_REGION_INFO: return region_info(message, answer);
        case GET_REGION_IO_FDS: return io_fds(message, answer);
        case GET_IRQ_INFO: return irq_info(message, answer);
        case SET_IRQS: design_->settle(); return interrupts_->set(message);
        case REGION_READ: return region_read(message, answer);
        case REGION_WRITE: return region_write(message, answer);
        case REGION_WRITE_MULTI: return write_multiple(message, answer);
        case RESET:
            require(message.body.empty(), "a reset with a body");
            return reset();
        case DEVICE_FEATURE: case MIG_DATA_READ: case MIG_DATA_WRITE:
            refuse("migration and features are not offered", EOPNOTSUPP);
        default: refuse("a command that clients do not send");
        }
    }

    void version(const Message &message, Bytes &answer)
    {
        require(message.get(0, 2) == 0, "a major version other than 0");
        std::string json(message.body.begin() + 4, message.body.end());
        require(json.empty() || json.back() == 0, "version data that does not end with a zero byte");
        json.erase(std::remove(json.begin(), json.end(), ' '), json.end());
        const std::string key = "\"max_data_xfer_size\":";
        const size_t named = json.find(key);
        const uint64_t limit = named == std::string::npos ? MAX_TRANSFER : strtoull(&json[named + key.size()], nullptr, 10);
        client_->max_transfer = (size_t)std::clamp<uint64_t>(limit, 1, MAX_TRANSFER);
        client_->write_multiple = json.find("\"write_multiple\":true") != std::string::npos;
        std::string ours = "{\"capabilities\":{\"max_msg_fds\":" + std::to_string(MAX_FDS) + ",\"max_data_xfer_size\":"
            + std::to_string(MAX_TRANSFER) + ",\"max_dma_maps\":" + std::to_string(ClientMemory::MOST) + ",\"pgsizes\":4096";
        client_->tells_time = clock_ && json.find("\"bascule_clock\":true") != std::string::npos;
        if (client_->tells_time) ours += ",\"bascule_clock\":{\"offset\":0}";
        ours += client_->write_multiple ? ",\"write_multiple\":true}}" : "}}";
        answer.put<uint16_t>(0).put<uint16_t>(message.get(2, 2) ? 1 : 0); /* QEMU takes 0.0 and nothing else */
        answer.insert(answer.end(), ours.c_str(), ours.c_str() + ours.size() + 1);
        client_->agreed = true;
        log_("a client is there");
    }

    void map(Message &message)
    {
        require(message.body.size() == 32 && message.u32(0) == 32 && message.fds.size() <= 1, "the form of DMA_MAP");
        const Fd *file = message.fds.empty() ? nullptr : &message.fds[0];
        client_->memory.map(message.u64(16), message.u64(24), message.u32(4), file, message.u64(8));
    }

    void unmap(const Message &message, Bytes &answer)
    {
        require(message.body.size() == 24 && message.u32(0) >= 24 && message.u32(0) <= MAX_TRANSFER, "the form of DMA_UNMAP");
        design_->settle();
        const uint32_t flags = message.u32(4);
        if (flags == 2 && !message.u64(8) && !message.u64(16)) client_->memory.unmap_all();
        else if (flags == 0) client_->memory.unmap(message.u64(8), message.u64(16));
        else refuse("flags of DMA_UNMAP");
        answer.insert(answer.end(), message.body.begin(), message.body.end());
    }

    void info(const Message &message, Bytes &answer)
    {
        require(message.body.size() >= 16 && message.u32(0) >= 16, "the form of DEVICE_GET_INFO");
        const uint32_t resets_and_pci = 3;
        answer.put<uint32_t>(16).put(resets_and_pci).put<uint32_t>(REGIONS).put<uint32_t>(Interrupts::KINDS);
    }

    void region_info(const Message &message, Bytes &answer)
    {
        require(message.body.size() >= 32 && message.u32(0) >= 32, "the form of DEVICE_GET_REGION_INFO");
        const uint32_t region = message.u32(8);
        const uint64_t size = region_bytes(region);
        answer.put<uint32_t>(32).put<uint32_t>(size ? 3 : 0).put(region).put<uint32_t>(0).put(size).put<uint64_t>(0);
    }

    void io_fds(const Message &message, Bytes &answer)
    {
        require(message.body.size() >= 16 && message.u32(0) >= 16, "the form of GET_REGION_IO_FDS");
        require(!message.u32(4) && !message.u32(12), "fields of GET_REGION_IO_FDS that must be zero");
        region_bytes(message.u32(8));
        answer.put<uint32_t>(16).put<uint32_t>(0).put(message.u32(8)).put<uint32_t>(0); /* no part of a region takes eventfds */
    }

    void irq_info(const Message &message, Bytes &answer)
    {
        require(message.body.size() >= 16 && message.u32(0) >= 16, "the form of DEVICE_GET_IRQ_INFO");
        const uint32_t kind = message.u32(8), count = interrupts_->count(kind);
        answer.put<uint32_t>(16).put(Interrupts::flags(kind)).put(kind).put(count);
    }

    void reset()
    {
        design_->settle();
        config_.reset();
        design_->reset();
        interrupts_->reset();
    }

    /* ---- regions */

    uint64_t region_bytes(uint32_t region) const
    {
        if (region >= REGIONS) refuse("region " + std::to_string(region));
        return region < BARS ? card_.bars[region].bytes : region == CONFIG ? ConfigSpace::BYTES : 0;
    }

    void check_range(uint32_t region, uint64_t offset, uint64_t count) const
    {
        const uint64_t size = region_bytes(region);
        if (!count || count > MAX_TRANSFER || count > size || offset > size - count)
            refuse(std::to_string(count) + " bytes at " + std::to_string(offset) + " of region " + std::to_string(region)
                + ", which has " + std::to_string(size));
    }

    void region_read(const Message &message, Bytes &answer)
    {
        require(message.body.size() == 16, "the form of REGION_READ");
        const uint64_t offset = message.u64(0);
        const uint32_t region = message.u32(8), count = message.u32(12);
        check_range(region, offset, count);
        answer.put(offset).put(region).put(count);
        answer.resize(16 + count);
        if (region == CONFIG) memcpy(&answer[16], config_.at(offset), count);
        else pieces(offset, count, [&](uint64_t at, unsigned bytes) {
            uint64_t value;
            if (!interrupts_->read(region, at, bytes, value)) value = design_->read(region, at, bytes);
            memcpy(&answer[16 + (at - offset)], &value, bytes);
        });
    }

    void region_write(const Message &message, Bytes &answer)
    {
        const uint64_t offset = message.u64(0);
        const uint32_t region = message.u32(8), count = message.u32(12);
        require(message.body.size() == 16 + (uint64_t)count, "the form of REGION_WRITE");
        check_range(region, offset, count);
        put(region, offset, &message.body[16], count);
        if (!(message.flags & NO_REPLY)) design_->settle();
        answer.put(offset).put(region).put(count);
    }

    void write_multiple(const Message &message, Bytes &answer)
    {
        require(client_->write_multiple, "REGION_WRITE_MULTI was not agreed");
        const uint64_t writes = message.u64(0);
        require(writes <= 1024 && message.body.size() == 8 + 24 * writes, "the form of REGION_WRITE_MULTI");
        for (size_t at = 8; at < message.body.size(); at += 24) {
            require(message.u32(at + 12) <= 8, "a write of more than 8 bytes among several");
            check_range(message.u32(at + 8), message.u64(at), message.u32(at + 12));
        }
        for (size_t at = 8; at < message.body.size(); at += 24)
            put(message.u32(at + 8), message.u64(at), &message.body[at + 16], message.u32(at + 12));
        answer.put(writes);
    }

    void put(uint32_t region, uint64_t offset, const uint8_t *from, uint32_t count)
    {
        if (region == CONFIG) {
            design_->settle();
            config_.write(offset, from, count);
            interrupts_->deliver_pending();
        } else pieces(offset, count, [&](uint64_t at, unsigned bytes) {
            uint64_t value = 0;
            memcpy(&value, from + (at - offset), bytes);
            if (!interrupts_->write(region, at, bytes, value)) design_->write(region, at, bytes, value);
        });
    }

    /* Cuts a range into the widest aligned accesses that the design takes. */
    template <class Access> void pieces(uint64_t offset, uint64_t count, Access access) const
    {
        for (uint64_t at = offset; at < offset + count;) {
            unsigned bytes = card_.register_bytes;
            while (at % bytes || bytes > offset + count - at) bytes /= 2;
            access(at, bytes);
            at += bytes;
        }
    }

    /* ---- DMA */

    bool bus_master() const { return client_ && config_.bus_master(); }

    bool transfer(uint64_t address, uint8_t *local, size_t bytes, bool write)
    {
        const bool done = bus_master() && client_->gone.empty() && client_->memory.transfer(address, local, bytes, write);
        if (!done && ++faults_ <= 16) {
            char text[96];
            snprintf(text, sizeof text, "DMA %s refused: %zu bytes at 0x%llx%s", write ? "write" : "read", bytes,
                (unsigned long long)address, bus_master() ? "" : ", bus mastering is off");
            log_(text);
        }
        return done;
    }

    /* Memory without a descriptor, in transfers as long as the client takes. */
    bool by_message(uint64_t address, uint8_t *local, size_t bytes, bool write)
    {
        try {
            for (size_t done = 0; done < bytes;) {
                const size_t part = std::min(bytes - done, client_->max_transfer);
                Bytes body;
                body.put<uint64_t>(address + done).put<uint64_t>(part);
                if (write) body.insert(body.end(), local + done, local + done + part);
                const Message reply = call(write ? DMA_WRITE : DMA_READ, body);
                if (reply.flags & FAILED) return false;
                if (!write) {
                    if (reply.body.size() != 16 + part || reply.u64(0) != address + done || reply.u64(8) != part) return false;
                    memcpy(local + done, &reply.body[16], part);
                }
                done += part;
            }
            return true;
        } catch (const Disconnected &end) {
            client_->gone = end.why;
            return false;
        }
    }

    Message call(uint16_t command, const Bytes &body)
    {
        Client &client = *client_;
        const uint16_t id = client.next_id++;
        client.connection.send(id, command, 0, 0, body);
        for (const int64_t deadline = now_ms() + 2000; now_ms() < deadline;) {
            Message message;
            if (!client.connection.receive(message)) {
                client.connection.wait(POLLIN, 10);
            } else if (message.is_reply()) {
                if (message.id == id && message.command == command && message.malformed.empty()) return message;
            } else {
                client.waiting_bytes += message.body.size();
                client.waiting_fds += message.fds.size();
                client.waiting.push_back(std::move(message));
                if (client.waiting_bytes > 16 * MAX_TRANSFER || client.waiting_fds > 64 || client.waiting.size() > 65536)
                    throw Disconnected{"it sends commands and does not answer ours"};
            }
        }
        throw Disconnected{"it does not answer DMA"};
    }

    Card card_;
    std::string path_;
    Log log_;
    ConfigSpace config_;
    Design *design_ = nullptr;
    std::optional<Interrupts> interrupts_; /* while a design is served */
    std::optional<SharedClock> clock_;
    uint64_t slept_ = 0; /* ns in which an idle design's clock stood, which count as its time */
    std::unique_ptr<Client> client_;
    std::list<Guest> guests_;
    Fd listener_;
    bool bound_ = false;
    uint64_t faults_ = 0;
};

} // namespace bascule
