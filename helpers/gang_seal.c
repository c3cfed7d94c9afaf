/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_seal.h"

#include <munge.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct gang_seal {
    munge_ctx_t context;
};

void gang_seal_destroy(struct gang_seal *seal)
{
    if (seal)
        munge_ctx_destroy(seal->context);
    free(seal);
}

struct gang_seal *gang_seal_create(const char *socket, struct ce_error *err)
{
    struct gang_seal *seal = calloc(1, sizeof *seal);
    if (seal)
        seal->context = munge_ctx_create();
    if (seal && seal->context &&
        munge_ctx_set(seal->context, MUNGE_OPT_UID_RESTRICTION, (uid_t)0) == EMUNGE_SUCCESS &&
        (!*socket ||
         munge_ctx_set(seal->context, MUNGE_OPT_SOCKET, socket) == EMUNGE_SUCCESS))
        return seal;
    ce_fail(err, "munge: %s", seal && seal->context ? munge_ctx_strerror(seal->context) : "no memory");
    gang_seal_destroy(seal);
    return NULL;
}

int gang_seal_close(const struct gang_seal *seal, const char *text, struct ce_text *out,
                    struct ce_error *err)
{
    char *credential = NULL;
    munge_err_t code = munge_encode(&credential, seal->context, text, (int)strlen(text));
    if (code == EMUNGE_SUCCESS)
        ce_text_add(out, credential);
    free(credential);
    return code == EMUNGE_SUCCESS && ce_text_ok(out)
               ? 0
               : ce_fail(err, "munge: %s", munge_strerror(code));
}

int gang_seal_open(const struct gang_seal *seal, const char *credential, struct ce_text *out,
                   struct ce_error *err)
{
    void *data = NULL;
    int length = 0;
    uid_t uid = (uid_t)-1;
    gid_t gid;
    munge_err_t code = munge_decode(credential, seal->context, &data, &length, &uid, &gid);
    bool taken = code == EMUNGE_SUCCESS && uid == 0 && length > 0 && !memchr(data, '\0', (size_t)length);
    if (taken)
        ce_text_addn(out, data, (size_t)length);
    free(data);
    if (code != EMUNGE_SUCCESS)
        return ce_fail(err, "munge: %s", munge_strerror(code));
    return taken && ce_text_ok(out) ? 0 : ce_fail(err, "a credential of user %u", (unsigned)uid);
}
