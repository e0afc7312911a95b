// The explorer: what is on the page, and what happens when somebody does something with it.

import { decode, follow, read, write } from "./conllu.js";
import { captions, draw, element } from "./tree.js";
import { bestList, climb, dual, make } from "./panels.js";

const PAGE = 10;
const by = id => document.getElementById(id);
const state = { sentences: [], page: 0, zoom: 1, found: null, name: "parsed.conllu", run: 0 };

function say(text, wrong = false) {
  by("status").textContent = text;
  by("status").className = wrong ? "error" : "";
}

async function ask(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const told = await answer.json().catch(() => ({ error: "no answer that can be read" }));
  if (!answer.ok) throw new Error(told.error);
  return told;
}

const settings = () => ({ model: by("model").value, ...(by("decoder").value ? { decoder: by("decoder").value } : {}) });

// Trees come paragraph by paragraph.
async function parse() {
  const run = ++state.run;
  const parts = by("text").value.match(/\s*\S[^]*?(?:\n\s*\n\s*|$)/g) ?? [];
  let start = 0;
  Object.assign(state, { sentences: [], page: 0, found: null, name: "parsed.conllu" });
  show();
  for (const [place, text] of parts.entries()) {
    say(`parsing ${place + 1} of ${parts.length}…`);
    const answer = await ask("/v1/parse", { ...settings(), text, confidence: true, to: "conllu" });
    if (run !== state.run) return;
    state.sentences.push(...read(follow(answer.conllu, state.sentences.length, start)));
    start += [...text].length;
    if (state.sentences.length <= PAGE || place === 0) show();
  }
  say(count());
  show();
  await compareAll();
}

const count = () => `${state.sentences.length} sentence${state.sentences.length === 1 ? "" : "s"}`;
const listed = () => state.found ? state.found.map(([place]) => place) : state.sentences.map((_, place) => place);

function show() {
  const all = listed(), last = Math.max(0, Math.ceil(all.length / PAGE) - 1);
  state.page = Math.min(state.page, last);
  const before = places();
  by("trees").replaceChildren(...shown().map(section));
  goBack(before);
  by("pages").hidden = last === 0;
  by("place").textContent = `page ${state.page + 1} of ${last + 1}`;
  by("before").disabled = state.page === 0;
  by("after").disabled = state.page === last;
  by("download").disabled = !state.sentences.length;
  by("search").hidden = state.sentences.length < 2;
}

const shown = () => listed().slice(PAGE * state.page, PAGE * (state.page + 1));

// Where a person is: how far each tree is scrolled, and which arc or button has the focus.
function places() {
  const scrolled = new Map();
  for (const home of document.querySelectorAll("section[data-sentence]"))
    scrolled.set(home.dataset.sentence, [...home.querySelectorAll(".scroll")].map(box => box.scrollLeft));
  const focus = document.activeElement, home = focus?.closest?.("section[data-sentence]");
  const selector = focus?.dataset?.word ? `g.arc[data-word="${focus.dataset.word}"]` : focus?.tagName === "BUTTON" ? `button[data-name="${focus.dataset.name}"]` : null;
  return { scrolled, focus: home && selector ? `section[data-sentence="${home.dataset.sentence}"] ${selector}` : null };
}

function goBack({ scrolled, focus }) {
  for (const home of document.querySelectorAll("section[data-sentence]"))
    home.querySelectorAll(".scroll").forEach((box, place) => {
      const known = scrolled.get(home.dataset.sentence)?.[place];
      box.scrollLeft = known ?? (box.firstChild.dataset.backwards ? box.scrollWidth : 0);
    });
  if (focus) document.querySelector(focus)?.focus({ preventScroll: true });
}

