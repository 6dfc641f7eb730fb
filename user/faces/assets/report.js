/*
 * What a report does beyond being read: plots are zoomed and read off, tables
 * sorted. All of it is there without this script. It writes text only as text.
 */
"use strict";
(() => {
	const SVG = "http://www.w3.org/2000/svg";
	const STEPS = {
		ns: [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]],
		pps: [[1e9, "Gpps"], [1e6, "Mpps"], [1e3, "kpps"], [1, "pps"]],
		bps: [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]],
		bytes: [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]],
		number: [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]],
		ratio: [[0.01, "%"]],
	};

	function show(unit, value, digits) {
		if (unit === "percentile")
			return value > 1 ? +(100 - 100 / value).toPrecision(value > 1e4 ? 8 : 6) + " %" : "0 %";
		const steps = STEPS[unit] || STEPS.number;
		const step = steps.find(s => Math.abs(value) >= s[0] * 0.9999999) || steps[steps.length - 1];
		return (+(value / step[0]).toPrecision(digits) + " " + step[1]).trim();
	}

	function make(parent, name, attributes, text) {
		const made = document.createElementNS(SVG, name);
		for (const key in attributes)
			made.setAttribute(key, attributes[key]);
		if (text !== undefined)
			made.textContent = text;
		parent.append(made);
		return made;
	}

	function ticks(axis) {
		const out = [];
		if (axis.log) {
			const percentiles = axis.unit === "percentile", few = axis.hi < axis.lo * 1e3 && !percentiles;
			for (let e = Math.floor(Math.log10(axis.lo) + 1e-9); 10 ** e <= axis.hi * 1.0000001; e++)
				out.push(...[1, 2, 5].filter(k => k === 1 || few || percentiles && k * 10 ** e === 2).map(k => k * 10 ** e)
					.filter(value => value >= axis.lo * 0.9999999 && value <= axis.hi * 1.0000001));
			if (out.length > 1)
				return out;
		}
		const raw = (axis.hi - axis.lo) / 5, unit = 10 ** Math.floor(Math.log10(raw));
		const step = unit * [1, 2, 5, 10].find(s => s * unit >= raw * 0.999);
		out.length = 0;
		for (let i = Math.ceil(axis.lo / step - 1e-9) + 0; i * step <= axis.hi + step * 1e-9; i++)
			out.push(i * step);
		return out;
	}

	class Chart {
		constructor(svg) {
			const read = name => svg.dataset[name].split(" ");
			const axis = words => ({ lo: +words[0], hi: +words[1], log: words[2] === "log", unit: words[3] });
			this.svg = svg;
			this.view = svg.querySelector("svg.view");
			this.box = {};
			for (const key of ["x", "y", "width", "height"])
				this.box[key] = +this.view.getAttribute(key);
			this.x = axis(read("x"));
			this.y = axis(read("y"));
			this.whole = { x: { ...this.x }, y: { ...this.y } };
			this.curves = [...this.view.querySelectorAll(".curve[data-xs]")].map(line => ({
				line, name: line.dataset.name, dots: line.nextElementSibling?.matches(".dots") && line.nextElementSibling,
				steps: line.dataset.steps !== undefined,
				xs: line.dataset.xs.split(" ").map(Number), ys: line.dataset.ys.split(" ").map(Number),
			}));
			this.rule = make(this.view, "path", { class: "rule" });
			this.pick = make(this.view, "rect", { class: "pick", y: 0, height: this.box.height, width: 0 });
			this.tip = document.createElement("div");
			this.tip.className = "tip";
			this.tip.hidden = true;
			this.reset = document.createElement("button");
			this.reset.className = "reset";
			this.reset.textContent = "whole";
			this.reset.hidden = true;
			this.reset.addEventListener("click", () => this.zoom(this.whole.x.lo, this.whole.x.hi));
			svg.parentNode.append(this.tip, this.reset);
			svg.classList.add("live");
			svg.setAttribute("tabindex", "0");
			svg.addEventListener("pointerdown", e => this.down(e));
			svg.addEventListener("pointermove", e => this.move(e));
			svg.addEventListener("pointerup", e => this.up(e));
			svg.addEventListener("pointerleave", () => { this.tip.hidden = true; this.rule.removeAttribute("d"); });
			svg.addEventListener("dblclick", () => this.zoom(this.whole.x.lo, this.whole.x.hi));
			svg.addEventListener("keydown", e => this.key(e));
		}

		place(axis, value, length) {
			const { lo, hi, log } = axis;
			if (log)
				return value > 0 ? Math.log(value / lo) / Math.log(hi / lo) * length : 0;
			return (value - lo) / (hi - lo) * length;
		}

		value(axis, share) {
			const { lo, hi, log } = axis;
			return log ? lo * (hi / lo) ** share : lo + (hi - lo) * share;
		}

		/* In the coordinates of the view. */
		at(event) {
			const rect = this.svg.getBoundingClientRect();
			const width = this.svg.viewBox.baseVal.width;
			const x = (event.clientX - rect.left) / rect.width * width - this.box.x;
			return Math.max(0, Math.min(this.box.width, x));
		}

		down(event) {
			if (event.button)
				return;
			this.from = this.at(event);
			this.svg.setPointerCapture(event.pointerId);
		}

		move(event) {
			const x = this.at(event);
			if (this.from !== undefined) {
				this.pick.setAttribute("x", Math.min(x, this.from));
				this.pick.setAttribute("width", Math.abs(x - this.from));
			}
			this.read(x, event);
		}

		up(event) {
			if (this.from === undefined)
				return;
			const from = this.from, to = this.at(event), w = this.box.width;
			this.from = undefined;
			this.pick.setAttribute("width", 0);
			if (Math.abs(to - from) > 4)
				this.zoom(this.value(this.x, Math.min(from, to) / w), this.value(this.x, Math.max(from, to) / w));
		}

		key(event) {
			const by = { "+": [0.25, 0.75], "-": [-0.5, 1.5], ArrowLeft: [-0.2, 0.8], ArrowRight: [0.2, 1.2] };
			if (event.key === "0" || event.key === "Escape")
				this.zoom(this.whole.x.lo, this.whole.x.hi);
			else if (by[event.key])
				this.zoom(...by[event.key].map(share => this.value(this.x, share)));
			else
				return;
			event.preventDefault();
		}

		read(x, event) {
			const at = this.value(this.x, x / this.box.width), lines = [];
			let nearest, seen = Infinity;
			for (const curve of this.curves) {
				let best = -1, far = Infinity;
				curve.xs.forEach((value, i) => {
					const ahead = this.place(this.x, value, this.box.width) - x, d = Math.abs(ahead);
					if (curve.steps && ahead > 0 && best >= 0)
						return;
					if (d < far && Number.isFinite(curve.ys[i])) {
						far = d;
						best = i;
					}
				});
				if (best < 0)
					continue;
				if (far < seen) {
					seen = far;
					nearest = curve.xs[best];
				}
				lines.push(curve.name + ": " + show(this.y.unit, curve.ys[best], 4));
			}
			this.tip.replaceChildren();
			for (const text of [show(this.x.unit, nearest === undefined ? at : nearest, 5), ...lines]) {
				const line = document.createElement("div");
				line.textContent = text;
				this.tip.append(line);
			}
			this.rule.setAttribute("d", "M" + this.place(this.x, nearest === undefined ? at : nearest, this.box.width) +
				" 0V" + this.box.height);
			this.tip.hidden = false;
			const rect = this.svg.parentNode.getBoundingClientRect(), left = event.clientX - rect.left;
			this.tip.style.left = Math.max(4, left + (left > rect.width / 2 ? -this.tip.offsetWidth - 12 : 12)) + "px";
			this.tip.style.top = event.clientY - rect.top + 12 + "px";
		}

		zoom(lo, hi) {
			const whole = this.whole.x;
			lo = Math.max(whole.lo, lo);
			hi = Math.min(whole.hi, hi);
			if (!(hi > lo) || (hi - lo) < (whole.hi - whole.lo) * 1e-6)
				return;
			this.x = { ...whole, lo, hi };
			let least = Infinity, most = -Infinity;
			for (const curve of this.curves)
				curve.xs.forEach((x, i) => {
					if (x >= lo && x <= hi && Number.isFinite(curve.ys[i])) {
						least = Math.min(least, curve.ys[i]);
						most = Math.max(most, curve.ys[i]);
					}
				});
			this.y = { ...this.whole.y };
			const all = lo === whole.lo && hi === whole.hi;
			if (!all && most > -Infinity) {
				if (this.y.log && least > 0) {
					this.y.lo = least / 1.1;
					this.y.hi = most * 1.1;
				} else if (!this.y.log) {
					this.y.hi = most > 0 ? most * 1.05 : this.y.hi;
				}
			}
			this.reset.hidden = all;
			this.draw();
		}

		draw() {
			const { width, height } = this.box, scale = this.svg.querySelector(".scale");
			for (const curve of this.curves) {
				const path = words => curve.xs.map((x, i) => {
					const [before, between, behind] = words(i);
					return Number.isFinite(curve.ys[i]) ? before + this.place(this.x, x, width).toFixed(1) + between +
						(height - this.place(this.y, curve.ys[i], height)).toFixed(1) + behind : "";
				}).join("");
				curve.line.setAttribute("d", path(i => !i || !Number.isFinite(curve.ys[i - 1]) ? ["M", " ", ""] :
					curve.steps ? ["H", "V", ""] : ["L", " ", ""]));
				if (curve.dots)
					curve.dots.setAttribute("d", path(() => ["M", " ", "h0"]));
			}
			scale.replaceChildren();
			const right = this.box.x + width, bottom = this.box.y + height;
			for (const value of ticks(this.y)) {
				const y = bottom - this.place(this.y, value, height);
				make(scale, "path", { class: "grid", d: "M" + this.box.x + " " + y + "H" + right });
				make(scale, "text", { x: this.box.x - 7, y: y + 4, "text-anchor": "end" }, show(this.y.unit, value, 4));
			}
			let end = 0;
			for (const value of ticks(this.x)) {
				const x = this.box.x + this.place(this.x, value, width), edge = this.svg.viewBox.baseVal.width;
				make(scale, "path", { class: "grid", d: "M" + x + " " + this.box.y + "V" + bottom });
				const last = x > edge - 34, text = show(this.x.unit, value, 5), wide = 7 * text.length;
				const left = last ? edge - 2 - wide : x - wide / 2;
				if (left < end)
					continue;
				end = left + wide + 7;
				make(scale, "text", { x: last ? edge - 2 : x, y: bottom + 18,
					"text-anchor": last ? "end" : "middle" }, text);
			}
		}
	}

	/* Cells tell their value in data-v, where what is shown is not what sorts. */
	function sortable(table) {
		const body = table.tBodies[0];
		if (!body || body.rows.length < 2)
			return;
		[...table.tHead.rows[0].cells].forEach((head, column) => {
			const button = document.createElement("button");
			button.textContent = head.textContent;
			head.replaceChildren(button);
			button.addEventListener("click", () => {
				const down = head.getAttribute("aria-sort") === "ascending";
				const key = row => row.cells[column] ? row.cells[column].dataset.v ?? row.cells[column].textContent : "";
				for (const other of head.parentNode.cells)
					other.removeAttribute("aria-sort");
				head.setAttribute("aria-sort", down ? "descending" : "ascending");
				const rows = [...body.rows].sort((a, b) => {
					const p = key(a), q = key(b), d = p - q;
					return p !== "" && q !== "" && !Number.isNaN(d) ? d : p < q ? -1 : p > q ? 1 : 0;
				});
				body.append(...(down ? rows.reverse() : rows));
			});
		});
	}

	/* RFC 4180; what a spreadsheet would take as a formula begins with an apostrophe. */
	function csv(rows) {
		const cell = text => /^[=+\-@\t\r]./.test(text) && Number.isNaN(+text) ? "'" + text : text;
		return rows.map(row => row.map(text => "\"" + cell(String(text)).replaceAll("\"", "\"\"") + "\"")
			.join(",") + "\r\n").join("");
	}

	function of_table(table) {
		return [...table.rows].map(row => [...row.cells].map(cell => cell.dataset.v ?? cell.textContent));
	}

	function of_chart(chart) {
		return [["curve", chart.x.unit, chart.y.unit], ...chart.curves.flatMap(curve =>
			curve.xs.map((x, i) => [curve.name, x, curve.ys[i]]).filter(row => Number.isFinite(row[2])))];
	}

	function save_button(name, rows) {
		const button = document.createElement("button");
		button.className = "save";
		button.textContent = "CSV";
		button.title = "save as CSV";
		button.addEventListener("click", () => {
			const link = document.createElement("a");
			link.href = URL.createObjectURL(new Blob([csv(rows())], { type: "text/csv" }));
			link.download = name + ".csv";
			link.click();
			setTimeout(() => URL.revokeObjectURL(link.href), 10000);
		});
		return button;
	}

	/* Where the address names what is folded, it is opened. */
	function unfold() {
		const named = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
		for (let at = named && named.parentElement; at; at = at.parentElement)
			if (at.tagName === "DETAILS")
				at.open = true;
		if (named)
			named.scrollIntoView();
	}

	document.querySelectorAll("svg[data-x]").forEach(svg => {
		const chart = new Chart(svg), figure = svg.closest("figure");
		figure.querySelector("h4").append(save_button(figure.id, () => of_chart(chart)));
	});
	document.querySelectorAll("table.sort").forEach((table, i) => {
		sortable(table);
		if (table.tBodies[0])
			table.parentNode.append(save_button("table-" + (i + 1), () => of_table(table)));
	});
	document.querySelectorAll(".hint").forEach(hint => {
		const button = document.createElement("button");
		button.className = "fold";
		button.textContent = "open or close all details";
		button.addEventListener("click", () => {
			const all = [...document.querySelectorAll("details")], open = all.some(d => !d.open);
			all.forEach(d => { d.open = open; });
		});
		hint.append(" ", button);
		hint.hidden = false;
	});
	addEventListener("hashchange", unfold);
	unfold();
})();
