/*
 * Changes threads of a process while they are ruled, for the tests of the kernel's host: affinity, priority, name, scheduling
 * class, and the cgroup of the process, at random. At the end every thread is in the ruled class again, with the CPUs it began
 * with. Prints how many changes it made.
 *
 *   meddle PID SECONDS SEED CPUS [CGROUP]      CPUS: of the machine, 0 to CPUS - 1
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { EXT = 7, MOST = 4096 };

static int threads[MOST];

static int find(int pid)
{
    char path[64];
    struct dirent *entry;
    DIR *folder;
    int count = 0;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    folder = opendir(path);
    while (folder && count < MOST && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            threads[count++] = atoi(entry->d_name);
    if (folder)
        closedir(folder);
    return count;
}

static int put(const char *path, int number, const char *text)
{
    char full[256], buffer[32];
    int file, result;

    snprintf(full, sizeof(full), path, number);
    file = open(full, O_WRONLY);
    if (file < 0)
        return -1;
    if (!text)
        snprintf(buffer, sizeof(buffer), "%d", number);
    result = write(file, text ? text : buffer, strlen(text ? text : buffer)) < 0 ? -1 : 0;
    close(file);
    return result;
}

static int bind(int thread, unsigned long cpus)
{
    return sched_setaffinity(thread, sizeof(cpus), (cpu_set_t *)&cpus);
}

static int join(int thread, int class)
{
    struct sched_param none = { 0 };

    return sched_setscheduler(thread, class, &none);
}

static int change(int pid, int thread, int what, int cpus, const char *group)
{
    static const char *const names[] = { "get-1", "range-1", "other" };
    char path[256];

    switch (what) {
    case 0:
        return bind(thread, 1ul << rand() % cpus);
    case 1:
        return bind(thread, (1ul << cpus) - 1);
    case 2:
        return setpriority(PRIO_PROCESS, thread, rand() % 20);
    case 3:
        return put("/proc/%d/comm", thread, names[rand() % 3]);
    case 4:
        return join(thread, SCHED_OTHER);
    case 5:
        return join(thread, EXT);
    default:
        if (!group)
            return -1;
        snprintf(path, sizeof(path), "%s/cgroup.procs", rand() % 2 ? group : "/sys/fs/cgroup");
        return put(path, pid, NULL);
    }
}

int main(int count, char **words)
{
    int pid, cpus, n;
    long changes = 0;
    time_t end;

    if (count < 5) {
        fprintf(stderr, "usage: meddle PID SECONDS SEED CPUS [CGROUP]\n");
        return 2;
    }
    pid = atoi(words[1]);
    end = time(NULL) + atoi(words[2]);
    srand(atoi(words[3]));
    cpus = atoi(words[4]);
    while (time(NULL) < end) {
        n = find(pid);
        if (n == 0)
            break;
        changes += change(pid, threads[rand() % n], rand() % 7, cpus, count > 5 ? words[5] : NULL) == 0;
        usleep(200);
    }
    n = find(pid);
    for (int i = 0; i < n; i++) {
        bind(threads[i], (1ul << cpus) - 1);
        join(threads[i], EXT);
    }
    printf("%ld changes\n", changes);
    return changes > 0 ? 0 : 1;
}
