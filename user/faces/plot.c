// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/plot.c - curves, bars and heat maps as SVG.
 */
#include "faces/plot.h"

#include <math.h>
#include <string.h>

#include "faces/page.h"

#define WIDTH		640
#define HEIGHT		300
#define LEFT		74
#define RIGHT		16
#define TOP		12
#define BOTTOM		46
#define VIEW_WIDTH	(WIDTH - LEFT - RIGHT)
#define VIEW_HEIGHT	(HEIGHT - TOP - BOTTOM)
#define NAMES_HEIGHT	18	/* of a line of them */
#define MAX_TICKS	40
#define TEXT_WIDTH	7.	/* of a character of a tick's text */
#define FEW_DECADES	1e3	/* an axis of less has more ticks than one a decade */
#define MAX_BAR		64	/* its width */
#define MIDDLE_UNTIL	(WIDTH - 34)	/* further right, a tick's text would be cut */

struct axis {
	double lo, hi;
	bool log;
	enum unit unit;
	bool percentiles;
};

/* Of a tick: few digits, the unit's largest step that is not above the value. */
static const char *tick_text(char *buf, size_t size, const struct axis *axis, double value)
{
	static const struct {
		double factor;
		const char *pps, *bps, *bytes, *plain;
	} steps[] = {
		{ 1e9, " Gpps", " Gbit/s", " GB", " G" }, { 1e6, " Mpps", " Mbit/s", " MB", " M" },
		{ 1e3, " kpps", " kbit/s", " kB", " k" }, { 1, " pps", " bit/s", " B", "" },
	};
	size_t i = 0;

	if (axis->percentiles) {
		snprintf(buf, size, "%.9g %%", value > 1 ? 100 - 100 / value : 0.);
		return buf;
	}
	if (axis->unit == UNIT_RATIO) {
		snprintf(buf, size, "%.4g %%", 100 * value);
		return buf;
	}
	if (axis->unit == UNIT_NS) {
		double size_ns = fabs(value) * 1.0000001;

		if (size_ns >= 1e9)
			snprintf(buf, size, "%.4g s", value / 1e9);
		else if (size_ns >= 1e6)
			snprintf(buf, size, "%.4g ms", value / 1e6);
		else if (size_ns >= 1e3)
			snprintf(buf, size, "%.4g us", value / 1e3);
		else
			snprintf(buf, size, "%.4g ns", value);
		return buf;
	}
	while (i < 3 && fabs(value) * 1.0000001 < steps[i].factor)
		i++;
	snprintf(buf, size, "%.4g%s", value / steps[i].factor,
		 axis->unit == UNIT_PPS ? steps[i].pps : axis->unit == UNIT_BPS ? steps[i].bps :
		 axis->unit == UNIT_BYTES ? steps[i].bytes : steps[i].plain);
	return buf;
}

/* Decades; of few also 2 and 5 in each, and of percentiles the median. */
static size_t ticks_of_log(const struct axis *axis, double ret_ticks[MAX_TICKS])
{
	bool few = axis->hi < axis->lo * FEW_DECADES && !axis->percentiles;
	double decade = pow(10, floor(log10(axis->lo) + 1e-9));
	size_t nr = 0;
	int k;

	for (; nr + 3 < MAX_TICKS && decade <= axis->hi * 1.0000001; decade *= 10) {
		for (k = 1; k <= 5; k += k == 1 ? 1 : 3) {
			double value = k * decade;

			if ((k == 1 || few || (axis->percentiles && value == 2)) &&
			    value >= axis->lo * 0.9999999 && value <= axis->hi * 1.0000001)
				ret_ticks[nr++] = value;
		}
	}
	return nr;
}

static size_t ticks_of(const struct axis *axis, double ret_ticks[MAX_TICKS])
{
	static const double nice[] = { 1, 2, 5, 10 };
	double raw = (axis->hi - axis->lo) / 5, unit, step, value;
	size_t nr = 0, i = 0;

	if (axis->log) {
		nr = ticks_of_log(axis, ret_ticks);
		if (nr > 1)
			return nr;
		nr = 0;
	}
	unit = pow(10, floor(log10(raw)));
	while (i < 3 && nice[i] * unit < raw * 0.999)
		i++;
	step = nice[i] * unit;
	for (value = ceil(axis->lo / step - 1e-9) + 0.; nr < MAX_TICKS && value * step <= axis->hi + step * 1e-9;
	     value++)
		ret_ticks[nr++] = value * step;
	return nr;
}

