// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/child.c - another program, run to its end.
 */
#include "sys/child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/loop.h"

static void become(char *const argv[], int out_fd)
{
	/* A ^C of the terminal comes to us alone, who hand it on: two would end it at once. */
	setpgid(0, 0);
	loop_release_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out_fd, STDOUT_FILENO) >= 0)
		execv(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

int child_run(char *const argv[], int out_fd, int *ret_status)
{
	bool told = false;
	pid_t pid, done;
	int status;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		become(argv, out_fd);
	while (!(done = waitpid(pid, &status, WNOHANG)) || (done < 0 && errno == EINTR)) {
		if (loop_signal() && !told) {
			kill(pid, loop_signal());
			told = true;
		}
		loop_sleep_until(loop_mono_ns() + 5000000);
	}
	if (done < 0)
		return -errno;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}
