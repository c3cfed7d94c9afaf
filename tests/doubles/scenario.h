/* SPDX-License-Identifier: Apache-2.0 */
/* What the doubles of NVIDIA's libraries say: a file with a line "KEY=VALUE" for each answer; the form is
 * that of nvml/README.md. */
#ifndef CE_TESTS_SCENARIO_H
#define CE_TESTS_SCENARIO_H

/* Reads the file, in place of what was read before; NULL, or one that cannot be read: no line. */
void scenario_load(const char *path);

/* The value of the last line whose pattern fits, to be used before the next question; NULL: there is none. */
const char *scenario_find(const char *key);

/* Delays, hangs and crashes happen here.  0, and in *rest (may be NULL) what stands behind them; else the
 * error that the value is. */
int scenario_act(const char *value, const char **rest);

#endif