/* From 0, or in decades, with a little room above; beside dots too. */
static struct axis fit(const struct plot *plot, const struct plot_axis *of, bool y)
{
	struct axis axis = {
		.lo = INFINITY, .hi = -INFINITY, .log = of->scale != PLOT_LINEAR, .unit = of->unit,
		.percentiles = of->scale == PLOT_PERCENTILES,
	};
	bool dots = false;
	size_t c, i;

	for (c = 0; c < plot->nr_curves; c++) {
		const struct plot_curve *curve = &plot->curves[c];

		dots |= curve->dots;
		for (i = 0; i < curve->nr; i++) {
			double value = y ? curve->y[i] : curve->x[i];

			if (!isfinite(curve->y[i]) || (axis.log && value <= 0))
				continue;
			axis.lo = fmin(axis.lo, value);
			axis.hi = fmax(axis.hi, value);
		}
	}
	if (!(axis.lo <= axis.hi)) {
		axis.lo = axis.log ? 1 : 0;
		axis.hi = 10;
	}
	if (axis.log) {
		if (y && axis.hi / axis.lo < 10) {
			axis.lo /= 2;
			axis.hi *= 2;
		}
		axis.hi = y ? axis.hi * 1.2 : fmax(axis.hi, axis.lo * 10);
		axis.lo = y ? axis.lo / 1.2 : axis.percentiles ? 1 : axis.lo;
	} else if (y) {
		axis.lo = fmin(axis.lo, 0);
		axis.hi = axis.hi > 0 ? axis.hi * 1.05 : axis.unit == UNIT_RATIO ? 0.01 : 1;
	} else if (dots) {
		double room = (axis.hi - axis.lo) * 0.03;

		axis.lo -= room;
		axis.hi += room;
	}
	if (!(axis.hi > axis.lo))
		axis.hi = axis.lo + fmax(1, fabs(axis.lo));
	return axis;
}

static double place(const struct axis *axis, double value, double length)
{
	if (axis->log)
		return value <= axis->lo ? 0 : log(value / axis->lo) / log(axis->hi / axis->lo) * length;
	return (value - axis->lo) / (axis->hi - axis->lo) * length;
}

static void put_scale_y(FILE *out, const struct axis *y)
{
	double ticks[MAX_TICKS];
	size_t nr = ticks_of(y, ticks), i;
	char text[64];

	for (i = 0; i < nr; i++) {
		double at = TOP + VIEW_HEIGHT - place(y, ticks[i], VIEW_HEIGHT);

		fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
			"text-anchor=\"end\">%s</text>", LEFT, at, LEFT + VIEW_WIDTH, LEFT - 7, at + 4,
			tick_text(text, sizeof(text), y, ticks[i]));
	}
}

/* A text that would touch the one before is left out; its line stays. */
static void put_scale_x(FILE *out, const struct axis *x)
{
	double ticks[MAX_TICKS], end = 0;
	size_t nr = ticks_of(x, ticks), i;
	char text[64];

	for (i = 0; i < nr; i++) {
		double at = LEFT + place(x, ticks[i], VIEW_WIDTH), wide, left;

		fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>", at, TOP, TOP + VIEW_HEIGHT);
		wide = TEXT_WIDTH * (double)strlen(tick_text(text, sizeof(text), x, ticks[i]));
		left = at > MIDDLE_UNTIL ? WIDTH - 2. - wide : at - wide / 2;
		if (left < end)
			continue;
		end = left + wide + TEXT_WIDTH;
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>",
			at > MIDDLE_UNTIL ? WIDTH - 2. : at, TOP + VIEW_HEIGHT + 18,
			at > MIDDLE_UNTIL ? "end" : "middle", text);
	}
}

