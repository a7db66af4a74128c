/* What the headers promise and no card in Verilog shows: packets by the byte, interrupts of wires, order, cut files. */
#include "axi.h"
#include "server.h"
#include "tlp.h"
#include <atomic>
#include <cstdio>
#include <sys/eventfd.h>
#include <thread>

using namespace bascule;

namespace {

int failures = 0;

void check(bool good, const char *what, int line)
{
    if (good) return;
    failures++;
    fprintf(stderr, "selftest.cpp:%d: %s\n", line, what);
}
#define CHECK(what) check((what), #what, __LINE__)

template <class Act> int error_of(Act act)
{
    try {
        act();
        return 0;
    } catch (const Refusal &refusal) {
        return refusal.error;
    }
}

/* 4 KiB at 64 KiB, and a word beyond 4 GiB. */
struct Ram final : Host {
    std::array<uint8_t, 4096> bytes{};
    std::vector<unsigned> raised;
    bool reaches(uint64_t address, size_t count) const { return address >= 0x10000 && address + count <= 0x11000; }
    bool read(uint64_t address, void *to, size_t count) override
    {
        if (!reaches(address, count)) return false;
        memcpy(to, &bytes[address - 0x10000], count);
        return true;
    }
    bool write(uint64_t address, const void *from, size_t count) override
    {
        if (!reaches(address, count)) return false;
        memcpy(&bytes[address - 0x10000], from, count);
        return true;
    }
    void interrupt(unsigned vector) override { raised.push_back(vector); }
};

void packets_of_the_host()
{
    Ram ram;
    TlpPort port(ram, [] {});
    port.write(0xe0000004, 4, 0x11223344);
    CHECK((port.to_design.back() == Tlp{0x40000001, 0x0000000f, 0xe0000004, 0x11223344}));
    port.write(0xe0000006, 2, 0xabcd);
    CHECK((port.to_design.back() == Tlp{0x40000001, 0x0000000c, 0xe0000004, 0xabcd0000}));
    port.write(0x2e0000008, 8, 0x8877665544332211);
    CHECK((port.to_design.back() == Tlp{0x60000002, 0x000000ff, 2, 0xe0000008, 0x44332211, 0x88776655}));
    port.to_design.clear();
    TlpPort *self = nullptr;
    bool answers = true;
    TlpPort asking(ram, [&] {
        if (self->to_design.empty() || !answers) return;
        const Tlp request = self->to_design.front();
        self->to_design.pop_front();
        CHECK((request == Tlp{0x00000001, 0x00000102, 0xe0000010} || request == Tlp{0x00000001, 0x0000020f, 0xe0000010}));
        CHECK(!self->from_design({0x4a000001, 0x01000004, 0x00007f00, 1})); /* a tag that nobody waits for */
        CHECK(self->from_design({0x4a000001, 0x01000001, (request[1] & 0xff00) | 0x11, 0x55667788}));
    });
    self = &asking;
    CHECK(asking.read(0xe0000011, 1) == 0x77);
    CHECK(asking.read(0xe0000010, 4) == 0x55667788);
    answers = false;
    CHECK(asking.read(0xe0000010, 4) == 0xffffffff);
}

void packets_of_the_design()
{
    Ram ram;
    TlpPort port(ram, [] {});
    CHECK(port.from_design({0x60000002, 0x0100003c, 0, 0x10000, 0x44332211, 0x00006655}));
    CHECK(ram.bytes[0] == 0 && ram.bytes[2] == 0x33 && ram.bytes[3] == 0x44 && ram.bytes[5] == 0x66 && ram.bytes[6] == 0);
    CHECK(!port.from_design({0x40000001, 0x0100000f, 0x20000, 1}));             /* not mapped */
    CHECK(!port.from_design({0x40000002, 0x0100000f, 0x10000, 1}));             /* shorter than it says */
    CHECK(!port.from_design({0x40000001, 0x01000005, 0x10000, 1}));             /* a gap in the enables */
    CHECK(!port.from_design({0x05000001, 0x0100000f, 0x10000}));                /* config space is not the design's to ask */
    CHECK(!port.from_design({0x40000001}));
    for (size_t i = 0; i < ram.bytes.size(); i++) ram.bytes[i] = (uint8_t)(i * 7);
    CHECK(!port.from_design({0x00000042, 0x010009f4, 0x100f8})); /* a gap between the first word and the next */
    CHECK(port.from_design({0x00000042, 0x010009fc, 0x100f8})); /* 262 bytes from 0x100fa */
    CHECK(port.to_design.size() == 2);
    const auto head = [&](size_t i) { return Tlp(port.to_design[i].begin(), port.to_design[i].begin() + 3); };
    CHECK((head(0) == Tlp{0x4a000002, 262, 0x0100097a} && port.to_design[0].size() == 5));
    CHECK(port.to_design[0][3] >> 16 == (uint32_t)((uint8_t)(0xfa * 7) | (uint8_t)(0xfb * 7) << 8));
    CHECK((head(1) == Tlp{0x4a000040, 256, 0x01000900} && port.to_design[1].size() == 67));
    port.to_design.clear();
    CHECK(port.from_design({0x00000001, 0x0100070f, 0x20000}));
    CHECK((port.to_design.front() == Tlp{0x0a000000, 0x00002004, 0x01000700})); /* unsupported request */
}

struct NoDesign final : Design {
    std::vector<uint64_t> written;
    uint64_t read(unsigned, uint64_t, unsigned) override { return 0; }
    void write(unsigned, uint64_t offset, unsigned, uint64_t value) override { written.push_back(offset << 32 | value); }
    void settle() override {}
    void reset() override {}
    void run(unsigned) override {}
};

Message irqs(uint32_t flags, uint32_t kind, uint32_t start, uint32_t count, std::initializer_list<int> fds = {})
{
    Bytes body;
    body.put<uint32_t>(20).put(flags).put(kind).put(start).put(count);
    Message message;
    message.body = body;
    for (int fd : fds) message.fds.emplace_back(fd);
    return message;
}

uint64_t taken(int fd)
{
    uint64_t count = 0;
    return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

void interrupts_of_wires()
{
    Card card;
    card.bars[0].bytes = 4096;
    card.msix = {2, 0, 0x800, 0xc00, false};
    const ConfigSpace config(card);
    NoDesign design;
    Interrupts lines(card, config, design);
    lines.raise(0); /* nobody has enabled it */
    const int event = eventfd(0, EFD_NONBLOCK);
    Message set = irqs(0x24, 2, 0, 1, {dup(event)});
    CHECK(error_of([&] { lines.set(set); }) == 0);
    lines.raise(0);
    lines.raise(2);
    CHECK(taken(event) == 1);
    Message mask = irqs(0x09, 2, 0, 1), unmask = irqs(0x11, 2, 0, 1);
    CHECK(error_of([&] { lines.set(mask); }) == 0);
    lines.raise(0);
    uint64_t pending = 0;
    CHECK(taken(event) == 0 && lines.read(0, 0xc00, 4, pending) && pending == 1);
    CHECK(error_of([&] { lines.set(unmask); }) == 0);
    CHECK(taken(event) == 1 && lines.read(0, 0xc00, 4, pending) && pending == 0);
    const uint64_t full = UINT64_MAX - 1;
    CHECK(write(event, &full, sizeof full) == sizeof full);
    lines.raise(0); /* does not wait for room */
    Message many = irqs(0x24, 2, 1, 2, {dup(event), dup(event)}), kind = irqs(0x24, 5, 0, 1, {dup(event)});
    Message file = irqs(0x24, 2, 0, 1, {memfd_create("selftest", MFD_CLOEXEC)});
    CHECK(error_of([&] { lines.set(many); }) == EINVAL);
    CHECK(error_of([&] { lines.set(file); }) == EINVAL);
    CHECK(error_of([&] { lines.set(kind); }) == EINVAL);
    CHECK(design.written.empty());
    close(event);
}

void interrupts_of_a_table_in_the_design()
{
    Card card;
    card.bars[0].bytes = 4096;
    card.msix = {2, 0, 0x800, 0xc00, true};
    const ConfigSpace config(card);
    NoDesign design;
    Interrupts lines(card, config, design);
    const int event = eventfd(0, EFD_NONBLOCK);
    Message set = irqs(0x24, 2, 1, 1, {event});
    CHECK(error_of([&] { lines.set(set); }) == 0);
    const std::vector<uint64_t> entry{0x810ull << 32 | MSIX_ADDRESS, 0x814ull << 32, 0x818ull << 32 | 1, 0x81cull << 32};
    CHECK(design.written == entry);
    CHECK(lines.write(0, 0x810, 4, 0x12345678) && design.written.size() == 4); /* the address is the server's */
    CHECK(lines.write(0, 0x81c, 4, 1) && design.written.back() == (0x81cull << 32 | 1));
    CHECK(!lines.write(0, 0x7fc, 4, 1) && !lines.write(1, 0x810, 4, 1));
}

void memory_of_a_client()
{
    ClientMemory memory([](uint64_t, uint8_t *, size_t, bool) { return false; }, true);
    Fd file(memfd_create("selftest", MFD_CLOEXEC));
    CHECK(ftruncate(file.number(), 8192) == 0);
    CHECK(error_of([&] { memory.map(0x10000, 4096, 3, &file, 0); }) == 0);
    CHECK(error_of([&] { memory.map(0x11000, 4096, 1, &file, 4096); }) == 0);
    CHECK(error_of([&] { memory.map(0x11000, 4096, 3, &file, 0); }) == EEXIST);
    CHECK(error_of([&] { memory.map(0x20000, 8192, 3, &file, 4096); }) == EINVAL);
    CHECK(error_of([&] { memory.map(0x20000, 4096, 3, &file, UINT64_C(0xfffffffffffff000)); }) == EINVAL);
    CHECK(error_of([&] { memory.map(0x20000, 4095, 3, &file, 0); }) == EINVAL);
    CHECK(error_of([&] { memory.map(UINT64_C(0xfffffffffffff000), 8192, 3, &file, 0); }) == EINVAL);
    CHECK(error_of([&] { memory.map(0xfee01000, 4096, 3, &file, 0); }) == EINVAL);
    uint8_t word[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(memory.transfer(0x10ff8, word, 8, true));
    CHECK(!memory.transfer(0x10ffc, word, 8, true));  /* the second page is read only, so nothing is written */
    CHECK(memory.transfer(0x10ff8, word, 16, false)); /* over both */
    CHECK(word[7] == 8 && word[8] == 0);
    CHECK(!memory.transfer(0x11ff8, word, 16, false));
    CHECK(!memory.transfer(UINT64_MAX - 3, word, 8, false));
    CHECK(error_of([&] { memory.unmap(0x10000, 2048); }) == EINVAL);
    CHECK(error_of([&] { memory.unmap(0x40000, 4096); }) == ENOENT);
    CHECK(error_of([&] { memory.unmap(0x40000, 1 << 20); }) == 0);
    CHECK(ftruncate(file.number(), 0) == 0);
    CHECK(!memory.transfer(0x10000, word, 8, true) && memory.take_cut() && !memory.take_cut());
}

/* A design that has its writes only once they are settled, and then reaches into the client's memory. */
struct LateDesign final : Design {
    Host *host = nullptr;
    std::vector<uint64_t> posted;
    std::atomic<unsigned> arrived{0}, refused{0};
    uint64_t read(unsigned, uint64_t, unsigned) override { return arrived; }
    void write(unsigned, uint64_t, unsigned, uint64_t value) override { posted.push_back(value); }
    void settle() override
    {
        for (uint64_t value : posted) {
            arrived++;
            if (!host->write(0x10000, &value, sizeof value)) refused++;
        }
        posted.clear();
    }
    void reset() override { posted.clear(); }
    void run(unsigned) override {}
};

/* A client by hand; false when the server has gone. */
bool say(int socket, uint16_t command, uint32_t flags, const std::vector<uint8_t> &body, int fd = -1)
{
    Bytes all;
    all.put<uint16_t>(7).put(command).put((uint32_t)(16 + body.size())).put(flags).put<uint32_t>(0);
    all.insert(all.end(), body.begin(), body.end());
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    iovec part = {all.data(), all.size()};
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (fd >= 0) {
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    if (sendmsg(socket, &header, MSG_NOSIGNAL) != (ssize_t)all.size()) return false;
    if (flags & NO_REPLY) return true;
    uint8_t reply[8192];
    const ssize_t got = recv(socket, reply, sizeof reply, 0);
    return got >= 16 && !(reply[8] & FAILED);
}

/* Four writes that nobody answers, and right behind them what must not overtake them. */
void posted_writes_settle_first()
{
    const std::string path = "/tmp/bascule-selftest-" + std::to_string(getpid());
    Card card;
    card.bars[0].bytes = 4096;
    card.msix = {2, 0, 0x800, 0xc00, false};
    Server server(card, path, [](const std::string &) {});
    LateDesign design;
    design.host = &server;
    volatile sig_atomic_t stop = 0;
    std::thread serving([&] { server.serve(design, stop); });
    Fd client(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path.c_str(), path.size());
    const auto *at = reinterpret_cast<sockaddr *>(&address);
    for (int n = 0; n < 5000 && connect(client.number(), at, sizeof address); n++) usleep(1000);
    Fd memory(memfd_create("selftest", MFD_CLOEXEC));
    CHECK(ftruncate(memory.number(), 4096) == 0);
    CHECK(say(client.number(), VERSION, 0, Bytes().put<uint32_t>(0)));
    const Bytes map = Bytes().put<uint32_t>(32).put<uint32_t>(3).put<uint64_t>(0).put<uint64_t>(0x10000).put<uint64_t>(4096);
    const Bytes unmap = Bytes().put<uint32_t>(24).put<uint32_t>(0).put<uint64_t>(0x10000).put<uint64_t>(4096);
    const Bytes master = Bytes().put<uint64_t>(4).put<uint32_t>(7).put<uint32_t>(2).put<uint16_t>(6);
    const Bytes no_master = Bytes().put<uint64_t>(4).put<uint32_t>(7).put<uint32_t>(2).put<uint16_t>(0);
    const Bytes post = Bytes().put<uint64_t>(16).put<uint32_t>(0).put<uint32_t>(4).put<uint32_t>(1);
    const Bytes irq = Bytes().put<uint32_t>(20).put<uint32_t>(0x21).put<uint32_t>(2).put<uint32_t>(0).put<uint32_t>(0);
    const std::pair<uint16_t, Bytes> behind[] = {
        {DMA_UNMAP, unmap}, {RESET, Bytes()}, {SET_IRQS, irq}, {REGION_WRITE, no_master}};
    unsigned expected = 0;
    for (const auto &[command, body] : behind) {
        say(client.number(), DMA_MAP, 0, map, memory.number()); /* refused where the last one is still there */
        CHECK(say(client.number(), REGION_WRITE, 0, master));
        for (int n = 0; n < 4; n++) CHECK(say(client.number(), REGION_WRITE, NO_REPLY, post));
        CHECK(say(client.number(), command, 0, body));
        expected += 4;
        CHECK(design.arrived == expected);
        CHECK(design.refused == 0);
    }
    stop = 1;
    serving.join();
}

/* Whoever sees the last byte sees the rest: every length and alignment gives the same bytes, and none beside them. */
void stores_are_whole()
{
    alignas(64) uint8_t to[160];
    uint8_t from[64];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)(i + 1);
    for (size_t at = 32; at < 48; at++) {
        for (size_t bytes = 1; bytes <= sizeof from; bytes++) {
            memset(to, 0xee, sizeof to);
            store_in_order(to + at, from, bytes);
            CHECK(memcmp(to + at, from, bytes) == 0 && to[at - 1] == 0xee && to[at + bytes] == 0xee);
        }
    }
}

/* A reader that sees the phase of a round sees its data; long enough that a wrong order is seen. */
void the_phase_comes_last()
{
    constexpr size_t BYTES = 1 << 15;
    alignas(64) static uint8_t shared[BYTES];
    std::atomic<unsigned> seen{0}, wrong{0}, at{0};
    std::atomic<bool> done{false};
    std::thread reader([&] {
        for (uint8_t before = 0; !done;) {
            const unsigned first = at;
            const uint8_t round = __atomic_load_n(&shared[BYTES - 1], __ATOMIC_ACQUIRE);
            if (round == before) continue;
            before = round;
            unsigned older = 0;
            for (size_t i = 64; i < BYTES; i += BYTES / 8)
                older += (uint8_t)(__atomic_load_n(&shared[BYTES - i], __ATOMIC_RELAXED) - round) > 127;
            if (at - first > 100) continue; /* away meanwhile: a byte cannot tell older from newer then */
            seen++;
            wrong += older;
        }
    });
    std::vector<uint8_t> data(BYTES);
    const int64_t deadline = now_ms() + 20000;
    for (unsigned round = 0; seen < 500 && now_ms() < deadline; round++) {
        memset(data.data(), (uint8_t)round, BYTES);
        at = round;
        store_in_order(shared, data.data(), BYTES);
    }
    done = true;
    reader.join();
    CHECK(seen >= 500);
    CHECK(wrong == 0);
}

} // namespace

int main()
{
    packets_of_the_host();
    packets_of_the_design();
    interrupts_of_wires();
    interrupts_of_a_table_in_the_design();
    memory_of_a_client();
    posted_writes_settle_first();
    stores_are_whole();
    the_phase_comes_last();
    if (failures == 0) puts("selftest: all passed");
    return failures != 0;
}
