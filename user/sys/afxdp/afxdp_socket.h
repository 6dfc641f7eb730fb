/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp_socket.h - what every AF_XDP socket needs: memory for frames, settings, a free queue.
 */
#ifndef SYS_AFXDP_AFXDP_SOCKET_H
#define SYS_AFXDP_AFXDP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct afxdp_memory {
	uint8_t *at;
	size_t bytes;		/* at least as asked for */
	const char *name;	/* what it is made of, for people */
};

/* Memory for frames, zeroed. */
int afxdp_memory_map(struct afxdp_memory *ret_memory, size_t bytes, struct err *e);
void afxdp_memory_unmap(struct afxdp_memory *memory);

/* Why the kernel does not take it for frames of sockets on @ifname; returns @no. */
int afxdp_memory_error(struct err *e, int no, const char *ifname);

/* In copy mode the default would hold 90 frames of 1518 bytes on a real queue. */
void afxdp_raise_send_buf(int fd);

/* Each call runs the queue's driver; false: this kernel (before 5.11) or socket cannot. */
bool afxdp_ask_busy_poll(int fd);

/* Makes the kernel send; afxdp_kick() describes what it returns. */
int afxdp_tell(int fd, bool zero_copy);

/*
 * Whether to open once more after @err. The kernel gives a queue back some
 * milliseconds after its socket is closed (xp_release_deferred), so one that is
 * busy may just be left over from a run before: waits a while, and forgets @e.
 * *until_ns is 0 at first.
 */
bool afxdp_try_again(int err, uint64_t *until_ns, struct err *e);

#endif
