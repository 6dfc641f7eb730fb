// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/self/link_downs.c - when the links of interfaces were down.
 */
#include "engine/self/link_downs.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/loop.h"
#include "lib/procstat.h"
#include "sys/net/nic.h"
#include "sys/net/route.h"

#define LOOK_MS 20
#define MAX_TIMES 8		/* that are listed */

struct link {
	char ifname[16];
	int ifindex;
	uint64_t start_ns;
	uint64_t carrier_downs;		/* the kernel's count; after the end its growth */
	uint64_t nr_uncounted;		/* times that began before that count did */
	bool has_count, is_down, is_gone;
	uint64_t nr, sum_ns;		/* of the times that were seen */
	uint64_t since_ns;
	struct log_limit said;
	struct {
		uint64_t from_ns, to_ns;	/* since the start */
		bool gone;		/* for some of it, there was no interface */
	} times[MAX_TIMES];
};

struct link_downs {
	pthread_t id;
	bool started, stopped;
	int stop_fd;
	pthread_mutex_t lock;		/* the links, while the thread runs */
	struct link *links;
	size_t nr;
	uint64_t start_ns;
};

static void go_down(struct link *link, uint64_t now_ns)
{
	link->is_down = true;
	link->since_ns = now_ns;
	if (link->nr < MAX_TIMES)
		link->times[link->nr].from_ns = now_ns - link->start_ns;
	link->nr++;
}

static void end_time(struct link *link, uint64_t now_ns)
{
	link->sum_ns += now_ns - link->since_ns;
	if (link->nr <= MAX_TIMES)
		link->times[link->nr - 1].to_ns = now_ns - link->start_ns;
}

static void start_count(struct link *link)
{
	struct nic_counters counters;

	link->has_count = !nic_read_counters(link->ifname, &counters);
	if (link->has_count)
		link->carrier_downs = counters.carrier_downs;
	link->nr_uncounted = link->nr;
}

static void go_away(struct link *link)
{
	if (link->is_gone)
		return;
	link->is_gone = true;
	if (!link->is_down)
		go_down(link, loop_mono_ns());
	if (link->nr <= MAX_TIMES)
		link->times[link->nr - 1].gone = true;
	log_limited(&link->said, LOG_WARN, "interface '%s' is gone", link->ifname);
}

/* One that is made anew under its name carries on, from a count of its own. */
static int read_link(struct link *link, struct nic_link *ret_now)
{
	int err = nic_read_link(link->ifindex, -1, ret_now), ifindex;

	if (err != -ENODEV)
		return err;
	go_away(link);
	ifindex = (int)if_nametoindex(link->ifname);
	if (!ifindex)
		return err;
	link->is_gone = false;
	link->ifindex = ifindex;
	start_count(link);
	return nic_read_link(ifindex, -1, ret_now);
}

static void look(struct link *link)
{
	struct nic_link now;

	if (read_link(link, &now) || (now.up && now.carrier) == !link->is_down)
		return;
	if (link->is_down) {
		link->is_down = false;
		end_time(link, loop_mono_ns());
		log_limited(&link->said, LOG_INFO, "interface '%s' is up again", link->ifname);
		return;
	}
	go_down(link, loop_mono_ns());
	log_limited(&link->said, LOG_WARN, "interface '%s' %s: nothing can pass until it is back", link->ifname,
		    now.up ? "lost its carrier" : "was set down");
}

static void look_at_all(struct link_downs *downs)
{
	size_t i;

	pthread_mutex_lock(&downs->lock);
	for (i = 0; i < downs->nr; i++)
		look(&downs->links[i]);
	pthread_mutex_unlock(&downs->lock);
}

static void *look_main(void *arg)
{
	struct link_downs *downs = arg;
	struct pollfd stop = { .fd = downs->stop_fd, .events = POLLIN };

	while (!poll(&stop, 1, LOOK_MS))
		look_at_all(downs);
	return NULL;
}

