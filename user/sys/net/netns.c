// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/netns.c - network namespaces.
 */
#include "sys/net/netns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "lib/array.h"
#include "sys/host/caps.h"
#include "sys/net/nic.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71	/* 5.14 */
#endif

struct call {
	int (*fn)(void *ctx, struct err *e);
	void *ctx;
	struct err *e;
	int ret;
};

static void *call_main(void *arg)
{
	struct call *call = arg;

	call->ret = call->fn(call->ctx, call->e);
	return NULL;
}

int netns_run(int (*fn)(void *ctx, struct err *e), void *ctx, struct err *e)
{
	struct call call = { .fn = fn, .ctx = ctx, .e = e };
	pthread_t id;
	int err;

	err = pthread_create(&id, NULL, call_main, &call);
	if (err)
		return err_set(e, -err, "cannot start a thread");
	pthread_join(id, NULL);
	return call.ret;
}

int netns_new(int *ret_fd, struct err *e)
{
	int fd;

	if (unshare(CLONE_NEWNET)) {
		err_machine(e, -errno, "cannot create a network namespace");
		return err_hint(e, e->no == -ENOSPC ?
				"the limit is reached: sysctl user.max_net_namespaces" :
				"run it as root: sudo ethgauge ...");
	}
	fd = netns_open_own();
	if (fd < 0)
		return err_set(e, fd, "cannot open '/proc/thread-self/ns/net'");
	*ret_fd = fd;
	return 0;
}

int netns_open_own(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

unsigned int netns_inode(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : (unsigned int)st.st_ino;
}

uint64_t netns_cookie(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(uint64_t);
	uint64_t cookie = 0;

	if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		cookie = 0;
	if (fd >= 0)
		close(fd);
	return cookie ? cookie : netns_inode();
}

unsigned int netns_inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (unsigned int)st.st_ino;
}

bool netns_name(unsigned int inode, char *ret_name, size_t size)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;
	bool found = false;
	struct stat st;

	while (dir && !found && (entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) || (unsigned int)st.st_ino != inode ||
		    S_ISDIR(st.st_mode))
			continue;
		snprintf(ret_name, size, "%s", entry->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

int netns_enter(int fd, struct err *e)
{
	int no;

	if (!setns(fd, CLONE_NEWNET))
		return 0;
	no = -errno;
	if (no == -EPERM && caps_require(CAPS_SYS_ADMIN, e))
		return e->no;
	return err_set(e, no, "cannot enter a network namespace");
}

/*
 * The directory is a shared mount, so that a name mounted or unmounted here changes in every mount
 * namespace derived from this one; otherwise a daemon's private copy would keep a removed namespace
 * alive. `ip netns` does the same.
 */
static int share_dir(struct err *e)
{
	if (!mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return 0;
	/* EINVAL: not a mount point yet. */
	if (errno == EINVAL && !mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL) &&
	    !mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return 0;
	return err_set(e, -errno, "cannot make '" NETNS_DIR "' a shared mount");
}

int netns_lock(int *ret_fd, struct err *e)
{
	int fd;

	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		return err_set(e, -errno, "cannot make '" NETNS_DIR "'");
	fd = open(NETNS_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, -errno, "cannot open '" NETNS_DIR "'");
	/* A bind mount on itself is the same directory, so the lock stays the same. */
	while (flock(fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		err_set(e, -errno, "cannot lock '" NETNS_DIR "'");
		goto fail;
	}
	if (share_dir(e))
		goto fail;
	*ret_fd = fd;
	return 0;
fail:
	close(fd);
	return e->no;
}

static void path_of(char *ret_path, size_t size, const char *name)
{
	snprintf(ret_path, size, NETNS_DIR "/%s", name);
}

int netns_pin(int fd, const char *name, struct err *e)
{
	char path[256], source[64];
	int file;

	path_of(path, sizeof(path), name);
	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (file < 0)
		return err_set(e, -errno, "cannot name network namespace '%s'", name);
	close(file);
	if (mount(source, path, "none", MS_BIND, NULL)) {
		err_set(e, -errno, "cannot name network namespace '%s'", name);
		unlink(path);
		return e->no;
	}
	return 0;
}

int netns_unpin(const char *name, struct err *e)
{
	char path[256];

	path_of(path, sizeof(path), name);
	/* EINVAL: nothing is mounted there. */
	if (umount2(path, MNT_DETACH) && errno != EINVAL && errno != ENOENT)
		return err_set(e, -errno, "cannot unmount '%s'", path);
	if (unlink(path) && errno != ENOENT)
		return err_set(e, -errno, "cannot remove '%s'", path);
	return 0;
}

int netns_open(const char *name, int *ret_fd)
{
	struct statfs fs;
	char path[256];
	int fd;

	path_of(path, sizeof(path), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) || fs.f_type != NSFS_MAGIC) {
		close(fd);
		return -ENODATA;
	}
	*ret_fd = fd;
	return 0;
}

int netns_need(const char *name, int *ret_fd, struct err *e)
{
	int err = netns_open(name, ret_fd);

	if (!err)
		return 0;
	if (err != -ENOENT && err != -ENODATA && err != -ENAMETOOLONG && err != -ENOTDIR)
		return err_set(e, err, "cannot open the network namespace '%s'", name);
	err_usage(e, "there is no network namespace '%s' below " NETNS_DIR, name);
	return err_hint(e, "see: ethgauge lab status; ip netns list");
}

/* Opens @path if its namespace has ID @nsid here. */
static bool open_if_id(const char *path, int nsid, int *ret_fd)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), id;

	if (fd < 0)
		return false;
	if (!nic_netns_id(fd, &id) && id == nsid) {
		*ret_fd = fd;
		return true;
	}
	close(fd);
	return false;
}

