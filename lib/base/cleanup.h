/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanup attributes for locals.  Declare with the safe empty value; hand a value out by clearing
 * the local with ce_steal().  Objects with create/destroy define their own in their header. */
#ifndef CE_BASE_CLEANUP_H
#define CE_BASE_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void ce_cleanup_free(void *p)
{
    int saved = errno;
    free(*(void **)p);
    errno = saved;
}

static inline void ce_cleanup_close(const int *fd)
{
    int saved = errno;
    if (*fd >= 0)
        close(*fd);
    errno = saved;
}

static inline void ce_cleanup_fclose(FILE **file)
{
    if (*file)
        fclose(*file);
}

#define ce_autofree __attribute__((cleanup(ce_cleanup_free)))
#define ce_autoclose __attribute__((cleanup(ce_cleanup_close)))
#define ce_autofclose __attribute__((cleanup(ce_cleanup_fclose)))

/* Define the cleanup function of an object type: CE_DEFINE_CLEANUP(struct ce_book, ce_book_destroy)
 * makes ce_auto(ce_book_destroy) usable on a `struct ce_book *` local. */
#define CE_DEFINE_CLEANUP(type, destroy)                                                           \
    static inline void destroy##_cleanup(type **object)                                            \
    {                                                                                              \
        destroy(*object);                                                                          \
    }
#define ce_auto(destroy) __attribute__((cleanup(destroy##_cleanup)))

/* Give the pointer out of the local's care. */
#define ce_steal(local)                                                                            \
    (__extension__({                                                                               \
        __typeof__(local) ce_stolen_ = (local);                                                    \
        (local) = NULL;                                                                            \
        ce_stolen_;                                                                                \
    }))

#endif
