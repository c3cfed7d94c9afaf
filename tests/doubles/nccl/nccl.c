/* SPDX-License-Identifier: Apache-2.0 */
/* A libnccl.so.2 without GPUs, over the double of CUDA's driver: ranks of all processes truly add up,
 * over TCP, what is in their memory.  What else happens is what the scenario file in $NCCL_DOUBLE tells;
 * README.md has its form.  It shares no declaration with our helper, so that a mistake is not made
 * twice. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef int ncclResult_t;
typedef struct {
    char internal[128];
} ncclUniqueId;
typedef struct ncclComm *ncclComm_t;

enum { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR };
enum { LOCAL = 16, PROCESSES = 64, LINES = 256, TEXT = 256 };

/* All communicators of this process are of one clique: more is not needed. */
struct ncclComm {
    int rank;
};
static struct ncclComm comms[LOCAL];
static struct {
    int count;          /* ranks of this process */
    int ranks;          /* of all */
    int listening;      /* of the process of rank 0; else 0 */
    int links[PROCESSES];
    int link_count;
    struct sockaddr_in root;
    volatile ncclResult_t error;
    volatile int aborted;
} clique;

/* What is asked for between ncclGroupStart and ncclGroupEnd. */
static struct {
    int depth, inits, reduces;
    struct {
        const float *from; /* the host's view of the GPU's memory */
        float *to;
        size_t count;
        void *stream;
    } reduce[LOCAL];
} group;
static char last_error[TEXT];

/* ---------------------------------------------------------------- the scenario */

static struct {
    char key[64], value[TEXT];
} lines[LINES];
static int line_count = -1;

static void load(void)
{
    const char *path = getenv("NCCL_DOUBLE");
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[512];
    line_count = 0;
    while (file && fgets(line, sizeof line, file) && line_count < LINES) {
        char *equals = strchr(line, '=');
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "nccl.", 5) != 0 || !equals)
            continue;
        *equals = '\0';
        snprintf(lines[line_count].key, sizeof lines[0].key, "%s", line + 5);
        snprintf(lines[line_count++].value, TEXT, "%s", equals + 1);
    }
    if (file)
        fclose(file);
}

/* The last one counts; "KEY.gang": only where there are several processes. */
static const char *find(const char *key)
{
    char gang[64];
    if (line_count < 0)
        load();
    snprintf(gang, sizeof gang, "%s.gang", key);
    for (int i = line_count - 1; i >= 0; i--)
        if (strcmp(lines[i].key, key) == 0 ||
            (clique.ranks > clique.count && strcmp(lines[i].key, gang) == 0))
            return lines[i].value;
    return NULL;
}

static ncclResult_t act(const char *key)
{
    const char *value = find(key);
    if (!value)
        return SUCCESS;
    if (strcmp(value, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(value, "crash") == 0)
        abort();
    if (strncmp(value, "error:", 6) == 0) {
        snprintf(last_error, sizeof last_error, "as the scenario says");
        return atoi(value + 6);
    }
    return SUCCESS;
}

static void say(const char *format, const char *a, int b)
{
    char host[64] = "", text[TEXT];
    const char *debug = getenv("NCCL_DEBUG");
    gethostname(host, sizeof host);
    if (!debug || strcmp(debug, "INFO") != 0)
        return;
    snprintf(text, sizeof text, format, a, b);
    printf("%s:%d:%d [0] NCCL %s\n", host, (int)getpid(), (int)getpid(), text);
}

/* ---------------------------------------------------------------- TCP */

static int all(int fd, void *data, size_t size, int sending)
{
    for (char *at = data; size > 0;) {
        ssize_t n = sending ? send(fd, at, size, MSG_NOSIGNAL) : recv(fd, at, size, 0);
        if (n == 0 || (n < 0 && errno != EINTR))
            return -1;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* The address of the interface that NCCL_SOCKET_IFNAME names as "=eth1", else of the loopback. */
static struct in_addr own_address(void)
{
    const char *name = getenv("NCCL_SOCKET_IFNAME");
    struct in_addr address = {htonl(INADDR_LOOPBACK)};
    struct ifaddrs *list = NULL;
    getifaddrs(&list);
    for (struct ifaddrs *i = list; i; i = i->ifa_next)
        if (name && *name == '=' && i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
            strncmp(i->ifa_name, name + 1, strcspn(name + 1, ",")) == 0)
            address = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
    freeifaddrs(list);
    return address;
}

static int dial(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&clique.root, sizeof clique.root) == 0)
        return fd;
    close(fd);
    return -1;
}

/* ---------------------------------------------------------------- setting up */

ncclResult_t ncclGetVersion(int *version)
{
    const char *value = find("version");
    *version = value ? atoi(value) : 22809;
    return act("get_version");
}

const char *ncclGetErrorString(ncclResult_t code)
{
    static const char *const words[] = {"no error", "unhandled cuda error", "unhandled system error",
                                        "internal error", "invalid argument", "invalid usage",
                                        "remote process exited or there was a network error"};
    return code >= 0 && code <= REMOTE_ERROR ? words[code] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return last_error;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    socklen_t size = sizeof clique.root;
    ncclResult_t code = act("unique_id");
    if (code != SUCCESS)
        return code;
    memset(id, 0, sizeof *id);
    clique.listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    clique.root = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = own_address()};
    if (bind(clique.listening, (struct sockaddr *)&clique.root, size) < 0 ||
        listen(clique.listening, PROCESSES) < 0 ||
        getsockname(clique.listening, (struct sockaddr *)&clique.root, &size) < 0)
        return SYSTEM_ERROR;
    memcpy(id->internal, &clique.root, sizeof clique.root);
    return SUCCESS;
}

