/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds the plugin in these tests: the recordings, and for each recorded node a run
 * directory with its three texts.  Each test has a fresh one. */
#ifndef CE_TESTS_WORLD_H
#define CE_TESTS_WORLD_H

#include <stddef.h>

#include "doubles/spank_host.h"

/* The texts in a run directory. */
#define WORLD_FACTS "node.facts"
#define WORLD_POLICY "node.policy"
#define WORLD_BOOK "hosts"

/* Setup and teardown of a test. */
int world_create(void **state);
int world_destroy(void **state);

/* The nodes that are in the address book, in another order than their ranks and names. */
extern const struct host_machine world_machines[];
const char *world_address(const char *node);

/* Parent of the run directories. */
const char *world_run_dir(void);

/* DIR/NODE/NAME in a buffer that the next call reuses. */
const char *world_path(const char *node, const char *name);
void world_write(const char *node, const char *name, const char *text);

/* A file in the directory that the job runs in, where its user may write; also in a buffer that the
 * next call reuses. */
const char *world_job_file(const char *name);

/* The three texts of a node, anew.  The interface is eth1, its address as in world_machines. */
void world_write_node(const struct host_machine *machine);
/* The same with more lines in its facts and its policy. */
void world_write_more(const struct host_machine *machine, const char *facts, const char *policy);

/* Give another address for a node in everybody's book, or (NULL) take the node out of it. */
void world_write_book(const char *node, const char *address);

/* A setup with the node's own run directories and everything else as usual. */
struct host_setup world_setup(const struct recording *recording);

/* All paths of recordings, sorted, up to a NULL; the test's for good. */
char **world_recordings(void);

/* The path of the first series' recording of that name ("srun-1x4"). */
const char *world_recording(const char *name);

/* Run a test on the recording of that name, of a step whose tasks see all GPUs: in each series, or,
 * where nothing can depend on that, in the first. */
void world_each_series(const char *name, void (*test)(struct recording *recording));
void world_one_series(const char *name, void (*test)(struct recording *recording));

#endif
