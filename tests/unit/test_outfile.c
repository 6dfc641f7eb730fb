// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/outfile.h"

#include "check.h"

static char dir[64], path[128];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/outfile.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/result.json", dir);
	return 0;
}

static int files_in_dir(void)
{
	struct dirent *entry;
	DIR *d = opendir(dir);
	int n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);	/* fails if a test left anything else */
}

static void write_plain(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_content(const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(buf, 1, sizeof(buf) - 1, f) <= sizeof(buf));
	fclose(f);
	assert_string_equal(buf, text);
}

static void a_file_is_there_only_when_committed(void **state)
{
	struct outfile *file = NULL;
	struct err e;

	(void)state;
	assert_int_equal(outfile_open(&file, path, &e), 0);
	fputs("whole", outfile_stream(file));
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(outfile_commit(file, &e), 0);
	assert_content("whole");
	outfile_close(file);
	assert_content("whole");
	assert_int_equal(files_in_dir(), 1);
}

static void what_is_not_committed_vanishes(void **state)
{
	struct outfile *file = NULL;
	struct err e;

	(void)state;
	assert_int_equal(outfile_open(&file, path, &e), 0);
	fputs("half", outfile_stream(file));
	outfile_close(file);
	assert_int_equal(files_in_dir(), 0);
	outfile_close(NULL);
}

static void an_old_file_is_replaced_whole(void **state)
{
	struct outfile *file = NULL;
	struct err e;

	(void)state;
	write_plain("the old one, which is longer");
	assert_int_equal(outfile_open(&file, path, &e), 0);
	fputs("new", outfile_stream(file));
	fflush(outfile_stream(file));
	assert_content("the old one, which is longer");
	assert_int_equal(outfile_commit(file, &e), 0);
	outfile_close(file);
	assert_content("new");
	assert_int_equal(files_in_dir(), 1);
}

static void a_renewed_file_is_written_again(void **state)
{
	struct outfile *file = NULL;
	struct err e;

	(void)state;
	assert_int_equal(outfile_open(&file, path, &e), 0);
	fputs("the first, which is longer", outfile_stream(file));
	assert_int_equal(outfile_commit_soon(file, &e), 0);
	assert_int_equal(outfile_renew(file, &e), 0);
	fputs("lost", outfile_stream(file));
	assert_int_equal(outfile_renew(file, &e), 0);
	fputs("next", outfile_stream(file));
	fflush(outfile_stream(file));
	assert_content("the first, which is longer");
	assert_int_equal(outfile_commit_soon(file, &e), 0);
	assert_content("next");
	assert_int_equal(outfile_renew(file, &e), 0);
	outfile_close(file);
	assert_content("next");
	assert_int_equal(files_in_dir(), 1);
}

static void a_file_that_cannot_be_renewed_may_be_later(void **state)
{
	struct outfile *file = NULL;
	char away[80];
	struct err e;

	(void)state;
	snprintf(away, sizeof(away), "%s.away", dir);
	assert_int_equal(outfile_open(&file, path, &e), 0);
	assert_int_equal(outfile_commit_soon(file, &e), 0);
	assert_int_equal(rename(dir, away), 0);
	assert_int_equal(outfile_renew(file, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "cannot write"));
	assert_int_equal(rename(away, dir), 0);
	assert_int_equal(outfile_renew(file, &e), 0);
	fputs("back", outfile_stream(file));
	assert_int_equal(outfile_commit_soon(file, &e), 0);
	outfile_close(file);
	assert_content("back");
}

static void killing_the_writer_leaves_nothing(void **state)
{
	int status;
	pid_t child;

	(void)state;
	write_plain("old");
	child = fork();
	if (!child) {
		struct outfile *file = NULL;
		struct err e;

		if (outfile_open(&file, path, &e))
			_exit(1);
		fputs("half", outfile_stream(file));
		fflush(outfile_stream(file));
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_content("old");
	assert_int_equal(files_in_dir(), 1);
}

static void everybody_may_read_it_as_the_umask_allows(void **state)
{
	struct outfile *file = NULL;
	mode_t mask = umask(022);
	struct stat st;
	struct err e;

	(void)state;
	assert_int_equal(outfile_open(&file, path, &e), 0);
	assert_int_equal(outfile_commit(file, &e), 0);
	outfile_close(file);
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
}

/* EFBIG instead of a full disk, which requires root; tests/cli tests that. */
static void a_disk_that_takes_no_more_keeps_the_old_file(void **state)
{
	int status;
	pid_t child;

	(void)state;
	write_plain("old");
	child = fork();
	if (!child) {
		struct rlimit limit = { .rlim_cur = 4096, .rlim_max = 4096 };
		struct outfile *file = NULL;
		struct err e;
		int i;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		if (outfile_open(&file, path, &e))
			_exit(1);
		for (i = 0; i < 2000; i++)
			fputs("0123456789", outfile_stream(file));
		i = outfile_commit(file, &e);
		outfile_close(file);
		_exit(i == -EFBIG && strstr(e.msg, "File too large") ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_content("old");
	assert_int_equal(files_in_dir(), 1);
}

static void a_path_that_cannot_be_written_is_found_at_once(void **state)
{
	struct outfile *file = (struct outfile *)1;
	char longer[PATH_MAX + 10];
	struct err e = { 0 };

	(void)state;
	assert_int_equal(outfile_open(&file, "/no-such-directory/x", &e), -ENOENT);
	assert_string_equal(e.msg,
			    "cannot write '/no-such-directory/x': No such file or directory");
	assert_int_equal(outfile_open(&file, dir, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(outfile_open(&file, "/dev/null", &e), -EINVAL);
	assert_true(outfile_open(&file, "", &e) < 0);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(outfile_open(&file, longer, &e), -ENAMETOOLONG);
	assert_ptr_equal(file, (struct outfile *)1);
}

#define test(body) cmocka_unit_test_setup_teardown(body, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_file_is_there_only_when_committed),
		test(what_is_not_committed_vanishes),
		test(an_old_file_is_replaced_whole),
		test(a_renewed_file_is_written_again),
		test(a_file_that_cannot_be_renewed_may_be_later),
		test(killing_the_writer_leaves_nothing),
		test(everybody_may_read_it_as_the_umask_allows),
		test(a_disk_that_takes_no_more_keeps_the_old_file),
		test(a_path_that_cannot_be_written_is_found_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
