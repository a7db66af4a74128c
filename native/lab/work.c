/*
 * Threads or processes that work and wait, for the tests of the kernel's host: each counts its rounds in a file that the test
 * maps or reads, so that progress is seen from outside.
 *
 *   work FILE threads|processes N MICROS-OF-WORK MICROS-OF-WAITING SECONDS
 *
 * FILE gets N times 64 bytes: rounds u64; thread id u64; the longest time between the end of a wait and the work after it,
 * ns, u64; CPUs it was seen on, a bit each, u64; and zeroes. Waiting 0: it never waits; -1: it yields instead.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct place {
    volatile unsigned long rounds, tid, longest, cpus, reserved[4];
};

static struct place *places;
static long work_micros, wait_micros;
static unsigned long end_nanos;

static unsigned long now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ul + t.tv_nsec;
}

static void *work(void *mine)
{
    struct place *place = mine;

    place->tid = syscall(SYS_gettid);
    while (now(CLOCK_MONOTONIC) < end_nanos) {
        unsigned long from = now(CLOCK_THREAD_CPUTIME_ID), due;

        while (now(CLOCK_THREAD_CPUTIME_ID) - from < work_micros * 1000ul)
            place->cpus |= 1ul << (sched_getcpu() & 63);
        place->rounds++;
        if (wait_micros > 0) {
            due = now(CLOCK_MONOTONIC) + wait_micros * 1000ul;
            usleep(wait_micros);
            due = now(CLOCK_MONOTONIC) - due;
            if ((long)due > (long)place->longest)
                place->longest = due;
        } else if (wait_micros < 0) {
            sched_yield();
        }
    }
    return NULL;
}

int main(int count, char **words)
{
    int n, file, threads;
    pthread_t *all;

    if (count != 7) {
        fprintf(stderr, "usage: work FILE threads|processes N MICROS-OF-WORK MICROS-OF-WAITING SECONDS\n");
        return 2;
    }
    threads = !strcmp(words[2], "threads");
    n = atoi(words[3]);
    work_micros = atol(words[4]);
    wait_micros = atol(words[5]);
    end_nanos = now(CLOCK_MONOTONIC) + (unsigned long)(atof(words[6]) * 1e9);
    file = open(words[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, n * sizeof(*places))) {
        perror(words[1]);
        return 1;
    }
    places = mmap(NULL, n * sizeof(*places), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    all = calloc(n, sizeof(*all));
    for (int i = 0; i < n; i++) {
        if (threads)
            pthread_create(&all[i], NULL, work, &places[i]);
        else if (!fork())
            return work(&places[i]) != NULL;
    }
    for (int i = 0; i < n; i++) {
        if (threads)
            pthread_join(all[i], NULL);
        else
            wait(NULL);
    }
    return 0;
}
