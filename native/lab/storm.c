/*
 * Processes and threads that come and go, for the tests of the kernel's host: N of them, at most AT-ONCE at a time, each of
 * which ends at once, after a nap, with threads of its own, or by exec of /bin/true, in turns. Prints how many it waited for.
 *
 *   storm N AT-ONCE
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nap(void *unused)
{
    usleep(200);
    return unused;
}

static int live(int n)
{
    pthread_t threads[3];

    switch (n & 3) {
    case 1:
        usleep(500);
        break;
    case 2:
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, nap, NULL);
        if (n & 4) /* ends while they nap */
            break;
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        break;
    case 3:
        execl("/bin/true", "true", (char *)NULL);
        return 1;
    }
    return 0;
}

int main(int count, char **words)
{
    int n = count > 2 ? atoi(words[1]) : 0, most = count > 2 ? atoi(words[2]) : 0, running = 0, ended = 0, bad = 0, status;

    if (n < 1 || most < 1) {
        fprintf(stderr, "usage: storm N AT-ONCE\n");
        return 2;
    }
    for (int i = 0; i < n; i++) {
        pid_t child;

        while (running == most) {
            wait(&status);
            running--;
            ended++;
            bad += status != 0;
        }
        child = fork();
        if (child < 0) {
            perror("fork");
            return 1;
        }
        if (child == 0)
            _exit(live(i));
        running++;
    }
    for (; running > 0; running--, ended++) {
        wait(&status);
        bad += status != 0;
    }
    printf("%d ended, %d badly\n", ended, bad);
    return ended == n && !bad ? 0 : 1;
}
