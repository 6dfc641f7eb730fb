/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp_socket.h - common functions of AF_XDP sockets: frame memory, settings, waiting
 * for a free queue.
 */
#ifndef SYS_AFXDP_AFXDP_SOCKET_H
#define SYS_AFXDP_AFXDP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/if_xdp.h>

#include "lib/err.h"

/* uapi of 6.6 and later; Debian 12's headers are older. */
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

struct afxdp_memory {
	uint8_t *at;
	size_t bytes;		/* at least the size requested */
	const char *name;	/* its kind, for output */
};

/* Memory for frames, zeroed. */
int afxdp_memory_map(struct afxdp_memory *ret_memory, size_t bytes, struct err *e);
void afxdp_memory_unmap(struct afxdp_memory *memory);

/* Why the kernel does not accept it as frame memory of sockets on @ifname; returns @no. */
int afxdp_memory_error(struct err *e, int no, const char *ifname);

/* In copy mode the default would hold 90 frames of 1518 bytes on a real queue. */
void afxdp_raise_send_buf(int fd);

/*
 * Makes each call run the queue's driver; false: not supported by this kernel (before 5.11) or
 * socket.
 */
bool afxdp_ask_busy_poll(int fd);

/* Makes the kernel send; for the return value see afxdp_kick(). */
int afxdp_tell(int fd, bool zero_copy);

/*
 * Whether to open again after @err. The kernel releases a queue some milliseconds after its socket
 * is closed (xp_release_deferred), so a busy one may be left over from an earlier run: waits for a
 * while, and clears @e. *until_ns is 0 at first.
 */
bool afxdp_try_again(int err, uint64_t *until_ns, struct err *e);

#endif
