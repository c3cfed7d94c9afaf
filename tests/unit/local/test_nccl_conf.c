/* SPDX-License-Identifier: Apache-2.0 */
#include "local/nccl_conf.h"

#include <sys/mman.h>

#include "../unit_dir.h"
#include "../unit_env.h"
#include "../unit_work.h"

static struct unit_dir dir;

/* What a text (as the site's file) says of NCCL_SOCKET_IFNAME. */
static const struct sets_row {
    const char *name, *text;
    bool sets;
} texts[] = {
    {"a_line_sets_its_variable", "NCCL_SOCKET_IFNAME=eth0\n", true},
    {"the_last_line_need_not_end", "NCCL_SOCKET_IFNAME=eth0", true},
    {"a_later_line_sets_its_variable", "NCCL_DEBUG=INFO\n\nNCCL_SOCKET_IFNAME=eth0\n", true},
    {"a_line_of_a_dos_file_sets_its_variable", "NCCL_DEBUG=INFO\r\nNCCL_SOCKET_IFNAME=eth0\r\n",
     true},
    {"an_empty_value_is_set", "NCCL_SOCKET_IFNAME=\n", true},
    {"spaces_before_a_line_do_not_matter", "  \tNCCL_SOCKET_IFNAME=eth0\n", true},
    {"spaces_before_the_equals_sign_do_not_matter", "NCCL_SOCKET_IFNAME = eth0\n", true},
    {"a_comment_sets_nothing", "#NCCL_SOCKET_IFNAME=eth0\n# NCCL_SOCKET_IFNAME=eth0\n", false},
    {"a_longer_name_is_another", "NCCL_SOCKET_IFNAME_2=eth0\n", false},
    {"a_shorter_name_is_another", "NCCL_SOCKET=eth0\n", false},
    {"a_name_inside_a_value_sets_nothing", "X=NCCL_SOCKET_IFNAME=eth0\n", false},
    {"a_name_without_equals_sign_sets_nothing", "NCCL_SOCKET_IFNAME\neth0=1\n", false},
    {"a_name_cut_at_the_end_sets_nothing", "NCCL_SOCKET_IFNAM", false},
    {"small_letters_are_another_name", "nccl_socket_ifname=eth0\n", false},
    {"an_empty_file_sets_nothing", "", false},
    {"empty_lines_set_nothing", "\n\n \n", false},
};

static void sets(void **state)
{
    const struct sets_row *row = *state;
    const struct ce_nccl_conf conf = {.site = (char *)row->text};
    const char *path = ce_nccl_conf_sets(&conf, "NCCL_SOCKET_IFNAME");
    assert_int_equal(path != NULL, row->sets);
    if (path)
        assert_string_equal(path, CE_NCCL_SITE_CONF);
}

/* What NCCL itself reads of NCCL_IB_HCA. */
static const struct value_row {
    const char *name, *user, *site; /* NULL: there is no such file */
    const char *value;              /* NULL: NCCL reads none */
} values[] = {
    {"a_value_is_the_rest_of_the_line", NULL, "NCCL_IB_HCA=mlx5_0,mlx5_1\nNCCL_DEBUG=INFO\n",
     "mlx5_0,mlx5_1"},
    {"a_value_may_begin_with_an_equals_sign", NULL, "NCCL_IB_HCA==mlx5_0\n", "=mlx5_0"},
    {"a_value_may_be_empty", NULL, "NCCL_IB_HCA=\n", ""},
    {"the_last_value_need_not_end", NULL, "NCCL_DEBUG=INFO\nNCCL_IB_HCA=mlx5", "mlx5"},
    {"a_value_is_not_trimmed", NULL, "NCCL_IB_HCA= mlx5 \n", " mlx5 "},
    {"a_carriage_return_is_part_of_a_value", NULL, "NCCL_IB_HCA=mlx5\r\n", "mlx5\r"},
    {"a_blank_before_the_equals_sign_is_part_of_the_name", NULL, "NCCL_IB_HCA =mlx5\n", NULL},
    {"a_blank_before_the_name_is_part_of_it", NULL, " NCCL_IB_HCA=mlx5\n", NULL},
    {"a_comment_has_no_value", NULL, "#NCCL_IB_HCA=mlx5\n", NULL},
    {"another_name_has_another_value", NULL, "NCCL_IB_HCA_2=mlx5\nXNCCL_IB_HCA=mlx5\n", NULL},
    {"the_first_of_two_values_counts", NULL, "NCCL_IB_HCA=a\nNCCL_IB_HCA=b\n", "a"},
    {"the_users_value_comes_first", "NCCL_IB_HCA=a\n", "NCCL_IB_HCA=b\n", "a"},
    {"the_sites_value_counts_where_the_user_has_none", "NCCL_DEBUG=INFO\n", "NCCL_IB_HCA=b\n", "b"},
    {"without_files_there_is_no_value", NULL, NULL, NULL},
    {"an_empty_first_line_hides_no_value", NULL, "\nNCCL_IB_HCA=mlx5\n", "mlx5"},
    {"empty_first_lines_of_the_users_file_hide_no_value", "\n\n\nNCCL_IB_HCA=a\n", "\nNCCL_IB_HCA=b\n",
     "a"},
    {"a_file_of_empty_lines_has_no_value", "\n", "\n\n", NULL},
};

