// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/web/load_thread.c - clients that fetch and send URLs, in one thread.
 */
#include "engine/web/load_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/redact.h"

#define NAP_NS		20000000ull	/* a signal is noticed within this time */
#define RETRY_NS	10000000ull	/* delay before a failed connection is retried */
#define URL_BYTES	4096

struct load_client {
	struct load_thread *thread;
	struct transfer *transfer;	/* since it started */
	uint32_t index;			/* among all clients */
	unsigned int url;		/* index of the next URL */
	unsigned int redirects;		/* followed in this transaction */
	const char *method;		/* for the redirected request; NULL: the configured one */
	bool busy;
	uint64_t cycle;
	uint64_t random;
	uint64_t due_mono_ns;		/* of this transaction */
};

static const char *const end_names[TRANSFER_ENDS] = {
	[TRANSFER_OK] = "ok", [TRANSFER_4XX] = "4xx", [TRANSFER_5XX] = "5xx",
	[TRANSFER_NO_NAME] = "resolve", [TRANSFER_NO_CONNECT] = "connect", [TRANSFER_NO_TLS] = "tls",
	[TRANSFER_CONNECT_TIMEOUT] = "connect timeout", [TRANSFER_TIMEOUT] = "timeout",
	[TRANSFER_PARTIAL] = "partial", [TRANSFER_BROKEN] = "broken", [TRANSFER_LOCAL] = "local",
	[TRANSFER_OTHER] = "other",
};

static bool is_stopped(const struct load *load)
{
	return __atomic_load_n(&load->stop, __ATOMIC_RELAXED);
}

static void fail(struct load *load, const struct err *e)
{
	pthread_mutex_lock(&load->lock);
	if (!load->failed)
		load->error = *e;
	load->failed = true;
	pthread_mutex_unlock(&load->lock);
	__atomic_store_n(&load->stop, true, __ATOMIC_RELAXED);
}

void load_log_head(FILE *log)
{
	fputs("began_ns,client,cycle,url_index,redirects,source,status,end,connections,sent_bytes,"
	      "received_bytes,connect_ns,tls_ns,first_byte_ns,total_ns,url\n", log);
}

/* Without its passwords, as the inside of a CSV text: @buf has room for twice @url. */
static void show_url(char *buf, const char *url)
{
	char shown[URL_BYTES], *p;

	redact_word(shown, sizeof(shown), url);
	for (p = shown; *p; p++) {
		if (*p == '"')
			*buf++ = '"';
		*buf++ = *p;
	}
	*buf = '\0';
}

static void write_log(const struct load_client *c, const struct transfer_result *r)
{
	const struct load *load = c->thread->load;
	char source[64], url[URL_BYTES], shown[2 * URL_BYTES];

	load_source(&load->cfg->sources, c->index, source, sizeof(source));
	if (c->redirects || load_expand(url, sizeof(url), load->cfg->urls[c->url], c->index, c->cycle))
		url[0] = '\0';
	show_url(shown, url);
	fprintf(load->cfg->log, "%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%u,%u,%s,%u,%s,%" PRIu32
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",\"%s\"\n",
		r->began_mono_ns - load->start_mono_ns, c->index, c->cycle, c->url, c->redirects,
		source, r->status, end_names[r->end], r->connections,
		r->header_sent_bytes + r->body_sent_bytes,
		r->header_received_bytes + r->body_received_bytes, r->connect_ns, r->tls_ns,
		r->first_byte_ns, r->ended_mono_ns - r->began_mono_ns, shown);
}

static void end_client(struct load_client *c)
{
	transfer_close(c->transfer);
	c->transfer = NULL;
	c->thread->nr_alive--;
	peak_down(&c->thread->load->peaks.clients);
}

static void set_busy(struct load_client *c, bool busy)
{
	struct peak *peak = &c->thread->load->peaks.in_flight;

	if (busy == c->busy)
		return;
	c->busy = busy;
	c->thread->nr_busy += busy ? 1 : -1u;
	busy ? peak_up(peak) : peak_down(peak);
}

/* Requests the client's URL, or its redirection. */
static int send_request(struct load_client *c, const char *redirect)
{
	const struct load_cfg *cfg = c->thread->load->cfg;
	char url[URL_BYTES];
	int err;

	err = load_expand(url, sizeof(url), cfg->urls[c->url], c->index, c->cycle);
	if (!err)
		err = transfer_start(c->transfer, redirect ? redirect : url, c->method, redirect ? url : NULL);
	if (!err)
		set_busy(c, true);
	return err;
}

