// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/flow.c - what blast sends: options, stream files, profiles and captures all
 * end in a list of streams, and that in a sender's configuration.
 */
#include "engine/send/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/send/stream_packet.h"
#include "lib/loop.h"
#include "lib/near.h"
#include "sys/net/nic.h"

const struct opt flow_options[] = {
	{ 's', "frame-bytes", OPT_STR, offsetof(struct flow_opts, sizes), "SIZE",
	  "frame with FCS, as RFC 2544 counts: 128, 64-1518, random(64-1518), imix, 64*7,1518*1" },
	{ 0, "streams", OPT_STR, offsetof(struct flow_opts, path), "FILE",
	  "send the streams of this file, see ethgauge-streams(7)" },
	{ 0, "profile", OPT_STR, offsetof(struct flow_opts, profile), "NAME",
	  "send a kind of traffic that is built in: bulk, imix, interactive, signalling, storage, video, voip-g711",
	  .value_at = profile_name_at },
	{ 0, "copies", OPT_U32, offsetof(struct flow_opts, copies), "N",
	  "--streams and --profile: each stream N times", .min = 1, .max = FLOW_FILE_MAX },
	{ 0, "burst", OPT_COUNT, offsetof(struct flow_opts, burst), "N",
	  "N packets at --rate, then none until --every is over" },
	{ 0, "every", OPT_DURATION, offsetof(struct flow_opts, every_ns), "TIME",
	  "--burst: from first packet to first packet" },
	{ 0, "on", OPT_DURATION, offsetof(struct flow_opts, on_ns), "TIME",
	  "send at --rate for TIME, pause for --off, and repeat" },
	{ 0, "off", OPT_DURATION, offsetof(struct flow_opts, off_ns), "TIME",
	  "--on: the pause" },
	{ 0, "poisson", OPT_FLAG, offsetof(struct flow_opts, poisson), NULL,
	  "exponential sending intervals (RFC 2330) with --rate as the mean, instead of even ones" },
	{ 0, "ramp-to", OPT_RATE, offsetof(struct flow_opts, ramp_to), "RATE",
	  "begin at --rate and go evenly to this one within --ramp-time" },
	{ 0, "ramp-time", OPT_DURATION, offsetof(struct flow_opts, ramp_ns), "TIME",
	  "of --ramp-to" },
	OPT_END
};

#define IP6_MORE_BYTES		20	/* an IPv6 header less an IPv4 header */
#define PROFILE_MAX_BYTES	1518	/* a frame of MTU 1500 */

struct flow {
	struct flow_file *file;
	struct frame_spec frame;	/* of DEST, which no packet of the file describes */
	struct frame_vary vary;
	struct mix *mix;
	bool split;			/* the threads share the only stream: its rate, count and values */
	struct packet_spec_route {
		bool known;
		struct frame_addr dest;
		struct packet_env env;
	} route;			/* the one found last: streams often go one way */
};

bool flow_is_file(const struct flow_opts *opts)
{
	return opts->path || opts->profile;
}

bool flow_is_dest(const struct flow_opts *opts)
{
	return !flow_is_file(opts) && !opts->replay.path;
}

int flow_check(const struct flow_opts *opts, struct stream_opts *stream, struct err *e)
{
	struct packet_size size;
	struct err inner;

	if (flow_is_file(opts) && stream->dest && packet_spec_is_text(stream->dest))
		return err_usage(e, "DEST '%s' is not an address, and the file describes the packets",
				 stream->dest);
	if (opts->sizes) {
		if (packet_size_parse(opts->sizes, stream->seed, &size, &inner))
			return err_usage(e, OPTION("frame-bytes") " '%s': %s", opts->sizes,
					inner.msg);
		stream->frame_bytes = size.max_bytes;
	}
	return 0;
}

/*
 * Profiles are of IPv4 and without addresses; they go to DEST, so they are of its version. Their frames
 * grow by as much as the header: the payload is the same, as far as the MTU permits.
 */
static int read_profile(const struct profile *profile, const struct frame_addr *dest,
			struct flow_file **ret_file, struct err *e)
{
	char *text = strdup(profile->text), *p = text;
	uint32_t i;
	int err;

	if (!text)
		return err_set(e, -ENOMEM, "cannot read profile '%s'", profile->name);
	while (dest->family == AF_INET6 && (p = strstr(p, "/ip4")))
		p[strlen("/ip")] = '6';
	err = flow_file_parse(profile->name, text, strlen(text), ret_file, e);
	free(text);
	for (i = 0; !err && dest->family == AF_INET6 && i < (*ret_file)->nr_flows; i++) {
		if ((*ret_file)->flows[i].has_size)
			packet_size_grow(&(*ret_file)->flows[i].size, IP6_MORE_BYTES, PROFILE_MAX_BYTES);
	}
	return err;
}

