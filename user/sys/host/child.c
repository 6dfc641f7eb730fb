// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/child.c - run another program, to its end or in parallel.
 */
#include "sys/host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/loop.h"

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void become(char *const argv[], int out_fd)
{
	/* ^C on the terminal goes to us only, and we forward it: two would end it at once. */
	setpgid(0, 0);
	loop_release_signals();
	if (dup2(out_fd, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

int child_run(char *const argv[], int out_fd, int *ret_status)
{
	return child_run_within(argv, out_fd, UINT64_MAX, ret_status);
}

int child_run_within(char *const argv[], int out_fd, uint64_t limit_ns, int *ret_status)
{
	uint64_t start_ns = loop_mono_ns();
	bool forwarded = false, late = false;
	pid_t pid, done;
	int status;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become(argv, out_fd);
	}
	while (!(done = waitpid(pid, &status, WNOHANG)) || (done < 0 && errno == EINTR)) {
		if (loop_signal() && !forwarded) {
			kill(pid, loop_signal());
			forwarded = true;
		}
		if (!late && loop_mono_ns() - start_ns > limit_ns) {
			kill(pid, SIGKILL);
			late = true;
		}
		loop_sleep_until(loop_mono_ns() + 5000000);
	}
	if (done < 0)
		return -errno;
	if (late)
		return -ETIMEDOUT;
	*ret_status = status_of(status);
	return 0;
}

/* A pipe for each of the three streams. 0 or negative errno. */
static int open_pipes(int pipes[3][2])
{
	int i, err;

	for (i = 0; i < 3; i++) {
		if (!pipe2(pipes[i], O_CLOEXEC))
			continue;
		err = -errno;
		while (i--) {
			close(pipes[i][0]);
			close(pipes[i][1]);
		}
		return err;
	}
	return 0;
}

int child_open(struct child *ret_child, char *const argv[], int netns_fd)
{
	int pipes[3][2], err = open_pipes(pipes), in, out, errors;
	pid_t pid;

	if (err)
		return err;
	in = pipes[STDIN_FILENO][1];
	out = pipes[STDOUT_FILENO][0];
	errors = pipes[STDERR_FILENO][0];
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (!pid) {
		if (setns(netns_fd, CLONE_NEWNET) || dup2(pipes[STDIN_FILENO][0], STDIN_FILENO) < 0 ||
		    dup2(pipes[STDERR_FILENO][1], STDERR_FILENO) < 0)
			_exit(126);
		become(argv, pipes[STDOUT_FILENO][1]);
	}
	close(pipes[STDIN_FILENO][0]);
	close(pipes[STDOUT_FILENO][1]);
	close(pipes[STDERR_FILENO][1]);
	if (err) {
		close(in);
		close(out);
		close(errors);
		return err;
	}
	fcntl(out, F_SETFL, O_NONBLOCK);
	fcntl(errors, F_SETFL, O_NONBLOCK);
	*ret_child = (struct child){ .pid = pid, .in_fd = in, .out_fd = out, .err_fd = errors };
	return 0;
}

void child_ignore_signals(void)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

int child_isolate(const int *fds, unsigned int nr)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), high[4] = { 0 }, end = CHILD_FIRST_FD + (int)nr, fd;
	unsigned int i;

	child_ignore_signals();
	/* Each may have the number that another one is to get. */
	for (i = 0; i < nr; i++) {
		high[i] = fcntl(fds[i], F_DUPFD, end);
		if (high[i] < 0)
			return -errno;
	}
	for (fd = 0; fd < end; fd++) {
		if (dup2(fd < CHILD_FIRST_FD ? null : high[fd - CHILD_FIRST_FD], fd) < 0)
			return -errno;
	}
	return close_range((unsigned int)end, ~0u, 0) ? -errno : 0;
}

void child_end(struct child *child)
{
	if (child->in_fd >= 0)
		close(child->in_fd);
	child->in_fd = -1;
}

bool child_has_ended(struct child *child, int *ret_status)
{
	int status;

	if (child->pid && waitpid(child->pid, &status, WNOHANG) == child->pid) {
		child->pid = 0;
		child->status = status_of(status);
	}
	if (!child->pid)
		*ret_status = child->status;
	return !child->pid;
}

void child_close(struct child *child)
{
	child_end(child);
	close(child->out_fd);
	close(child->err_fd);
	if (!child->pid)
		return;
	kill(-child->pid, SIGKILL);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}
