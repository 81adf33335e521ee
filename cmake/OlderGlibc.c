/*===- OlderGlibc.c - What libstdc++ and libgcc ask of a new glibc -----------===*\
|*
|* Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Linked statically, they take two functions that glibc has since 2.35 and 2.36,
|* and a program with these does not start where glibc is older. They are here,
|* in terms of what every glibc has, and stay inside of what they are linked into.
|*
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <features.h>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
  ElfW(Addr) address;
  struct dl_find_object *result;
};

/* 1 where the object holds the address; the result then says where the unwinder finds its table. */
static int hold(struct dl_phdr_info *info, size_t size, void *data) {
  struct search *search = data;
  int holds = 0;
  (void)size;
  memset(search->result, 0, sizeof(*search->result));
  for (ElfW(Half) index = 0; index < info->dlpi_phnum; ++index) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address >= begin && search->address < begin + header->p_memsz) {
      holds = 1;
      search->result->dlfo_map_start = (void *)begin;
      search->result->dlfo_map_end = (void *)(begin + header->p_memsz);
    }
    if (header->p_type == PT_GNU_EH_FRAME)
      search->result->dlfo_eh_frame = (void *)begin;
  }
  return holds && search->result->dlfo_eh_frame != NULL;
}

/* 0 where it was found, else -1. For the unwinder of libgcc. */
__attribute__((visibility("hidden"))) int _dl_find_object(void *address, struct dl_find_object *result) {
  struct search search = {(ElfW(Addr))address, result};
  return dl_iterate_phdr(hold, &search) ? 0 : -1;
}

/* For std::random_device. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value;
  if (getentropy(&value, sizeof(value)) != 0)
    abort();
  return value;
}

#endif