static void begin_transaction(struct load_client *c, uint64_t due_mono_ns)
{
	struct load *load = c->thread->load;
	struct err e;
	int err;

	/* Slots of an open loop were counted when they were assigned. */
	if (!load->cfg->rate.nr && load->cfg->count &&
	    __atomic_fetch_add(&load->begun, 1, __ATOMIC_RELAXED) >= load->cfg->count) {
		end_client(c);
		return;
	}
	c->due_mono_ns = due_mono_ns;
	c->redirects = 0;
	c->method = NULL;
	err = send_request(c, NULL);
	if (err) {
		err_set(&e, err, "cannot send a request to '%s'", load->cfg->urls[c->url]);
		fail(load, &e);
	}
}

static void wait_for_slot(struct load_client *c)
{
	struct load_thread *t = c->thread;

	t->idle[(t->idle_first + t->nr_idle++) % t->nr_clients] =
		(uint32_t)(c - t->clients);
}

/* Starts the client's next URL when it is due. */
static void go_on(struct load_client *c, const struct transfer_result *r)
{
	struct load_thread *t = c->thread;
	const struct load_cfg *cfg = t->load->cfg;
	const struct load_range *pause = &cfg->pause;
	uint64_t wait_ns;

	if (++c->url == cfg->nr_urls) {
		c->url = 0;
		c->cycle++;
		t->count.cycles++;
		pause = &cfg->cycle_pause;
		if (cfg->cycles && c->cycle >= cfg->cycles) {
			end_client(c);
			return;
		}
	}
	if (cfg->rate.nr) {
		wait_for_slot(c);
		return;
	}
	wait_ns = load_pick_ns(pause, &c->random);
	if ((r->end == TRANSFER_NO_NAME || r->end == TRANSFER_NO_CONNECT ||
	     r->end == TRANSFER_LOCAL) && wait_ns < RETRY_NS)
		wait_ns = RETRY_NS;
	if (wait_ns)
		heap_push(&t->waiting, r->ended_mono_ns + wait_ns, (uint32_t)(c - t->clients));
	else if (!is_stopped(t->load))
		begin_transaction(c, r->ended_mono_ns);
}

static void count_request(struct load_count *count, const struct transfer_result *r)
{
	count->requests++;
	count->connections += r->connections;
	if (r->end < TRANSFER_NO_NAME) {
		count->reused += !r->connections;
		count->statuses[r->status < LOAD_STATUSES ? r->status : 0]++;
		if (r->first_byte_ns)
			hist_add(&count->first_byte, r->first_byte_ns);
	}
	if (r->connect_ns)
		hist_add(&count->connect, r->connect_ns);
	if (r->tls_ns)
		hist_add(&count->tls, r->tls_ns);
	count->body_sent_bytes += r->body_sent_bytes;
	count->header_received_bytes += r->header_received_bytes;
	count->header_sent_bytes += r->header_sent_bytes;
}

/* True if the redirection is followed, so that the transaction continues. */
static bool follow(struct load_client *c, const struct transfer_result *r)
{
	const struct load_cfg *cfg = c->thread->load->cfg;
	const char *method = c->method ? c->method : cfg->transfer.method, *next;

	if (!cfg->max_redirects || !r->redirect)
		return false;
	if (c->redirects == cfg->max_redirects)
		return false;
	if (!transfer_may_follow(r->url, r->redirect)) {
		c->thread->count.redirects_barred++;
		return false;
	}
	if (!method)
		method = cfg->transfer.post ? "POST" : cfg->transfer.upload ? "PUT" : "GET";
	next = load_redirect_method(method, r->status);
	/* Same method: with its body, if it has one. */
	if (next != method)
		c->method = next;
	c->redirects++;
	if (send_request(c, r->redirect))
		return false;
	c->thread->count.redirects++;
	return true;
}

static void on_done(void *ctx, const struct transfer_result *r)
{
	struct load_client *c = ctx;
	struct load_count *count = &c->thread->count;

	set_busy(c, false);
	count_request(count, r);
	if (c->thread->load->cfg->log)
		write_log(c, r);
	if (follow(c, r))
		return;
	if (r->redirect && c->thread->load->cfg->max_redirects)
		count->redirects_refused++;
	else
		count->ends[r->end]++;
	if (r->end < TRANSFER_NO_NAME)
		hist_add(&count->total, r->ended_mono_ns - c->due_mono_ns);
	go_on(c, r);
}

/* Starts a client whose time has come, at first or after a pause. */
static void wake(struct load_client *c, uint64_t due_mono_ns)
{
	struct load_thread *t = c->thread;
	char source[64];
	struct err e;

	if (!c->transfer) {
		load_source(&t->load->cfg->sources, c->index, source, sizeof(source));
		if (transfer_open(&c->transfer, t->set, source, c, &e)) {
			fail(t->load, &e);
			return;
		}
		peak_up(&t->load->peaks.clients);
	}
	if (t->load->cfg->rate.nr)
		wait_for_slot(c);
	else
		begin_transaction(c, due_mono_ns);
}

