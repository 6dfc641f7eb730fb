// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * truth_forwarder.c - forwards frames between the interfaces left and right, does harm to some of
 * them by chance, and writes down what it did. For scripts/truth: it shares no code with the tool.
 *
 *     truth_forwarder SEED LIST FILTER [back.]KEY=VALUE...
 *
 * Frames that FILTER (see pcap-filter(7)) selects are harmed: those from left as the keys say, those
 * from right as the keys with back. say. It prints "ready", ends when its standard input has
 * something or ends, and prints how many frames its sockets dropped and how many sends it had to
 * repeat. LIST gets a struct record for each frame that it sent or lost, in the order of sending.
 */
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <pcap/pcap.h>

#define FRAME_BYTES	2048
#define HEAD_BYTES	128
#define BATCH		64
#define SILENT_NS	30000000	/* then no later packet comes that could pass a held one */
#define NSEC_PER_SEC	1000000000ull
#define BUFFER_BYTES	(128 << 20)

enum fate { WHOLE, LOST, DAMAGED, PASSED };

/* scripts/truth-lib/forward.py reads it. */
struct record {
	uint64_t arrival;	/* number of the frame, of all that came in at this side */
	uint64_t came_ns;	/* by the kernel; both times are CLOCK_REALTIME */
	uint64_t sent_ns;	/* right before the call; 0: lost */
	uint32_t bytes;
	uint8_t side;		/* 0: from left */
	uint8_t fate;
	uint16_t unused;
	uint8_t head[HEAD_BYTES];
};

struct frame {
	uint64_t key, order;	/* when it is sent: in a heap */
	struct record record;
	uint8_t data[FRAME_BYTES];
};

struct heap {
	struct frame **frames;
	size_t nr, room;
};

struct harm {
	double loss, burst_into, burst_out, twice, late, damage;
	uint64_t head, tail_from, far, delay_ns, waits;
	uint64_t damage_at, damage_bytes;
};

struct side {
	int fd;			/* of the interface that these frames come from */
	struct harm harm;
	uint64_t random;
	int in_burst;
	uint64_t arrivals, matched, passed;
	struct heap held;	/* until a number of later frames has passed */
	struct frame *out[BATCH];
	unsigned int nr_out;
};

static const struct {
	const char *key;
	size_t at;
	int is_real;
} keys[] = {
	{ "loss", offsetof(struct harm, loss), 1 },
	{ "burst_into", offsetof(struct harm, burst_into), 1 },
	{ "burst_out", offsetof(struct harm, burst_out), 1 },
	{ "twice", offsetof(struct harm, twice), 1 },
	{ "late", offsetof(struct harm, late), 1 },
	{ "damage", offsetof(struct harm, damage), 1 },
	{ "head", offsetof(struct harm, head), 0 },		/* the first are lost */
	{ "tail_from", offsetof(struct harm, tail_from), 0 },	/* and all from this one on */
	{ "far", offsetof(struct harm, far), 0 },		/* late by at most this many places */
	{ "delay_ns", offsetof(struct harm, delay_ns), 0 },
	{ "waits", offsetof(struct harm, waits), 0 },		/* only this one is delayed */
	{ "damage_at", offsetof(struct harm, damage_at), 0 },
	{ "damage_bytes", offsetof(struct harm, damage_bytes), 0 },
};

static struct side sides[2];
static struct heap timed;
static struct bpf_program filter;
static FILE *list;
static uint64_t orders, newest_ns, repeats;