/* Without a thread there is the kernel's count alone. */
static void start(struct link_downs *downs)
{
	sigset_t all, old;

	downs->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (downs->stop_fd < 0)
		return;
	/* Signals are for those who wait for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	downs->started = !pthread_create(&downs->id, NULL, look_main, downs);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* @from_ns: a link that is down has been so since then. */
static bool begin(struct link *link, const char *ifname, uint64_t start_ns, uint64_t from_ns)
{
	struct nic_facts nic;
	struct nic_link now;

	if (nic_read(ifname, &nic))
		return false;
	*link = (struct link){ .ifindex = nic.ifindex, .start_ns = start_ns };
	snprintf(link->ifname, sizeof(link->ifname), "%s", ifname);
	start_count(link);
	if (!nic_read_link(link->ifindex, -1, &now) && (!now.up || !now.carrier)) {
		go_down(link, from_ns);
		link->nr_uncounted = link->nr;
	}
	return true;
}

static void end(struct link *link)
{
	struct nic_counters counters;

	look(link);
	if (link->is_down)
		end_time(link, loop_mono_ns());
	link->has_count = link->has_count && nic_is_there(link->ifname, link->ifindex) &&
			  !nic_read_counters(link->ifname, &counters);
	link->carrier_downs = link->has_count ? procstat_growth(link->carrier_downs, counters.carrier_downs) : 0;
}

struct link_downs *link_downs_new(void)
{
	struct link_downs *downs = calloc(1, sizeof(*downs));

	if (!downs)
		return NULL;
	downs->start_ns = loop_mono_ns();
	downs->stop_fd = -1;
	pthread_mutex_init(&downs->lock, NULL);
	return downs;
}

static bool is_followed(const struct link_downs *downs, const char *ifname)
{
	size_t i;

	for (i = 0; i < downs->nr && strcmp(downs->links[i].ifname, ifname); i++)
		;
	return i < downs->nr;
}

void link_downs_add(struct link_downs **downs, const char *ifname)
{
	struct link *links, link;
	uint64_t now_ns = loop_mono_ns();

	if (!*downs) {
		*downs = link_downs_new();
		now_ns = *downs ? (*downs)->start_ns : 0;
	}
	if (!*downs || !begin(&link, ifname, (*downs)->start_ns, now_ns))
		return;
	pthread_mutex_lock(&(*downs)->lock);
	links = is_followed(*downs, ifname) ? NULL :
		reallocarray((*downs)->links, (*downs)->nr + 1, sizeof(*links));
	if (links) {
		(*downs)->links = links;
		links[(*downs)->nr++] = link;
	}
	if (links && !(*downs)->started)
		start(*downs);
	pthread_mutex_unlock(&(*downs)->lock);
}

void link_downs_add_route(struct link_downs **downs, const struct sockaddr *to)
{
	const struct sockaddr_in6 *to6 = (const struct sockaddr_in6 *)to;
	const void *dst = &((const struct sockaddr_in *)to)->sin_addr;
	int family = AF_INET;
	char ifname[16];
	struct err e;

	/* A socket of both families has IPv4 addresses in this form; no route is found to that. */
	if (to->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&to6->sin6_addr)) {
		dst = &to6->sin6_addr.s6_addr[12];
	} else if (to->sa_family == AF_INET6) {
		dst = &to6->sin6_addr;
		family = AF_INET6;
	}
	/* A link-local address is on every link, and says on which one. */
	if (family == AF_INET6 && to6->sin6_scope_id ? !!if_indextoname(to6->sin6_scope_id, ifname) :
						       !route_find_iface(family, dst, ifname, &e))
		link_downs_add(downs, ifname);
}

void link_downs_stop(struct link_downs *downs)
{
	size_t i;

	if (!downs || downs->stopped)
		return;
	downs->stopped = true;
	if (downs->started) {
		eventfd_write(downs->stop_fd, 1);
		pthread_join(downs->id, NULL);
	}
	for (i = 0; i < downs->nr; i++)
		end(&downs->links[i]);
}

static double in_s(uint64_t ns)
{
	return (double)ns / NSEC_PER_SEC;
}

static const char *gone_text(const struct link *link, uint64_t i)
{
	return link->times[i].gone ? " (interface gone)" : "";
}

/* "from 1.20 s to 2.31 s, from 3.00 s to the end (interface gone)" */
static void list_times(const struct link *link, char *ret_text, size_t size)
{
	size_t used = 0;
	uint64_t i;

	*ret_text = '\0';
	for (i = 0; i < link->nr && i < MAX_TIMES && used < size; i++) {
		used += (size_t)snprintf(ret_text + used, size - used, "%sfrom %.2f s ", i ? ", " : "",
					 in_s(link->times[i].from_ns));
		if (used >= size)
			break;
		if (i + 1 == link->nr && link->is_down)
			used += (size_t)snprintf(ret_text + used, size - used, "to the end%s", gone_text(link, i));
		else
			used += (size_t)snprintf(ret_text + used, size - used, "to %.2f s%s",
						 in_s(link->times[i].to_ns), gone_text(link, i));
	}
	if (link->nr > MAX_TIMES && used < size)
		snprintf(ret_text + used, size - used, ", and %llu times more",
			 (unsigned long long)(link->nr - MAX_TIMES));
}

static void report(const struct link *link, struct result *res)
{
	uint64_t seen = link->nr - link->nr_uncounted, missed;
	char text[768];

	missed = link->carrier_downs > seen ? link->carrier_downs - seen : 0;
	list_times(link, text, sizeof(text));
	if (link->nr == 1 && link->is_down)
		result_note(res, "the link of '%s' was down from %.2f s after the start to the end%s", link->ifname,
			    in_s(link->times[0].from_ns), gone_text(link, 0));
	else if (link->nr == 1)
		result_note(res, "the link of '%s' was down from %.2f s to %.2f s after the start%s", link->ifname,
			    in_s(link->times[0].from_ns), in_s(link->times[0].to_ns), gone_text(link, 0));
	else if (link->nr)
		result_note(res, "the link of '%s' was down %llu times, for %.2f s in all; after the start: %s",
			    link->ifname, (unsigned long long)link->nr, in_s(link->sum_ns), text);
	if (missed)
		result_note(res, "the link of '%s' went down %llu time%s%s during the run, too briefly to be timed",
			    link->ifname, (unsigned long long)missed, missed == 1 ? "" : "s",
			    link->nr ? " more" : "");
}

void link_downs_report(const struct link_downs *downs, struct result *res)
{
	size_t i;

	for (i = 0; downs && i < downs->nr; i++)
		report(&downs->links[i], res);
}

void link_downs_free(struct link_downs *downs)
{
	if (!downs)
		return;
	link_downs_stop(downs);
	if (downs->stop_fd >= 0)
		close(downs->stop_fd);
	pthread_mutex_destroy(&downs->lock);
	free(downs->links);
	free(downs);
}
