// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/web/load.c - threads of clients that fetch and send URLs.
 */
#include "engine/web/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/web/load_thread.h"
#include "lib/hist.h"
#include "lib/loop.h"

int load_check_sources(const struct load_sources *sources, uint32_t clients, struct err *e)
{
	char source[64];
	uint64_t i;
	int err = 0;

	for (i = 0; !err && sources->family && i < sources->nr && i < clients; i++) {
		load_source(sources, i, source, sizeof(source));
		err = transfer_check_source(source, e);
	}
	return err;
}

uint64_t load_files(const char *const *urls, unsigned int nr_urls, bool fresh)
{
	char origin[512], other[512];
	uint64_t nr = 0;
	unsigned int i, k;
	bool ftp = false, known;

	for (i = 0; i < nr_urls; i++) {
		transfer_origin(urls[i], origin, sizeof(origin));
		for (k = 0, known = false; k < i && !known; k++) {
			transfer_origin(urls[k], other, sizeof(other));
			known = !strcmp(origin, other);
		}
		nr += !known;
		ftp = ftp || transfer_is_ftp(urls[i]);
	}
	return (fresh ? 1 : nr) + ftp;
}

int load_open(struct load **ret_load, const struct load_cfg *cfg, struct err *e)
{
	struct load *load = calloc(1, sizeof(*load));
	uint32_t i;
	int err = 0;

	if (!load)
		return err_set(e, -ENOMEM, "cannot set up %u clients", cfg->clients);
	pthread_mutex_init(&load->lock, NULL);
	load->cfg = cfg;
	load->transfer = cfg->transfer;
	load->transfer.sockets = &load->peaks.sockets;
	load->threads = calloc(cfg->threads, sizeof(*load->threads));
	load->row = calloc(1, sizeof(*load->row));
	if (!load->threads || !load->row || transfer_sockets_init(&load->peaks.sockets))
		err = err_set(e, -ENOMEM, "cannot set up %u clients", cfg->clients);
	for (i = 0; !err && i < cfg->threads; i++)
		err = load_thread_open(load, i, e);
	if (err) {
		load_close(load);
		return err;
	}
	*ret_load = load;
	return 0;
}

int load_start(struct load *load, struct err *e)
{
	const struct load_cfg *cfg = load->cfg;
	uint32_t i;
	int err;

	if (cfg->log)
		load_log_head(cfg->log);
	load->start_mono_ns = loop_mono_ns();
	load->end_mono_ns = cfg->duration_ns ? load->start_mono_ns + cfg->duration_ns : UINT64_MAX;
	for (i = 0; i < cfg->threads; i++)
		load_thread_ramp(&load->threads[i]);
	load->nr_running = cfg->threads;
	for (i = 0; i < cfg->threads; i++) {
		err = pthread_create(&load->threads[i].thread, NULL, load_thread_run, &load->threads[i]);
		if (err)
			return err_set(e, -err, "cannot start a thread");
		load->threads[i].started = true;
	}
	return 0;
}

const struct sockaddr *load_first_server(const struct load *load)
{
	return transfer_sockets_first(&load->peaks.sockets);
}

int load_check(const struct load *load, bool *ret_done, struct err *e)
{
	*ret_done = !__atomic_load_n(&load->nr_running, __ATOMIC_ACQUIRE);
	if (!*ret_done || !load->failed)
		return 0;
	*e = load->error;
	return e->no;
}

void load_stop(struct load *load)
{
	uint32_t i;

	__atomic_store_n(&load->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < load->cfg->threads; i++) {
		if (load->threads[i].started)
			pthread_join(load->threads[i].thread, NULL);
		load->threads[i].started = false;
	}
}

void load_close(struct load *load)
{
	uint32_t i;

	if (!load)
		return;
	if (load->threads)
		load_stop(load);
	for (i = 0; load->threads && i < load->cfg->threads; i++)
		load_thread_close(&load->threads[i]);
	transfer_sockets_release(&load->peaks.sockets);
	pthread_mutex_destroy(&load->lock);
	free(load->threads);
	free(load->row);
	free(load);
}

void load_sum(const struct load *load, struct load_count *sum)
{
	const size_t counters = offsetof(struct load_count, total) / sizeof(uint64_t);
	uint32_t i;
	size_t k;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < load->cfg->threads; i++) {
		const struct load_count *count = &load->threads[i].count;

		for (k = 0; k < counters; k++)
			((uint64_t *)sum)[k] += ((const uint64_t *)count)[k];
		/* Counted during the transfer: a large file takes longer than an interval. */
		sum->body_received_bytes += transfer_set_received(load->threads[i].set);
		sum->plain_requests += transfer_set_plain(load->threads[i].set);
		hist_merge(&sum->total, &count->total);
		hist_merge(&sum->connect, &count->connect);
		hist_merge(&sum->tls, &count->tls);
		hist_merge(&sum->first_byte, &count->first_byte);
	}
}

const struct load_cfg *load_config(const struct load *load)
{
	return load->cfg;
}

const struct load_peaks *load_peaks(const struct load *load)
{
	return &load->peaks;
}

struct load_row *load_last_row(struct load *load)
{
	return load->row;
}

uint64_t load_elapsed_ns(const struct load *load)
{
	uint64_t ended_ns = load->start_mono_ns;
	uint32_t i;

	for (i = 0; i < load->cfg->threads; i++) {
		if (load->threads[i].ended_mono_ns > ended_ns)
			ended_ns = load->threads[i].ended_mono_ns;
	}
	return ended_ns - load->start_mono_ns;
}

double load_busiest_ratio(const struct load *load)
{
	double busiest = 0, ratio;
	uint32_t i;

	for (i = 0; i < load->cfg->threads; i++) {
		const struct cpu_thread *a = &load->threads[i].began, *b = &load->threads[i].ended;

		if (b->mono_ns <= a->mono_ns)
			continue;
		ratio = ((double)(b->run_ns - a->run_ns + b->wait_ns - a->wait_ns) -
			 (double)transfer_set_awake_ns(load->threads[i].set)) / (double)(b->mono_ns - a->mono_ns);
		busiest = ratio > busiest ? ratio : busiest;
	}
	return busiest;
}