enum { WORK = 20 }; /* seconds; all of this takes less than one, without a sanitizer */

static void value(void **state)
{
    const struct value_row *row = *state;
    const struct ce_nccl_conf conf = {.site = (char *)row->site, .user = (char *)row->user};
    char found[CE_NCCL_CONF_VALUE] = "-";
    unit_limit_work(WORK);
    assert_int_equal(ce_nccl_conf_value(&conf, "NCCL_IB_HCA", found), row->value != NULL);
    unit_limit_work(0);
    assert_string_equal(found, row->value ? row->value : "-");
}

static void a_value_is_cut_where_nccl_cuts_it(void **state)
{
    char text[3000], found[CE_NCCL_CONF_VALUE];
    const struct ce_nccl_conf conf = {.site = text};
    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "NCCL_IB_HCA=", 12);
    text[sizeof text - 1] = '\0';
    assert_true(ce_nccl_conf_value(&conf, "NCCL_IB_HCA", found));
    assert_int_equal(strlen(found), 1023);
}

/* ---------------------------------------------------------------- every short text */

enum { SHORT = 4 };
static const char letters[] = "\n\r \t=N#x";

/* The text of that number; false: there are no more. */
static bool make_text(unsigned number, char text[SHORT + 1])
{
    size_t length = 0;
    for (; number > 0 && length < SHORT; number /= sizeof letters)
        if (number % sizeof letters)
            text[length++] = letters[number % sizeof letters - 1];
    text[length] = '\0';
    return number == 0;
}

/* The same answers, from the rule for one line; `loose`: with blanks around the name. */
static const char *value_in(const char *text, bool loose)
{
    for (size_t i = 0; text[i]; i++) {
        const char *at = text + i;
        if (i > 0 && text[i - 1] != '\n')
            continue;
        at += loose ? strspn(at, " \t\r") : 0;
        if (*at != 'N')
            continue;
        at += 1 + (loose ? strspn(at + 1, " \t") : 0);
        if (*at == '=')
            return at + 1;
    }
    return NULL;
}

static void check_answers(const struct ce_nccl_conf *conf, const char *site, const char *user)
{
    char value[CE_NCCL_CONF_VALUE] = "-", line[SHORT + 1];
    const char *found = user ? value_in(user, false) : NULL, *sets = ce_nccl_conf_sets(conf, "N");
    found = found || !site ? found : value_in(site, false);
    snprintf(line, sizeof line, "%.*s", found ? (int)strcspn(found, "\n") : 1, found ? found : "-");
    assert_int_equal(ce_nccl_conf_value(conf, "N", value), found != NULL);
    assert_string_equal(value, line);
    if (user && value_in(user, true))
        assert_ptr_equal(sets, conf->user_path);
    else if (site && value_in(site, true))
        assert_string_equal(sets, CE_NCCL_SITE_CONF);
    else
        assert_null(sets);
}

static void every_short_text_is_answered(void **state)
{
    char text[SHORT + 1];
    (void)state;
    unit_limit_work(WORK);
    for (unsigned i = 0; make_text(i, text); i++) {
        check_answers(&(struct ce_nccl_conf){.site = text}, text, NULL);
        check_answers(&(struct ce_nccl_conf){.user = text, .user_path = text}, NULL, text);
        check_answers(&(struct ce_nccl_conf){.site = text, .user = text, .user_path = text}, text, text);
    }
    unit_limit_work(0);
}

/* In memory: thousands of files take long on a disk. */
static int make_file(char path[64])
{
    int fd = memfd_create("nccl.conf", MFD_CLOEXEC);
    assert_true(fd >= 0);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void overwrite(int fd, const char *text)
{
    size_t length = strlen(text);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, text, length, 0), length);
}

static void every_short_file_is_read(void **state)
{
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    char text[SHORT + 1], site[64], user[64];
    int site_fd = make_file(site), user_fd = make_file(user);
    (void)state;
    unit_env_set(&array, "NCCL_CONF_FILE", user);
    unit_limit_work(WORK);
    for (unsigned i = 0; make_text(i, text); i++) {
        struct ce_nccl_conf conf;
        overwrite(site_fd, text);
        overwrite(user_fd, text);
        ce_nccl_conf_read(site, &env, &conf);
        check_answers(&conf, text, text);
        ce_nccl_conf_free(&conf);
    }
    unit_limit_work(0);
    unit_env_free(&array);
    close(site_fd);
    close(user_fd);
}

