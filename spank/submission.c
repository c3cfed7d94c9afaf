/* SPDX-License-Identifier: Apache-2.0 */
#include "submission.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "slurm/open_mode.h"

enum { COMMAND_MAX = 64 << 10, SCRIPT_MAX = 1 << 20 };

int ce_submission_check(spank_context_t context, const struct ce_request *request,
                        struct ce_error *err)
{
    bool allocates = context == S_CTX_ALLOCATOR;
    if (allocates && request->primary_output)
        return ce_fail(err, "output=primary is for one srun; give it to the srun whose output it is");
    if (request->retries && (!allocates || strcmp(program_invocation_short_name, "salloc") == 0))
        return ce_fail(err, "retries=%u is for batch jobs; give it to sbatch", request->retries);
    return 0;
}

/* The file whose first line is a shell's is the script: sbatch takes no other. */
static bool script_appends(const char *path, bool *is_script)
{
    struct ce_error err;
    ce_autotext struct ce_text text = CE_TEXT(SCRIPT_MAX);
    *is_script = ce_file_read(AT_FDCWD, path, CE_TRUST_ANY, &text, &err) == CE_READ_OK &&
                 strncmp(ce_text_string(&text), "#!", 2) == 0;
    return *is_script && ce_open_mode_in_script(ce_text_string(&text));
}

bool ce_submission_overwrites(void)
{
    const char *mode = getenv("SBATCH_OPEN_MODE"), *path;
    ce_autofree char *words = malloc(COMMAND_MAX);
    ce_autoclose int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = words && fd >= 0 ? read(fd, words, COMMAND_MAX) : -1;
    bool is_script = false;
    if (mode && *mode == 'a')
        return false;
    if (length <= 0)
        return true;
    if (ce_open_mode_in_words(words, (size_t)length))
        return false;
    for (unsigned n = 0;
         !is_script && (path = ce_open_mode_candidate(words, (size_t)length, n)) != NULL; n++)
        if (script_appends(path, &is_script))
            return false;
    return true;
}
