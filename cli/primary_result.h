/* SPDX-License-Identifier: Apache-2.0 */
/* A command whose failure is not the step's: what --primary-result makes of all ranks but 0. */
#ifndef CE_CLI_PRIMARY_RESULT_H
#define CE_CLI_PRIMARY_RESULT_H

#include "base/error.h"

/* Run it as a child to its end; signals that arrive here are handed on to it, and it does not outlive
 * this process.  0 and *ret_status, as waitpid() gives it; -1 with err. */
int ce_run_aside(char *const *argv, int *ret_status, struct ce_error *err);

#endif
