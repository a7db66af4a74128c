/*
 * What a design under test offers to the server, and what it may ask of the host: the four hooks (register read, register
 * write, DMA, interrupt) and the clock.
 */
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace bascule {

/* The host as the design sees it. Data is in the client's memory when write() returns, so an interrupt that is raised later
 * comes later. False: refused (not mapped, not allowed, bus mastering off, client gone); nothing has been touched. */
class Host {
public:
    virtual ~Host() = default;
    virtual bool read(uint64_t address, void *to, size_t bytes) = 0;
    virtual bool write(uint64_t address, const void *from, size_t bytes) = 0;
    virtual void interrupt(unsigned vector) = 0;
};

/* A compiled design. All calls come from the server's one thread. */
class Design {
public:
    virtual ~Design() = default;

    /* Reads 1, 2, 4 or 8 bytes, aligned, not more than Card::register_bytes. Writes that came before are in the design
     * before it, as a read pushes posted writes ahead of itself on PCI Express. */
    virtual uint64_t read(unsigned bar, uint64_t offset, unsigned bytes) = 0;

    /* Writes; may return before the design has it. */
    virtual void write(unsigned bar, uint64_t offset, unsigned bytes, uint64_t value) = 0;

    /* Returns once every write has reached the design. */
    virtual void settle() = 0;

    /* As after power-on. */
    virtual void reset() = 0;

    /* Lets the clock run. */
    virtual void run(unsigned cycles) = 0;

    /* The design's time in ns, which never goes back, not at a reset either; asked where Card::clock says so. */
    virtual uint64_t nanos() const { return 0; }

    /* Whether nothing happens until the next register access: the server then sleeps instead of turning the clock, and counts
     * the time it slept as the design's. */
    virtual bool idle() const { return false; }
};

struct Bar {
    uint64_t bytes = 0; /* a power of two, at least 16; 0: not there */
    bool wide = false;  /* 64 bits: takes the next register too */
    bool prefetchable = false;
};

struct Msix {
    unsigned vectors = 0; /* 0: none */
    unsigned bar = 0;
    uint32_t table = 0;   /* offsets in that BAR */
    uint32_t pending = 0;
    /* True: the design has table and pending bits and sends interrupts as memory writes; the server fills the table in, entry
     * n with MSIX_ADDRESS and data n. False: the server keeps them and the design calls Host::interrupt. */
    bool in_design = false;
};

/* Where interrupts of a design with a table of its own go: the range that no DMA mapping may cover. */
constexpr uint64_t MSIX_ADDRESS = 0xfee00000;
constexpr uint64_t MSIX_BYTES = 0x100000;

/* What the card says of itself in config space. */
struct Card {
    uint16_t vendor = 0;
    uint16_t device = 0;
    uint16_t subsystem_vendor = 0;
    uint16_t subsystem = 0;
    uint32_t class_code = 0x020000; /* Ethernet */
    uint8_t revision = 0;
    std::array<Bar, 6> bars{};
    Msix msix{};
    unsigned register_bytes = 4; /* widest register access, 4 or 8 */
    bool clock = false;          /* the design tells its time, and clients that can count it in their waits */
};

} // namespace bascule
