/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/elf.h"

#include <elf.h>
#include <stdlib.h>

#include "../unit.h"
#include "../unit_work.h"

/* A library of one page: a symbol of each name, and the number that they lead to. */
struct image {
    Elf64_Ehdr header;
    Elf64_Phdr part;
    Elf64_Sym symbols[2];
    char names[32];
    Elf64_Shdr sections[3];
    uint32_t number;
};

enum { BASE = 0x4000, NUMBER = 0x180b00 };

static struct image right(void)
{
    struct image image = {
        .header = {.e_machine = EM_AARCH64,
                   .e_phoff = offsetof(struct image, part),
                   .e_phnum = 1,
                   .e_shoff = offsetof(struct image, sections),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 3},
        .part = {.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = sizeof image},
        .symbols = {{.st_name = 0},
                    {.st_name = 1, .st_shndx = 2, .st_value = BASE + offsetof(struct image, number)}},
        .names = "\0plugin_version",
        .sections = {{.sh_type = SHT_NULL},
                     {.sh_type = SHT_DYNSYM,
                      .sh_link = 2,
                      .sh_offset = offsetof(struct image, symbols),
                      .sh_size = 2 * sizeof(Elf64_Sym)},
                     {.sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct image, names),
                      .sh_size = sizeof image.names}},
        .number = NUMBER,
    };
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    return image;
}

static void a_number_is_found(void **state)
{
    const struct image image = right();
    struct ce_error err;
    uint32_t number = 0;
    (void)state;
    assert_int_equal(ce_elf_number(&image, sizeof image, "plugin_version", &number, &err), 0);
    assert_int_equal(number, NUMBER);
    assert_int_equal(ce_elf_machine(&image, sizeof image), EM_AARCH64);
}

#define CASES(X)                                                                                   \
    X(of_another_size, "no shared library", image->header.e_ident[EI_CLASS] = ELFCLASS32)          \
    X(of_another_byte_order, "no shared library", image->header.e_ident[EI_DATA] ^= 3)             \
    X(no_elf_file, "no shared library", image->header.e_ident[0] = '#')                            \
    X(without_sections, "exports no plugin_version", image->header.e_shnum = 0)                    \
    X(with_sections_behind_the_end, "exports no plugin_version", image->header.e_shoff = UINT64_MAX - 8) \
    X(with_small_sections, "exports no plugin_version", image->header.e_shentsize = 1)             \
    X(with_symbols_behind_the_end, "exports no plugin_version",                                    \
      image->sections[1].sh_offset = UINT64_MAX - 4)                                               \
    X(with_names_behind_the_end, "exports no plugin_version",                                      \
      image->sections[2].sh_offset = UINT64_MAX - 4)                                               \
    X(with_a_name_behind_the_end, "exports no plugin_version", image->symbols[1].st_name = 30)     \
    X(with_names_of_no_section, "exports no plugin_version", image->sections[1].sh_link = 9)       \
    X(with_a_longer_name, "exports no plugin_version", image->names[15] = 's')                     \
    X(that_wants_the_symbol, "exports no plugin_version", image->symbols[1].st_shndx = SHN_UNDEF)  \
    X(whose_symbol_is_not_loaded, "nowhere in the file", image->symbols[1].st_value = 1)           \
    X(whose_part_is_behind_the_end, "nowhere in the file", image->part.p_offset = UINT64_MAX - 99) \
    X(without_parts, "nowhere in the file", image->header.e_phnum = 0)                             \
    X(with_parts_behind_the_end, "nowhere in the file", image->header.e_phoff = UINT64_MAX - 1)    \
    X(whose_number_is_cut, "nowhere in the file", image->symbols[1].st_value += 2)

typedef void (*change_fn)(struct image *image);
#define CHANGE(name, says, change)                                                                 \
    static void change_##name(struct image *image)                                                 \
    {                                                                                              \
        change;                                                                                    \
    }
CASES(CHANGE)
#define ROW(name, says, change) {#name, says, change_##name},
static const struct row {
    const char *name, *says;
    change_fn change;
} rows[] = {CASES(ROW)};

/* In memory of exactly its size, so that a step too far is seen. */
static void a_library_is_refused(void **state)
{
    const struct row *row = *state;
    struct image *image = malloc(sizeof *image);
    struct ce_error err = {""};
    uint32_t number = 7;
    assert_non_null(image);
    *image = right();
    row->change(image);
    int result = ce_elf_number(image, offsetof(struct image, number) + sizeof image->number,
                               "plugin_version", &number, &err);
    free(image);
    assert_int_equal(result, -1);
    assert_int_equal(number, 7);
    unit_holds(err.text, row->says);
}

/* Each says that all of the file is its symbols. */
static void many_symbol_tables_are_refused_at_once(void **state)
{
    enum { TABLES = 60000 };
    struct image image = right();
    size_t size = sizeof image + TABLES * sizeof(Elf64_Shdr);
    char *file = calloc(1, size);
    Elf64_Shdr *sections = (void *)(file + sizeof image);
    struct ce_error err;
    uint32_t number = 7;
    (void)state;
    assert_non_null(file);
    image.header.e_shoff = sizeof image;
    image.header.e_shnum = TABLES;
    image.names[1] = 's';
    memcpy(file, &image, sizeof image);
    for (size_t i = 0; i < TABLES; i++)
        sections[i] = (Elf64_Shdr){.sh_type = SHT_DYNSYM, .sh_size = size};
    unit_limit_work(5);
    int result = ce_elf_number(file, size, "plugin_version", &number, &err);
    unit_limit_work(0);
    free(file);
    assert_int_equal(result, -1);
}

int main(void)
{
    UNIT_RULE(a_number_is_found);
    UNIT_RULE(many_symbol_tables_are_refused_at_once);
    UNIT_TABLE(rows, a_library_is_refused);
    return UNIT_RUN("elf");
}
