#include "app/trim_memory.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A debugger writes its breakpoints into the code: they would be gone. */
static bool is_traced(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int tracer = 1;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (f)
		fclose(f);
	return tracer != 0;
}

/* What cannot be written is as it stands in the file; relocated data lies in parts that can. */
static int forget_code(struct dl_phdr_info *object, size_t size, void *owner)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)owner;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t from = (object->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
		uintptr_t to = (object->dlpi_addr + part->p_vaddr + part->p_filesz) & ~(page - 1);

		if (part->p_type == PT_LOAD && !(part->p_flags & PF_W) && from < to)
			madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return 0;
}

void trim_memory(void)
{
	if (!is_traced())
		dl_iterate_phdr(forget_code, NULL);
}