/* Open loop: the request number of this thread's next slot. */
static uint64_t slot_request(const struct load_thread *t)
{
	return t->slot * t->load->cfg->threads + t->index;
}

static bool has_slot(const struct load_thread *t)
{
	const struct load_cfg *cfg = t->load->cfg;

	return cfg->rate.nr && (!cfg->count || slot_request(t) < cfg->count);
}

static uint64_t slot_due_ns(const struct load_thread *t)
{
	return t->load->start_mono_ns + load_due_ns(&t->load->cfg->rate, slot_request(t));
}

static void use_slots(struct load_thread *t, uint64_t now_ns)
{
	struct load_client *c;

	while (t->nr_idle && has_slot(t) && slot_due_ns(t) <= now_ns) {
		c = &t->clients[t->idle[t->idle_first]];
		t->idle_first = (t->idle_first + 1) % t->nr_clients;
		t->nr_idle--;
		begin_transaction(c, slot_due_ns(t));
		t->slot++;
	}
}

static bool is_over(const struct load_thread *t)
{
	return is_stopped(t->load) || loop_mono_ns() >= t->load->end_mono_ns || !t->nr_alive ||
	       (t->load->cfg->rate.nr && !has_slot(t) && !t->nr_busy);
}

/* Counts requests outstanding at the end, and due slots that found no client. */
static void cut(struct load_thread *t)
{
	uint32_t i;
	uint64_t end_ns = t->load->end_mono_ns < t->ended_mono_ns ? t->load->end_mono_ns :
								    t->ended_mono_ns;

	for (; has_slot(t) && slot_due_ns(t) < end_ns; t->slot++)
		t->count.behind++;
	t->count.cut = t->nr_busy;
	for (i = 0; i < t->nr_clients; i++) {
		if (!t->clients[i].transfer)
			continue;
		set_busy(&t->clients[i], false);
		end_client(&t->clients[i]);
	}
}

void *load_thread_run(void *ctx)
{
	struct load_thread *t = ctx;
	struct load *load = t->load;
	uint64_t until_ns, due_ns;

	cpu_read_thread(&t->began);
	while (!is_over(t)) {
		until_ns = loop_mono_ns();
		due_ns = heap_due_ns(&t->waiting);
		for (; due_ns <= until_ns && !is_stopped(load); due_ns = heap_due_ns(&t->waiting))
			wake(&t->clients[heap_pop(&t->waiting)], due_ns);
		use_slots(t, until_ns);
		until_ns += NAP_NS;
		if (due_ns < until_ns)
			until_ns = due_ns;
		if (t->nr_idle && has_slot(t) && slot_due_ns(t) < until_ns)
			until_ns = slot_due_ns(t);
		if (load->end_mono_ns < until_ns)
			until_ns = load->end_mono_ns;
		if (t->nr_alive)
			transfer_set_run(t->set, until_ns);
	}
	t->ended_mono_ns = loop_mono_ns();
	cpu_read_thread(&t->ended);
	cut(t);
	__atomic_sub_fetch(&load->nr_running, 1, __ATOMIC_RELEASE);
	return NULL;
}

int load_thread_open(struct load *load, uint32_t index, struct err *e)
{
	struct load_thread *t = &load->threads[index];
	const struct load_cfg *cfg = load->cfg;
	uint32_t i;

	t->load = load;
	t->index = index;
	t->nr_clients = cfg->clients / cfg->threads + (index < cfg->clients % cfg->threads);
	t->nr_alive = t->nr_clients;
	t->clients = calloc(t->nr_clients, sizeof(*t->clients));
	t->idle = calloc(t->nr_clients, sizeof(*t->idle));
	if (!t->clients || !t->idle || heap_init(&t->waiting, t->nr_clients))
		return err_set(e, -ENOMEM, "cannot set up %u clients", cfg->clients);
	for (i = 0; i < t->nr_clients; i++) {
		struct load_client *c = &t->clients[i];

		c->thread = t;
		c->index = i * cfg->threads + index;
		c->random = load_seed(cfg->seed, c->index);
	}
	return transfer_set_open(&t->set, &load->transfer, on_done, e);
}

void load_thread_close(struct load_thread *t)
{
	transfer_set_close(t->set);
	heap_release(&t->waiting);
	free(t->clients);
	free(t->idle);
}

void load_thread_ramp(struct load_thread *t)
{
	uint32_t i;

	for (i = 0; i < t->nr_clients; i++)
		heap_push(&t->waiting, t->load->start_mono_ns +
			  load_ramp_ns(&t->load->cfg->ramp, t->clients[i].index), i);
}