function section(number) {
  const sentence = state.sentences[number];
  const made = make("section", { "data-sentence": number });
  made.append(make("p", {}, `${number + 1}. `, make("span", { dir: "auto" }, sentence.text)));
  const chances = sentence.heads.map((head, place) => {
    if (sentence.look) return sentence.look.rivals[place].find(([rival]) => rival === head)?.[1] ?? 0;
    const note = sentence.note(place + 1, "HeadProb");
    return note === null || sentence.edited ? null : Number(note);
  });
  const classes = new Map(), add = (word, name) => classes.set(word, `${classes.get(word) ?? ""} ${name}`.trim());
  for (const word of sentence.required.keys()) add(word, "fixed");
  const hits = state.found?.find(([place]) => place === number)?.[1] ?? [];
  for (const word of hits) add(word, "found");
  const other = sentence.other;
  if (other) sentence.heads.forEach((head, place) => { if (head !== other.heads[place] || sentence.labels[place] !== other.labels[place]) add(place + 1, "differs"); });
  const { forms, upos } = sentence, words = { forms, upos: sentence.look?.upos ?? upos, zoom: state.zoom };
  const main = { ...words, heads: sentence.heads, labels: sentence.labels, chances, classes };
  made.append(make("div", { class: "scroll" }, draw({ ...main, room: other?.labels })));
  if (other) {
    const differing = [...classes.values()].filter(names => names.includes("differs")).length;
    made.append(make("p", {}, `${other.name}: ${differing} arc${differing === 1 ? " differs" : "s differ"}`));
    const marked = new Map(other.heads.flatMap((head, place) => (classes.get(place + 1) ?? "").includes("differs") ? [[place + 1, "differs"]] : []));
    const second = draw({ ...words, heads: other.heads, labels: other.labels, chances: forms.map(() => null), classes: marked, room: captions(main) });
    second.classList.add("other");
    made.append(make("div", { class: "scroll" }, second));
  }
  made.append(tools(sentence, number));
  if (!sentence.isTree()) made.append(make("p", { class: "error" }, "This is no tree: a word is below itself, or has no head."));
  if (sentence.panel) made.append(sentence.panel());
  return made;
}

function tools(sentence, number) {
  const row = make("div", { class: "row tools" });
  const button = (name, action) => {
    const made = make("button", { type: "button", "data-name": name }, name);
    made.addEventListener("click", () => attempt(() => action(sentence, number)));
    row.append(made);
  };
  button("k best", async () => { await look(sentence, { k_best: 10 }); sentence.panel = () => bestList(sentence.look.trees, sentence.shown ?? 0, place => choose(sentence, place)); show(); });
  button("Climb", async () => { await look(sentence, { steps: "climb" }); const { steps } = sentence.look; sentence.panel = () => climb(steps, sentence, state.zoom); show(); });
  button("Dual", async () => { await look(sentence, { steps: "dual" }); const { steps } = sentence.look; sentence.panel = () => dual(steps); show(); });
  if (sentence.required.size || sentence.forbidden.length) {
    button("Free all", async () => { sentence.required.clear(); sentence.forbidden = []; await again(sentence); });
    row.append(make("span", {}, `${sentence.required.size} fixed, ${sentence.forbidden.length} forbidden`));
  }
  return row;
}

function choose(sentence, place) {
  const { heads, labels } = sentence.look.trees[place];
  sentence.shown = place;
  sentence.setTree(heads, labels);
  show();
}

async function look(sentence, more = {}, from = settings()) {
  const required = [...sentence.required].map(([word, head]) => [head, word]);
  sentence.look = await ask("/v1/explore", { ...from, conllu: bare(sentence), required, forbidden: sentence.forbidden, ...more });
  return sentence.look;
}

// The words and tags alone: heads of one's own need not be a tree.
function bare(sentence) {
  return sentence.words.map(({ cells }, place) => [place + 1, ...cells.slice(1, 6), "_", "_", "_", "_"].join("\t")).join("\n") + "\n\n";
}

async function again(sentence) {
  say("parsing again…");
  const { trees } = await look(sentence);
  sentence.setTree(trees[0].heads, trees[0].labels);
  Object.assign(sentence, { shown: null, panel: null, edited: false });
  await compare(sentence);
  say(count());
  show();
}

async function compare(sentence) {
  sentence.other = null;
  if (!by("other").value) return;
  const from = JSON.parse(by("other").value);
  const { trees, decoder } = await ask("/v1/explore", { model: by("model").value, ...from, conllu: bare(sentence) });
  sentence.other = { ...trees[0], name: from.model ?? decoder };
}

// The trees on this page beside those of another decoder or model.
async function compareAll() {
  const lacking = shown().map(number => state.sentences[number]).filter(sentence => !sentence.other);
  if (!by("other").value || !lacking.length) return;
  const run = state.run;
  for (const sentence of lacking) {
    await compare(sentence);
    if (run !== state.run) return;
  }
  show();
}

function turn(step) {
  state.page += step;
  show();
  attempt(compareAll);
}