static void die(const char *what)
{
	fprintf(stderr, "truth_forwarder: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* splitmix64 */
static uint64_t next_random(struct side *side)
{
	uint64_t mix = side->random += 0x9E3779B97F4A7C15;

	mix = (mix ^ mix >> 30) * 0xBF58476D1CE4E5B9;
	mix = (mix ^ mix >> 27) * 0x94D049BB133111EB;
	return mix ^ mix >> 31;
}

static int happens(struct side *side, double probability)
{
	return (double)(next_random(side) >> 11) < probability * 9007199254740992.0;
}

static int is_before(const struct frame *a, const struct frame *b)
{
	return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static void swap(struct frame **a, struct frame **b)
{
	struct frame *c = *a;

	*a = *b;
	*b = c;
}

static void heap_push(struct heap *heap, struct frame *frame, uint64_t key)
{
	size_t i = heap->nr++;

	if (heap->nr > heap->room) {
		heap->room = heap->room ? 2 * heap->room : 1024;
		heap->frames = realloc(heap->frames, heap->room * sizeof(frame));
		if (!heap->frames)
			die("no memory");
	}
	frame->key = key;
	frame->order = orders++;
	heap->frames[i] = frame;
	for (; i && is_before(heap->frames[i], heap->frames[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap->frames[i], &heap->frames[(i - 1) / 2]);
}

static struct frame *heap_pop(struct heap *heap)
{
	struct frame *first = heap->frames[0];
	size_t i = 0, child;

	heap->frames[0] = heap->frames[--heap->nr];
	while ((child = 2 * i + 1) < heap->nr) {
		if (child + 1 < heap->nr && is_before(heap->frames[child + 1], heap->frames[child]))
			child++;
		if (!is_before(heap->frames[child], heap->frames[i]))
			break;
		swap(&heap->frames[i], &heap->frames[child]);
		i = child;
	}
	return first;
}

static void write_down(const struct record *record)
{
	if (fwrite(record, sizeof(*record), 1, list) != 1)
		die("cannot write the list");
}

/* Sends what waits in @side's batch, out of the other interface. */
static void flush(struct side *side)
{
	struct mmsghdr messages[BATCH] = { 0 };
	struct iovec parts[BATCH];
	unsigned int sent = 0, i;
	uint64_t sent_ns = now_ns();

	for (i = 0; i < side->nr_out; i++) {
		struct frame *frame = side->out[i];

		parts[i] = (struct iovec){ frame->data, frame->record.bytes };
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
		frame->record.sent_ns = sent_ns;
		memcpy(frame->record.head, frame->data, HEAD_BYTES);
	}
	while (sent < side->nr_out) {
		int nr = sendmmsg(sides[side == sides].fd, messages + sent, side->nr_out - sent, 0);

		if (nr > 0) {
			sent += (unsigned int)nr;
			continue;
		}
		/* The driver's ring was full, and this frame is not in it. */
		if (errno != ENOBUFS && errno != EINTR)
			die("cannot send");
		repeats++;
		usleep(100);
	}
	for (i = 0; i < side->nr_out; i++) {
		write_down(&side->out[i]->record);
		free(side->out[i]);
	}
	side->nr_out = 0;
}

static void send_frame(struct frame *frame)
{
	struct side *side = &sides[frame->record.side];

	side->out[side->nr_out++] = frame;
	if (side->nr_out == BATCH)
		flush(side);
}

/* The values are drawn in a fixed order, so that a seed repeats the choice whatever the times are. */
static int is_lost(struct side *side, uint64_t number)
{
	const struct harm *harm = &side->harm;

	if (number < harm->head || number >= harm->tail_from)
		return 1;
	if (harm->burst_into > 0) {
		side->in_burst = happens(side, side->in_burst ? 1 - harm->burst_out : harm->burst_into);
		return side->in_burst;
	}
	return happens(side, harm->loss);
}

/* One to five bits. */
static void damage(struct side *side, struct frame *frame)
{
	uint64_t bits[5], nr = 1 + next_random(side) % 5, i, k;

	if (frame->record.bytes < side->harm.damage_at + side->harm.damage_bytes)
		return;
	frame->record.fate = DAMAGED;
	for (i = 0; i < nr; i++) {
		do {
			bits[i] = next_random(side) % (8 * side->harm.damage_bytes);
			for (k = 0; bits[k] != bits[i]; k++)
				;
		} while (k < i);
		frame->data[side->harm.damage_at + bits[i] / 8] ^= 1 << bits[i] % 8;
	}
}

static struct frame *copy_of(const struct record *record, const void *data)
{
	struct frame *frame = malloc(sizeof(*frame));

	if (!frame)
		die("no memory");
	frame->record = *record;
	memcpy(frame->data, data, FRAME_BYTES);
	return frame;
}

static void harm_and_send(struct side *side, struct record *record, const void *data)
{
	const struct harm *harm = &side->harm;
	uint64_t number = side->matched++, copies;
	struct frame *frame;

	if (is_lost(side, number)) {
		record->fate = LOST;
		memcpy(record->head, data, HEAD_BYTES);
		write_down(record);
		return;
	}
	side->passed++;
	for (copies = happens(side, harm->twice) ? 2 : 1; copies; copies--) {
		frame = copy_of(record, data);
		if (happens(side, harm->damage))
			damage(side, frame);
		if (happens(side, harm->late))
			heap_push(&side->held, frame, side->passed + 1 + next_random(side) % harm->far);
		else if (harm->delay_ns && (harm->waits == UINT64_MAX || harm->waits == number))
			heap_push(&timed, frame, record->came_ns + harm->delay_ns);
		else
			send_frame(frame);
	}
	while (side->held.nr && side->held.frames[0]->key <= side->passed)
		send_frame(heap_pop(&side->held));
}

static void take(struct side *side, const uint8_t *data, uint32_t bytes, uint64_t came_ns)
{
	struct pcap_pkthdr header = { .caplen = bytes, .len = bytes };
	struct record record = {
		.arrival = side->arrivals++, .came_ns = came_ns, .bytes = bytes,
		.side = (uint8_t)(side - sides), .fate = WHOLE,
	};

	if (pcap_offline_filter(&filter, &header, data)) {
		newest_ns = now_ns();
		harm_and_send(side, &record, data);
		return;
	}
	record.fate = PASSED;
	send_frame(copy_of(&record, data));
}

static uint64_t time_of(struct msghdr *message)
{
	struct cmsghdr *part;
	struct timespec came;

	for (part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPNS)
			continue;
		memcpy(&came, CMSG_DATA(part), sizeof(came));
		return (uint64_t)came.tv_sec * NSEC_PER_SEC + (uint64_t)came.tv_nsec;
	}
	return now_ns();
}

static void receive(struct side *side)
{
	static uint8_t data[BATCH][FRAME_BYTES];
	static char control[BATCH][64];
	struct mmsghdr messages[BATCH] = { 0 };
	struct iovec parts[BATCH];
	int nr, i;

	for (i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){ data[i], FRAME_BYTES };
		messages[i].msg_hdr = (struct msghdr){
			.msg_iov = &parts[i], .msg_iovlen = 1,
			.msg_control = control[i], .msg_controllen = sizeof(control[i]),
		};
	}
	nr = recvmmsg(side->fd, messages, BATCH, MSG_DONTWAIT, NULL);
	if (nr < 0 && errno != EAGAIN && errno != EINTR)
		die("cannot receive");
	for (i = 0; i < nr; i++) {
		if (messages[i].msg_hdr.msg_flags & MSG_TRUNC) {
			fprintf(stderr, "truth_forwarder: a frame is longer than %d bytes\n", FRAME_BYTES);
			exit(1);
		}
		take(side, data[i], messages[i].msg_len, time_of(&messages[i].msg_hdr));
	}
}

static int open_link(const char *name)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), bytes = BUFFER_BYTES, on = 1;

	if (fd < 0 || !address.sll_ifindex)
		die(name);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die(name);
	return fd;
}

static uint32_t dropped(const struct side *side)
{
	struct tpacket_stats stats = { 0 };
	socklen_t len = sizeof(stats);

	if (getsockopt(side->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len))
		die("cannot read what the socket dropped");
	return stats.tp_drops;
}

static void read_key(const char *word)
{
	int back = !strncmp(word, "back.", 5);
	const char *key = word + (back ? 5 : 0), *value = strchr(key, '=');
	char *at = (char *)&sides[back].harm, *end = NULL;
	size_t i;

	for (i = 0; value && i < sizeof(keys) / sizeof(*keys); i++) {
		if (strncmp(key, keys[i].key, (size_t)(value - key)) || keys[i].key[value - key])
			continue;
		if (keys[i].is_real)
			*(double *)(at + keys[i].at) = strtod(value + 1, &end);
		else
			*(uint64_t *)(at + keys[i].at) = strtoull(value + 1, &end, 10);
	}
	if (end && end != value + 1 && !*end)
		return;
	fprintf(stderr, "truth_forwarder: what is '%s'?\n", word);
	exit(2);
}

/* In ms for poll(); shorter waits are polled for. */
static int wait_ms(void)
{
	uint64_t now = now_ns();

	if (sides[0].held.nr || sides[1].held.nr)
		return 1;
	if (!timed.nr)
		return -1;
	return timed.frames[0]->key <= now ? 0 : (int)((timed.frames[0]->key - now) / 1000000);
}

static void forward(void)
{
	struct pollfd ends[3] = {
		{ .fd = sides[0].fd, .events = POLLIN }, { .fd = sides[1].fd, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};
	int done = 0, i;

	while (!done || timed.nr || sides[0].held.nr || sides[1].held.nr) {
		if (poll(ends, done ? 2 : 3, wait_ms()) < 0 && errno != EINTR)
			die("cannot wait");
		for (i = 0; i < 2; i++) {
			if (ends[i].revents)
				receive(&sides[i]);
			while (sides[i].held.nr && !ends[i].revents && now_ns() - newest_ns > SILENT_NS)
				send_frame(heap_pop(&sides[i].held));
		}
		while (timed.nr && timed.frames[0]->key <= now_ns())
			send_frame(heap_pop(&timed));
		flush(&sides[0]);
		flush(&sides[1]);
		done |= ends[2].revents != 0;
	}
}

int main(int argc, char **argv)
{
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, FRAME_BYTES);
	static const char *names[] = { "left", "right" };
	int i;

	if (argc < 4) {
		fprintf(stderr, "Usage: truth_forwarder SEED LIST FILTER [back.]KEY=VALUE...\n");
		return 2;
	}
	for (i = 0; i < 2; i++) {
		sides[i].harm = (struct harm){
			.tail_from = UINT64_MAX, .waits = UINT64_MAX, .far = 20,
			.damage_at = 42, .damage_bytes = 18,
		};
		sides[i].random = 2 * strtoull(argv[1], NULL, 10) + (uint64_t)i;
		sides[i].fd = open_link(names[i]);
	}
	for (i = 4; i < argc; i++)
		read_key(argv[i]);
	list = fopen(argv[2], "w");
	if (!list)
		die(argv[2]);
	if (!dead || pcap_compile(dead, &filter, argv[3], 1, PCAP_NETMASK_UNKNOWN)) {
		fprintf(stderr, "truth_forwarder: '%s': %s\n", argv[3], dead ? pcap_geterr(dead) : "");
		return 2;
	}
	printf("ready\n");
	fflush(stdout);
	forward();
	if (fclose(list))
		die(argv[2]);
	printf("{\"dropped\": %u, \"repeats\": %llu}\n", dropped(&sides[0]) + dropped(&sides[1]),
	       (unsigned long long)repeats);
	return 0;
}
