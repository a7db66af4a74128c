/*
 * An example of such a library, and what the tests use: the card's memory is the POSIX shared-memory object that
 * the argument names.
 * Build: cc -O2 -fPIC -shared -o libcard.so shm.c
 */
#include "bascule_card.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int bascule_card_memory(const char *argument, void **address, uint64_t *bytes, int *cached)
{
    struct stat status;
    int fd, error = 0;

    fd = shm_open(argument, O_RDWR, 0);
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) < 0) {
        error = errno;
    } else {
        *bytes = (uint64_t)status.st_size;
        *cached = 1;
        *address = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (*address == MAP_FAILED)
            error = errno;
    }
    close(fd);
    return error;
}
