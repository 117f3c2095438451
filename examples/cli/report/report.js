// SPDX-License-Identifier: BSL-1.0
// Draws a report: timelines and memory of pipelines, cuts, prices, a sweep. One page, no network, no other file.
//
// The data stands in <script id="data"> as one JSON object. Times are in seconds, or where `seconds` is false without a
// unit; memory is in bytes, or where `bytes` is false in activations of a microbatch. What has a `?` may be missing.
//
//   title      text above the page
//   figures?   [[name, text]], shown first
//   kinds?     {letter: name} of kinds of passes; the letters, and what they are called without, are those of `kinds`
//   seconds?, bytes?  false: cuts and scatter are without such units; each plan says it for itself
//   table?     TABLE = {caption, columns: [text], rows: [[text or number]], note?: text,
//                       bars?: {name, shares: [0 to 1 a row]}}
//   plans?     [PLAN], drawn on one axis of time:
//     {title, facts?: text, seconds?, bytes?, makespan, ranks: [RANK], stages?: TABLE without caption,
//      chunk_of?: [of every stage, 0 for the first one of its rank, 1 for the second ..]}
//     RANK = {kinds: "FFB..", a letter a pass, passes in the order of their starts
//             stages: [index; -1: none], microbatches: [index; -1: none], slices?: [index], start: [time], end: [time],
//             causes?: [the pass whose end, or whose message, lets this one start, as its number when the passes of all
//                       ranks are counted, rank 0 first; -1: none],
//             memory?: {at: [time, ascending], bytes: [all that is held from then on], resident?: what of it stays},
//             limit?: bytes of the device,
//             busy?: time in which it computes or updates, blocked?: time in which messages hold it;
//             without them they are reckoned from the passes}
//   cuts?      {layers: [{name, seconds: of a microbatch, forward and backward}],
//               rows: [{name, facts?: text, cuts: [0, first layers of the stages behind it, number of layers]}]}
//   prices?    [TABLE with a title in place of the caption]
//   lines?     [{name, text} or {name, refused: why the framework cannot express the plan}]
//   scatter?   {points: [{name, time: of a microbatch, memory: of the fullest device, schedule?: name, for the colour,
//                         front: whether nothing is better in both, plan?: PLAN}], limit?: bytes}
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);

// --- Elements, numbers and their units

/** An element; attributes that begin with `on` are listeners, a child that is a text stays text whatever it holds. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((each) => each !== undefined));
  return made;
}

function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const units = {
  seconds: [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]],
  bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
  activations: [[1, "activations"]],
  none: [[1, ""]],
};
const timeOf = (of) => of.seconds === false ? "none" : "seconds";
const sizeOf = (of) => of.bytes === false ? "activations" : "bytes";

/** `[size, name]` of the largest unit of which that figure has one. */
function unitFor(value, kind) { return units[kind].find(([size]) => Math.abs(value) >= size) ?? units[kind].at(-1); }

/** A figure with its unit; four of its digits count. */
function inWords(value, kind) {
  const [size, name] = value === 0 ? units[kind][0] : unitFor(Number(value.toPrecision(4)), kind);
  const count = Number((value / size).toPrecision(4));
  return `${count} ${name === "activations" && count === 1 ? "activation" : name}`.trim();
}

function counted(count, one, many = `${one}s`) { return `${count} ${count === 1 ? one : many}`; }

/** A number with so many digits behind its point, or where these would be too many with those that count. */
function withDigits(value, digits) {
  return digits <= 9 && Math.abs(value) < 1e15 ? value.toFixed(digits) : String(Number(value.toPrecision(12)));
}

/** About `count` round places from one figure to another, each with its text; none between equal figures. */
function axisMarks(from, to, count, kind) {
  const [size, name] = unitFor(to, kind);
  const rough = (to - from) / size / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  if (!(power > 0 && power < Infinity)) return [];
  const step = power * ([[1.5, 1], [3.5, 2], [7.5, 5]].find(([until]) => rough / power < until)?.[1] ?? 10);
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const unit = kind === "activations" ? "" : name;
  const marks = [];
  const last = Math.floor(to / size / step + 1e-9);
  for (let i = Math.ceil(from / size / step - 1e-9); i <= last; ++i) {
    marks.push({at: i * step * size, text: `${withDigits(i * step, digits)} ${unit}`.trim()});
  }
  return marks;
}

/** How wide a text is in the pictures. */
const widthOf = (() => {
  const c = document.createElement("canvas").getContext("2d");
  c.font = "12px system-ui, sans-serif";
  return (text) => c.measureText(text).width;
})();

/**
 * Marks with the place `left` of their texts, which stand centred below `x(at)`, but between `least` and `most`; a text
 * that would touch the one before it is left out.
 */
function placedMarks(marks, x, least, most) {
  let free = -Infinity;
  return marks.map(({at, text}) => {
    const width = widthOf(text);
    const left = Math.max(least, Math.min(x(at) - width / 2, most - width));
    if (left < free) return {x: x(at)};
    free = left + width + 8;
    return {x: x(at), left, text};
  });
}

/** The first place of ascending values where one is above `value`. */
function above(values, value) {
  let first = 0, last = values.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (values[middle] > value) last = middle;
    else first = middle + 1;
  }
  return first;
}

const largest = (values) => values.reduce((most, each) => Math.max(most, each), 0);

/** Has a screen reader say it. */
function announce(text) { document.getElementById("announced").textContent = text; }

// --- Tables, sections, what stands behind a picture

/** @param named  whether its name stands above it, too */
function table({caption, columns, rows, note, bars}, named = true) {
  const isNumber = (text) => typeof text === "number" || /^[-+]?[\d.]+(e[-+]?\d+)?( [a-zA-Z%]{1,3})?$/.test(text);
  const ofNumbers = columns.map((_, i) => {
    const given = rows.map((row) => row[i]).filter((text) => text !== "-" && text !== "");
    return given.length > 0 && 2 * given.filter(isNumber).length >= given.length;
  });
  const shape = (text, i) =>
    isNumber(text) || ofNumbers[i] && text === "-" ? "number" : String(text).length > 40 && "long";
  const cell = (text, i) => make(i ? "td" : "th", {scope: i ? false : "row", class: shape(text, i)}, String(text));
  const bar = (share) =>
    make("td", {class: "bar", "aria-hidden": "true"}, make("i", {style: `width: ${100 * share}%`}));
  const head = columns.map((each, i) => make("th", {scope: "col", class: ofNumbers[i] && "number"}, each));
  const line = (row, i) => make("tr", {}, ...row.map(cell), bars && bar(bars.shares[i]));
  return make("div", {class: "scrolls", tabindex: "0", role: "region", "aria-label": caption},
    note && make("p", {class: "note"}, note),
    make("table", {}, named ? make("caption", {}, caption) : undefined,
      make("thead", {}, make("tr", {}, ...head, bars && make("th", {scope: "col"}, bars.name))),
      make("tbody", {}, ...rows.map(line))));
}

/** A table of many rows, of which `page` are there at a time. */
function pagedTable(caption, columns, count, row, page = 200) {
  let first = 0;
  const place = make("div");
  const said = make("span", {role: "status"});
  const turn = (by) => () => {
    first += by;
    show();
  };
  const before = make("button", {type: "button", onclick: turn(-page)}, "Previous");
  const after = make("button", {type: "button", onclick: turn(page)}, "Next");
  function show() {
    const last = Math.min(count, first + page);
    place.replaceChildren(
      table({caption, columns, rows: Array.from({length: last - first}, (_, i) => row(first + i))}));
    said.textContent = `Rows ${Math.min(first + 1, count)} to ${last} of ${count}`;
    before.disabled = first === 0;
    after.disabled = last === count;
  }
  show();
  return make("div", {}, count > page ? make("div", {class: "buttons"}, before, after, said) : undefined, place);
}

/** What can be opened; it is made only then. */
function behind(summary, content) {
  const made = make("details", {}, make("summary", {}, summary));
  made.addEventListener("toggle", () => {
    if (made.open && made.children.length === 1) made.append(content());
  });
  return made;
}

function section(title, ...children) {
  const made = make("section", {}, make("h2", {}, title), ...children);
  document.querySelector("main").append(made);
  return made;
}

function chooser(label, options, change) {
  const made = options.map(([value, text]) => make("option", {value}, text));
  return make("label", {class: "chooser"}, `${label} `,
    make("select", {onchange: (event) => change(Number(event.target.value))}, ...made));
}

