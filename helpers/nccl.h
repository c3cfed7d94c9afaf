/* SPDX-License-Identifier: Apache-2.0 */
/* The part of NCCL's interface (libnccl.so.2) that bench-nccl uses: our own declarations, so that it
 * builds where NVIDIA's header is not; tests/build/nccl_header.sh holds them against that header
 * where one is found.  The library is loaded, never linked. */
#ifndef CE_HELPERS_NCCL_H
#define CE_HELPERS_NCCL_H

#include <stddef.h>

#include "base/error.h"

enum { NC_OK = 0, NC_REMOTE_ERROR = 6, NC_IN_PROGRESS = 7 };
enum { NC_FLOAT = 7 }; /* of ncclDataType_t */
enum { NC_SUM = 0 };   /* of ncclRedOp_t */
enum { NC_UNIQUE_ID = 128, NC_MAJOR = 2 };

#ifndef NC_TYPES_OF_VENDOR /* the test puts NVIDIA's in their place */
typedef unsigned nc_result;
typedef unsigned nc_type;
typedef unsigned nc_operation;
typedef struct ncclComm *nc_comm;
typedef struct CUstream_st *nc_stream;
typedef struct {
    char internal[NC_UNIQUE_ID];
} nc_id;
#endif

/* Which of them NCCL has to have. */
enum nc_need { NC_NEEDED, NC_OPTIONAL };

/* Our name, the symbol, its parameters. */
#define NC_FUNCTIONS(F)                                                                            \
    F(NC_NEEDED, nc_result, version, ncclGetVersion, (int *))                                      \
    F(NC_NEEDED, const char *, error_string, ncclGetErrorString, (nc_result))                      \
    F(NC_NEEDED, nc_result, unique_id, ncclGetUniqueId, (nc_id *))                                 \
    F(NC_NEEDED, nc_result, init_rank, ncclCommInitRank, (nc_comm *, int, nc_id, int))             \
    F(NC_NEEDED, nc_result, async_error, ncclCommGetAsyncError, (nc_comm, nc_result *))            \
    F(NC_NEEDED, nc_result, destroy, ncclCommDestroy, (nc_comm))                                   \
    F(NC_NEEDED, nc_result, abort, ncclCommAbort, (nc_comm))                                       \
    F(NC_NEEDED, nc_result, group_start, ncclGroupStart, (void))                                   \
    F(NC_NEEDED, nc_result, group_end, ncclGroupEnd, (void))                                       \
    F(NC_NEEDED, nc_result, all_reduce, ncclAllReduce,                                             \
      (const void *, void *, size_t, nc_type, nc_operation, nc_comm, nc_stream))                   \
    F(NC_OPTIONAL, const char *, last_error, ncclGetLastError, (nc_comm)) /* since 2.13 */

#define NC_MEMBER(need, type, member, symbol, parameters) type(*member) parameters;
struct nccl {
    NC_FUNCTIONS(NC_MEMBER)
};
#undef NC_MEMBER

enum nccl_loaded {
    NCCL_LOADED,
    NCCL_ABSENT,  /* there is no such library here */
    NCCL_LACKING, /* there is, without a function that we need, or of another major version */
};
/* Load the library of this path, or libnccl.so.2 where the loader finds it (NULL), and fill in the
 * table; else err says why not. */
enum nccl_loaded nccl_load(const char *path, struct nccl *ret, int *version, struct ce_error *err);

/* "unhandled system error (2): ncclNet connect failed" */
const char *nccl_word(const struct nccl *nccl, nc_result code, char *text, size_t size);

#endif