static int read_file(const struct flow_opts *opts, const struct stream_opts *stream,
		     struct flow_file **ret_file, struct err *e)
{
	struct frame_addr dest = { 0 };
	const struct profile *profile;
	const char *near;

	if (opts->path)
		return flow_file_read(opts->path, ret_file, e);
	profile = profile_find(opts->profile);
	if (!profile) {
		err_usage(e, "there is no profile '%s'", opts->profile);
		near = near_known(opts->profile, profile_name_at);
		return near ? err_hint(e, "did you mean '%s'?", near) : err_hint(e, "there are: %s", profile_names());
	}
	if (stream->dest)
		frame_parse_addr(stream->dest, &dest);
	return read_profile(profile, &dest, ret_file, e);
}

/* The one stream that the options describe; its packet only where DEST does. */
static int file_of_options(const struct flow_opts *opts, const struct stream_opts *stream,
			   struct flow_file **ret_file, struct err *e)
{
	struct flow_file *file = calloc(1, sizeof(*file));
	struct flow_spec *flow = calloc(1, sizeof(*flow));
	int err;

	if (!file || !flow) {
		free(file);
		free(flow);
		return err_set(e, -ENOMEM, "cannot describe the stream");
	}
	file->flows = flow;
	file->nr_flows = 1;
	*flow = (struct flow_spec){
		.name = "stream", .limit = stream->count, .stamp_every = stream->stamp_every,
		.tagged = !stream->no_tag, .copies = stream->threads, .seed = stream->seed,
		.pace = {
			.kind = PACE_EVEN, .rate = stream->rate, .rate_layer = stream->rate_layer,
			.burst = opts->burst, .period_ns = opts->every_ns,
			.on_ns = opts->on_ns, .off_ns = opts->off_ns,
			.to = opts->ramp_to, .ramp_ns = opts->ramp_ns, .seed = stream->seed,
		},
	};
	if (opts->burst || opts->on_ns)
		flow->pace.kind = PACE_BURST;
	else if (opts->ramp_ns)
		flow->pace.kind = PACE_RAMP;
	else if (opts->poisson)
		flow->pace.kind = PACE_POISSON;
	else if (stream->rate.kind == UNIT_RATE_MAX)
		flow->pace.kind = PACE_MAX;
	err = 0;
	/* A size that was not given is the packet's own, and nothing grows. */
	if (opts->sizes && stream->has_size) {
		err = packet_size_parse(opts->sizes, stream->seed, &flow->size, e);
		flow->has_size = true;
	}
	if (!err && packet_spec_is_text(stream->dest))
		err = packet_spec_parse(stream->dest, &flow->packet, e);
	if (err)
		flow_file_free(file);
	else
		*ret_file = file;
	return err;
}

/* Bytes of a frame of @frame_bytes that a rate at @layer counts; 0: cannot be told. */
static double layer_bytes(const struct packet *packet, double frame_bytes, enum frame_layer layer)
{
	uint32_t l2_bytes = 12, type;

	for (;; l2_bytes += 4) {
		type = (uint32_t)packet->bytes[l2_bytes] << 8 | packet->bytes[l2_bytes + 1];
		if (type != 0x8100 && type != 0x88a8)
			break;
	}
	switch (layer) {
	case FRAME_L1:
		return frame_bytes + UNIT_GAP_BYTES;
	case FRAME_L2:
		return frame_bytes;
	case FRAME_L3:
		return frame_bytes - UNIT_FCS_BYTES - l2_bytes - 2;
	default:
		return packet->tag_offset ? frame_bytes - UNIT_FCS_BYTES - packet->tag_offset : 0;
	}
}

/* Error @e, found in what stands at @at. */
static int at_place(struct err *e, const char *at)
{
	struct err inner = *e;

	if (*at)
		snprintf(e->msg, sizeof(e->msg), "%.159s: %.340s", at, inner.msg);
	return e->no;
}

static int build_packet(const struct flow *made, const struct flow_spec *flow, uint32_t copy,
			const struct packet_env *env, struct packet *packet, struct err *e)
{
	const struct packet_size *size = flow->has_size ? &flow->size : NULL;
	struct frame_spec frame = made->frame;
	struct packet_env own = *env;

	frame.stream = env->stream;
	if (!flow->packet)
		return frame_vary_build(&frame, &made->vary, size, packet, e);
	own.tagged = flow->tagged;
	/* The parts of one stream share its numbers, so they must share its values. */
	own.seed = flow->seed + (made->split ? 0 : copy * 0x9e3779b97f4a7c15ull);
	return packet_spec_build(flow->packet, &own, size, packet, e);
}

