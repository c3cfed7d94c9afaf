/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without libFuzzer: first every seed as it is, then a fixed number of mutations
 * of them, the same ones each time.  TAP.
 *
 *   fuzz_NAME               what `make check` does; FUZZ_RUNS changes the number of mutations
 *   fuzz_NAME FILE...       only these inputs, as they are: how a failure is looked at again */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"

enum { SEEDS_MAX = 64, INPUT_BYTES_MAX = 4096 };
/* Limits for one input of any length: CPU time, and real time for a target that waits for something. */
enum { CPU_SECONDS = 10, SECONDS = 120 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input seeds[SEEDS_MAX];
static size_t seed_count;
static struct input current; /* kept in a file where the target dies */

/* ---------------------------------------------------------------- inputs */

static bool read_input(const char *path, struct input *input)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    *input = (struct input){malloc((size_t)st.st_size + 1), (size_t)st.st_size};
    bool whole = input->bytes && read(fd, input->bytes, input->size) == st.st_size;
    close(fd);
    return whole;
}

/* In the order of their names, so that all machines mutate the same. */
static bool read_seeds(void)
{
    char folder[4096], path[4400];
    struct dirent **entries = NULL;
    const char *srcdir = getenv("srcdir");
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", srcdir ? srcdir : ".", fuzz_name);
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && seed_count < SEEDS_MAX)
            seed_count += read_input(path, &seeds[seed_count]);
        free(entries[i]);
    }
    free(entries);
    return seed_count > 0;
}

static void limit_time(bool on)
{
    const struct itimerval cpu = {.it_value.tv_sec = on ? CPU_SECONDS : 0};
    setitimer(ITIMER_PROF, &cpu, NULL);
    alarm(on ? SECONDS : 0);
}

static void run_one(const struct input *input)
{
    current = *input;
    limit_time(true);
    LLVMFuzzerTestOneInput(input->bytes, input->size);
    limit_time(false);
}

/* ---------------------------------------------------------------- mutations */

static uint64_t state = 0x9e3779b97f4a7c15u;

/* xorshift64*: the same numbers everywhere, which rand() does not promise. */
static uint32_t random_below(uint32_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return limit ? (uint32_t)((state * 0x2545f4914f6cdd1du) >> 33) % limit : 0;
}

static const char *const tokens[] = {
    "[", "]", "[0-65535]", "[1-", "00", "9999999999", "4294967296", "18446744073709551616", "-", "--",
    ",", ",,", "=", "==", "%", "%00", "%n", "%eth0", "/", "/33", "#", ":", "::1", "fe80::1", "10.1.0.1",
    "\n", "\r\n", "\t", " ", "\x1b[2J", "\xc2\x9b", "\xff", "'", "\"", "$(id)", "(x", ")", "{", "}", ";",
    "format=1\n", "end=1\n", "netif.", ".address.0=", "nodes", "(null)", "off", "@include ",
};

static void insert(struct input *input, const void *bytes, size_t size)
{
    size_t at = random_below((uint32_t)input->size + 1);
    if (size > INPUT_BYTES_MAX - input->size)
        size = INPUT_BYTES_MAX - input->size;
    memmove(input->bytes + at + size, input->bytes + at, input->size - at);
    memcpy(input->bytes + at, bytes, size);
    input->size += size;
}

static void erase(struct input *input)
{
    size_t at = random_below((uint32_t)input->size);
    size_t size = 1 + random_below((uint32_t)(input->size - at));
    memmove(input->bytes + at, input->bytes + at + size, input->size - at - size);
    input->size -= size;
}

/* A piece of a seed, up to a line or so. */
static void insert_piece(struct input *input)
{
    const struct input *seed = &seeds[random_below((uint32_t)seed_count)];
    size_t at = random_below((uint32_t)seed->size), size = random_below(80);
    if (seed->size > 0)
        insert(input, seed->bytes + at, size < seed->size - at ? size : seed->size - at);
}

static void mutate(struct input *input)
{
    uint8_t byte = (uint8_t)random_below(256);
    const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
    switch (input->size ? random_below(6) : 5) {
    case 0:
        input->bytes[random_below((uint32_t)input->size)] = byte;
        break;
    case 1:
        input->bytes[random_below((uint32_t)input->size)] ^= (uint8_t)(1u << (byte & 7));
        break;
    case 2:
        erase(input);
        break;
    case 3:
        insert(input, &byte, 1);
        break;
    case 4:
        insert_piece(input);
        break;
    default:
        insert(input, token, strlen(token));
        break;
    }
}

/* Exactly as long as it is, so that a sanitizer sees a read behind its end. */
static void run_mutation(void)
{
    static uint8_t room[INPUT_BYTES_MAX];
    const struct input *seed = &seeds[random_below((uint32_t)seed_count)];
    struct input input = {room, seed->size < INPUT_BYTES_MAX ? seed->size : INPUT_BYTES_MAX};
    memcpy(room, seed->bytes, input.size);
    for (uint32_t n = 1 + random_below(5); n > 0; n--)
        mutate(&input);
    struct input exact = {malloc(input.size ? input.size : 1), input.size};
    FUZZ_CHECK(exact.bytes);
    memcpy(exact.bytes, room, input.size);
    run_one(&exact);
    free(exact.bytes);
}

/* ---------------------------------------------------------------- what is left of a failure */

static void keep_input(void)
{
    char path[128];
    snprintf(path, sizeof path, "fuzz-%s.input", fuzz_name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd >= 0 && write(fd, current.bytes, current.size) == (ssize_t)current.size)
        fprintf(stderr, "the input is kept in %s\n", path);
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    keep_input();
    raise(number);
}

static void on_timeout(int number)
{
    (void)number;
    fprintf(stderr, "%s: one input takes more than %d s of CPU time, or %d s\n", fuzz_name, CPU_SECONDS,
            SECONDS);
    keep_input();
    _exit(1);
}

/* Sanitizers end the program without a signal; where there are none this is not there. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void watch(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
    signal(SIGPROF, on_timeout);
    signal(SIGALRM, on_timeout);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(keep_input);
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], on_signal);
}

static int replay(int argc, char **argv)
{
    struct input input;
    for (int i = 1; i < argc; i++) {
        if (!read_input(argv[i], &input)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 1;
        }
        run_one(&input);
        free(input.bytes);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("FUZZ_RUNS");
    unsigned long runs = wanted ? strtoul(wanted, NULL, 10) : fuzz_runs;
    watch();
    if (argc > 1)
        return replay(argc, argv);
    printf("1..2\n");
    if (!read_seeds()) {
        printf("Bail out! no seeds in tests/fuzz/corpus/%s\n", fuzz_name);
        return 1;
    }
    for (size_t i = 0; i < seed_count; i++)
        run_one(&seeds[i]);
    printf("ok 1 - %s: %zu seeds\n", fuzz_name, seed_count);
    fflush(stdout);
    for (unsigned long i = 0; i < runs; i++)
        run_mutation();
    printf("ok 2 - %s: %lu mutations\n", fuzz_name, runs);
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    return 0;
}
