/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

/* A write that is not acknowledged is sent again 6 times, after 4.096 us * 2^16 each, so that it fails
 * before RDMA_STALL_MS; 7 times would mean "for ever" to some drivers.  A receiver that is not ready does not happen: nothing is received. */
enum { ACK_TIMEOUT = 16, RETRIES = 6, PAGE = 4096, HOPS = 64, PACKETS = 1 << 24, FLAG_BYTES = 8 };

static const char verbs_folder[] = "/dev/infiniband";

/* ---------------------------------------------------------------- opening */

/* libibverbs lists what sysfs has; /dev/infiniband is what a container often lacks. */
static int fail_device(const struct rdma_place *place, const char *what, int error,
                       struct ce_rdma_result *result)
{
    if (access(verbs_folder, F_OK) < 0)
        return ce_rdma_fail(result, CE_RDMA_DEVICE,
                            "there is no %s here: load ib_uverbs, or give it to the container",
                            verbs_folder);
    return ce_rdma_fail(result, CE_RDMA_DEVICE, "%s %.60s: %s", what, place->device,
                        strerror(error));
}

static struct ibv_context *open_device(const struct rdma_place *place,
                                       struct ce_rdma_result *result)
{
    struct ibv_context *context = NULL;
    int count = 0, error = ENODEV;
    struct ibv_device **devices = ibv_get_device_list(&count);
    for (int i = 0; devices && i < count; i++)
        if (strcmp(ibv_get_device_name(devices[i]), place->device) == 0) {
            errno = 0;
            context = ibv_open_device(devices[i]);
            error = errno ? errno : EIO;
            break;
        }
    if (!context)
        fail_device(place, "libibverbs cannot open", error, result);
    if (devices)
        ibv_free_device_list(devices);
    return context;
}

/* Memory that a device writes is locked, and so are the queues that it reads. */
static int fail_locked(const struct rdma_port *port, const char *what, int error,
                       struct ce_rdma_result *result)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    if ((error == ENOMEM || error == EPERM || error == EAGAIN) && limit.rlim_cur != RLIM_INFINITY)
        return ce_rdma_fail(result, CE_RDMA_MEMLOCK,
                            "only %llu KiB of memory may be locked, expected unlimited: "
                            "LimitMEMLOCK=infinity in slurmd's unit, or ulimit -l unlimited",
                            (unsigned long long)limit.rlim_cur / 1024);
    return ce_rdma_fail(result, CE_RDMA_DEVICE, "cannot %s on %.60s: %s", what, port->place.device,
                        strerror(error));
}

static int open_memory(struct rdma_port *port, struct ce_rdma_result *result)
{
    const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    void *memory = NULL;
    if (posix_memalign(&memory, PAGE, RDMA_MEMORY) != 0)
        return ce_rdma_fail(result, CE_RDMA_DEVICE, "no memory");
    port->memory = memory;
    memset(memory, 0, RDMA_MEMORY);
    port->mr = ibv_reg_mr(port->pd, memory, RDMA_MEMORY, access);
    if (!port->mr)
        return fail_locked(port, "register memory", errno, result);
    return port->place.gpu ? rdma_gpu_register(&port->gpu, port->pd, port->place.device, result) : 0;
}

