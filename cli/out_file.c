/* SPDX-License-Identifier: Apache-2.0 */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/replace.h"

/* A rename would put it in the place of a device or link. */
int ce_out_file_write(const char *path, struct ce_text *text, struct ce_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    ce_autofree char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
    struct stat st;
    if (!folder)
        return ce_fail(err, "no memory");
    ce_autoclose int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return ce_fail(err, "%s: cannot write there: %s", folder, strerror(errno));
    if (!*name || (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)))
        return ce_fail(err, "%s: not a regular file", path);
    if (ce_file_replace(dir, name, ce_text_string(text), 0644, err) == 0)
        return 0;
    return slash ? ce_fail_in(err, "%s", folder) : -1;
}
