/* SPDX-License-Identifier: Apache-2.0 */
/* InfiniBand and RoCE links. */
#include <stdio.h>

#include "checks/check.h"

static const char *name_port(const struct ce_check_port *rail, char subject[CE_SUBJECT])
{
    snprintf(subject, CE_SUBJECT, "%.50s/%u", rail->hca->name, rail->port->number);
    return subject;
}

/* More than expected is no fault of the node: the configuration is behind. */
static void judge_count(const struct ce_check_view *view, struct ce_findings *out)
{
    size_t found = view->rail_count, expected = view->expected.count;
    if (!expected) {
        ce_findings_add(out, CE_SKIP, "",
                        "no number of rails is expected (rails.count in cluster-env.conf)");
    } else if (view->rails_unsure) {
        ce_findings_add(out, CE_UNKNOWN, "", "%s", view->rails_unsure);
    } else if (found > expected) {
        ce_findings_add(out, CE_WARN, "", "%zu rails, expected %zu", found, expected);
        ce_findings_remedy(out, "correct rails.count in cluster-env.conf");
    } else {
        ce_findings_add(out, found < expected ? CE_FAIL : CE_PASS, "", "%zu rail%s, expected %zu",
                        found, found == 1 ? "" : "s", expected);
    }
}

/* Where there is no rail to look at: why. */
static bool has_rails(const struct ce_check_view *view, struct ce_findings *out)
{
    if (view->rails_unsure)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", view->rails_unsure);
    else if (!view->rail_count)
        ce_findings_add(out, CE_SKIP, "", "there are no rails");
    return view->rail_count > 0;
}

/* A link that is there, but was given no address: the cable is well, and no subnet manager came. */
static bool waits_for_subnet_manager(const struct ce_hca_port *port)
{
    return port->link_layer == CE_LINK_INFINIBAND && port->phys_state == CE_PHYS_LINK_UP &&
           (port->state == CE_PORT_INIT || port->state == CE_PORT_ARMED);
}

static void judge_one_state(const struct ce_check_port *rail, struct ce_findings *out)
{
    const struct ce_hca_port *port = rail->port;
    char subject[CE_SUBJECT];
    name_port(rail, subject);
    if (port->state == 0) {
        ce_findings_add(out, CE_UNKNOWN, subject, "its state cannot be read");
    } else if (port->state == CE_PORT_ACTIVE) {
        ce_findings_add(out, CE_PASS, subject, "ACTIVE");
    } else {
        ce_findings_add(out, CE_FAIL, subject, "%s (%s), expected ACTIVE",
                        ce_hca_state_name(port->state), ce_hca_phys_name(port->phys_state));
        if (waits_for_subnet_manager(port))
            ce_findings_remedy(out, "the link is up: check the subnet manager");
        else if (port->phys_state == CE_PHYS_DISABLED)
            ce_findings_remedy(out, "somebody disabled the port: enable it");
    }
}

static void judge_state(const struct ce_check_view *view, struct ce_findings *out)
{
    if (has_rails(view, out))
        for (size_t i = 0; i < view->rail_count; i++)
            judge_one_state(&view->rails[i], out);
}

/* The rate that most active rails have: what siblings agree on where nothing is expected. */
static unsigned usual_rate(const struct ce_check_view *view)
{
    unsigned best = 0;
    size_t most = 0;
    for (size_t i = 0; i < view->rail_count; i++) {
        size_t equal = 0;
        for (size_t k = 0; k < view->rail_count; k++)
            equal += view->rails[k].port->state == CE_PORT_ACTIVE &&
                     view->rails[k].port->rate_mbps == view->rails[i].port->rate_mbps;
        if (equal > most) {
            most = equal;
            best = view->rails[i].port->rate_mbps;
        }
    }
    return 2 * most > view->rail_count ? best : 0;
}

/* Fewer lanes and a slower signal are different faults: a lane is a contact, a speed a cable or a
 * setting. */
static const char *tell_width(const struct ce_hca_port *port, char text[40])
{
    if (port->width)
        snprintf(text, 40, " (%uX: %s)", port->width,
                 port->width < 4 ? "lanes are missing" : "lower speed");
    return port->width ? text : "";
}

/* Siblings alone never do more than warn. */
static void judge_one_rate(const struct ce_check_port *rail, unsigned expected, bool sure,
                           struct ce_findings *out)
{
    const struct ce_hca_port *port = rail->port;
    char subject[CE_SUBJECT], width[40];
    name_port(rail, subject);
    if (!port->rate_mbps)
        ce_findings_add(out, CE_UNKNOWN, subject, "its rate cannot be read");
    else if (!expected || port->rate_mbps >= expected)
        ce_findings_add(out, CE_PASS, subject, "%g Gb/s", port->rate_mbps / 1000.0);
    else
        ce_findings_add(out, sure ? CE_FAIL : CE_WARN, subject, "%g Gb/s%s, %s %g Gb/s",
                        port->rate_mbps / 1000.0, tell_width(port, width),
                        sure ? "expected" : "its siblings have", expected / 1000.0);
}

static void judge_rate(const struct ce_check_view *view, struct ce_findings *out)
{
    bool sure = view->expected.rate_gbps > 0;
    unsigned expected = sure ? view->expected.rate_gbps * 1000 : usual_rate(view);
    size_t before = out->count;
    if (!has_rails(view, out))
        return;
    for (size_t i = 0; i < view->rail_count; i++)
        if (view->rails[i].port->state == CE_PORT_ACTIVE)
            judge_one_rate(&view->rails[i], expected, sure, out);
    if (out->count == before) /* sysfs shows a rate for a port that is down, which means nothing */
        ce_findings_add(out, CE_SKIP, "", "no rail is ACTIVE");
}

static void judge_link_layer(const struct ce_check_view *view, struct ce_findings *out)
{
    char subject[CE_SUBJECT];
    if (!has_rails(view, out))
        return;
    if (!view->expected.link_layer) {
        ce_findings_add(out, CE_SKIP, "",
                        "no link layer is expected (rails.link_layer in cluster-env.conf)");
        return;
    }
    for (size_t i = 0; i < view->rail_count; i++) {
        enum ce_link_layer found = view->rails[i].port->link_layer;
        name_port(&view->rails[i], subject);
        if (!found)
            ce_findings_add(out, CE_UNKNOWN, subject, "its link layer cannot be read");
        else if (found == view->expected.link_layer)
            ce_findings_add(out, CE_PASS, subject, "%s", ce_link_layer_name(found));
        else
            ce_findings_add(out, CE_FAIL, subject, "%s, expected %s", ce_link_layer_name(found),
                            ce_link_layer_name(view->expected.link_layer));
    }
}

const struct ce_check ce_ib_checks[] = {
    {"ib.rail.count", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "rail",
     "look for an HCA that is missing on the PCI bus, then power-cycle the node",
     "the node has as many rails as expected", judge_count},
    {"ib.port.state", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, CE_RECOVERABLE, "port",
     "check cable and switch port", "every rail is ACTIVE", judge_state},
    {"ib.port.rate", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, CE_RECOVERABLE, "port",
     "reseat or exchange the cable", "every rail has its rate: no lane or speed is missing",
     judge_rate},
    {"ib.port.link_layer", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "port",
     "set the HCA's link type with mlxconfig", "every rail has the expected link layer",
     judge_link_layer},
};
const size_t ce_ib_check_count = sizeof ce_ib_checks / sizeof *ce_ib_checks;