static ncclResult_t wait_for_processes(void)
{
    int here = clique.count, count = 0;
    while (here < clique.ranks) {
        int fd = accept4(clique.listening, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 || all(fd, &count, sizeof count, 0) < 0)
            return SYSTEM_ERROR;
        clique.links[clique.link_count++] = fd;
        here += count;
    }
    for (int i = 0; i < clique.link_count; i++)
        if (all(clique.links[i], &here, sizeof here, 1) < 0)
            return REMOTE_ERROR;
    return SUCCESS;
}

static ncclResult_t go_to_root(void)
{
    int here = 0, fd = dial();
    if (fd < 0)
        return SYSTEM_ERROR;
    clique.links[clique.link_count++] = fd;
    if (all(fd, &clique.count, sizeof clique.count, 1) < 0 || all(fd, &here, sizeof here, 0) < 0)
        return REMOTE_ERROR;
    return here == clique.ranks ? SUCCESS : INTERNAL_ERROR;
}

static void tell_ways(void)
{
    const char *network = find("network"), *line = find("log");
    say("INFO NET/Plugin: Could not find: libnccl-net.so.%s%d", "", 0);
    if (network && strcmp(network, "Socket") == 0)
        say("INFO NET/IB : No device found.%s%.0d", "", 0);
    say("INFO Using network %s%.0d", network ? network : "IB", 0);
    if (clique.count > 1)
        say("INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read%s%.0d", "", 0);
    if (clique.ranks > clique.count)
        say("INFO Channel 00/0 : 0[0] -> 2[0] [send] via NET/%s/%d/GDRDMA", network ? network : "IB", 0);
    if (line)
        say("%s%.0d", line, 0);
}

static ncclResult_t make_clique(void)
{
    ncclResult_t code = act("init");
    if (code == SUCCESS && clique.ranks > clique.count)
        code = clique.listening ? wait_for_processes() : go_to_root();
    if (code == SUCCESS)
        tell_ways();
    return code;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    if (clique.count == LOCAL || rank < 0 || rank >= ranks || (clique.ranks && clique.ranks != ranks))
        return INVALID_ARGUMENT;
    clique.ranks = ranks;
    memcpy(&clique.root, id.internal, sizeof clique.root);
    comms[clique.count].rank = rank;
    *comm = &comms[clique.count++];
    if (group.depth) {
        group.inits++;
        return SUCCESS;
    }
    return make_clique();
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *code)
{
    (void)comm;
    *code = clique.error;
    return SUCCESS;
}

static void end_comm(void)
{
    if (--clique.count > 0)
        return;
    clique.aborted = 1;
    for (int i = 0; i < clique.link_count; i++)
        shutdown(clique.links[i], SHUT_RDWR);
    FILE *log = find("ended") ? fopen(find("ended"), "ae") : NULL;
    if (log) {
        fprintf(log, "ended\n");
        fclose(log);
    }
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    (void)comm;
    end_comm();
    return SUCCESS;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    (void)comm;
    end_comm();
    return SUCCESS;
}

/* ---------------------------------------------------------------- all-reduce */

static void *(*view)(unsigned long long pointer, size_t size);
static void (*pend)(void *stream, int change);

static void find_cuda(void)
{
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    view = (void *(*)(unsigned long long, size_t))dlsym(cuda, "cuDoubleView");
    pend = (void (*)(void *, int))dlsym(cuda, "cuDoublePend");
}

