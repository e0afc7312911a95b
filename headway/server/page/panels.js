// What is shown below a sentence that is looked at: k-best lists, and searches step by step.

import { draw, element } from "./tree.js";

export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function bestList(trees, chosen, choose) {
  const best = trees[0].score;
  return make("ol", { class: "best" }, ...trees.map((tree, place) => {
    const proof = tree.exact ? ", proved best" : tree.bound === null ? "" : `, bound ${tree.bound.toFixed(3)}`;
    const button = make("button", { type: "button", "aria-pressed": String(place === chosen) },
      `score ${tree.score.toFixed(3)}${place ? ` (${(tree.score - best).toFixed(3)})` : proof}`);
    button.addEventListener("click", () => choose(place));
    return make("li", {}, button);
  }));
}

function stepper(count, show) {
  const slider = make("input", { type: "range", min: 0, max: count - 1, value: 0, "aria-label": "Step" });
  const view = make("div");
  const update = () => view.replaceChildren(...show(Number(slider.value)));
  slider.addEventListener("input", update);
  update();
  return make("div", { class: "steps" }, slider, view);
}

export function climb(steps, sentence, zoom) {
  return stepper(steps.trees.length, place => {
    const move = place ? steps.moves[place - 1] : null;
    const name = word => word ? sentence.forms[word - 1] : "root";
    const told = move ? `Step ${place} of ${steps.moves.length}: ${name(move.word)} moves from ${name(move.from)} to ${name(move.to)}, +${move.gain.toFixed(3)}`
      : `Start: the best tree of the arcs alone (${steps.moves.length} moves follow)`;
    const svg = draw({
      forms: sentence.forms, upos: sentence.look?.upos ?? sentence.upos, heads: steps.trees[place], labels: sentence.forms.map(() => ""),
      chances: sentence.forms.map(() => null), classes: new Map(move ? [[move.word, "differs"]] : []), zoom,
    });
    return [make("p", {}, told), make("div", { class: "scroll" }, svg)];
  });
}

export function dual(steps) {
  const width = 560, height = 180, count = steps.bounds.length;
  const known = [...steps.bounds, ...steps.scores].filter(value => value !== null);
  const low = Math.min(...known), high = Math.max(...known);
  const x = place => 8 + (width - 16) * (count > 1 ? place / (count - 1) : 0.5);
  const y = value => height - 10 - (height - 20) * (high > low ? (value - low) / (high - low) : 0.5);
  const points = values => values.flatMap((value, place) => value === null ? [] : [`${x(place)},${y(value)}`]).join(" ");
  const label = `Bound and score over ${count} iterations`;
  const marker = element("line", { class: "marker", y1: 0, y2: height });
  const chart = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, marker,
    element("polyline", { class: "bound", points: points(steps.bounds) }), element("polyline", { class: "reached", points: points(steps.scores) }));
  const legend = make("p", { class: "legend" }, make("span", { class: "bound" }, "━ bound"), " ", make("span", { class: "reached" }, "━ best tree so far"),
    `, from ${low.toFixed(3)} to ${high.toFixed(3)}`);
  const told = place => {
    for (const end of ["x1", "x2"]) marker.setAttribute(end, x(place));
    return [make("p", {}, `Iteration ${place + 1} of ${count}: bound ${steps.bounds[place]?.toFixed(4) ?? "–"}, `
      + `best tree ${steps.scores[place]?.toFixed(4) ?? "none yet"}${place === count - 1 ? (steps.certified ? "; proved best" : "; not proved") : ""}`)];
  };
  return make("div", {}, make("div", { class: "scroll" }, chart), legend, stepper(count, told));
}