const rankOptions = (count) => Array.from({length: count}, (_, r) => [r, `rank ${r}`]);

// --- What is shown beside the pointer

const tip = {
  element: document.getElementById("tip"),
  show(x, y, lines) {
    const {element} = this;
    element.replaceChildren(...lines.map((each, i) => make(i ? "div" : "strong", {}, each)));
    element.hidden = false;
    const left = Math.min(x + 14, document.documentElement.clientWidth - element.offsetWidth - 8);
    const below = y + 18 + element.offsetHeight <= window.innerHeight;
    element.style.left = `${Math.max(8, left)}px`;
    element.style.top = `${Math.max(8, below ? y + 18 : y - element.offsetHeight - 10)}px`;
  },
  hide() { this.element.hidden = true; },
};

// --- Colours: those of the style sheet, which knows light and dark

const colours = {
  known: new Map(),
  of(name) {
    if (!this.known.has(name))
      this.known.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    return this.known.get(name);
  },
  /** Red, green and blue of a colour that is written #rrggbb. */
  parts(name) {
    return [1, 3, 5].map((i) => parseInt(this.of(name).slice(i, i + 2), 16));
  },
  /** Those of a kind of pass: the first stage of a device is the darkest. */
  pass(kind, chunk, chunks) {
    const dark = this.parts(kinds[kind].colour);
    if (!kinds[kind].computes || chunks < 2) return dark;
    const light = this.parts(`${kinds[kind].colour}-light`);
    return dark.map((part, i) => Math.round(part + (light[i] - part) * chunk / (chunks - 1)));
  },
};
const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;

/** Kinds of passes: their letters in the data, their names, their colours in the style sheet. */
const kinds = [
  ["F", "forward", "forward"],
  ["B", "backward", "backward"],
  ["I", "input gradient", "input"],
  ["W", "weight gradient", "weight"],
  ["s", "send forward", "message"],
  ["r", "receive forward", "message"],
  ["S", "send backward", "message"],
  ["R", "receive backward", "message"],
  ["u", "unshard", "reduce"],
  ["g", "reshard", "reduce"],
  ["a", "all-reduce", "reduce"],
  ["U", "optimizer step", "step"],
].map(([letter, name, colour]) => ({
  letter,
  colour,
  name: report.kinds?.[letter] ?? name,
  computes: "FBIW".includes(letter),
  works: "FBIWU".includes(letter),
  sends: "sS".includes(letter)
}));
const kindOf = new Map(kinds.map(({letter}, i) => [letter, i]));

// --- The passes of a plan

class Passes {
  constructor(plan) {
    this.plan = plan;
    this.time = timeOf(plan);
    this.size = sizeOf(plan);
    this.ranks = plan.ranks.map((given) => Passes.rank(given, plan));
    this.chunks = 1 + largest(plan.chunk_of ?? []);
    this.overlaps = this.ranks.some((rank) => rank.overlaps);
    this.first = [0];
    for (const rank of this.ranks) this.first.push(this.first.at(-1) + rank.count);
    this.count = this.first.at(-1);
    this.block();
    this.blocks = this.ranks.some((rank) => rank.blocked > 0);
    let shortest = Infinity;
    for (const {start, end} of this.ranks) {
      for (let i = 0; i < start.length; ++i)
        if (end[i] > start[i]) shortest = Math.min(shortest, end[i] - start[i]);
    }
    this.unit = unitFor(plan.makespan, this.time);
    this.digits = Math.max(0, Math.ceil(2 - Math.log10(shortest / this.unit[0])));
  }

  /** A rank in arrays that are fast to walk: `reach` is the latest end so far, `free` that of what computed before. */
  static rank(given, plan) {
    const count = given.kinds.length;
    const rank = {
      given,
      count,
      start: Float64Array.from(given.start),
      end: Float64Array.from(given.end),
      kind: Uint8Array.from(given.kinds, (letter) => kindOf.get(letter) ?? 0),
      chunk: Uint8Array.from(given.stages, (stage) => plan.chunk_of?.[stage] ?? 0),
      reach: new Float64Array(count),
      free: new Float64Array(count + 1),  // the last one: of all that computes
      top: new Float32Array(count),
      bottom: new Float32Array(count).fill(1)
    };
    for (let i = 0, reach = 0, free = 0; i < count; ++i) {
      rank.reach[i] = reach = Math.max(reach, rank.end[i]);
      if (kinds[rank.kind[i]].computes) free = Math.max(free, rank.end[i]);
      rank.free[i + 1] = free;
    }
    Passes.stack(rank, 1e-9 * plan.makespan);
    rank.busy = given.busy ?? Passes.busy(rank);
    const {memory} = given;
    if (memory) {
      rank.memory = {
        at: Float64Array.from(memory.at),
        bytes: Float64Array.from(memory.bytes),
        peak: largest(memory.bytes)
      };
    }
    return rank;
  }

  /**
   * Gives passes that compute at one time a part of the row each; what else happens meanwhile takes the lowest third.
   * What overlaps by less than `slack` follows one another.
   */
  static stack(rank, slack) {
    const computes = (i) => kinds[rank.kind[i]].computes;
    const part = (group, lanes) => {
      for (const [i, lane] of group) [rank.top[i], rank.bottom[i]] = [lane / lanes, (lane + 1) / lanes];
    };
    let group = [], ends = [];
    for (let i = 0; i < rank.count; ++i) {
      if (!computes(i)) {
        const alone = rank.free[i] <= rank.start[i] + slack &&
          !(i + 1 < rank.count && computes(i + 1) && rank.start[i + 1] + slack < rank.end[i]);
        rank.top[i] = alone ? 0 : 2 / 3;
        rank.overlaps ||= !alone;
        continue;
      }
      if (ends.every((end) => end <= rank.start[i] + slack)) {
        part(group, ends.length);
        group = [], ends = [];
      }
      const free = ends.findIndex((end) => end <= rank.start[i] + slack);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = rank.end[i];
      group.push([i, lane]);
      rank.overlaps ||= lane > 0;
    }
    part(group, ends.length);
  }

  /** The time in which a rank computes or updates. */
  static busy(rank) {
    let sum = 0, until = 0;
    for (let i = 0; i < rank.count; ++i) {
      if (!kinds[rank.kind[i]].works) continue;
      sum += Math.max(0, rank.end[i] - Math.max(rank.start[i], until));
      until = Math.max(until, rank.end[i]);
    }
    return sum;
  }

  /** Finds how long messages hold each rank, as the data says or the passes show, and which these are. */
  block() {
    const given = this.plan.ranks.map((rank) => rank.blocked);
    const isGiven = given.some((time) => time !== undefined);
    const blocks = isGiven ? given.some((time) => time > 0) : this.waitsForOwnMessage();
    const messages = blocks ? this.messages() : undefined;
    this.held = messages?.every((each) => this.isApart(each)) ? messages : [];
    this.ranks.forEach((rank, r) => { rank.blocked = given[r] ?? 0; });
    if (isGiven) return;
    for (const {from, to, start, end} of this.held)
      for (const r of [from, to]) this.ranks[r].blocked += end - start;
  }

  /** Whether neither rank of a message computes meanwhile. */
  isApart({from, to, start, end}) {
    const slack = 1e-9 * this.plan.makespan;
    return [from, to].every((r) => {
      const rank = this.ranks[r];
      return rank.free[above(rank.start, end - slack)] <= start + slack;
    });
  }

  /** Every message, between stages that follow one another; undefined: others do, too. */
  messages() {
    const rankOf = new Map(this.plan.ranks.flatMap(({stages}, r) => [...new Set(stages)].map((stage) => [stage, r])));
    const made = [];
    for (const [r, rank] of this.ranks.entries()) {
      for (let i = 0; i < rank.count; ++i) {
        const {sends, letter} = kinds[rank.kind[i]];
        if (!sends) continue;
        const to = rankOf.get(rank.given.stages[i] + (letter === "s" ? 1 : -1));
        if (to === undefined) return undefined;
        made.push({from: r, index: i, to, start: rank.start[i], end: rank.end[i]});
      }
    }
    return made;
  }

  /** Whether a pass waits for a message that its own rank sends: so only where messages hold their ranks. */
  waitsForOwnMessage() {
    return this.ranks.some((rank, r) => rank.given.causes?.some((cause, i) => {
      if (cause < this.first[r] || cause >= this.first[r + 1] || !kinds[rank.kind[i]].computes) return false;
      return kinds[rank.kind[cause - this.first[r]]].sends;
    }));
  }