static void put_axis_data(FILE *out, char name, const struct axis *axis)
{
	static const char *const units[] = {
		[UNIT_NONE] = "number", [UNIT_COUNT] = "number", [UNIT_BYTES] = "bytes", [UNIT_NS] = "ns",
		[UNIT_PPS] = "pps", [UNIT_BPS] = "bps", [UNIT_RATIO] = "ratio", [UNIT_CPUS] = "number",
		[UNIT_TEXT] = "number",
	};

	fprintf(out, " data-%c=\"%.9g %.9g %s %s\"", name, axis->lo, axis->hi, axis->log ? "log" : "linear",
		axis->percentiles ? "percentile" : units[axis->unit]);
}

static void put_values(FILE *out, const char *name, const double *values, size_t nr)
{
	size_t i;

	fprintf(out, " %s=\"", name);
	for (i = 0; i < nr; i++)
		fprintf(out, isfinite(values[i]) ? "%s%.7g" : "%sNaN", i ? " " : "", values[i]);
	fputc('"', out);
}

/* In a page, dots are zero-length lines with round caps: one path, which the script can redraw. */
static void put_dots(FILE *out, const struct plot_curve *curve, size_t c, const struct axis *x,
		     const struct axis *y, bool alone)
{
	size_t i;

	if (!alone)
		fprintf(out, "<path class=\"curve dots c%zu\" d=\"", c);
	for (i = 0; i < curve->nr; i++) {
		double across = place(x, curve->x[i], VIEW_WIDTH);
		double up = VIEW_HEIGHT - place(y, curve->y[i], VIEW_HEIGHT);

		if (!isfinite(curve->y[i]))
			continue;
		if (alone)
			fprintf(out, "<circle class=\"dot fill c%zu\" r=\"3.5\" cx=\"%.2f\" cy=\"%.2f\"/>", c,
				across, up);
		else
			fprintf(out, "M%.1f %.1fh0", across, up);
	}
	if (!alone)
		fputs("\"/>", out);
}

static void put_curve(FILE *out, const struct plot *plot, size_t c, const struct axis *x,
		      const struct axis *y, bool alone)
{
	const struct plot_curve *curve = &plot->curves[c];
	bool open = false;
	size_t i;

	if (curve->bound)
		fputs("<path class=\"curve bound\"", out);
	else
		fprintf(out, "<path class=\"curve c%zu\"", c);
	if (!alone) {
		fputs(" data-name=\"", out);
		page_text(out, curve->name);
		fputc('"', out);
		put_values(out, "data-xs", curve->x, curve->nr);
		put_values(out, "data-ys", curve->y, curve->nr);
		fputs(curve->steps ? " data-steps=\"\"" : "", out);
	}
	fputs(" d=\"", out);
	for (i = 0; i < curve->nr; i++) {
		double across = place(x, curve->x[i], VIEW_WIDTH);
		double down = VIEW_HEIGHT - place(y, curve->y[i], VIEW_HEIGHT);

		if (isfinite(curve->y[i]))
			fprintf(out, !open ? "M%.1f %.1f" : curve->steps ? "H%.1fV%.1f" : "L%.1f %.1f", across, down);
		open = isfinite(curve->y[i]);
	}
	fputs("\"/>", out);
	if (curve->dots)
		put_dots(out, curve, c, x, y, alone);
}

static void put_label(FILE *out, const char *label)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + VIEW_WIDTH / 2,
		TOP + VIEW_HEIGHT + 38);
	page_text(out, label);
	fputs("</text>", out);
}

static void put_curves(FILE *out, const struct plot *plot, const struct axis *x, const struct axis *y,
		       bool alone)
{
	size_t c;

	fputs("<g class=\"scale\">", out);
	put_scale_y(out, y);
	put_scale_x(out, x);
	fputs("</g>", out);
	put_label(out, plot->x.label);
	/* A page clips curves that are zoomed; a picture must not clip dots at its edges. */
	fprintf(out, "<svg class=\"view\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"%s>", LEFT, TOP,
		VIEW_WIDTH, VIEW_HEIGHT, alone ? " overflow=\"visible\"" : "");
	for (c = 0; c < plot->nr_curves; c++)
		put_curve(out, plot, c, x, y, alone);
	fputs("</svg>", out);
}

