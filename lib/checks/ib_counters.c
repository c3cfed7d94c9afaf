/* SPDX-License-Identifier: Apache-2.0 */
/* What the counters of the rails did between the prolog and the epilog of a job.  Totals are never
 * judged: they begin at the boot, and a boot itself brings a link down once or twice. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/check.h"

/* A shorter job makes a rate of a few errors look great. */
enum { RATE_MIN_SECONDS = 60 };

/* Over the whole job, or by the minute: the check's limit (checks/limit.h, after NVSentinel's design of
 * NIC health) is the most that is well. */
static const enum rule { FAULT, ODD, ODD_RATE } rules[CE_COUNTERS] = {
    [CE_COUNTER_LINK_DOWNED] = FAULT,
    [CE_COUNTER_LOCAL_LINK_INTEGRITY] = FAULT,
    [CE_COUNTER_BUFFER_OVERRUN] = FAULT,
    [CE_COUNTER_RNR_NAK_RETRY] = FAULT,
    [CE_COUNTER_LINK_ERROR_RECOVERY] = ODD_RATE,
    [CE_COUNTER_SYMBOL_ERROR] = ODD_RATE,
    [CE_COUNTER_RCV_ERRORS] = ODD_RATE,
    [CE_COUNTER_XMIT_DISCARDS] = ODD_RATE,
    [CE_COUNTER_OUT_OF_SEQUENCE] = ODD_RATE,
    [CE_COUNTER_ACK_TIMEOUT] = ODD_RATE,
    [CE_COUNTER_ROCE_SLOW_RESTART] = ODD_RATE,
    [CE_COUNTER_CARRIER_CHANGES] = ODD,
};

/* The same port before the job; NULL: it was not there, or another card was. */
static const struct ce_hca_port *find_before(const struct ce_check_view *view,
                                             const struct ce_check_port *rail)
{
    const struct ce_hca *hca = ce_node_find_hca(view->before, rail->hca->name);
    if (!hca || strcmp(hca->pci.address, rail->hca->pci.address) != 0)
        return NULL;
    for (size_t i = 0; i < hca->port_count; i++)
        if (hca->ports[i].number == rail->port->number)
            return &hca->ports[i];
    return NULL;
}

static void judge_rate(const struct ce_check_view *view, enum ce_counter counter, uint64_t delta,
                       const char *subject, struct ce_findings *out)
{
    double rate = view->seconds > 0 ? (double)delta / view->seconds : 0, most = view->limit / 60.0;
    if (delta == 0)
        ce_findings_add(out, CE_PASS, subject, "+0");
    else if (view->seconds < RATE_MIN_SECONDS)
        ce_findings_add(out, CE_SKIP, subject, "+%" PRIu64 " in %.0f s: too short for a rate",
                        delta, view->seconds);
    else if (rate > most)
        ce_findings_add(out, CE_WARN, subject,
                        "%s +%" PRIu64 " during the job, %.3g/s, expected at most %.3g/s",
                        ce_counter_kinds[counter].name, delta, rate, most);
    else
        ce_findings_add(out, CE_PASS, subject, "+%" PRIu64 ", %.3g/s", delta, rate);
}

static void judge_delta(const struct ce_check_view *view, enum ce_counter counter, uint64_t delta,
                        const char *subject, struct ce_findings *out)
{
    const char *name = ce_counter_kinds[counter].name;
    char most[48] = "";
    if (view->limit)
        snprintf(most, sizeof most, ", expected at most +%" PRIu32, view->limit);
    if (rules[counter] == ODD_RATE)
        judge_rate(view, counter, delta, subject, out);
    else if (delta > view->limit)
        ce_findings_add(out, rules[counter] == FAULT ? CE_FAIL : CE_WARN, subject,
                        "%s +%" PRIu64 " during the job%s", name, delta, most);
    else
        ce_findings_add(out, CE_PASS, subject, "+%" PRIu64, delta);
}

static void judge_port(const struct ce_check_view *view, enum ce_counter counter,
                       const struct ce_check_port *rail, struct ce_findings *out)
{
    char subject[CE_SUBJECT];
    const struct ce_counters *now = &rail->port->counters;
    const struct ce_hca_port *port = find_before(view, rail);
    snprintf(subject, sizeof subject, "%.50s/%u", rail->hca->name, rail->port->number);
    if (!port)
        ce_findings_add(out, CE_UNKNOWN, subject, "it was not there before the job");
    else if (!ce_counter_known(now, counter) && !ce_counter_known(&port->counters, counter))
        ce_findings_add(out, CE_SKIP, subject, "it has no such counter");
    else if (!ce_counter_known(now, counter) || !ce_counter_known(&port->counters, counter))
        ce_findings_add(out, CE_UNKNOWN, subject, "its counter could not be read");
    else if (now->value[counter] < port->counters.value[counter])
        ce_findings_add(out, CE_UNKNOWN, subject,
                        "%" PRIu64 ", was %" PRIu64 ": reset during the job", now->value[counter],
                        port->counters.value[counter]);
    else if (ce_counter_saturated(&port->counters, counter))
        ce_findings_add(out, CE_UNKNOWN, subject, "saturated at %" PRIu64 ": it counts no more",
                        now->value[counter]);
    else
        judge_delta(view, counter, now->value[counter] - port->counters.value[counter], subject,
                    out);
}