  /** `[name, time of rank r]` of what becomes of the makespan. */
  uses(r) {
    const {busy, blocked} = this.ranks[r];
    const idle = Math.max(0, this.plan.makespan - busy - blocked);
    return [["busy", busy], ["idle", idle], ...(this.blocks ? [["blocked", blocked]] : [])];
  }

  share(time) { return `${(100 * time / (this.plan.makespan || 1)).toFixed(1)} %`; }

  /** The pass of a rank at a time and a height of its row, 0 to 1; -1: none. */
  at(r, time, height, hidden) {
    const rank = this.ranks[r];
    let found = -1;
    for (let i = above(rank.start, time) - 1; i >= 0 && rank.reach[i] > time; --i) {
      const covers =
        rank.end[i] > time && rank.top[i] <= height && height < rank.bottom[i] && !hidden?.has(rank.kind[i]);
      // What does not compute is drawn last, so found first.
      if (covers && !kinds[rank.kind[i]].computes) return i;
      if (covers && found < 0) found = i;
    }
    return found;
  }

  /** `[rank, index]` of a pass that is counted over all ranks. */
  place(index) {
    const r = above(this.first, index) - 1;
    return [r, index - this.first[r]];
  }

  cause(r, i) {
    const index = this.ranks[r].given.causes?.[i] ?? -1;
    return index < 0 ? undefined : this.place(index);
  }

  /** A pass and what it waited for, back to one that waited for nothing. */
  chain(r, i) {
    const chain = [];
    for (let at = [r, i]; at && chain.length < this.count; at = this.cause(...at)) chain.push(at);
    return chain;
  }

  /** The pass that ends last. */
  last() {
    let found;
    this.ranks.forEach((rank, r) => rank.end.forEach((end, i) => {
      if (!found || end > this.ranks[found[0]].end[found[1]]) found = [r, i];
    }));
    return found;
  }

  /** A time of this plan, with the digits that tell its passes apart. */
  timeText(value) { return `${withDigits(value / this.unit[0], this.digits)} ${this.unit[1]}`.trim(); }

  name(r, i) {
    const {given, kind} = this.ranks[r];
    const slice = given.slices ? `, slice ${given.slices[i]},` : "";
    const microbatch = given.microbatches[i] < 0 ? "" : ` of microbatch ${given.microbatches[i]}${slice}`;
    return `${kinds[kind[i]].name}${microbatch}${given.stages[i] < 0 ? "" : ` on stage ${given.stages[i]}`}`;
  }

  /** Why a pass starts when it does. */
  why(r, i) {
    const rank = this.ranks[r];
    const start = rank.start[i];
    const cause = this.cause(r, i);
    if (!rank.given.causes) return "";
    if (!cause) return start === 0 ? "starts the iteration" : "starts as scheduled";
    const ended = this.ranks[cause[0]].end[cause[1]];
    const counts = (time) => time > 1e-9 * this.plan.makespan;
    const name = this.name(...cause);
    const gap = counts(start - ended) ? `, ${inWords(start - ended, this.time)} after its end` : "";
    if (cause[0] === r) return `starts when its rank is free: behind ${name}${gap}`;
    const idle = start - rank.free[i];
    const from = `${name} (rank ${cause[0]}, ends at ${this.timeText(ended)})`;
    const message = gap && `; the message takes ${inWords(start - ended, this.time)}`;
    return `${counts(idle) ? `waits ${inWords(idle, this.time)} for` : "starts with the end of"} ${from}${message}`;
  }

  memoryAt(r, time) {
    const {memory} = this.ranks[r];
    const i = memory ? above(memory.at, time) - 1 : 0;
    return memory && (i < 0 ? 0 : memory.bytes[i]);
  }

  memoryText(r, i) {
    const rank = this.ranks[r];
    if (!rank.memory) return [];
    return [rank.start[i], rank.end[i]].map((time) => inWords(this.memoryAt(r, time), this.size));
  }

  /** All of a pass, in lines. */
  tell(r, i) {
    const {start, end} = this.ranks[r];
    const [at, after] = this.memoryText(r, i);
    const span = `${this.timeText(start[i])} to ${this.timeText(end[i])}`;
    return [
      this.name(r, i), `rank ${r}, ${span} (${inWords(end[i] - start[i], this.time)})`, this.why(r, i),
      at ? `memory ${at} from its start, ${after} after it` : ""
    ].filter((each) => each !== "");
  }

  /** What comes next on an idle rank. */
  tellIdle(r, time) {
    const rank = this.ranks[r];
    const next = above(rank.start, time);
    const from = next > 0 ? rank.reach[next - 1] : 0;
    const to = next < rank.count ? rank.start[next] : this.plan.makespan;
    if (time > this.plan.makespan) return [`rank ${r}`, `after the end, ${this.timeText(this.plan.makespan)}`];
    const held = this.held.find((each) => each.to === r && each.start <= time && time < each.end);
    if (held) return [`rank ${r} is blocked`, ...this.tell(held.from, held.index)];
    return [
      `rank ${r} is idle`, `${this.timeText(from)} to ${this.timeText(to)} (${inWords(to - from, this.time)})`,
      next < rank.count ? `then ${this.name(r, next)}: ${this.why(r, next)}` : "no pass follows"
    ];
  }
}

// --- An axis of time and the pictures that share it

class TimeAxis {
  constructor(plans) {
    this.length = largest(plans.map((plan) => plan.makespan)) || 1;
    this.from = 0;
    this.to = this.length;
    this.charts = [];
    this.columns = 1;         // of figures at the right
    this.most = {};           // of every unit of memory, the upper end of its axes
    this.hidden = new Set();  // kinds of passes
  }

  show(from, to) {
    const span = Math.min(this.length, Math.max(this.length * 1e-6, to - from));
    this.from = Math.min(Math.max(0, from), this.length - span);
    this.to = this.from + span;
    this.redraw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) / factor, at + (this.to - at) / factor);
  }

  get isWhole() { return this.to - this.from >= this.length; }

  /** By a part of what is shown. */
  pan(part) {
    const by = part * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  redraw() { this.asked ??= requestAnimationFrame(() => this.draw()); }

  /** Draws what is in sight, or all. */
  draw(all = false) {
    cancelAnimationFrame(this.asked);
    this.asked = undefined;
    const start = performance.now();
    for (const each of this.charts)
      if (each.width && (all || each.seen)) each.draw();
    performance.clearMeasures("frame");
    performance.measure("frame", {start, end: performance.now()});
  }
}

/** A canvas over an axis of time. Those derived draw, and say what is at a point. */
class Chart {
  constructor(axis, label, height) {
    this.axis = axis;
    this.canvas =
      make("canvas", {tabindex: "0", role: "application", "aria-label": label, style: `height: ${height}px`});
    this.context = this.canvas.getContext("2d");
    this.left = 64;  // where the plot begins, and what is at its right: the same for all charts of an axis
    this.right = 12;
    this.canvas.chart = this;
    axis.charts.push(this);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      if (this.seen) axis.redraw();
    }, {rootMargin: "200px"}).observe(this.canvas);
    listen(this);
  }

  resize() {
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.right = this.width < 600 ? 12 : 58 * this.axis.columns;
    this.dense = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(this.width * this.dense);
    this.canvas.height = Math.round(this.height * this.dense);
    this.axis.redraw();
  }

  get plotWidth() { return Math.max(1, this.width - this.left - this.right); }
  x(time) { return this.left + (time - this.axis.from) * this.plotWidth / (this.axis.to - this.axis.from); }
  timeAt(x) { return this.axis.from + (x - this.left) * (this.axis.to - this.axis.from) / this.plotWidth; }

  begin() {
    const c = this.context;
    c.setTransform(this.dense, 0, 0, this.dense, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    return c;
  }

  /** Keeps what `draw` does from the names at the sides, and from the time behind the end. */
  clipped(c, end, draw) {
    c.save();
    c.beginPath();
    c.rect(this.left, 0, Math.max(0, Math.min(this.plotWidth, this.x(end) - this.left)), this.height);
    c.clip();
    draw();
    c.restore();
  }

  /** The axis of time, at height `y`. */
  times(c, y, kind) {
    const {from, to} = this.axis;
    const widest = widthOf(axisMarks(from, to, 5, kind).at(-1)?.text ?? "");
    c.fillStyle = colours.of("soft");
    c.textAlign = "right";
    c.fillText("time", this.left - 26, y + 13);
    c.textAlign = "left";
    const marks = axisMarks(from, to, this.plotWidth / (widest + 45), kind);
    for (const {x, left, text} of placedMarks(marks, (at) => this.x(at), this.left - 22, this.width - 1)) {
      c.fillRect(x, y, 1, 5);
      if (text) c.fillText(text, left, y + 13);
    }
  }

  /** What a key does; undefined: nothing. */
  key(event) {
    const {axis} = this;
    const span = axis.to - axis.from;
    return {
      "+": () => axis.zoom(2),
      "=": () => axis.zoom(2),
      "-": () => axis.zoom(0.5),
      0: () => axis.show(0, axis.length),
      ArrowLeft: () => axis.pan(-0.2),
      ArrowRight: () => axis.pan(0.2),
      PageUp: () => axis.pan(-0.8),
      PageDown: () => axis.pan(0.8),
      Home: () => axis.show(0, span),
      End: () => axis.show(axis.length - span, axis.length)
    }[event.key];
  }

  hover(x, y) {
    const lines = this.linesAt(x, y);
    if (!lines) return tip.hide();
    const box = this.canvas.getBoundingClientRect();
    tip.show(box.left + x, box.top + y, lines);
  }
}

