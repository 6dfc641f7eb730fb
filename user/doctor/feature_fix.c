// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature_fix.c - what fixes an absent feature: words, or a command that works where the caller typed "doctor".
 *
 * doctor may have been started into another network namespace (ip netns exec, lab exec): what the caller types next
 * runs in the namespace of its shell, so the command enters that of the interface.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/feature_probe.h"
#include "sys/host/sysfs.h"
#include "sys/net/netns.h"

#define NAME_BYTES	256	/* of a named namespace, which is a file */

void feature_fix(struct feature_answer *ret, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ret->remedy, sizeof(ret->remedy), fmt, args);
	va_end(args);
	ret->is_command = false;
}

/* The process that ran this one, but for what only changes the user. */
static pid_t caller(void)
{
	char path[64], text[64];
	pid_t pid = getppid();
	int parent;

	for (;;) {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
		if (sysfs_read(path, text, sizeof(text)) <= 0 || (strcmp(text, "sudo") && strcmp(text, "doas")))
			return pid;
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		if (sysfs_read(path, text, sizeof(text)) <= 0 || sscanf(text, "%*d (%*[^)]) %*c %d", &parent) != 1)
			return pid;
		pid = parent;
	}
}

/* The name of a namespace, "" if it is the caller's. False: it has none. */
static bool name_for_caller(unsigned int inode, char *ret_name, size_t size)
{
	char path[64];
	struct stat st;
	bool seen;

	*ret_name = '\0';
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)caller());
	seen = !stat(path, &st);
	return inode == (seen ? (unsigned int)st.st_ino : netns_inode()) || netns_name(inode, ret_name, size);
}

static bool peer_name(const struct feature_set *set, char *ret_name, size_t size)
{
	int fd = -1;
	bool found;

	*ret_name = '\0';
	if (set->link.peer_hidden || !set->link.peer_ifindex)
		return false;
	if (set->link.peer_nsid < 0)
		return name_for_caller(netns_inode(), ret_name, size);
	found = !netns_open_id(set->link.peer_nsid, &fd) && name_for_caller(netns_inode_of(fd), ret_name, size);
	if (fd >= 0)
		close(fd);
	return found;
}

/* Others choose the names of interfaces and namespaces: none may be more than a word to a shell. */
static bool is_harmless(const char *text)
{
	return !strpbrk(text, "$`;|<>&\\\"'*?()[]{}!~\n");
}

/* @named: false: the namespace has no name, so that the command is only words. */
static void add_command(struct feature_answer *ret, const char *name, bool named, const char *place, const char *fmt,
			va_list args)
{
	bool after = ret->is_command;
	size_t used = after ? strlen(ret->remedy) : 0;
	char text[sizeof(ret->remedy)];

	vsnprintf(text, sizeof(text), fmt, args);
	snprintf(ret->remedy + used, sizeof(ret->remedy) - used, "%s%s%s%s%s", after ? " && " : "", named ? "" : place,
		 *name ? "ip netns exec " : "", name, *name ? " " : "");
	used = strlen(ret->remedy);
	snprintf(ret->remedy + used, sizeof(ret->remedy) - used, "%s", text);
	ret->is_command = named && is_harmless(name) && is_harmless(text);
}

void feature_command(const struct feature_set *set, struct feature_answer *ret, const char *fmt, ...)
{
	char name[NAME_BYTES] = "";
	bool named = !set || name_for_caller(netns_inode(), name, sizeof(name));
	va_list args;

	va_start(args, fmt);
	add_command(ret, name, named, "in its namespace: ", fmt, args);
	va_end(args);
}

void feature_command_at_peer(const struct feature_set *set, struct feature_answer *ret, const char *fmt, ...)
{
	char name[NAME_BYTES];
	bool named = peer_name(set, name, sizeof(name));
	va_list args;

	va_start(args, fmt);
	add_command(ret, name, named, "at the other end: ", fmt, args);
	va_end(args);
}

void feature_as_root(struct feature_answer *ret)
{
	bool needs_shell = strstr(ret->remedy, " && ");
	char text[sizeof(ret->remedy)];

	if (!geteuid())
		return;
	snprintf(text, sizeof(text), "%s", ret->remedy);
	snprintf(ret->remedy, sizeof(ret->remedy), needs_shell ? "sudo sh -c '%.220s'" : "sudo %.230s", text);
}

void feature_peer_place(const struct feature_set *set, char *ret_text, size_t size)
{
	char name[NAME_BYTES];

	if (set->link.peer_nsid < 0 && !set->link.peer_hidden)
		snprintf(ret_text, size, "%s", "");
	else if (peer_name(set, name, sizeof(name)) && *name)
		snprintf(ret_text, size, " in namespace '%.32s'", name);
	else
		snprintf(ret_text, size, " in another namespace");
}