static void put_title(FILE *out, const char *name, const char *column, const char *value)
{
	fputs("<title>", out);
	page_text(out, name);
	fputs(", ", out);
	page_text(out, column);
	fputs(": ", out);
	page_text(out, value);
	fputs("</title>", out);
}

static void put_bar(FILE *out, const struct plot *plot, size_t c, size_t place_nr, size_t nr_bars,
		    const struct axis *y)
{
	double room = (double)VIEW_WIDTH / (double)plot->nr_columns;
	double wide = fmin(room * 0.76, MAX_BAR * (double)nr_bars);
	const struct plot_curve *curve = &plot->curves[c];
	double left, height;
	char text[64];
	size_t i;

	for (i = 0; i < curve->nr; i++) {
		if (!isfinite(curve->y[i]))
			continue;
		left = LEFT + room * curve->x[i] + (room - wide) / 2;
		height = place(y, curve->y[i], VIEW_HEIGHT);
		if (curve->bound) {
			fprintf(out, "<path class=\"bound\" d=\"M%.1f %.1fh%.1f\">", left,
				TOP + VIEW_HEIGHT - height, wide);
		} else {
			left += wide / (double)nr_bars * (double)place_nr;
			fprintf(out, "<path class=\"fill c%zu\" d=\"M%.1f %dv-%.1fh%.1fv%.1fz\">", c, left + 1,
				TOP + VIEW_HEIGHT, height, fmax(1, wide / (double)nr_bars - 2), height);
		}
		put_title(out, curve->name, plot->columns[(size_t)curve->x[i]],
			  tick_text(text, sizeof(text), y, curve->y[i]));
		fputs("</path>", out);
	}
}

static void put_bars(FILE *out, const struct plot *plot, const struct axis *y)
{
	double room = (double)VIEW_WIDTH / (double)plot->nr_columns;
	size_t every = (size_t)ceil(46 / room), nr_bars = 0, at = 0, i, c;

	put_scale_y(out, y);
	for (i = 0; i < plot->nr_columns; i += every ? every : 1) {
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
			LEFT + room * ((double)i + 0.5), TOP + VIEW_HEIGHT + 18);
		page_text(out, plot->columns[i]);
		fputs("</text>", out);
	}
	put_label(out, plot->x.label);
	for (c = 0; c < plot->nr_curves; c++)
		nr_bars += !plot->curves[c].bound;
	for (c = 0; c < plot->nr_curves; c++) {
		if (!plot->curves[c].bound)
			put_bar(out, plot, c, at++, nr_bars, y);
	}
	/* Above all bars. */
	for (c = 0; c < plot->nr_curves; c++) {
		if (plot->curves[c].bound)
			put_bar(out, plot, c, 0, nr_bars ? nr_bars : 1, y);
	}
}

static void put_heat(FILE *out, const struct plot *plot, const struct axis *y)
{
	double wide = (double)VIEW_WIDTH / (double)plot->nr_columns;
	double high = (double)VIEW_HEIGHT / (double)plot->nr_rows;
	const struct plot_curve *values = &plot->curves[0];
	double least = INFINITY, most = -INFINITY;
	char text[64];
	size_t i;

	for (i = 0; i < values->nr; i++) {
		least = isfinite(values->y[i]) ? fmin(least, values->y[i]) : least;
		most = isfinite(values->y[i]) ? fmax(most, values->y[i]) : most;
	}
	for (i = 0; i < values->nr; i++) {
		size_t row = i / plot->nr_columns, column = i % plot->nr_columns;
		double share = most > least ? (values->y[i] - least) / (most - least) : 1;
		double left = LEFT + wide * (double)column, up = TOP + high * (double)row;

		if (!isfinite(values->y[i]))
			continue;
		tick_text(text, sizeof(text), y, values->y[i]);
		fprintf(out, "<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			"fill-opacity=\"%.3f\">", left, up, wide, high, 0.08 + 0.6 * share);
		put_title(out, plot->rows[row], plot->columns[column], text);
		fputs("</rect>", out);
		if (wide >= 56 && high >= 16)
			fprintf(out, "<text class=\"figure\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
				left + wide / 2, up + high / 2 + 4, text);
	}
	for (i = 0; i < plot->nr_columns; i++) {
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
			LEFT + wide * ((double)i + 0.5), TOP + VIEW_HEIGHT + 18);
		page_text(out, plot->columns[i]);
		fputs("</text>", out);
	}
	for (i = 0; i < plot->nr_rows; i++) {
		fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 7,
			TOP + high * ((double)i + 0.5) + 4);
		page_text(out, plot->rows[i]);
		fputs("</text>", out);
	}
	put_label(out, plot->x.label);
}

