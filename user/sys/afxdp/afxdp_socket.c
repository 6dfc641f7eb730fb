// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/afxdp/afxdp_socket.c - common functions of AF_XDP sockets.
 */
#include "sys/afxdp/afxdp_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/loop.h"
#include "sys/host/memlock.h"

#define HUGE_BYTES	(2ul << 20)
#define SEND_BUF_BYTES	(8 << 20)
#define BUSY_POLL_US	20
#define BUSY_POLL_BUDGET 64
#define RELEASE_NS	NSEC_PER_SEC	/* wait for a closed socket's queue to be released */
#define POLL_NS		5000000

/*
 * One huge page saves hundreds of address translations. Reserved ones exist if vm.nr_hugepages is
 * set, transparent ones if the kernel finds one.
 */
int afxdp_memory_map(struct afxdp_memory *ret_memory, size_t bytes, struct err *e)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, prot = PROT_READ | PROT_WRITE;
	uint8_t *memory, *aligned;

	bytes = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	memory = mmap(NULL, bytes, prot, flags | MAP_HUGETLB, -1, 0);
	if (memory != MAP_FAILED) {
		*ret_memory = (struct afxdp_memory){ memory, bytes, "huge page" };
		return 0;
	}
	/* One huge page more than required, so that an aligned part can be used. */
	memory = mmap(NULL, bytes + HUGE_BYTES, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return err_set(e, -errno, "cannot allocate %zu bytes for frames", bytes);
	aligned = memory + (-(uintptr_t)memory & (HUGE_BYTES - 1));
	if (aligned > memory)
		munmap(memory, (size_t)(aligned - memory));
	munmap(aligned + bytes, (size_t)(memory + HUGE_BYTES - aligned));
	*ret_memory = (struct afxdp_memory){ aligned, bytes, "huge page asked for" };
	if (madvise(aligned, bytes, MADV_HUGEPAGE))
		ret_memory->name = "pages";
	memset(aligned, 0, bytes);
	return 0;
}

void afxdp_memory_unmap(struct afxdp_memory *memory)
{
	if (memory->at)
		munmap(memory->at, memory->bytes);
	memory->at = NULL;
}

int afxdp_memory_error(struct err *e, int no, const char *ifname)
{
	err_machine(e, no, "cannot register AF_XDP frames to send through '%s'", ifname);
	/* The limit of locked memory. */
	if (no == -ENOBUFS)
		return err_hint(e, "%s", memlock_fix());
	if (no == -ENOMEM)
		return err_hint(e, "free memory on this host");
	if (no == -EPERM)
		return err_hint(e, "run it as root: sudo ethgauge ...");
	return err_hint(e, "AF_XDP requires a kernel with CONFIG_XDP_SOCKETS; see: ethgauge doctor");
}

void afxdp_raise_send_buf(int fd)
{
	int bytes = SEND_BUF_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

/* Kernel 5.11. Without it the driver's own interrupt or kthread sends. */
bool afxdp_ask_busy_poll(int fd)
{
	int on = 1, us = BUSY_POLL_US, budget = BUSY_POLL_BUDGET;

	return !setsockopt(fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &on, sizeof(on)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &us, sizeof(us)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget, sizeof(budget));
}

int afxdp_tell(int fd, bool zero_copy)
{
	/* glibc's sendto() is a cancellation point, which costs two atomic operations per call. */
	if (syscall(SYS_sendto, fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	switch (errno) {
	case EAGAIN:
	case ENOBUFS:
	case ENOMEM:
	case EINTR:
		return -EAGAIN;
	case EBUSY:
		/* In copy mode the driver refused a frame; in zero-copy mode the driver is busy. */
		return zero_copy ? -EAGAIN : -EBUSY;
	default:
		return -errno;
	}
}

bool afxdp_try_again(int err, uint64_t *until_ns, struct err *e)
{
	uint64_t now_ns = loop_mono_ns();

	if (!*until_ns)
		*until_ns = now_ns + RELEASE_NS;
	if (err != -EBUSY || now_ns > *until_ns || loop_signal())
		return false;
	*e = (struct err){ 0 };
	loop_sleep_until(now_ns + POLL_NS);
	return true;
}