static int open_queues(struct rdma_port *port, struct ce_rdma_result *result)
{
    port->cq = ibv_create_cq(port->context, RDMA_DEPTH, NULL, NULL, 0);
    if (!port->cq)
        return fail_locked(port, "make a completion queue", errno, result);
    struct ibv_qp_init_attr wanted = {
        .send_cq = port->cq,
        .recv_cq = port->cq,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = RDMA_DEPTH,
                .max_recv_wr = 1,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = FLAG_BYTES},
    };
    port->qp = ibv_create_qp(port->pd, &wanted);
    if (!port->qp)
        return fail_locked(port, "make a queue pair", errno, result);
    struct ibv_qp_attr first = {.qp_state = IBV_QPS_INIT,
                                .port_num = (uint8_t)port->place.port,
                                .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
    int error = ibv_modify_qp(port->qp, &first,
                              IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    return error ? fail_locked(port, "prepare a queue pair", error, result) : 0;
}

static enum ce_link_layer link_layer_of(const struct ibv_port_attr *attributes)
{
    return attributes->link_layer == IBV_LINK_LAYER_ETHERNET ? CE_LINK_ETHERNET
                                                             : CE_LINK_INFINIBAND;
}

/* What the other end has to know of this one. */
static int describe(struct rdma_port *port, struct ce_rdma_result *result)
{
    struct ibv_port_attr attributes;
    union ibv_gid gid;
    uint32_t packet = 0;
    int error = ibv_query_port(port->context, (uint8_t)port->place.port, &attributes);
    if (error)
        return fail_device(&port->place, "cannot ask for the port of", error, result);
    if (ibv_query_gid(port->context, (uint8_t)port->place.port, (int)port->place.gid, &gid) != 0)
        return ce_rdma_fail(result, CE_RDMA_DEVICE, "cannot read GID %u of %.60s", port->place.gid,
                            port->place.device);
    if (getrandom(&packet, sizeof packet, GRND_NONBLOCK) < 0)
        packet = (uint32_t)getpid(); /* any will do that is not that of the last connection */
    struct ce_rdma_end *own = &port->own;
    own->link_layer = link_layer_of(&attributes);
    own->lid = attributes.lid;
    own->mtu = (uint32_t)attributes.active_mtu;
    own->queue_pair = port->qp->qp_num;
    own->packet = packet % PACKETS;
    memcpy(own->gid, gid.raw, sizeof own->gid);
    own->address = (uintptr_t)port->memory;
    own->key = port->mr->rkey;
    own->room = RDMA_MEMORY;
    own->gpu = port->gpu.mr != NULL;
    own->gpu_address = port->gpu.address;
    own->gpu_key = own->gpu ? port->gpu.mr->rkey : 0;
    return 0;
}

int rdma_port_open(struct rdma_port *port, const struct rdma_place *place, unsigned ours,
                   struct ce_rdma_result *result)
{
    *port = (struct rdma_port){.place = *place, .gpu.way = ""};
    if (place->gpu && rdma_gpu_open(&port->gpu, place->gpu, ours, RDMA_FLAG, result) < 0)
        return -1;
    port->context = open_device(place, result);
    if (!port->context || rdma_port_check(port, "", result) < 0)
        return -1;
    port->pd = ibv_alloc_pd(port->context);
    if (!port->pd)
        return fail_device(place, "no protection domain on", errno, result);
    if (open_memory(port, result) < 0 || open_queues(port, result) < 0)
        return -1;
    return describe(port, result);
}

void rdma_port_close(struct rdma_port *port)
{
    if (port->qp)
        ibv_destroy_qp(port->qp);
    if (port->cq)
        ibv_destroy_cq(port->cq);
    if (port->mr)
        ibv_dereg_mr(port->mr);
    rdma_gpu_close(&port->gpu);
    if (port->pd)
        ibv_dealloc_pd(port->pd);
    if (port->context)
        ibv_close_device(port->context);
    free(port->memory);
    *port = (struct rdma_port){.context = NULL};
}

int rdma_port_check(const struct rdma_port *port, const char *more, struct ce_rdma_result *result)
{
    struct ibv_port_attr attributes;
    int error = ibv_query_port(port->context, (uint8_t)port->place.port, &attributes);
    if (error)
        return fail_device(&port->place, "cannot ask for the port of", error, result);
    if (attributes.state == IBV_PORT_ACTIVE)
        return 0;
    return ce_rdma_fail(result, CE_RDMA_PORT, "%s (%s)%s, expected ACTIVE",
                        ce_hca_state_name(attributes.state),
                        ce_hca_phys_name(attributes.phys_state), more);
}

/* ---------------------------------------------------------------- connecting */

unsigned rdma_port_mtu(const struct rdma_port *port)
{
    uint32_t mtu = port->own.mtu < port->other.mtu ? port->own.mtu : port->other.mtu;
    return 128U << mtu;
}

/* RoCE always has addresses; InfiniBand only between subnets, or without LIDs. */
static struct ibv_ah_attr path_to(const struct rdma_port *port)
{
    const struct ce_rdma_end *own = &port->own, *other = &port->other;
    const size_t subnet = sizeof own->gid / 2;
    struct ibv_ah_attr path = {.dlid = (uint16_t)other->lid,
                               .port_num = (uint8_t)port->place.port};
    path.is_global = own->link_layer == CE_LINK_ETHERNET || !other->lid ||
                     memcmp(own->gid, other->gid, subnet) != 0;
    memcpy(path.grh.dgid.raw, other->gid, sizeof other->gid);
    path.grh.sgid_index = (uint8_t)port->place.gid;
    path.grh.hop_limit = HOPS;
    return path;
}

static int make_ready_to_receive(struct rdma_port *port)
{
    struct ibv_qp_attr attributes = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = port->own.mtu < port->other.mtu ? port->own.mtu : port->other.mtu,
        .dest_qp_num = port->other.queue_pair,
        .rq_psn = port->other.packet,
        .max_dest_rd_atomic = 1,
        .min_rnr_timer = 12,
        .ah_attr = path_to(port),
    };
    return ibv_modify_qp(port->qp, &attributes,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                             IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int make_ready_to_send(struct rdma_port *port)
{
    struct ibv_qp_attr attributes = {
        .qp_state = IBV_QPS_RTS,
        .timeout = ACK_TIMEOUT,
        .retry_cnt = RETRIES,
        .rnr_retry = RETRIES,
        .sq_psn = port->own.packet,
        .max_rd_atomic = 1,
    };
    return ibv_modify_qp(port->qp, &attributes,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                             IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int rdma_port_connect(struct rdma_port *port, const struct ce_rdma_end *other,
                      struct ce_rdma_result *result)
{
    port->other = *other;
    if (other->link_layer != port->own.link_layer)
        return ce_rdma_fail(result, CE_RDMA_PEER, "this end is %s, the other one %s",
                            ce_link_layer_name(port->own.link_layer),
                            ce_link_layer_name(other->link_layer));
    if (other->room < RDMA_MEMORY)
        return ce_rdma_fail(result, CE_RDMA_PEER, "the other end has too little memory: %u bytes",
                            other->room);
    int error = make_ready_to_receive(port);
    if (!error)
        error = make_ready_to_send(port);
    return error ? ce_rdma_fail(result, CE_RDMA_WRITE, "no path to the other end: %s",
                                strerror(error))
                 : 0;
}