// What goes wrong is told, and the page stays as it is.
async function attempt(action) {
  try { await action(); } catch (error) { say(error.message, true); show(); }
}

const at = target => {
  const group = target.closest?.("g.arc, g.word"), home = target.closest?.("section"), svg = target.closest?.("svg");
  if (!group || !home || !svg || svg.classList.contains("other") || svg.closest(".steps")) return null;
  return { group, svg, number: Number(home.dataset.sentence), sentence: state.sentences[Number(home.dataset.sentence)], word: Number(group.dataset.word), arc: group.classList.contains("arc") };
};

// Below the tree; the tip, which nobody can scroll to, in sight.
function put(box, group) {
  const place = group.getBoundingClientRect(), { bottom } = group.closest("svg").getBoundingClientRect();
  box.hidden = false;
  box.style.left = `${Math.max(4, Math.min(window.scrollX + place.left, window.scrollX + document.documentElement.clientWidth - box.offsetWidth - 8))}px`;
  const lowest = box === by("tip") ? window.innerHeight - box.offsetHeight - 8 : Infinity;
  box.style.top = `${window.scrollY + Math.max(4, Math.min(bottom + 6, lowest))}px`;
}

let pointed = null;
async function point(target) {
  const place = at(target);
  if (!place?.arc || !by("menu").hidden) return;
  pointed = place.group;
  const { sentence, word } = place;
  if (!sentence.look) {
    try { await look(sentence); } catch { return; }
  }
  if (pointed !== place.group) return;
  const name = head => head ? sentence.forms[head - 1] : "root";
  const rows = sentence.look.rivals[word - 1].map(([head, chance]) => make("tr", {}, make("td", {}, name(head)), make("td", {}, `${(100 * chance).toFixed(1)}%`)));
  by("tip").replaceChildren(make("strong", { dir: "auto" }, sentence.forms[word - 1]), " – heads", make("table", {}, ...rows));
  put(by("tip"), place.group);
}

function unpoint() { pointed = null; by("tip").hidden = true; }

let open = null;
function openMenu(place) {
  unpoint();
  open = place;
  const { sentence, word } = place, head = sentence.heads[word - 1];
  by("menu-title").textContent = `${head > 0 ? sentence.forms[head - 1] : "root"} → ${sentence.forms[word - 1]}`;
  by("menu-head").value = Math.max(0, head);
  by("menu-head").max = sentence.words.length;
  by("menu-label").value = sentence.labels[word - 1];
  put(by("menu"), place.group);
  by("fix").focus({ preventScroll: true });
  by("menu").scrollIntoView({ block: "nearest" });
}

function closeMenu() {
  by("menu").hidden = true;
  if (open) document.querySelector(`section[data-sentence="${open.number}"] g.arc[data-word="${open.word}"]`)?.focus();
  open = null;
}

function constrain(change) {
  const { sentence, word } = open, head = sentence.heads[word - 1];
  closeMenu();
  attempt(() => { change(sentence, word, head); return again(sentence); });
}

function edit(sentence, word, head, label) {
  if (!(Number.isInteger(head) && head >= 0 && head <= sentence.words.length && head !== word)) { say("a word's head is another word, or 0", true); return; }
  if (!label.trim() || /\s/.test(label)) { say("a relation is a name without spaces", true); return; }
  sentence.set(word, head, label);
  Object.assign(sentence, { edited: true, look: null, panel: null, shown: null });
  say(sentence.isTree() ? "changed" : "changed; this is no tree yet", !sentence.isTree());
  show();
}

let drag = null;
document.addEventListener("pointerdown", event => {
  const place = at(event.target);
  if (!place || place.arc) return;
  const [, ground] = [0, Number(place.svg.dataset.ground)];
  const text = place.group.querySelector("text");
  const line = element("line", { class: "drag", x1: text.getAttribute("x"), y1: ground, x2: text.getAttribute("x"), y2: ground });
  place.svg.append(line);
  drag = { ...place, line };
  event.preventDefault();
});
document.addEventListener("pointermove", event => {
  if (!drag) return;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drag.svg.getScreenCTM().inverse());
  drag.line.setAttribute("x2", point.x);
  drag.line.setAttribute("y2", point.y);
});
document.addEventListener("pointerup", event => {
  if (!drag) return;
  const { sentence, word, svg, line } = drag;
  drag = null;
  line.remove();
  const place = at(document.elementFromPoint(event.clientX, event.clientY) ?? document.body);
  const over = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const head = place && !place.arc && place.svg === svg ? place.word : over.y < 24 ? 0 : null;
  if (head === null || head === word) return;
  if (by("by-hand").checked) { edit(sentence, word, head, sentence.labels[word - 1] === "_" ? "dep" : sentence.labels[word - 1]); return; }
  attempt(() => { sentence.required.set(word, head); return again(sentence); });
});

