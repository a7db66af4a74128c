/* Config space of the card: 4096 bytes, a mask of what software may write, a PCI Express and an MSI-X capability. */
#pragma once
#include "design.h"
#include <cstring>

namespace bascule {

class ConfigSpace {
public:
    static constexpr size_t BYTES = 4096;

    explicit ConfigSpace(const Card &card) : card_(card) { reset(); }

    void reset()
    {
        memset(bytes_, 0, sizeof bytes_);
        memset(writable_, 0, sizeof writable_);
        set(0x00, card_.vendor, 2);
        set(0x02, card_.device, 2);
        set(0x06, 0x0010, 2); /* capabilities */
        set(0x08, card_.revision, 1);
        set(0x09, card_.class_code, 3);
        set(0x2c, card_.subsystem_vendor, 2);
        set(0x2e, card_.subsystem, 2);
        set(0x34, EXPRESS, 1);
        allow(0x04, 0x0546, 2); /* memory, bus master, parity, SERR, no INTx */
        allow(0x0c, 0xff, 1);
        allow(0x3c, 0xff, 1);
        for (unsigned bar = 0; bar < 6; bar++) add_bar(bar);
        express();
        if (card_.msix.vectors) msix();
    }

    uint64_t get(size_t at, size_t bytes) const
    {
        uint64_t value = 0;
        memcpy(&value, bytes_ + at, bytes);
        return value;
    }
    const uint8_t *at(size_t offset) const { return bytes_ + offset; }

    void write(size_t at, const uint8_t *from, size_t bytes)
    {
        for (size_t i = at; i < at + bytes; i++)
            bytes_[i] = (uint8_t)((bytes_[i] & ~writable_[i]) | (from[i - at] & writable_[i]));
    }

    bool bus_master() const { return bytes_[0x04] & 4; }
    bool msix_enabled() const { return card_.msix.vectors && (bytes_[MSIX + 3] & 0x80); }
    bool msix_masked() const { return bytes_[MSIX + 3] & 0x40; }

    /* Where a BAR is, for designs that see addresses and not offsets. */
    void place(unsigned bar, uint64_t address)
    {
        const size_t at = 0x10 + 4 * bar, width = card_.bars[bar].wide ? 8 : 4;
        set(at, address | (get(at, 1) & 0xf), width);
    }

private:
    static constexpr size_t EXPRESS = 0x40, MSIX = 0x80;

    void set(size_t at, uint64_t value, size_t bytes) { memcpy(bytes_ + at, &value, bytes); }
    void allow(size_t at, uint64_t mask, size_t bytes) { memcpy(writable_ + at, &mask, bytes); }

    void add_bar(unsigned index)
    {
        const Bar &bar = card_.bars[index];
        if (!bar.bytes) return;
        set(0x10 + 4 * index, (bar.wide ? 4u : 0u) | (bar.prefetchable ? 8u : 0u), 4);
        allow(0x10 + 4 * index, ~(bar.bytes - 1), bar.wide ? 8 : 4); /* so that sizing works */
    }

    void express()
    {
        set(EXPRESS, 0x0010, 1);
        set(EXPRESS + 1, card_.msix.vectors ? MSIX : 0, 1);
        set(EXPRESS + 2, 0x0002, 2);      /* version 2, endpoint */
        set(EXPRESS + 4, 0x10008001, 4);  /* function level reset, error reporting, payload up to 256 bytes */
        allow(EXPRESS + 8, 0x7fff, 2);
        set(EXPRESS + 0x0c, 0x00000083, 4); /* 8 lanes of 8 GT/s; the link runs at that: */
        set(EXPRESS + 0x12, 0x0083, 2);
        set(EXPRESS + 0x2c, 0x0000000e, 4);
    }

    void msix()
    {
        set(MSIX, 0x11, 1);
        set(MSIX + 2, card_.msix.vectors - 1, 2);
        set(MSIX + 4, card_.msix.table | card_.msix.bar, 4);
        set(MSIX + 8, card_.msix.pending | card_.msix.bar, 4);
        allow(MSIX + 2, 0xc000, 2);
    }

    Card card_;
    uint8_t bytes_[BYTES];
    uint8_t writable_[BYTES];
};

} // namespace bascule