int netns_open_id(int nsid, int *ret_fd)
{
	static const struct {
		const char *dir, *format;
	} places[] = { { NETNS_DIR, NETNS_DIR "/%s" }, { "/proc", "/proc/%s/ns/net" } };
	struct dirent *entry;
	char path[PATH_MAX];
	bool found = false;
	size_t i;
	DIR *dir;

	for (i = 0; i < ARRAY_SIZE(places) && !found; i++) {
		dir = opendir(places[i].dir);
		while (dir && !found && (entry = readdir(dir))) {
			snprintf(path, sizeof(path), places[i].format, entry->d_name);
			found = entry->d_name[0] != '.' && open_if_id(path, nsid, ret_fd);
		}
		if (dir)
			closedir(dir);
	}
	return found ? 0 : -ENOENT;
}

int netns_list(void (*fn)(void *ctx, const char *name), void *ctx, struct err *e)
{
	struct dirent **entries;
	int nr, i;

	nr = scandir(NETNS_DIR, &entries, NULL, alphasort);
	if (nr < 0)
		return errno == ENOENT ? 0 : err_set(e, -errno, "cannot list '" NETNS_DIR "'");
	for (i = 0; i < nr; i++) {
		if (entries[i]->d_name[0] != '.')
			fn(ctx, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* Mounts that tools expect below /sys, outermost first. */
static const char *const below_sys[] = {
	"/sys/fs/bpf", "/sys/fs/cgroup", "/sys/kernel/debug", "/sys/kernel/tracing",
	"/sys/kernel/security",
};

#define NR_BELOW_SYS ARRAY_SIZE(below_sys)

/* Copies the mounts below /sys, to be attached to another /sys; -1: none. */
static void take_mounts(int trees[NR_BELOW_SYS])
{
	struct stat sys, dir;
	size_t i;

	for (i = 0; i < NR_BELOW_SYS; i++) {
		trees[i] = -1;
		if (!stat("/sys", &sys) && !stat(below_sys[i], &dir) && dir.st_dev != sys.st_dev)
			trees[i] = open_tree(AT_FDCWD, below_sys[i],
					     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	}
}

static void put_mounts(int trees[NR_BELOW_SYS])
{
	size_t i;

	for (i = 0; i < NR_BELOW_SYS; i++) {
		if (trees[i] < 0)
			continue;
		/*
		 * A mount that cannot be attached is missing in the node, as with `ip netns exec`.
		 */
		move_mount(trees[i], "", AT_FDCWD, below_sys[i], MOVE_MOUNT_F_EMPTY_PATH);
		close(trees[i]);
	}
}

int netns_mount_sysfs(struct err *e)
{
	int trees[NR_BELOW_SYS], err = 0;

	if (unshare(CLONE_NEWNS))
		return err_set(e, -errno, "cannot create a mount namespace");
	/*
	 * Mounts made from here on must not propagate outside. In a chroot '/' is not a mount point
	 * (EINVAL): then do it for /sys at least.
	 */
	if (mount("", "/", "none", MS_SLAVE | MS_REC, NULL) &&
	    mount("", "/sys", "none", MS_SLAVE | MS_REC, NULL))
		return err_set(e, -errno, "cannot make the mounts of /sys private");
	take_mounts(trees);
	if (mount("sysfs", "/sys", "sysfs", 0, NULL))
		err = err_set(e, -errno, "cannot mount sysfs");
	put_mounts(trees);
	return err;
}
