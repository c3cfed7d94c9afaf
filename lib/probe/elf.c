/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/elf.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

/* Every offset comes from the file: each is held against its size before it is followed, and what it
 * leads to is copied, since nothing there need be aligned. */
struct image {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

static bool copy(const struct image *image, uint64_t at, void *ret, size_t size)
{
    if (at > image->size || size > image->size - at)
        return false;
    memcpy(ret, image->bytes + at, size);
    return true;
}

static bool open_image(const void *file, size_t size, struct image *ret)
{
    const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    *ret = (struct image){.bytes = file, .size = size};
    return copy(ret, 0, &ret->header, sizeof ret->header) &&
           memcmp(ret->header.e_ident, ELFMAG, SELFMAG) == 0 &&
           ret->header.e_ident[EI_CLASS] == ELFCLASS64 && ret->header.e_ident[EI_DATA] == order;
}

static bool section(const struct image *image, unsigned index, Elf64_Shdr *ret)
{
    uint64_t offset = (uint64_t)index * image->header.e_shentsize;
    return index < image->header.e_shnum && image->header.e_shentsize >= sizeof *ret &&
           image->header.e_shoff <= UINT64_MAX - offset &&
           copy(image, image->header.e_shoff + offset, ret, sizeof *ret);
}

static bool is_called(const struct image *image, const Elf64_Shdr *names, uint32_t at,
                      const char *symbol)
{
    size_t length = strlen(symbol) + 1;
    return at < names->sh_size && length <= names->sh_size - at &&
           names->sh_offset <= image->size && at <= image->size - names->sh_offset &&
           length <= image->size - names->sh_offset - at &&
           memcmp(image->bytes + names->sh_offset + at, symbol, length) == 0;
}

/* A library has one such table.  Only the first is read: each of 65,535 may claim all of the file as its symbols. */
static bool find_table(const struct image *image, Elf64_Shdr *ret)
{
    for (unsigned i = 0; section(image, i, ret); i++)
        if (ret->sh_type == SHT_DYNSYM)
            return true;
    return false;
}

static bool find_symbol(const struct image *image, const char *name, Elf64_Sym *ret)
{
    Elf64_Shdr table, names;
    if (!find_table(image, &table) || !section(image, table.sh_link, &names))
        return false;
    for (uint64_t k = 0; k < table.sh_size / sizeof *ret && table.sh_offset <= image->size; k++) {
        if (!copy(image, table.sh_offset + k * sizeof *ret, ret, sizeof *ret))
            return false;
        if (ret->st_shndx != SHN_UNDEF && is_called(image, &names, ret->st_name, name))
            return true;
    }
    return false;
}

/* Where in the file the byte is that is loaded to this address. */
static bool find_offset(const struct image *image, uint64_t address, uint64_t *ret)
{
    Elf64_Phdr part;
    for (unsigned i = 0; i < image->header.e_phnum; i++) {
        if (image->header.e_phoff > image->size ||
            !copy(image, image->header.e_phoff + (uint64_t)i * sizeof part, &part, sizeof part))
            return false;
        if (part.p_type != PT_LOAD || address < part.p_vaddr ||
            address - part.p_vaddr >= part.p_filesz || part.p_offset > image->size)
            continue;
        *ret = part.p_offset + (address - part.p_vaddr);
        return *ret >= part.p_offset;
    }
    return false;
}

int ce_elf_number(const void *file, size_t size, const char *symbol, uint32_t *ret,
                  struct ce_error *err)
{
    struct image image;
    Elf64_Sym found;
    uint64_t at;
    uint32_t number;
    if (!open_image(file, size, &image))
        return ce_fail(err, "no shared library of this kind of machine");
    if (!find_symbol(&image, symbol, &found))
        return ce_fail(err, "it exports no %s", symbol);
    if (!find_offset(&image, found.st_value, &at) || !copy(&image, at, &number, sizeof number))
        return ce_fail(err, "its %s is nowhere in the file", symbol);
    *ret = number;
    return 0;
}

unsigned ce_elf_machine(const void *file, size_t size)
{
    struct image image;
    return open_image(file, size, &image) ? image.header.e_machine : 0;
}
