// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/replay_opts.c - from --pcap and what belongs to it to a stream of the list.
 */
#include "engine/send/replay_opts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "model/replay.h"
#include "proto/flow_file.h"
#include "sys/net/nic.h"

const struct opt replay_options[] = {
	{ 0, "pcap", OPT_STR, offsetof(struct replay_opts, path), "FILE",
	  "send the packets of a capture file (pcap, pcapng, gzip), and no DEST" },
	{ 0, "speed", OPT_FACTOR, offsetof(struct replay_opts, speed), "FACTOR",
	  "--pcap: times as fast as it was captured, or max" },
	{ 0, "loop", OPT_COUNT, offsetof(struct replay_opts, loops), "N",
	  "--pcap: send the file N times; 0: without end" },
	{ 0, "map-ip", OPT_STR, offsetof(struct replay_opts, prefixes), "A/N=B/M,...",
	  "--pcap: move addresses from one prefix to another" },
	{ 0, "map-port", OPT_STR, offsetof(struct replay_opts, ports), "A=B,...",
	  "--pcap: change TCP and UDP ports" },
	{ 0, "strip-vlan", OPT_FLAG, offsetof(struct replay_opts, strip_vlan), NULL,
	  "--pcap: without VLAN tags; --vlan puts a new one" },
	{ 0, "fix-checksums", OPT_FLAG, offsetof(struct replay_opts, fix_checksums), NULL,
	  "--pcap: compute those of IP, TCP, UDP, ICMP and IGMP anew" },
	{ 0, "tag", OPT_FLAG, offsetof(struct replay_opts, tag), NULL,
	  "--pcap: write the probe tag over the start of UDP payloads" },
	OPT_END
};

static int make_rewrite(const struct replay_opts *opts, const struct stream_opts *stream,
			struct rewrite *rewrite, struct err *e)
{
	int err = 0;

	*rewrite = (struct rewrite){
		.set_src_mac = stream->src_mac.set, .set_dst_mac = stream->dst_mac.set,
		.strip_vlan = opts->strip_vlan, .push_vlan = stream->vlan != 0,
		.vlan_tci = (uint16_t)(stream->vlan_pcp << 13 | stream->vlan),
		.fix_checksums = opts->fix_checksums,
	};
	memcpy(rewrite->src_mac, stream->src_mac.addr, 6);
	memcpy(rewrite->dst_mac, stream->dst_mac.addr, 6);
	if (opts->prefixes)
		err = rewrite_parse_prefixes(rewrite, OPTION("map-ip"), opts->prefixes, e);
	if (!err && opts->ports)
		err = rewrite_parse_ports(rewrite, OPTION("map-port"), opts->ports, e);
	return err;
}

int replay_opts_check(const struct replay_opts *opts, const struct stream_opts *stream,
		      struct err *e)
{
	struct rewrite rewrite;

	return make_rewrite(opts, stream, &rewrite, e);
}

static int fill_flow(const struct replay_opts *opts, const struct stream_opts *stream,
		     const struct nic_facts *nic, struct mix_flow *flow, struct err *e)
{
	struct replay_cfg cfg = {
		.path = opts->path, .loops = opts->loops, .mtu = nic->mtu,
		.extra_bytes = stream->rate_layer == FRAME_L1 ? UNIT_GAP_BYTES : 0,
		.tagged = opts->tag, .stream = stream->first_stream,
		.stamp_every = stream->stamp_every,
		.pace = flow_pace_times(opts->speed),
	};
	int err;

	err = make_rewrite(opts, stream, &cfg.rewrite, e);
	if (!err && isnan(opts->speed))
		err = flow_pace_frames(&stream->rate, nic->speed_bps, &cfg.pace, &flow->offered_pps,
				       e);
	if (err)
		return err;
	snprintf(flow->name, sizeof(flow->name), "capture");
	flow->pace = cfg.pace;
	flow->limit = stream->count;
	flow->stamp_every = cfg.stamp_every;
	flow->stream = cfg.stream;
	flow->tagged = cfg.tagged;
	return replay_open(&flow->replay, &cfg, e);
}

int replay_opts_mix(const struct replay_opts *opts, const struct stream_opts *stream,
		    const struct nic_facts *nic, struct mix **ret_mix, struct err *e)
{
	struct mix *mix = mix_new(1, e);
	int err = mix ? fill_flow(opts, stream, nic, &mix->flows[0], e) : e->no;

	if (err)
		mix_free(mix);
	else
		*ret_mix = mix;
	return err;
}