/* One stream of the mix, copy @copy of @flow. */
static int build(struct flow *made, const struct flow_spec *flow, uint32_t copy, uint32_t copies,
		 const struct packet_env *env, const struct nic_facts *nic, const char *ifname,
		 struct mix_flow *ret, struct err *e)
{
	struct flow_pace pace = flow->pace;
	double frame_bytes, bytes;
	int err;

	pace.seed += copy;
	ret->packet = calloc(1, sizeof(*ret->packet));
	if (!ret->packet)
		return err_set(e, -ENOMEM, "cannot build stream '%s'", flow->name);
	err = build_packet(made, flow, copy, env, ret->packet, e);
	if (err)
		return at_place(e, flow->at);
	frame_bytes = ret->packet->buf_bytes + UNIT_FCS_BYTES;
	err = stream_check_mtu(ifname, nic->mtu, ret->packet->buf_bytes + UNIT_FCS_BYTES,
			       (uint32_t)layer_bytes(ret->packet, frame_bytes, FRAME_L3), e);
	if (err)
		return at_place(e, flow->at);
	if (flow->has_size)
		frame_bytes = flow->size.mean_bytes;
	bytes = layer_bytes(ret->packet, frame_bytes, (enum frame_layer)pace.rate_layer);
	ret->limit = flow->limit;
	if (made->split)
		pace.rate.value /= flow->copies;
	err = flow_pace_of(&pace, bytes, nic->speed_bps, &ret->pace, &ret->offered_pps, e);
	if (err)
		return at_place(e, flow->at);
	if (flow->copies > 1 || copy)
		snprintf(ret->name, sizeof(ret->name), "%.20s-%u", flow->name, copy + 1);
	else
		snprintf(ret->name, sizeof(ret->name), "%.31s", flow->name);
	ret->start_ns = flow->start_ns;
	if (made->split)
		mix_share(ret, copy, copies);
	else if (ret->pace.kind == PACE_EVEN)
		/* Copies take turns rather than leave all at once. */
		ret->start_ns += (ret->pace.gap >> PACE_FRAC_BITS) * copy / copies;
	ret->duration_ns = flow->duration_ns;
	ret->stamp_every = flow->stamp_every ? flow->stamp_every : 1;
	ret->tagged = ret->packet->tag_offset != 0;
	return 0;
}

/* Nothing is sent to an address that was not given. */
static int check_dest(const struct stream_opts *stream, const struct flow_spec *flow, struct err *e)
{
	struct frame_addr dest;

	if (!stream->dest || packet_spec_is_text(stream->dest) || !frame_parse_addr(stream->dest, &dest) ||
	    packet_spec_goes_to(flow->packet, &dest))
		return 0;
	err_usage(e, "stream '%s' does not go to DEST '%s': its packets have another destination, or another "
		  "IP version", flow->name, stream->dest);
	at_place(e, flow->at);
	return err_hint(e, "leave out DEST, or the destination of the stream");
}

/* What fills the fields that @spec leaves out: the same as for the stream before if it goes there, too. */
static int find_env(struct flow *made, const struct stream_opts *stream, const struct nic_facts *nic,
		    const struct flow_spec *flow, struct packet_env *ret_env, struct err *e)
{
	struct frame_addr dest = { 0 };
	bool has_dest;
	int err;

	*ret_env = (struct packet_env){ 0 };
	if (!flow->packet)
		return 0;
	err = check_dest(stream, flow, e);
	if (err)
		return err;
	has_dest = packet_spec_dest(flow->packet, &dest);
	if (!has_dest && made->route.known && !made->route.dest.family) {
		*ret_env = made->route.env;
		return 0;
	}
	if (has_dest && made->route.known && !memcmp(&dest, &made->route.dest, sizeof(dest))) {
		*ret_env = made->route.env;
		return 0;
	}
	err = stream_packet_env(stream, nic, flow->packet, ret_env, e);
	if (err)
		return at_place(e, flow->at);
	made->route.known = true;
	made->route.dest = dest;
	made->route.env = *ret_env;
	return 0;
}

static int build_all(struct flow *made, const struct flow_opts *opts,
		     const struct stream_opts *stream, const struct nic_facts *nic, struct err *e)
{
	struct mix_flow *next;
	uint64_t nr = 0;
	uint32_t i, copy;
	struct packet_env env;
	int err;

	for (i = 0; i < made->file->nr_flows; i++)
		nr += made->file->flows[i].copies * opts->copies;
	if (nr > FLOW_FILE_MAX)
		return err_usage(e, "%llu streams are more than the %u that can be",
				 (unsigned long long)nr, FLOW_FILE_MAX);
	if (stream->first_stream + nr > UINT16_MAX + 1u)
		return err_usage(e, OPTION("stream") " %u and %llu streams go beyond stream 65535",
				 stream->first_stream, (unsigned long long)nr);
	made->mix = mix_new((uint32_t)nr, e);
	if (!made->mix)
		return e->no;
	made->mix->shared = made->split;
	next = made->mix->flows;
	for (i = 0; i < made->file->nr_flows; i++) {
		const struct flow_spec *flow = &made->file->flows[i];

		err = find_env(made, stream, nic, flow, &env, e);
		for (copy = 0; !err && copy < flow->copies * opts->copies; copy++) {
			next->stream = (uint16_t)(stream->first_stream + (next - made->mix->flows));
			env.stream = next->stream;
			err = build(made, flow, copy, flow->copies * opts->copies, &env, nic,
				    stream->ifname, next++, e);
		}
		if (err)
			return err;
	}
	return 0;
}