/*
 * A mark and the name of each curve, line by line upwards from the plot; returns how many
 * lines. NULL: only that.
 */
static int put_names(FILE *out, const struct plot *plot, int lines)
{
	double at = LEFT, wide;
	int line = 1;
	size_t c;

	for (c = 0; plot->kind != PLOT_HEAT && c < plot->nr_curves; c++) {
		int y;

		wide = 34 + 6.6 * (double)strlen(plot->curves[c].name);
		if (at > LEFT && at + wide > WIDTH) {
			at = LEFT;
			line++;
		}
		y = -6 - NAMES_HEIGHT * (lines - line);
		if (out && plot->curves[c].bound)
			fprintf(out, "<path class=\"bound\" d=\"M%.0f %dh14\"/>", at, y - 4);
		else if (out)
			fprintf(out, "<path class=\"fill c%zu\" d=\"M%.0f %dh14v5h-14z\"/>", c, at, y - 7);
		if (out) {
			fprintf(out, "<text x=\"%.0f\" y=\"%d\">", at + 19, y);
			page_text(out, plot->curves[c].name);
			fputs("</text>", out);
		}
		at += wide;
	}
	return line;
}

void plot_svg(FILE *out, const struct plot *plot, const char *of)
{
	struct axis x = fit(plot, &plot->x, false), y = fit(plot, &plot->y, true);
	int lines = put_names(NULL, plot, 0), head = of ? 48 + NAMES_HEIGHT * lines : 0;

	fprintf(out, "<svg class=\"chart\" viewBox=\"0 %d %d %d\" role=\"img\"", -head, WIDTH, HEIGHT + head);
	if (of)
		fprintf(out, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", WIDTH,
			HEIGHT + head);
	else if (plot->kind == PLOT_CURVES) {
		put_axis_data(out, 'x', &x);
		put_axis_data(out, 'y', &y);
	}
	fputs(" aria-label=\"", out);
	page_text(out, plot->title);
	fputs("\">\n", out);
	if (of) {
		fprintf(out, "<style>%s</style><rect y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>"
			"<text class=\"title\" x=\"%d\" y=\"%d\">", page_assets.plot_style, -head, WIDTH,
			HEIGHT + head, LEFT, 19 - head);
		page_text(out, plot->title);
		fprintf(out, "</text><text x=\"%d\" y=\"%d\">", LEFT, 36 - head);
		page_text(out, of);
		fputs("</text>", out);
		put_names(out, plot, lines);
	}
	if (plot->kind == PLOT_CURVES)
		put_curves(out, plot, &x, &y, of != NULL);
	else if (plot->kind == PLOT_BARS)
		put_bars(out, plot, &y);
	else
		put_heat(out, plot, &y);
	fputs("</svg>\n", out);
}

void plot_legend(FILE *out, const struct plot *plot)
{
	size_t c;

	if (plot->kind == PLOT_HEAT)
		return;
	fputs("<ul class=\"legend\">", out);
	for (c = 0; c < plot->nr_curves; c++) {
		fputs("<li><svg class=\"key\" viewBox=\"0 0 14 8\">", out);
		if (plot->curves[c].bound)
			fputs("<path class=\"bound\" d=\"M0 4h14\"/>", out);
		else
			fprintf(out, "<path class=\"fill c%zu\" d=\"M0 1h14v6h-14z\"/>", c);
		fputs("</svg>", out);
		page_text(out, plot->curves[c].name);
		fputs("</li>", out);
	}
	fputs("</ul>\n", out);
}
