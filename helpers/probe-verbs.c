/* SPDX-License-Identifier: Apache-2.0 */
/* probe-verbs: can each RDMA device be opened, and the firmware that it then tells.  The only
 * program that links libibverbs.  Run as a child with a deadline: opening asks the driver.  stdout
 * is a part of the text of node.facts; stderr is for people; the exit status is 0, 1 (the devices
 * could not be listed, or the text not be written), or 2 (usage). */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/record.h"

enum { OUTPUT_MAX = 1 << 20 };

static void write_device(struct ibv_device *device, struct ce_text *out)
{
    char part[CE_KEY_PART];
    struct ibv_device_attr attributes;
    struct ibv_context *context = ibv_open_device(device);
    ce_key_encode(ibv_get_device_name(device), part, sizeof part);
    ce_record_add_number(out, context != NULL, "ib.%s.opens", part);
    if (!context)
        return;
    if (ibv_query_device(context, &attributes) == 0 && attributes.fw_ver[0])
        ce_record_add(out, attributes.fw_ver, "ib.%s.firmware", part);
    ibv_close_device(context);
}

static int print(struct ce_text *out)
{
    if (!ce_text_ok(out)) {
        fputs("probe-verbs: the text does not fit\n", stderr);
        return 1;
    }
    if (fputs(ce_text_string(out), stdout) == EOF || fflush(stdout) == EOF) {
        fprintf(stderr, "probe-verbs: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

/* Without the kernel's modules there is no list: that is no device, not a fault. */
int main(int argc, char **argv)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    int count = 0;
    (void)argv;
    if (argc != 1) {
        fputs("usage: probe-verbs\n", stderr);
        return 2;
    }
    struct ibv_device **devices = ibv_get_device_list(&count);
    if (!devices && errno != ENOSYS && errno != ENOENT) {
        fprintf(stderr, "probe-verbs: libibverbs lists no devices: %s\n", strerror(errno));
        return 1;
    }
    ce_record_begin(&out);
    for (int i = 0; devices && i < count; i++)
        write_device(devices[i], &out);
    ce_record_end(&out);
    if (devices)
        ibv_free_device_list(devices);
    return print(&out);
}
