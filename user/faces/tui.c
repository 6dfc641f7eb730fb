// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/tui.c - the full-screen view on a terminal.
 */
#include "faces/tui.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ncurses.h>

#include "lib/array.h"
#include "lib/bars.h"

struct tui {
	struct live *live;
	SCREEN *screen;
	int held_fd;		/* what is written to stderr while the view is open */
	int stderr_fd;		/* the real one */
	off_t shown_bytes;	/* of held_fd, at the bottom line */
	bool dirty;
};

static const struct {
	int curses, key;
} keys[] = {
	{ KEY_UP, LIVE_KEY_UP }, { KEY_DOWN, LIVE_KEY_DOWN }, { KEY_LEFT, LIVE_KEY_LEFT },
	{ KEY_RIGHT, LIVE_KEY_RIGHT }, { KEY_PPAGE, LIVE_KEY_PAGE_UP },
	{ KEY_NPAGE, LIVE_KEY_PAGE_DOWN }, { KEY_ENTER, LIVE_KEY_ENTER }, { '\r', LIVE_KEY_ENTER },
	{ '\n', LIVE_KEY_ENTER }, { KEY_BACKSPACE, LIVE_KEY_BACKSPACE },
	{ 0x7f, LIVE_KEY_BACKSPACE }, { '\b', LIVE_KEY_BACKSPACE }, { 0x1b, LIVE_KEY_ESCAPE },
};

static void hold_stderr(struct tui *tui)
{
	fflush(stderr);
	tui->held_fd = memfd_create("stderr", MFD_CLOEXEC);
	tui->stderr_fd = dup(STDERR_FILENO);
	if (tui->held_fd >= 0 && tui->stderr_fd >= 0)
		dup2(tui->held_fd, STDERR_FILENO);
}

static void release_stderr(struct tui *tui)
{
	char buf[4096];
	off_t at = 0;
	ssize_t len;

	fflush(stderr);
	if (tui->stderr_fd >= 0)
		dup2(tui->stderr_fd, STDERR_FILENO);
	while (tui->held_fd >= 0 && (len = pread(tui->held_fd, buf, sizeof(buf), at)) > 0) {
		if (write(STDERR_FILENO, buf, (size_t)len) < 0)
			break;
		at += len;
	}
	if (tui->held_fd >= 0)
		close(tui->held_fd);
	if (tui->stderr_fd >= 0)
		close(tui->stderr_fd);
}

int tui_open(struct tui **ret_tui, bool color, struct err *e)
{
	struct tui *tui;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_usage(e, "the full-screen view requires a terminal");
	tui = calloc(1, sizeof(*tui));
	if (!tui)
		return err_set(e, -ENOMEM, "cannot show the full-screen view");
	tui->live = live_new(bars_utf8());
	/* Unlike initscr(), this returns when it does not know the terminal. */
	tui->screen = tui->live ? newterm(NULL, stdout, stdin) : NULL;
	if (!tui->screen) {
		live_free(tui->live);
		free(tui);
		return err_machine(e, -ENOTTY, "cannot show the full-screen view on terminal '%s'",
				   getenv("TERM") ?: "");
	}
	hold_stderr(tui);
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	if (color && has_colors() && start_color() == OK) {
		use_default_colors();
		init_pair(LIVE_HEAD, COLOR_CYAN, -1);
		init_pair(LIVE_SELECTED, COLOR_GREEN, -1);
		init_pair(LIVE_WARNING, COLOR_RED, -1);
	}
	tui->dirty = true;
	*ret_tui = tui;
	return 0;
}

void tui_close(struct tui *tui)
{
	if (!tui)
		return;
	endwin();
	delscreen(tui->screen);
	release_stderr(tui);
	live_free(tui->live);
	free(tui);
}

static void put(void *ctx, unsigned int line, unsigned int left, enum live_style style, const char *text)
{
	static const attr_t attrs[LIVE_STYLES] = {
		[LIVE_BAR] = A_REVERSE, [LIVE_HEAD] = A_BOLD, [LIVE_SELECTED] = A_BOLD,
		[LIVE_WARNING] = A_BOLD,
	};

	(void)ctx;
	attrset(attrs[style]);
	if (style == LIVE_HEAD || style == LIVE_SELECTED || style == LIVE_WARNING)
		color_set((short)style, NULL);
	if (style == LIVE_BAR)
		mvhline((int)line, 0, ' ', COLS);
	mvaddstr((int)line, (int)left, text);
}

/* The content has changed. */
static void draw(struct tui *tui)
{
	erase();
	live_draw(tui->live, (unsigned int)COLS, (unsigned int)LINES, put, tui);
	refresh();
	tui->dirty = false;
}

/* The newest log line. */
static void show_log(struct tui *tui)
{
	off_t bytes = tui->held_fd >= 0 ? lseek(tui->held_fd, 0, SEEK_CUR) : 0;
	char text[256], *line, *p;
	ssize_t len;

	if (bytes <= tui->shown_bytes)
		return;
	len = pread(tui->held_fd, text, sizeof(text) - 1,
		    bytes > (off_t)sizeof(text) - 1 ? bytes - (off_t)sizeof(text) + 1 : 0);
	if (len <= 0)
		return;
	tui->shown_bytes = bytes;
	text[len] = '\0';
	if (text[len - 1] == '\n')
		text[len - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	for (p = line; *p; p++) {
		if (*p < ' ' || *p > '~')
			*p = '?';
	}
	tui_say(tui, line);
}

void tui_update(struct tui *tui, const struct result *res, uint64_t elapsed_ns)
{
	live_update(tui->live, res, elapsed_ns);
	tui->dirty = true;
}

void tui_say(struct tui *tui, const char *text)
{
	live_say(tui->live, text);
	tui->dirty = true;
}

enum live_wish tui_poll(struct tui *tui)
{
	enum live_wish wish = LIVE_GO_ON;
	int key;
	size_t i;

	while (wish == LIVE_GO_ON && (key = getch()) != ERR) {
		tui->dirty = true;
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			if (keys[i].curses == key)
				break;
		}
		if (i < ARRAY_SIZE(keys))
			wish = live_key(tui->live, keys[i].key);
		else if (key < 0x100)	/* KEY_RESIZE and others: drawing is all there is to do */
			wish = live_key(tui->live, key);
	}
	show_log(tui);
	if (tui->dirty)
		draw(tui);
	return wish;
}