static ncclResult_t add_processes(float *sum, size_t count)
{
    float *more = malloc(count * sizeof *more);
    ncclResult_t code = SUCCESS;
    for (int i = 0; i < clique.link_count && code == SUCCESS && clique.listening; i++) {
        code = all(clique.links[i], more, count * sizeof *more, 0) < 0 ? REMOTE_ERROR : SUCCESS;
        for (size_t k = 0; k < count && code == SUCCESS; k++)
            sum[k] += more[k];
    }
    for (int i = 0; i < clique.link_count && code == SUCCESS; i++)
        if (all(clique.links[i], sum, count * sizeof *sum, 1) < 0)
            code = REMOTE_ERROR;
    if (code == SUCCESS && clique.link_count && !clique.listening)
        code = all(clique.links[0], sum, count * sizeof *sum, 0) < 0 ? REMOTE_ERROR : SUCCESS;
    free(more);
    return code;
}

/* `mbytes`: the bus bandwidth, in MB/s. */
static void pace(size_t bytes, struct timespec began)
{
    double mbytes = find("mbytes") ? atof(find("mbytes")) : 0;
    double seconds = mbytes > 0 && clique.ranks > 1
                         ? (double)bytes / 1e6 / mbytes * 2 * (clique.ranks - 1) / clique.ranks : 0;
    began.tv_sec += (time_t)seconds;
    began.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (began.tv_nsec >= 1000000000) {
        began.tv_sec++;
        began.tv_nsec -= 1000000000;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &began, NULL);
}

static ncclResult_t reduce(size_t count)
{
    float *sum = calloc(count, sizeof *sum);
    int wrong = find("wrong") ? atoi(find("wrong")) : 0, lies = find("addend") ? atoi(find("addend")) : 0;
    for (int i = 0; i < group.reduces; i++) {
        for (size_t k = 0; k < count; k++)
            sum[k] += group.reduce[i].from[k];
    }
    for (int k = 0; k < lies; k++)
        sum[k] += 1;
    ncclResult_t code = add_processes(sum, count);
    for (int k = 0; k < wrong; k++)
        sum[count / 2 + (size_t)k] += 1;
    for (int i = 0; i < group.reduces && code == SUCCESS; i++)
        memcpy(group.reduce[i].to, sum, count * sizeof *sum);
    free(sum);
    return code;
}

/* The GPU's part: as there, the process goes on meanwhile. */
static void *work(void *nothing)
{
    struct timespec began;
    (void)nothing;
    clock_gettime(CLOCK_MONOTONIC, &began);
    ncclResult_t code = act("reduce");
    if (code == SUCCESS)
        code = reduce(group.reduce[0].count);
    pace(group.reduce[0].count * sizeof(float), began);
    if (code != SUCCESS) {
        clique.error = code; /* the streams never get ready */
        return NULL;
    }
    for (int i = 0; i < group.reduces; i++)
        pend(group.reduce[i].stream, -1);
    return NULL;
}

static pthread_t worker;
static int working;

static void finish_work(void)
{
    if (working && !clique.error)
        pthread_join(worker, NULL);
    working = 0;
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, unsigned type, unsigned operation,
                           ncclComm_t comm, void *stream)
{
    (void)comm;
    if (type != 7 || operation != 0 || !stream || !group.depth || group.reduces == LOCAL)
        return INVALID_ARGUMENT;
    if (group.reduces == 0)
        finish_work(); /* the one before, in the same streams */
    if (!view)
        find_cuda();
    group.reduce[group.reduces].from = view((uintptr_t)from, count * sizeof(float));
    group.reduce[group.reduces].to = view((uintptr_t)to, count * sizeof(float));
    group.reduce[group.reduces].count = count;
    group.reduce[group.reduces].stream = stream;
    if (!group.reduce[group.reduces].from || !group.reduce[group.reduces].to)
        return INVALID_ARGUMENT;
    group.reduces++;
    return SUCCESS;
}

ncclResult_t ncclGroupStart(void)
{
    finish_work();
    group.reduces = 0;
    group.depth++;
    return SUCCESS;
}

ncclResult_t ncclGroupEnd(void)
{
    int inits = group.inits;
    if (--group.depth > 0)
        return SUCCESS;
    group.inits = 0;
    if (inits)
        return make_clique();
    if (!group.reduces || clique.aborted)
        return SUCCESS;
    for (int i = 0; i < group.reduces; i++)
        pend(group.reduce[i].stream, 1);
    working = pthread_create(&worker, NULL, work, NULL) == 0;
    return working ? SUCCESS : SYSTEM_ERROR;
}
