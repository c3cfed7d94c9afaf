/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's configuration files. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz.h"
#include "local/nccl_conf.h"

const char fuzz_name[] = "nccl_conf";
const unsigned fuzz_runs = 20000;

static const char *const names[] = {"NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY", "NCCL_COMM_ID", "N"};

static bool sets(const char *text, const char *name)
{
    const struct ce_nccl_conf conf = {.site = (char *)text};
    return ce_nccl_conf_sets(&conf, name) != NULL;
}

/* The same lines as comments set nothing. */
static char *comment_out(const char *text)
{
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    ce_text_add(&out, "#");
    for (; *text; text++)
        ce_text_addf(&out, *text == '\n' ? "\n#" : "%c", *text);
    char *taken = ce_text_take(&out);
    FUZZ_CHECK(taken);
    return taken;
}

static void check(const char *text, const char *comments, const char *name)
{
    ce_autotext struct ce_text more = CE_TEXT(1 << 20);
    FUZZ_CHECK(!sets(text, name) || strstr(text, name));
    FUZZ_CHECK(!sets(comments, name));
    ce_text_addf(&more, "%s\n%s=1", text, name);
    FUZZ_CHECK(sets(ce_text_string(&more), name));
}

/* The first line of the text that begins with NAME=, up to its end or as much of it as there is room for. */
static void check_value(const char *text, const char *name)
{
    char value[CE_NCCL_CONF_VALUE] = "-", other[CE_NCCL_CONF_VALUE];
    const struct ce_nccl_conf site = {.site = (char *)text};
    const struct ce_nccl_conf both = {.site = (char *)text, .user = (char *)text, .user_path = (char *)"u"};
    bool there = ce_nccl_conf_value(&site, name, value);
    FUZZ_CHECK(ce_nccl_conf_value(&both, name, other) == there);
    FUZZ_CHECK(!there || (strcmp(value, other) == 0 && sets(text, name)));
    FUZZ_CHECK(!there || (!strchr(value, '\n') && strstr(text, value)));
    FUZZ_CHECK((ce_nccl_conf_sets(&both, name) == both.user_path) == sets(text, name));
}

static const char *get(void *ctx, const char *name)
{
    return strcmp(name, "NCCL_CONF_FILE") == 0 ? ctx : NULL;
}

/* From a file that is both the site's and the user's. */
static void check_file(const char *text)
{
    char path[64];
    struct ce_nccl_conf conf;
    int fd = memfd_create("nccl.conf", MFD_CLOEXEC);
    const struct ce_environ env = {.get = get, .ctx = path};
    FUZZ_CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ce_nccl_conf_read(path, &env, &conf);
    FUZZ_CHECK(conf.site && conf.user && strcmp(conf.user_path, path) == 0);
    FUZZ_CHECK(strcmp(conf.site, text) == 0 && strcmp(conf.user, text) == 0);
    ce_nccl_conf_free(&conf);
    FUZZ_CHECK(!conf.site && !conf.user && !conf.user_path);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *comments = comment_out(text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check(text, comments, names[i]);
        check_value(text, names[i]);
    }
    check_file(text);
    free(comments);
    free(text);
    return 0;
}
