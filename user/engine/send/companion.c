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
	const char *program;
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
	fd = pass_load(place->program, e);
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
static bool peer_is_ready(int ifindex, const struct nic_link *peer, enum companion_for use)
{
	struct nic_xdp xdp;

	if (use == COMPANION_FOR_TX)
		return peer->xdp_native;
	return nic_read_xdp(ifindex, &xdp) ? peer->xdp : xdp.bits & NIC_XDP_XMIT;
}

/*
 * The driver takes what it then keeps in the peer's ring (sys/hook/pass.h), so that no counter
 * shows the loss: the result has to say it as well.
 */
static void warn_of_tx(enum companion_for use, const char *peer, struct result *res)
{
	char text[160];

	if (use != COMPANION_FOR_TX)
		return;
	snprintf(text, sizeof(text), "no XDP program could be attached to the peer: unless it has a "
		 "native one, answers do not arrive; there: ethgauge sink %s --pass",
		 peer);
	log_warn("%s", text);
	result_note(res, "%s", text);
}

/* The peer that needs a program, in @ret_place; false: none does, or it cannot be reached. */
static bool find_peer(const struct nic_facts *nic, enum companion_for use, struct result *res,
		      struct place *ret_place)
{
	struct nic_link own, peer;

	if (nic_read_link(nic->ifindex, -1, &own) || !own.peer_ifindex)
		return false;
	if (own.peer_hidden || nic_read_link(own.peer_ifindex, own.peer_nsid, &peer)) {
		warn_of_tx(use, "IFACE", res);
		return false;
	}
	if (peer_is_ready(nic->ifindex, &peer, use))
		return false;
	ret_place->ifindex = own.peer_ifindex;
	snprintf(ret_place->ifname, sizeof(ret_place->ifname), "%s", peer.ifname);
	if (own.peer_nsid >= 0 && netns_open_id(own.peer_nsid, &ret_place->ns_fd)) {
		if (use == COMPANION_FOR_XMIT)
			log_warn("the peer '%s' has neither an XDP program nor GRO, and its namespace "
				 "cannot be entered: frames may be refused; there: ethgauge sink %s",
				 peer.ifname, peer.ifname);
		warn_of_tx(use, peer.ifname, res);
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

struct companion *companion_open(const char *ifname, enum companion_for use, struct result *res)
{
	const struct nic_xdp_trait *trait;
	struct place place = {
		.program = use == COMPANION_FOR_TX ? PASS_YIELDING_NAME : PASS_NAME, .ns_fd = -1,
	};
	struct nic_facts nic;
	struct err e;
	char text[64];
	int err;

	if (nic_read(ifname, &nic))
		return NULL;
	trait = nic_xdp_trait(nic.driver);
	if (!trait)
		return NULL;
	if (!(trait->needs_program_on_self && use != COMPANION_FOR_TX &&
	      find_self(ifname, &nic, &place)) &&
	    !(trait->needs_program_on_peer && use != COMPANION_FOR_AFXDP &&
	      find_peer(&nic, use, res, &place)))
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
		warn_of_tx(use, place.ifname, res);
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