/* Which file of the user is read, and what is said of NCCL_DEBUG; "@" is the test's folder. */
static const struct user_row {
    const char *name, *conf_file, *home; /* NULL: not in the environment */
    const char *sets;                    /* NULL: no file sets it */
} users[] = {
    {"the_users_file_is_in_the_home_folder", NULL, "@/home", "@/home/.nccl.conf"},
    {"the_variable_names_another_file", "@/other.conf", "@/empty", "@/other.conf"},
    {"the_variable_comes_before_the_home_folder", "@/nothing.conf", "@/home", NULL},
    {"an_empty_variable_is_as_none", "", "@/home", "@/home/.nccl.conf"},
    {"a_home_folder_without_the_file_sets_nothing", NULL, "@/empty", NULL},
    {"no_home_folder_sets_nothing", NULL, NULL, NULL},
    {"an_empty_home_folder_sets_nothing", NULL, "", NULL},
    {"a_relative_home_folder_sets_nothing", NULL, "home", NULL},
    {"a_folder_as_file_sets_nothing", "@/home", NULL, NULL},
    {"a_fifo_as_file_sets_nothing_and_does_not_block", "@/fifo", NULL, NULL},
};

static const char *expand(const char *path, char *buf, size_t size)
{
    if (!path || *path != '@')
        return path;
    snprintf(buf, size, "%s%s", dir.path, path + 1);
    return buf;
}

static void user_file(void **state)
{
    const struct user_row *row = *state;
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    struct ce_nccl_conf conf;
    char path[200], no_site[200];
    if (row->conf_file)
        unit_env_set(&array, "NCCL_CONF_FILE", expand(row->conf_file, path, sizeof path));
    if (row->home)
        unit_env_set(&array, "HOME", expand(row->home, path, sizeof path));
    alarm(20); /* ends the program where a FIFO blocks */
    ce_nccl_conf_read(expand("@/no-site.conf", no_site, sizeof no_site), &env, &conf);
    alarm(0);
    assert_null(conf.site);
    const char *found = ce_nccl_conf_sets(&conf, "NCCL_DEBUG");
    assert_int_equal(found != NULL, row->sets != NULL);
    if (found)
        assert_string_equal(found, expand(row->sets, path, sizeof path));
    assert_null(ce_nccl_conf_sets(&conf, "NCCL_ALGO"));
    ce_nccl_conf_free(&conf);
    assert_null(conf.user_path);
    unit_env_free(&array);
}

static void both_files_count_and_the_users_is_named_first(void **state)
{
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    struct ce_nccl_conf conf;
    char home[200], site[200];
    (void)state;
    unit_env_set(&array, "HOME", expand("@/home", home, sizeof home));
    unit_dir_write(&dir, "site.conf", "NCCL_DEBUG=WARN\nNCCL_ALGO=Ring\n");
    ce_nccl_conf_read(expand("@/site.conf", site, sizeof site), &env, &conf);
    unit_holds(ce_nccl_conf_sets(&conf, "NCCL_DEBUG"), "/home/.nccl.conf");
    assert_string_equal(ce_nccl_conf_sets(&conf, "NCCL_ALGO"), CE_NCCL_SITE_CONF);
    assert_null(ce_nccl_conf_sets(&conf, "NCCL_PROTO"));
    ce_nccl_conf_free(&conf);
    unit_env_free(&array);
}

/* As for NCCL itself: the user's own file need not be trusted by anybody else. */
static void a_file_that_others_may_write_is_read(void **state)
{
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    struct ce_nccl_conf conf;
    char site[200];
    (void)state;
    unit_dir_writen(&dir, "open.conf", "NCCL_ALGO=Ring\n", 15, 0666);
    ce_nccl_conf_read(expand("@/open.conf", site, sizeof site), &env, &conf);
    assert_non_null(ce_nccl_conf_sets(&conf, "NCCL_ALGO"));
    ce_nccl_conf_free(&conf);
}

int main(void)
{
    dir = unit_dir_make();
    if (mkdirat(dir.fd, "home", 0755) || mkdirat(dir.fd, "empty", 0755) ||
        mkfifoat(dir.fd, "fifo", 0644))
        return 99;
    unit_dir_write(&dir, "home/.nccl.conf", "NCCL_DEBUG=INFO\n");
    unit_dir_write(&dir, "other.conf", "NCCL_DEBUG=INFO\n");
    UNIT_TABLE(texts, sets);
    UNIT_TABLE(values, value);
    UNIT_RULE(a_value_is_cut_where_nccl_cuts_it);
    UNIT_RULE(every_short_text_is_answered);
    UNIT_RULE(every_short_file_is_read);
    UNIT_TABLE(users, user_file);
    UNIT_RULE(both_files_count_and_the_users_is_named_first);
    UNIT_RULE(a_file_that_others_may_write_is_read);
    int failed = UNIT_RUN("local/nccl_conf");
    unit_dir_remove(&dir);
    return failed;
}