static void judge(const struct ce_check_view *view, enum ce_counter counter,
                  struct ce_findings *out)
{
    if (!view->rail_count)
        ce_findings_add(out, CE_SKIP, "", "there is no rail");
    else if (!view->before)
        ce_findings_add(out, CE_UNKNOWN, "", "there is no baseline of before the job");
    for (size_t i = 0; view->before && i < view->rail_count; i++)
        judge_port(view, counter, &view->rails[i], out);
}

#define JUDGE(function, counter)                                                                   \
    static void function(const struct ce_check_view *view, struct ce_findings *out)                \
    {                                                                                              \
        judge(view, counter, out);                                                                 \
    }
JUDGE(judge_link_downed, CE_COUNTER_LINK_DOWNED)
JUDGE(judge_link_integrity, CE_COUNTER_LOCAL_LINK_INTEGRITY)
JUDGE(judge_buffer_overrun, CE_COUNTER_BUFFER_OVERRUN)
JUDGE(judge_rnr_nak_retry, CE_COUNTER_RNR_NAK_RETRY)
JUDGE(judge_error_recovery, CE_COUNTER_LINK_ERROR_RECOVERY)
JUDGE(judge_symbol_error, CE_COUNTER_SYMBOL_ERROR)
JUDGE(judge_rcv_errors, CE_COUNTER_RCV_ERRORS)
JUDGE(judge_xmit_discards, CE_COUNTER_XMIT_DISCARDS)
JUDGE(judge_out_of_sequence, CE_COUNTER_OUT_OF_SEQUENCE)
JUDGE(judge_ack_timeout, CE_COUNTER_ACK_TIMEOUT)
JUDGE(judge_slow_restart, CE_COUNTER_ROCE_SLOW_RESTART)
JUDGE(judge_carrier_changes, CE_COUNTER_CARRIER_CHANGES)

/* Saturated and reset counters are the usual case on healthy machines: their "unknown" is told by
 * nobody but `check`.  A missing baseline has its note. */
#define ROW(name, fault, remedy, doc, judge)                                                       \
    {                                                                                              \
        "ib.counter." name, CE_EPILOG, fault, CE_IGNORE, CE_DETAILED, "port", remedy, doc, judge         \
    }

const struct ce_check ce_ib_counter_checks[] = {
    ROW("link_downed", CE_DRAIN, "the link went down: check cable and switch port",
        "no rail lost its link during the job", judge_link_downed),
    ROW("local_link_integrity_errors", CE_DRAIN, "reseat or exchange the cable",
        "no rail had bursts of physical errors during the job", judge_link_integrity),
    ROW("excessive_buffer_overrun_errors", CE_DRAIN, "check the switch port, then exchange the HCA",
        "no rail's buffers overran during the job", judge_buffer_overrun),
    ROW("rnr_nak_retry_err", CE_TELL, "look at the job's own receivers first",
        "no rail gave up on a receiver that was not ready", judge_rnr_nak_retry),
    ROW("link_error_recovery", CE_TELL, "reseat or exchange the cable",
        "no rail retrained its link again and again", judge_error_recovery),
    ROW("symbol_error", CE_TELL, "reseat or exchange the cable",
        "symbol errors that were not corrected stay rare", judge_symbol_error),
    ROW("port_rcv_errors", CE_TELL, "reseat or exchange the cable", "packets with errors stay rare",
        judge_rcv_errors),
    ROW("port_xmit_discards", CE_TELL, "look for congestion, or a path of the fabric that is gone",
        "packets that could not be sent stay rare", judge_xmit_discards),
    ROW("out_of_sequence", CE_TELL, "look for packet loss in the fabric",
        "packets out of sequence stay rare", judge_out_of_sequence),
    ROW("local_ack_timeout_err", CE_TELL, "look for packet loss in the fabric",
        "requests without an answer stay rare", judge_ack_timeout),
    ROW("roce_slow_restart", CE_TELL, "look at flow control (PFC, ECN) of the switch port",
        "RoCE connections that start again slowly stay rare", judge_slow_restart),
    ROW("carrier_changes", CE_TELL, "check cable and switch port",
        "no rail's interface lost its carrier again and again", judge_carrier_changes),
};
const size_t ce_ib_counter_check_count = sizeof ce_ib_counter_checks / sizeof *ce_ib_counter_checks;