/** Wheel, mouse, fingers and keys of a chart. */
function listen(chart) {
  const {canvas, axis} = chart;
  const held = new Map();  // pointers that are down, by their ids
  let still = true;        // since the first of them went down
  canvas.addEventListener("wheel", (event) => {
    const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (axis.isWhole && (across || event.deltaY > 0)) return;  // there is no more to show: the page scrolls
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (across) axis.pan(lines * event.deltaX / chart.plotWidth);
    else axis.zoom(1.002 ** (-lines * event.deltaY), chart.timeAt(event.offsetX));
  }, {passive: false});
  canvas.addEventListener("pointerdown", (event) => {
    if (held.size === 0) still = true;
    held.set(event.pointerId, {x: event.offsetX, from: event.offsetX});
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const was = held.get(event.pointerId);
    if (!was) return chart.hover(event.offsetX, event.offsetY);
    if (Math.abs(event.offsetX - was.from) > 4 || held.size > 1) still = false;
    if (still) return;
    tip.hide();
    const [, other] = [...held].find(([id]) => id !== event.pointerId) ?? [];
    if (other) {
      const apart = (x) => Math.max(8, Math.abs(x - other.x));
      axis.zoom(apart(event.offsetX) / apart(was.x), chart.timeAt((was.x + other.x) / 2));
    }
    axis.pan((was.x - event.offsetX) / chart.plotWidth / held.size);
    was.x = event.offsetX;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held.delete(event.pointerId) && still && event.button === 0) chart.click?.(event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointercancel", (event) => held.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => tip.hide());
  canvas.addEventListener("dblclick", () => axis.show(0, axis.length));
  canvas.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : chart.key(event);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// --- What every rank does when

class Timeline extends Chart {
  constructor(passes, axis, room) {
    const ranks = passes.ranks.length;
    const row = Math.max(2, Math.min(28, Math.floor(room / Math.max(1, ranks))));
    super(axis,
      `Timeline of ${passes.plan.title}: ${counted(ranks, "rank")}, ${counted(passes.count, "pass", "passes")}. ` +
        "Plus and minus zoom, 0 shows all. Enter chooses a pass; then the arrow keys go from pass to pass, C to what " +
        "it waited for, Escape back.",
      row * ranks + 44);
    this.passes = passes;
    this.row = row;
    this.top = 18;
    this.rows = document.createElement("canvas");  // the passes, in pixels
    this.status = make("p", {class: "status", role: "status"});
    this.choose();
  }

  y(r) { return this.top + r * this.row; }
  height01(r, y) { return Math.min(0.999, (y - this.y(r)) / Math.max(1, this.row - 1)); }

  draw() {
    const c = this.begin();
    const {ranks, plan} = this.passes;
    this.names(c);
    this.paint(c);
    const end = this.x(plan.makespan), right = this.left + this.plotWidth, bottom = this.y(ranks.length);
    // Behind the end of a plan that shares its axis with a longer one there is nothing, not even idleness.
    if (end < right) c.clearRect(Math.max(this.left, end), this.top, right - end, bottom - this.top);
    this.clipped(c, plan.makespan, () => {
      this.labels(c);
      if (this.chosen) this.drawChain(c);
      c.fillStyle = colours.of("soft");
      c.fillRect(end - 1, this.top - 4, 1, bottom - this.top + 4);
    });
    if (end >= this.left && end <= right + 1) {
      const text = `makespan ${inWords(plan.makespan, this.passes.time)}`;
      c.textAlign = "right";
      c.fillText(text, Math.max(end, this.left + c.measureText(text).width), 8);
    }
    this.times(c, bottom + 1, this.passes.time);
  }

  /** The ranks at the left, the shares of the makespan that each is idle or blocked at the right; of low rows, some. */
  names(c) {
    const {ranks} = this.passes;
    const every = Math.ceil(14 / this.row);
    c.textAlign = "right";
    for (let r = 0; r < ranks.length; r += every) {
      const y = this.y(r) + this.row / 2;
      c.fillStyle = colours.of("text");
      c.fillText(`rank ${r}`, this.left - 8, y);
      c.fillStyle = colours.of("soft");
      this.aside(c, (_, time) => this.passes.share(time), r, y);
    }
    if (ranks.length > 0) this.aside(c, (name) => name, 0, 8);
  }

  /** What `text` makes of the uses of a rank but its work, at the right of a row where there is room. */
  aside(c, text, r, y) {
    if (this.right < 50) return;
    this.passes.uses(r).slice(1).forEach(([name, time], i) => {
      c.fillText(text(name, time), this.width - this.right + 54 + 58 * i, y);
    });
  }

  /** `[first, behind the last]` of the passes of a rank that are in sight. */
  inSight(rank) { return [above(rank.reach, this.axis.from), above(rank.start, this.axis.to)]; }

  /**
   * The passes, however many: every pixel gets the colours of what happens in its time, each by its share. A rank is
   * a row of pixels, or six where passes overlap, which are then stretched.
   */
  paint(c) {
    const {ranks, overlaps} = this.passes;
    const width = Math.round(this.plotWidth * this.dense);
    const rows = overlaps ? 6 : 1;
    if (this.rows.width !== width) this.rows.width = width;
    if (this.rows.height !== rows * ranks.length) this.rows.height = Math.max(1, rows * ranks.length);
    const into = this.rows.getContext("2d");
    const image = into.createImageData(width, this.rows.height);
    const pixels = new Uint32Array(image.data.buffer);
    const sums = new Float32Array(4 * width * rows);
    const shades = this.shades();
    ranks.forEach((rank, r) => {
      sums.fill(0);
      for (const computes of [true, false]) this.cover(sums, width, rows, rank, shades, computes);
      this.mix(pixels.subarray(r * rows * width, (r + 1) * rows * width), sums);
    });
    into.putImageData(image, 0, 0);
    c.imageSmoothingEnabled = false;
    const gap = this.row > 3 ? 1 : 0;
    for (let r = 0; r < ranks.length; ++r) {
      c.drawImage(this.rows, 0, r * rows, width, rows, this.left, this.y(r), this.plotWidth, this.row - gap);
    }
  }

  /** Adds to every pixel, as red, green, blue and share, what the passes of a rank cover of it. */
  cover(sums, width, rows, rank, shades, computes) {
    const {from, to} = this.axis;
    const scale = width / (to - from);
    const [first, last] = this.inSight(rank);
    for (let i = first; i < last; ++i) {
      if (kinds[rank.kind[i]].computes !== computes || this.axis.hidden.has(rank.kind[i])) continue;
      const [red, green, blue] = shades[rank.kind[i]][rank.chunk[i]];
      const a = Math.max(0, (rank.start[i] - from) * scale);
      let b = (rank.end[i] - from) * scale;
      if (b - a > 4 * this.dense) b -= this.dense;  // a gap, so that neighbours can be distinguished
      b = Math.min(width, b);
      const until = Math.round(rank.bottom[i] * rows);
      for (let row = Math.round(rank.top[i] * rows); row < until; ++row) {
        for (let x = Math.floor(a), at = 4 * (row * width + x); x < b; ++x, at += 4) {
          const share = Math.min(x + 1, b) - Math.max(x, a);
          if (!computes) for (let part = 0; part < 4; ++part) sums[at + part] *= 1 - share;  // it lies upon the rest
          sums[at] += red * share;
          sums[at + 1] += green * share;
          sums[at + 2] += blue * share;
          sums[at + 3] += share;
        }
      }
    }
  }

  shades() {
    const {chunks} = this.passes;
    return kinds.map((_, kind) => Array.from({length: chunks}, (_, chunk) => colours.pass(kind, chunk, chunks)));
  }

  /** Pixels of those sums; what nothing covers is idle. */
  mix(pixels, sums) {
    const [red, green, blue] = colours.parts("idle");
    const idle = (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
    for (let x = 0, at = 0; x < pixels.length; ++x, at += 4) {
      const share = sums[at + 3];
      if (share === 0) {
        pixels[x] = idle;
        continue;
      }
      const rest = Math.max(0, 1 - share), scale = share > 1 ? 1 / share : 1;
      pixels[x] = (255 << 24 | (sums[at + 2] * scale + blue * rest) << 16 | (sums[at + 1] * scale + green * rest) << 8 |
                    sums[at] * scale + red * rest) >>>
        0;
    }
  }

  box(r, i) {
    const {start, end, top, bottom} = this.passes.ranks[r];
    const x = this.x(start[i]), height = Math.max(1, this.row - 1);
    return [x, this.y(r) + top[i] * height, Math.max(1, this.x(end[i]) - x), (bottom[i] - top[i]) * height];
  }

  /** The microbatch of a pass, where it has room. */
  label(c, r, i) {
    const {given, kind} = this.passes.ranks[r];
    const microbatch = given.microbatches[i];
    if (microbatch < 0 || this.axis.hidden.has(kind[i])) return;
    const text = given.slices ? `${microbatch}:${given.slices[i]}` : String(microbatch);
    const [x, y, width, height] = this.box(r, i);
    const begin = Math.max(x, this.left), end = Math.min(x + width, this.left + this.plotWidth);
    if (height < 12 || end - begin < 7 * text.length + 4) return;
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = colours.of("on-pass");
    c.textAlign = "center";
    c.fillText(text, (begin + end - 1) / 2, y + height / 2 + 0.5);
    c.font = "12px system-ui, sans-serif";
  }

  labels(c) {
    if (this.row < 13) return;
    this.passes.ranks.forEach((rank, r) => {
      const [first, last] = this.inSight(rank);
      if ((last - first) * 12 > this.plotWidth) return;
      for (let i = first; i < last; ++i) this.label(c, r, i);
    });
  }

  /** The chosen pass and what it waited for; the others fade. */
  drawChain(c) {
    const {ranks} = this.passes;
    c.globalAlpha = 0.6;
    c.fillStyle = colours.of("page");
    c.fillRect(this.left, this.top, this.plotWidth, this.row * ranks.length);
    c.globalAlpha = 1;
    const shades = this.shades();
    c.beginPath();
    this.chain.forEach(([r, i], n) => {
      const [x, y, width, height] = this.box(r, i);
      c.fillStyle = css(shades[ranks[r].kind[i]][ranks[r].chunk[i]]);
      if (x + width >= this.left && x <= this.width) {
        c.fillRect(x, y, Math.max(1, width - 1), height);
        this.label(c, r, i);
      }
      const line = this.y(r) + this.row - 2;
      if (n === 0) c.moveTo(x + width, line);
      else c.lineTo(x + width, line);
      c.lineTo(x, line);
    });
    c.strokeStyle = colours.of("critical");
    c.lineWidth = this.row < 12 ? 1.5 : 2;
    c.lineJoin = "round";
    c.stroke();
    const [x, y, width, height] = this.box(...this.chosen);
    c.strokeStyle = colours.of("text");
    c.strokeRect(x - 1, y, Math.max(3, width), height);
  }

  passAt(x, y) {
    const r = Math.floor((y - this.top) / this.row);
    const inside = x >= this.left && x <= this.left + this.plotWidth && r >= 0 && r < this.passes.ranks.length;
    return inside ? [r, this.passes.at(r, this.timeAt(x), this.height01(r, y), this.axis.hidden)] : undefined;
  }

  linesAt(x, y) {
    const at = this.passAt(x, y);
    return at && (at[1] < 0 ? this.passes.tellIdle(at[0], this.timeAt(x)) : this.passes.tell(...at));
  }

  click(x, y) {
    const at = this.passAt(x, y);
    this.choose(at && at[1] >= 0 ? at : undefined);
  }

  /** Chooses `[rank, index]`, or nothing, and tells of it below the picture. */
  choose(pass) {
    this.chosen = pass;
    this.chain = pass ? this.passes.chain(...pass) : [];
    this.memory?.highlight(pass?.[0]);
    const known = pass && this.passes.ranks[pass[0]].given.causes;
    const lines = pass ? [...this.passes.tell(...pass), ...(known ? [this.tellChain()] : [])] :
                         ["", "No pass is chosen: click on one to see what it waits for."];
    this.status.replaceChildren(...lines.map((each, i) => make(i ? "span" : "strong", {}, each)));
    this.axis.redraw();
  }

  tellChain() {
    const {ranks, time, plan} = this.passes;
    const computing = this.chain.reduce((sum, [r, i]) => sum + ranks[r].end[i] - ranks[r].start[i], 0);
    const [r, i] = this.chain[0];
    const [first, start] = this.chain.at(-1);
    const begin = ranks[first].start[start];
    const between = ranks[r].end[i] - begin - computing;
    return `its chain of causes, back to ${begin === 0 ? "the start" : this.passes.timeText(begin)}: ` +
      `${counted(this.chain.length, "pass", "passes")}, ${inWords(computing, time)}` +
      (between > 1e-9 * plan.makespan ? `, and ${inWords(between, time)} between them` : "");
  }

  /** To the next or former pass of the rank, or to what another rank does meanwhile. */
  step(ranks, passes) {
    let [r, i] = this.chosen;
    const all = this.passes.ranks;
    if (ranks === 0) i = Math.max(0, Math.min(all[r].count - 1, i + passes));
    else {
      const middle = (all[r].start[i] + all[r].end[i]) / 2;
      const to = Math.max(0, Math.min(all.length - 1, r + ranks));
      if (to === r || all[to].count === 0) return;
      [r, i] = [to, Math.max(0, above(all[to].start, middle) - 1)];
    }
    this.reveal([r, i]);
  }

  /** Chooses a pass and moves the axis so that it is in sight. */
  reveal(pass) {
    if (!pass) return;
    const rank = this.passes.ranks[pass[0]];
    const {from, to} = this.axis;
    const [start, end] = [rank.start[pass[1]], rank.end[pass[1]]];
    if (start < from || end > to) this.axis.show((start + end - to + from) / 2, (start + end + to - from) / 2);
    this.choose(pass);
  }

  /** The first pass in sight. */
  enter() {
    const r = this.passes.ranks.findIndex((rank) => rank.count > 0);
    if (r < 0) return;
    const rank = this.passes.ranks[r];
    this.choose([r, Math.min(rank.count - 1, above(rank.reach, this.axis.from))]);
  }

  key(event) {
    const enter = {Enter: () => this.enter(), " ": () => this.enter()};
    const walk = {
      ArrowLeft: () => this.step(0, -1),
      ArrowRight: () => this.step(0, 1),
      ArrowUp: () => this.step(-1, 0),
      ArrowDown: () => this.step(1, 0),
      Escape: () => this.choose(),
      c: () => this.reveal(this.passes.cause(...this.chosen))
    };
    return (!this.chosen ? enter : event.shiftKey ? {} : walk)[event.key] ?? super.key(event);
  }
}

// --- What every rank holds when

class MemoryChart extends Chart {
  static mostLines = 16;

  constructor(passes, axis) {
    super(axis,
      `Memory of ${
        passes.plan.title} over time, by rank. Plus and minus zoom, 0 shows all; the table behind it has the figures.`,
      190);
    this.passes = passes;
    this.top = 22;
    const most = largest(passes.ranks.map((rank) => Math.max(rank.memory.peak, rank.given.limit ?? 0)));
    axis.most[passes.size] = Math.max(axis.most[passes.size] ?? 0, most);
    this.fullest =
      passes.ranks.reduce((best, rank, r) => rank.memory.peak > passes.ranks[best].memory.peak ? r : best, 0);
    this.asked = -1;  // the rank that the reader wants alone; -1: all of them
  }

  get bottom() { return this.height - 26; }
  get most() { return (this.axis.most[this.passes.size] || 1) * 1.05; }
  y(bytes) { return this.bottom - (this.bottom - this.top) * bytes / this.most; }

  /** Shows a rank alone, or with -1 all of them. */
  only(r) {
    this.asked = r;
    this.axis.redraw();
  }

  /** Marks the rank of a chosen pass. */
  highlight(r) { this.marked = r; }

  draw() {
    const c = this.begin();
    const {ranks, size} = this.passes;
    c.textAlign = "right";
    for (const {at, text} of axisMarks(0, this.most, 4, size)) {
      c.fillStyle = colours.of("line");
      c.fillRect(this.left, Math.round(this.y(at)), this.plotWidth, 1);
      c.fillStyle = colours.of("soft");
      c.fillText(text, this.left - 6, this.y(at));
    }
    const line = this.asked >= 0 ? this.asked : this.marked ?? this.fullest;
    this.clipped(c, this.passes.plan.makespan, () => {
      if (this.asked >= 0) this.area(c, ranks[this.asked]);
      else if (ranks.length <= MemoryChart.mostLines)
        for (const rank of ranks) this.curve(c, rank, "memory-soft", 1);
      else this.band(c);
      this.curve(c, ranks[line], "memory", 1.75);
      this.limits(c);
    });
    c.textAlign = "left";
    c.fillStyle = colours.of("memory");
    const which = this.asked < 0 && this.marked === undefined ? ", the fullest" : "";
    c.fillText(`— rank ${line}${which}: at most ${inWords(ranks[line].memory.peak, size)}`, this.left, 8);
    this.times(c, this.bottom + 1, this.passes.time);
  }

  /** Dashes where a device is full. */
  limits(c) {
    const ranks = this.asked < 0 ? this.passes.ranks : [this.passes.ranks[this.asked]];
    const right = Math.min(this.left + this.plotWidth, this.x(this.passes.plan.makespan));
    c.strokeStyle = c.fillStyle = colours.of("limit");
    c.lineWidth = 1.5;
    c.setLineDash([6, 4]);
    for (const limit of new Set(ranks.map((rank) => rank.given.limit).filter((each) => each !== undefined))) {
      c.beginPath();
      c.moveTo(this.left, this.y(limit));
      c.lineTo(this.width, this.y(limit));
      c.stroke();
      c.save();
      c.setLineDash([]);
      c.textAlign = "right";
      c.strokeStyle = colours.of("page");  // around the text, which may stand on a curve
      c.lineWidth = 4;
      for (const put of ["strokeText", "fillText"]) {
        c[put](`limit ${inWords(limit, this.passes.size)}`, right - 4, this.y(limit) + 11);
      }
      c.restore();
    }
    c.setLineDash([]);
  }

  /** A rank as an area, that of what always stays below it. */
  area(c, rank) {
    const {low, high} = this.extremes([rank]);
    const base = this.y(rank.given.memory.resident ?? 0);
    c.fillStyle = colours.of("resident");
    c.fillRect(this.left, base, this.plotWidth, this.bottom - base);
    c.fillStyle = colours.of("memory-soft");
    this.between(c, low.fill(rank.given.memory.resident ?? 0), high);
  }

  /** All ranks, from the least to the most. */
  band(c) {
    const {low, high} = this.extremes(this.passes.ranks);
    c.fillStyle = colours.of("memory-soft");
    this.between(c, low, high);
  }

  between(c, low, high) {
    c.beginPath();
    high.forEach((each, x) => c.lineTo(this.left + x, this.y(each)));
    for (let x = low.length - 1; x >= 0; --x) c.lineTo(this.left + x, this.y(low[x]));
    c.fill();
  }

  /** A line through the least and the most of every column of pixels, first to what is nearer to the one before. */
  curve(c, rank, colour, width) {
    const {low, high} = this.extremes([rank]);
    c.beginPath();
    for (let x = 0, at = low[0]; x < low.length; ++x) {
      const falls = Math.abs(high[x] - at) < Math.abs(low[x] - at);
      c.lineTo(this.left + x, this.y(falls ? high[x] : low[x]));
      at = falls ? low[x] : high[x];
      if (high[x] !== low[x]) c.lineTo(this.left + x, this.y(at));
    }
    c.strokeStyle = colours.of(colour);
    c.lineWidth = width;
    c.lineJoin = "bevel";
    c.stroke();
  }

  /** The least and the most of those ranks in every column of pixels. */
  extremes(ranks) {
    const width = Math.round(this.plotWidth) + 1;
    const low = new Float64Array(width).fill(Infinity);
    const high = new Float64Array(width);
    const {from, to} = this.axis;
    for (const {memory: {at, bytes}} of ranks) {
      let i = above(at, from) - 1;
      for (let x = 0; x < width; ++x) {
        const until = from + (x + 1) / width * (to - from);
        let least = i < 0 ? 0 : bytes[i], most = least;
        for (; i + 1 < at.length && at[i + 1] < until; ++i) {
          least = Math.min(least, bytes[i + 1]);
          most = Math.max(most, bytes[i + 1]);
        }
        low[x] = Math.min(low[x], least);
        high[x] = Math.max(high[x], most);
      }
    }
    return {low, high};
  }

  linesAt(x) {
    const time = this.timeAt(x);
    if (x < this.left || time > this.axis.length) return undefined;
    const {ranks, size} = this.passes;
    const all = ranks.map((_, r) => [r, this.passes.memoryAt(r, time)]);
    const shown = this.asked >= 0 ? [all[this.asked]] : all.length <= 8 ? all : [...all].sort((a, b) => b[1] - a[1]);
    const line = ([r, bytes]) => `rank ${r}: ${inWords(bytes, size)}`;
    const lines = shown.length <= 8 ? shown.map(line) : [...shown.slice(0, 4).map(line), "…", line(shown.at(-1))];
    return [`at ${this.passes.timeText(time)}`, ...lines];
  }
}

// --- A plan: its timeline, its memory, their tables

/** A choice of a rank, and below it what `content` makes of that. */
function byRank(label, count, content) {
  const place = make("div", {}, count > 0 ? content(0) : "no ranks");
  return make("div", {}, chooser(label, rankOptions(count), (r) => place.replaceChildren(content(r))), place);
}

function passTable(passes) {
  const memory = passes.ranks[0]?.memory ? ["memory from its start", "after it"] : [];
  const columns = ["pass", "stage", "microbatch", "start", "end", ...memory, "why it starts then"];
  const index = (value) => value < 0 ? "" : value;
  return byRank("Passes of", passes.ranks.length, (r) => {
    const {given, count, start, end, kind} = passes.ranks[r];
    const row = (i) => [
      kinds[kind[i]].name, index(given.stages[i]), index(given.microbatches[i]), passes.timeText(start[i]),
      passes.timeText(end[i]), ...passes.memoryText(r, i), passes.why(r, i),
    ];
    return pagedTable(`Passes of rank ${r}`, columns, count, row);
  });
}

function rankTable(passes) {
  const names = passes.ranks.length > 0 ? passes.uses(0).flatMap(([name]) => [name, `${name}, share`]) : [];
  const row = (r) => [r, ...passes.uses(r).flatMap(([, time]) => [inWords(time, passes.time), passes.share(time)])];
  return pagedTable("What becomes of every rank's time", ["rank", ...names], passes.ranks.length, row);
}

function memoryTables(passes) {
  const {ranks, size} = passes;
  const rows = ranks.map(({memory, given: {limit}}, r) => {
    const first = memory.at[memory.bytes.indexOf(memory.peak)] ?? 0;
    return [r, inWords(memory.peak, size), passes.timeText(first), limit === undefined ? "none" : inWords(limit, size)];
  });
  const peaks = table({caption: "Memory of every rank, at most", columns: ["rank", "peak", "first at", "limit"], rows});
  const curves = byRank("Memory over time of", ranks.length, (r) => {
    const {at, bytes} = ranks[r].memory;
    const row = (i) => [passes.timeText(at[i]), inWords(bytes[i], size)];
    return pagedTable(`Memory of rank ${r} over time`, ["from", "memory"], at.length, row);
  });
  return make("div", {}, peaks, curves);
}

function memoryPicture(passes, memory) {
  const count = passes.ranks.length;
  const all = `all ranks, ${count <= MemoryChart.mostLines ? "a line each" : "from the emptiest to the fullest"}`;
  const unit = passes.size === "bytes" ? "" : ", in activations of a microbatch";
  const choice = chooser("Show", [[-1, all], ...rankOptions(count)], (r) => memory.only(r));
  return make("figure", {}, make("figcaption", {}, `Memory of every rank, over time${unit} `, choice), memory.canvas);
}

/** All of a plan, on an axis that others may share; its timeline about `room` pixels high. */
function planPictures(plan, axis, room) {
  const passes = new Passes(plan);
  if (passes.blocks) axis.columns = 2;
  const timeline = new Timeline(passes, axis, room);
  const show = () => timeline.reveal(passes.last());
  const path = make("button", {type: "button", onclick: show}, "Show its critical path");
  const known = plan.ranks.some((rank) => rank.causes);
  const caption = make("figcaption", {}, "What every rank does, over time ", known ? path : "");
  const made = make("article", {class: "plan"}, make("h3", {}, plan.title),
    plan.facts && make("p", {class: "facts"}, plan.facts), make("figure", {}, caption, timeline.canvas, timeline.status),
    behind("Ranks as a table", () => rankTable(passes)), behind("Passes as a table", () => passTable(passes)));
  if (passes.ranks.length > 0 && passes.ranks.every((rank) => rank.memory)) {
    timeline.memory = new MemoryChart(passes, axis);
    made.append(memoryPicture(passes, timeline.memory), behind("Memory as tables", () => memoryTables(passes)));
  }
  if (plan.stages) made.append(table({caption: `Stages of ${plan.title}`, ...plan.stages}));
  return {made, passes};
}

/** What the colours mean; a button hides or shows its kind of passes. */
function legend(axis, all) {
  const seen = new Set(all.flatMap((passes) => passes.ranks.flatMap((rank) => [...new Set(rank.kind)])));
  const chunks = Math.max(1, ...all.map((passes) => passes.chunks));
  const crowded = all.some((passes) => passes.count > 200 * passes.ranks.length);
  const button = (kind) => {
    const {colour, computes, name} = kinds[kind];
    const [first, last] = [`var(--${colour})`, `var(--${colour}${computes && chunks > 1 ? "-light" : ""})`];
    const shade = make("i", {style: `background: linear-gradient(90deg, ${first} 50%, ${last} 50%)`});
    const toggle = () => {
      if (!axis.hidden.delete(kind)) axis.hidden.add(kind);
      made.setAttribute("aria-pressed", String(!axis.hidden.has(kind)));
      axis.redraw();
    };
    const title = `Show or hide: ${name}`;
    const made = make("button", {type: "button", "aria-pressed": "true", title, onclick: toggle}, shade, name);
    return made;
  };
  return make("div", {class: "buttons legend", role: "group", "aria-label": "Kinds of passes shown"},
    ...[...seen].sort((a, b) => a - b).map(button), make("span", {}, make("i", {class: "idle"}), "idle"),
    all.some((passes) => passes.blocks) ? make("span", {}, "blocked: held by what it sends or receives") : undefined,
    crowded ? make("span", {}, make("i", {class: "mixed"}), "narrow passes: mixed") : undefined,
    chunks > 1 ? make("span", {}, `the darkest: the first of a rank's ${chunks} stages`) : undefined);
}

function controls(axis, all) {
  const button = (text, label, act) =>
    make("button", {type: "button", "aria-label": label, title: label, onclick: act}, text);
  const time = make("div", {class: "buttons", role: "group", "aria-label": "Time shown"},
    button("+", "Zoom in", () => axis.zoom(2)), button("−", "Zoom out", () => axis.zoom(0.5)),
    button("←", "Earlier", () => axis.pan(-0.5)), button("→", "Later", () => axis.pan(0.5)),
    button("All", "Show all of the time", () => axis.show(0, axis.length)));
  return make("div", {class: "controls"}, time, legend(axis, all));
}

const help =
  "The wheel or two fingers zoom, dragging moves, a double click shows all; a click on a pass shows what it " +
  "waits for. Where passes are too narrow to be seen, their colours are mixed by their shares of the time.";

function timelines(plans) {
  const axis = new TimeAxis(plans);
  const all = plans.map((plan) => planPictures(plan, axis, plans.length > 1 ? 300 : 560));
  section(plans.length > 1 ? "Timelines, on one axis of time" : "Timeline", make("p", {class: "note"}, help),
    controls(axis, all.map(({passes}) => passes)), ...all.map(({made}) => made));
}

// --- Cuts of the same layers, one below the other

/** `{first, last, seconds, text}` of every stage of a cut, `ends` being the sums of the layers' times. */
function stagesOf({cuts}, layers, ends) {
  return cuts.slice(1).map((last, s) => {
    const first = cuts[s];
    const range = last > first ? `${layers[first].name} .. ${layers[last - 1].name}` : "no layer";
    return {first, last, range, seconds: ends[last] - ends[first]};
  });
}

/** A row of boxes, each as wide as its stage's part of `whole`; `fitCuts` says which of their numbers are shown. */
function stageBoxes(stages, ends, whole) {
  const most = largest(stages.map((each) => each.seconds)) * (1 - 1e-9);
  const box = ({first, last, range, seconds}, s) => make("span", {
    class: seconds >= most && "heaviest",
    style: `left: ${100 * ends[first] / whole}%; width: ${100 * seconds / whole}%`,
    title: `stage ${s}: ${range}, ${counted(last - first, "layer")}, ${inWords(seconds, timeOf(report))}`,
  }, make("span", {}, String(s)));
  return make("div", {class: "stages"}, ...stages.map(box));
}

/** Shows the numbers that fit into their boxes, and puts marks below, for the width that the picture has. */
function fitCuts(picture, whole) {
  const width = picture.clientWidth;
  const numbers = [...picture.querySelectorAll(".stages > * > *")];
  const fit = numbers.map((each) => widthOf(each.textContent) + 3 <= each.parentElement.clientWidth);
  numbers.forEach((each, i) => { each.hidden = !fit[i]; });
  const marks = placedMarks(axisMarks(0, whole, width / 90, timeOf(report)), (at) => width * at / whole, 0, width);
  const tick = (x) => make("i", {style: `left: ${Math.min(x, width - 1)}px`});
  const said = ({left, text}) => text && make("span", {style: `left: ${left}px`}, text);
  picture.querySelector(".marks").replaceChildren(...marks.flatMap((mark) => [tick(mark.x), said(mark) ?? ""]));
}

/** What rows of cuts are called, without what else their names say. */
const shortName = ({name}) => name.split(": ")[0];

const explained = new Map([
  ["uniform", "as many layers in each stage, or one more."],
  ["bottleneck", "the heaviest stage is as light as can be; messages and the schedule do not count."],
  ["this plan", "the cuts of the plan that this page shows."],
]);

function cuts({layers, rows}) {
  const ends = [0];
  for (const each of layers) ends.push(ends.at(-1) + each.seconds);
  const whole = ends.at(-1) || 1;
  const kind = timeOf(report);
  const all = rows.map((row) => [row, stagesOf(row, layers, ends)]);
  const label = `Where ${rows.map(shortName).join(", ")} cut the layers; the table behind it has the figures.`;
  const picture = make("figure", {class: "cuts", role: "img", "aria-label": label},
    ...all.flatMap(([row, stages]) => [
      make("p", {}, make("strong", {}, shortName(row)), row.facts ? ` ${row.facts}` : ""),
      stageBoxes(stages, ends, whole)
    ]),
    make("div", {class: "marks"}));
  const notes = [
    "Layers one after the other, each as wide as its time of a microbatch. " +
      "A box is a stage with its number; red above and below: the heaviest of its row.",
    ...rows.map(shortName).filter((name) => explained.has(name)).map((name) => `${name}: ${explained.get(name)}`)
  ];
  const cells = all.flatMap(([row, stages]) => stages.map(({first, last, range, seconds}, s) =>
    [shortName(row), s, range, last - first, inWords(seconds, kind)]));
  const columns = ["cut", "stage", "layers", "count", "time"];
  section("Cuts, on one axis", picture, make("p", {class: "note"}, notes.join("\n")),
    behind("Cuts as a table", () => table({caption: "Stages of every cut", columns, rows: cells})));
  new ResizeObserver(() => fitCuts(picture, whole)).observe(picture);
}

// --- Time against memory, a point a plan

class Scatter {
  constructor({points, limit}) {
    this.points = [...points].sort((a, b) => a.memory - b.memory || a.time - b.time);
    this.limit = limit;
    this.time = largest(points.map((each) => each.time)) * 1.08 || 1;
    this.memory = Math.max(limit ?? 0, largest(points.map((each) => each.memory))) * 1.08 || 1;
    this.schedules = [...new Set(points.map((each) => each.schedule))];
    this.current = Math.max(0, this.points.findIndex((each) => each.front));
    this.picture = drawn("svg", {
      class: "scatter",
      role: "group",
      "aria-label":
        "Time of a microbatch against memory of the fullest device. Arrow keys go from point to point, " +
          "Enter shows its plan."
    });
    this.place = make("div", {class: "behind-point"});
    this.picture.addEventListener("click", (event) => this.open(this.nearest(event)));
    this.picture.addEventListener("pointermove", (event) => this.hover(event));
    this.picture.addEventListener("pointerleave", () => tip.hide());
    this.picture.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  x(memory) { return 72 + (this.width - 88) * memory / this.memory; }
  y(time) { return 12 + (this.height - 62) * (1 - time / this.time); }
  name(each) {
    return `${each.name}: ${inWords(each.time, timeOf(report))} a microbatch, ${inWords(each.memory, sizeOf(report))}`;
  }
  colour(each) { return `var(--series-${this.schedules.indexOf(each.schedule) % 8})`; }

  draw() {
    this.width = this.picture.clientWidth;
    this.height = this.picture.clientHeight;
    if (!this.width) return;
    this.picture.replaceChildren(...this.grid(), ...this.marks());
    // Those of the front last, so that they lie on top.
    const order = [...this.points.keys()].sort((a, b) => this.points[a].front - this.points[b].front);
    this.circles = [];
    for (const i of order) this.picture.append(this.circles[i] = this.circle(this.points[i], i));
  }

  grid() {
    const {width, height} = this;
    const line = (x1, y1, x2, y2) => drawn("line", {x1, y1, x2, y2});
    const text = (x, y, anchor, ...content) => drawn("text", {x, y, "text-anchor": anchor}, ...content);
    const across = axisMarks(0, this.memory, (width - 88) / 90, sizeOf(report));
    const up = axisMarks(0, this.time, 5, timeOf(report));
    const title = text(0, 0, "middle", "time of a microbatch");
    title.setAttribute("transform", `translate(12 ${(height - 50) / 2}) rotate(-90)`);
    const column = ({x, left, text: said = ""}) =>
      [line(x, 12, x, height - 50), text(left ?? x, height - 33, "start", said)];
    const row = ({at, text: said}) =>
      [line(72, this.y(at), width - 16, this.y(at)), text(66, this.y(at) + 4, "end", said)];
    const below = text(72 + (width - 88) / 2, height - 10, "middle", "memory of the fullest device");
    return [...placedMarks(across, (at) => this.x(at), 0, width).flatMap(column), ...up.flatMap(row), below, title];
  }

  /** The limit of memory, and steps along the front: nothing lies below or left of them. */
  marks() {
    const made = [];
    if (this.limit !== undefined) {
      made.push(
        drawn("line", {class: "limit", x1: this.x(this.limit), x2: this.x(this.limit), y1: 12, y2: this.height - 50}),
        drawn("text", {class: "limit", x: this.x(this.limit) - 5, y: 24, "text-anchor": "end"}, "limit"));
    }
    const front = this.points.filter((each) => each.front);
    if (front.length > 0) {
      const from = `M${this.x(front[0].memory)} 12`;
      const steps = front.map((each) => `H${this.x(each.memory)}V${this.y(each.time)}`);
      made.push(drawn("path", {class: "front", d: `${from}${steps.join("")}H${this.width - 16}`}));
    }
    return made;
  }

  circle(each, i) {
    return drawn("circle", {
      cx: this.x(each.memory),
      cy: this.y(each.time),
      r: each.front ? 6 : 4,
      style: `fill: ${this.colour(each)}`,
      class: `${each.front ? "front" : ""} ${each === this.opened ? "chosen" : ""}`,
      tabindex: i === this.current ? 0 : -1,
      role: "button",
      "aria-label": this.name(each) + (each.plan ? "" : ", without its plan")
    });
  }

  /** The point near a pointer, as its index; -1: none. */
  nearest(event) {
    const box = this.picture.getBoundingClientRect();
    let found = -1, best = 24;
    this.points.forEach((each, i) => {
      const apart =
        Math.hypot(this.x(each.memory) - event.clientX + box.left, this.y(each.time) - event.clientY + box.top);
      if (apart < best) [found, best] = [i, apart];
    });
    return found;
  }

  hover(event) {
    const each = this.points[this.nearest(event)];
    if (!each) return tip.hide();
    tip.show(event.clientX, event.clientY, [
      this.name(each), each.front ? "nothing is better in both" : "another is better in both",
      each.plan ? "click: its plan" : "its plan is not in this file"
    ]);
  }

  open(i) {
    const each = this.points[i];
    if (!each) return;
    this.focus(i);
    this.circles.forEach((circle, at) => circle.classList.toggle("chosen", at === i));
    this.opened = each;
    if (!each.plan) {
      const text = `${this.name(each)}. Its plan is not in this file.`;
      return this.place.replaceChildren(make("p", {class: "note"}, text));
    }
    const axis = new TimeAxis([each.plan]);
    const {made, passes} = planPictures(each.plan, axis, 560);
    this.place.replaceChildren(controls(axis, [passes]), made);
    announce(`The plan of ${each.name} is shown below the points.`);
  }

  focus(i) {
    this.circles[this.current].setAttribute("tabindex", "-1");
    this.current = i;
    this.circles[i].setAttribute("tabindex", "0");
    this.circles[i].focus();
  }

  key(event) {
    const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (by) this.focus(Math.max(0, Math.min(this.points.length - 1, this.current + by)));
    else if (event.key === "Enter" || event.key === " ") this.open(this.current);
    else return;
    event.preventDefault();
  }

  show() {
    const swatch = (schedule) => make("i", {style: `background: ${this.colour({schedule})}`});
    const named = this.schedules.filter((each) => each !== undefined);
    const legend = named.map((schedule) => make("span", {}, swatch(schedule), schedule));
    const columns = ["plan", "time of a microbatch", "memory", "on the front"];
    const rows = this.points.map((each) => [
      each.name, inWords(each.time, timeOf(report)), inWords(each.memory, sizeOf(report)), each.front ? "yes" : "no",
    ]);
    const note = "A point is a plan; large: the Pareto front, nothing is better in both. Choose one to see its plan.";
    section("Time and memory", make("p", {class: "note"}, note), make("div", {class: "buttons legend"}, ...legend),
      make("figure", {}, this.picture),
      behind("Points as a table", () => table({caption: "Plans, by memory", columns, rows})), this.place);
  }
}

// --- Lines for frameworks

/** Copies a text; without the clipboard of a secure page as older browsers do it. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", {class: "unseen", readonly: true});
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

function lines(all) {
  const one = ({name, text}) => {
    const line = make("pre", {tabindex: "0", "aria-label": `Line for ${name}`}, text);
    const press = async () => {
      const copied = await copy(text);
      if (!copied) getSelection().selectAllChildren(line);
      button.focus();
      button.textContent = copied ? "Copied" : "Press Ctrl+C";
      announce(copied ? `Copied the line for ${name}` : "It could not be copied: it is marked, press Control and C");
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    };
    const button = make("button", {type: "button", "aria-label": `Copy the line for ${name}`, onclick: press}, "Copy");
    return make("div", {class: "line"}, make("h3", {}, name), button, line);
  };
  const refused = all.filter((each) => each.refused !== undefined).map((each) => [each.name, each.refused]);
  const why = () => table({caption: "Why not", columns: ["framework", "why"], rows: refused});
  section("For a framework", ...all.filter((each) => each.text !== undefined).map(one),
    refused.length > 0 ? behind(`${counted(refused.length, "framework")} that cannot express this plan`, why) : "");
}

// --- The page

function figures(all) {
  return make("dl", {class: "figures"},
    ...all.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
}

/** Draws all charts anew, in the colours of now. */
function repaint() {
  colours.known.clear();
  for (const axis of new Set([...document.querySelectorAll("canvas")].map((each) => each.chart.axis))) axis.draw(true);
}

document.title = report.title;
document.querySelector("h1").textContent = report.title;
if (report.figures) document.querySelector("main").append(figures(report.figures));
// Points first: a table of all configurations is long.
if (report.scatter) new Scatter(report.scatter).show();
if (report.table) section(report.table.caption, table(report.table, false));
if (report.plans?.length) timelines(report.plans);
if (report.cuts) cuts(report.cuts);
for (const each of report.prices ?? []) section(each.title, table({caption: each.title, ...each}, false));
if (report.lines?.length) lines(report.lines);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
for (const [event, printed] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(event, () => {
    document.documentElement.classList.toggle("printed", printed);
    repaint();
  });
}