document.addEventListener("pointerover", event => point(event.target));
document.addEventListener("pointerout", unpoint);
document.addEventListener("focusin", event => { if (event.target.matches(":focus-visible")) point(event.target); });
document.addEventListener("focusout", unpoint);
document.addEventListener("click", event => {
  const place = at(event.target);
  if (place?.arc) openMenu(place); else if (open && !by("menu").contains(event.target)) closeMenu();
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape") { unpoint(); if (open) closeMenu(); return; }
  const place = at(event.target);
  if (place?.arc && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); openMenu(place); return; }
  if (/^(input|textarea|select)$/i.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") { state.zoom = Math.min(3, state.zoom * 1.2); show(); }
  if (event.key === "-") { state.zoom = Math.max(0.4, state.zoom / 1.2); show(); }
  if (event.key === "]" && !by("after").disabled) by("after").click();
  if (event.key === "[" && !by("before").disabled) by("before").click();
});

by("input").addEventListener("submit", event => { event.preventDefault(); attempt(parse); });
by("menu").addEventListener("submit", event => {
  event.preventDefault();
  const { sentence, word } = open;
  closeMenu();
  edit(sentence, word, by("menu-head").valueAsNumber, by("menu-label").value);
});
by("close").addEventListener("click", closeMenu);
by("fix").addEventListener("click", () => constrain((sentence, word, head) => sentence.required.set(word, head)));
by("forbid").addEventListener("click", () => constrain((sentence, word, head) => { sentence.required.delete(word); sentence.forbidden.push([head, word]); }));
by("free").addEventListener("click", () => constrain((sentence, word) => { sentence.required.delete(word); sentence.forbidden = sentence.forbidden.filter(([, modifier]) => modifier !== word); }));
by("before").addEventListener("click", () => turn(-1));
by("after").addEventListener("click", () => turn(1));
by("file").addEventListener("change", () => attempt(async () => {
  const [file] = by("file").files;
  if (!file) return;
  by("file").value = "";  // so that the same file can be opened again
  const sentences = read(decode(await file.arrayBuffer(), file.name), file.name);
  state.run++;
  Object.assign(state, { sentences, page: 0, found: null, name: file.name });
  say(`${file.name}: ${count()}`);
  show();
  await compareAll();
}));
by("download").addEventListener("click", () => {
  const address = URL.createObjectURL(new Blob([write(state.sentences)], { type: "text/plain" }));
  const link = make("a", { href: address, download: state.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
});
by("search").addEventListener("submit", event => {
  event.preventDefault();
  const wanted = { relation: by("find-relation").value, form: by("find-form").value, upos: by("find-upos").value, head: by("find-head").value };
  state.found = state.sentences.map((sentence, place) => [place, sentence.matches(wanted)]).filter(([, words]) => words.length);
  state.page = 0;
  say(`${state.found.length} of ${count()}, ${state.found.reduce((sum, [, words]) => sum + words.length, 0)} words`);
  show();
  attempt(compareAll);
});
by("find-all").addEventListener("click", () => { state.found = null; say(count()); show(); attempt(compareAll); });
by("other").addEventListener("change", () => {
  for (const sentence of state.sentences) sentence.other = null;
  show();
  attempt(compareAll);
});
for (const id of ["model", "decoder"]) by(id).addEventListener("change", () => { for (const sentence of state.sentences) sentence.look = null; });
by("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));

function theme(name) { document.documentElement.dataset.theme = name; }
theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

attempt(async () => {
  const { models, decoders } = await (await fetch("/v1/models")).json();
  for (const { name } of models) by("model").append(make("option", { value: name }, name));
  for (const name of decoders) {
    by("decoder").append(make("option", { value: name }, name));
    by("other").append(make("option", { value: JSON.stringify({ decoder: name }) }, `decoder ${name}`));
  }
  for (const { name } of models) by("other").append(make("option", { value: JSON.stringify({ model: name }) }, `model ${name}`));
});
