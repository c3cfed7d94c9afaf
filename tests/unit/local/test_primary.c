/* SPDX-License-Identifier: Apache-2.0 */
#include "local/primary.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"

static struct ce_address address_of(const char *text)
{
    struct ce_address address;
    assert_int_equal(ce_address_parse(text, &address), 0);
    return address;
}

/* A socket that listens on a free port of the loopback address. */
static int listen_somewhere(uint32_t *port)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof in;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&in, length), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &length), 0);
    *port = ntohs(in.sin_port);
    return fd;
}

static void a_port_is_taken_while_somebody_listens(void **state)
{
    const struct ce_address loopback = address_of("127.0.0.1");
    uint32_t port;
    (void)state;
    int fd = listen_somewhere(&port);
    enum ce_primary taken = ce_primary_check(&loopback, port);
    close(fd);
    assert_int_equal(taken, CE_PRIMARY_PORT_TAKEN);
    assert_int_equal(ce_primary_check(&loopback, port), CE_PRIMARY_OK);
}

static void looking_does_not_take_the_port(void **state)
{
    const struct ce_address loopback = address_of("127.0.0.1");
    uint32_t port;
    (void)state;
    close(listen_somewhere(&port));
    for (int i = 0; i < 3; i++)
        assert_int_equal(ce_primary_check(&loopback, port), CE_PRIMARY_OK);
}

/* Addresses set aside for documentation: no machine has them. */
static void an_address_of_another_machine_is_not_ours(void **state)
{
    const struct ce_address address = address_of("192.0.2.1");
    (void)state;
    assert_int_equal(ce_primary_check(&address, 61000), CE_PRIMARY_NOT_OURS);
}

static void an_ipv6_address_of_another_machine_is_not_ours(void **state)
{
    const struct ce_address address = address_of("2001:db8::1");
    (void)state;
    assert_int_equal(ce_primary_check(&address, 61000), CE_PRIMARY_NOT_OURS);
}

static void ports_of_root_are_forbidden_to_others(void **state)
{
    const struct ce_address loopback = address_of("127.0.0.1");
    int status = 0;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && setuid(65534) < 0)
            _exit(99);
        _exit(ce_primary_check(&loopback, 1));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CE_PRIMARY_PORT_FORBIDDEN);
}

/* Some machines let everybody have all ports, or have no IPv6. */
static const char *cannot_forbid(void)
{
    char text[16] = "1024";
    int fd = open("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(fd);
    return atoi(text) <= 1 ? "this machine forbids no port" : NULL;
}

static bool has_ipv6(void)
{
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&in6, sizeof in6) == 0;
    close(fd);
    return has;
}

static void ipv6_loopback_is_ours(void **state)
{
    const struct ce_address loopback = address_of("::1");
    uint32_t port;
    (void)state;
    close(listen_somewhere(&port));
    assert_int_equal(ce_primary_check(&loopback, port), CE_PRIMARY_OK);
}

int main(void)
{
    UNIT_RULE(a_port_is_taken_while_somebody_listens);
    UNIT_RULE(looking_does_not_take_the_port);
    const char *no_ipv6 = has_ipv6() ? NULL : "this machine has no IPv6";
    UNIT_RULE(an_address_of_another_machine_is_not_ours);
    UNIT_RULE_UNLESS(no_ipv6, an_ipv6_address_of_another_machine_is_not_ours);
    UNIT_RULE_UNLESS(cannot_forbid(), ports_of_root_are_forbidden_to_others);
    UNIT_RULE_UNLESS(no_ipv6, ipv6_loopback_is_ours);
    return UNIT_RUN("local/primary");
}
