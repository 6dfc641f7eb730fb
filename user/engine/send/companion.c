// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/companion.c - the program that a driver wants to see before it transmits.
 */
#include "engine/send/companion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/log.h"
#include "sys/hook/pass.h"
#include "sys/hook/xdp.h"
#include "sys/net/netns.h"
#include "sys/net/nic.h"

struct companion {
	struct xdp_port *port;
};

/* Where to attach: a device of this namespace, or of the one behind ns_fd. */
struct place {
	struct companion *companion;
	int ns_fd;		/* -1: this one */
	int ifindex;
	char ifname[16];
};

static int attach(void *ctx, struct err *e)
{
	struct place *place = ctx;
	int fd, err = 0;

	if (place->ns_fd >= 0)
		err = netns_enter(place->ns_fd, e);
	if (err)
		return err;
	fd = pass_load(e);
	if (fd < 0)
		return fd;
	err = xdp_attach(&place->companion->port, place->ifindex, fd, XDP_MODE_NATIVE, e);
	close(fd);
	return err;
}

/*
 * True if frames would come out at the peer as it is. The kernel tells from
 * 6.3 on; before, any program is taken for the native one that it must be.
 */
static bool peer_is_ready(int ifindex, const struct nic_link *peer)
{
	struct nic_xdp xdp;

	return nic_read_xdp(ifindex, &xdp) ? peer->xdp : xdp.bits & NIC_XDP_XMIT;
}

/* The peer that needs a program, in @ret_place; false: none does, or it cannot be reached. */
static bool find_peer(const struct nic_facts *nic, struct place *ret_place)
{
	struct nic_link own, peer;

	if (nic_read_link(nic->ifindex, -1, &own) || own.peer_hidden || !own.peer_ifindex ||
	    nic_read_link(own.peer_ifindex, own.peer_nsid, &peer))
		return false;
	if (peer_is_ready(nic->ifindex, &peer))
		return false;
	ret_place->ifindex = own.peer_ifindex;
	snprintf(ret_place->ifname, sizeof(ret_place->ifname), "%s", peer.ifname);
	if (own.peer_nsid >= 0 && netns_open_id(own.peer_nsid, &ret_place->ns_fd)) {
		log_warn("the peer '%s' has neither an XDP program nor GRO, and its namespace cannot be "
			 "entered: frames may be refused; there: ethgauge sink %s", peer.ifname,
			 peer.ifname);
		return false;
	}
	return true;
}

static bool find_self(const char *ifname, const struct nic_facts *nic, struct place *ret_place)
{
	struct nic_link own;

	if (nic_read_link(nic->ifindex, -1, &own) || own.xdp)
		return false;
	ret_place->ifindex = nic->ifindex;
	snprintf(ret_place->ifname, sizeof(ret_place->ifname), "%s", ifname);
	return true;
}

struct companion *companion_open(const char *ifname, bool live, struct result *res)
{
	const struct nic_xdp_trait *trait;
	struct place place = { .ns_fd = -1 };
	struct nic_facts nic;
	struct err e;
	char text[64];
	int err;

	if (nic_read(ifname, &nic))
		return NULL;
	trait = nic_xdp_trait(nic.driver);
	if (!trait)
		return NULL;
	if (!(trait->needs_program_on_self && find_self(ifname, &nic, &place)) &&
	    !(trait->needs_program_on_peer && live && find_peer(&nic, &place)))
		return NULL;
	place.companion = calloc(1, sizeof(*place.companion));
	if (!place.companion)
		return NULL;
	err = netns_run(attach, &place, &e);
	if (place.ns_fd >= 0)
		close(place.ns_fd);
	if (err) {
		log_warn("%s: frames may be refused, as %s %s", e.msg, trait->driver,
			 trait->sentence);
		companion_close(place.companion);
		return NULL;
	}
	log_info("attached an XDP program that passes everything to %s'%s' until the end, as %s %s",
		 trait->needs_program_on_peer ? "the peer " : "", place.ifname, trait->driver,
		 trait->sentence);
	snprintf(text, sizeof(text), "%s%s", trait->needs_program_on_peer ? "peer " : "",
		 place.ifname);
	result_env_str(res, "pass_program_on", text);
	return place.companion;
}

void companion_close(struct companion *companion)
{
	if (!companion)
		return;
	xdp_detach(companion->port);
	free(companion);
}