/* The only stream of a file: threads share it, if it is one that they can share. */
static bool is_single(const struct flow_file *file, const struct flow_opts *opts)
{
	const struct flow_spec *flow = &file->flows[0];

	return file->nr_flows == 1 && flow->copies * opts->copies == 1 && !flow->start_ns &&
	       (flow->pace.kind == PACE_MAX || flow->pace.kind == PACE_EVEN) &&
	       (!flow->has_size || flow->size.min_bytes == flow->size.max_bytes);
}

/* Shares it; its end is that of the run. */
static void share_single(struct flow *made, const struct flow_opts *opts, struct tx_cfg *cfg)
{
	struct flow_spec *flow = &made->file->flows[0];

	made->split = true;
	flow->copies = cfg->threads;
	if (flow->duration_ns)
		cfg->duration_ns = flow->duration_ns;
	else if (flow->limit && !opts->has_duration)
		cfg->duration_ns = 0;
	flow->duration_ns = 0;
}

/* With as many streams as threads; a file whose streams all end ends with them. */
static int check_ends(const struct flow *made, const struct flow_opts *opts, struct tx_cfg *cfg,
		      struct err *e)
{
	bool all_end = flow_is_file(opts) && !made->split && !opts->has_duration;
	uint32_t i;

	if (made->mix->nr_flows < cfg->threads)
		return err_usage(e, "%u threads need as many streams, and there are %u", cfg->threads,
				 made->mix->nr_flows);
	for (i = 0; i < made->mix->nr_flows; i++)
		all_end &= made->mix->flows[i].limit || made->mix->flows[i].duration_ns;
	if (all_end)
		cfg->duration_ns = 0;
	return 0;
}

/* What is sent, and to where. */
static int describe(struct flow *made, const struct flow_opts *opts,
		    const struct stream_opts *stream, struct nic_facts *nic, struct err *e)
{
	struct stream_plan plan = { .pps = 0 };
	int err;

	if (!flow_is_dest(opts)) {
		err = stream_wait_link(stream, nic, e);
		return err || opts->replay.path ? err : read_file(opts, stream, &made->file, e);
	}
	if (packet_spec_is_text(stream->dest)) {
		err = stream_wait_link(stream, nic, e);
	} else {
		err = stream_resolve(stream, nic, &plan, e);
		made->frame = plan.frame;
		made->vary = plan.vary;
	}
	if (err)
		return err;
	return file_of_options(opts, stream, &made->file, e);
}

int flow_prepare(const struct flow_opts *opts, const struct stream_opts *stream,
		 struct flow **ret_flow, struct tx_cfg *ret_cfg, struct err *e)
{
	struct flow *made = calloc(1, sizeof(*made));
	struct tx_cfg cfg = stream_cfg(stream);
	struct nic_facts nic;
	int err;

	if (!made)
		return err_set(e, -ENOMEM, "cannot describe the streams");
	made->split = flow_is_dest(opts);
	err = describe(made, opts, stream, &nic, e);
	if (!err && flow_is_file(opts) && is_single(made->file, opts))
		share_single(made, opts, &cfg);
	if (!err)
		err = opts->replay.path ? replay_opts_mix(&opts->replay, stream, &nic, &made->mix, e) :
					  build_all(made, opts, stream, &nic, e);
	if (!err)
		err = check_ends(made, opts, &cfg, e);
	if (err) {
		flow_free(made);
		return err;
	}
	cfg.mix = made->mix;
	*ret_flow = made;
	*ret_cfg = cfg;
	return 0;
}

void flow_describe(const struct flow *flow, struct result *res)
{
	const struct packet *packet = flow->mix->flows[0].packet;
	struct frame_spec frame = flow->frame;

	/* Those of a file may go to many places. */
	if (!flow->split)
		return;
	if (flow->route.known) {
		frame.src = flow->route.env.src;
		frame.dst = flow->route.env.dst;
	}
	memcpy(frame.dst_mac, packet->bytes, 6);
	memcpy(frame.src_mac, packet->bytes + 6, 6);
	stream_describe(&frame, res);
}

void flow_free(struct flow *flow)
{
	if (!flow)
		return;
	flow_file_free(flow->file);
	mix_free(flow->mix);
	free(flow);
}
