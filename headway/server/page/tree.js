// A tree as SVG: words in a row, arcs above them. Everything is text, never markup.

const NAMES = "http://www.w3.org/2000/svg";
const STEP = 34, GAP = 24, RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(NAMES, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function levels(heads) {
  const spans = heads.flatMap((head, place) => head > 0 ? [[Math.min(head, place + 1), Math.max(head, place + 1), place]] : []);
  spans.sort((a, b) => (a[1] - a[0]) - (b[1] - b[0]) || a[0] - b[0]);
  const heights = new Array(heads.length + 1).fill(0), result = heads.map(() => 0);
  for (const [left, right, place] of spans) {
    let top = 0;
    for (let gap = left; gap < right; gap++) top = Math.max(top, heights[gap]);
    heights.fill(top + 1, left, right);
    result[place] = top + 1;
  }
  return result;
}

const ruler = document.createElement("canvas").getContext("2d");
function width(text, size) { ruler.font = `${size}px Helvetica, Arial, sans-serif`; return ruler.measureText(text).width; }

function kind(chance) { return chance === null || chance >= 0.95 ? "" : chance >= 0.8 ? "fair" : chance >= 0.6 ? "weak" : "poor"; }

export const captions = ({ labels, chances }) => labels.map((label, place) => chances[place] === null ? label : `${label} ${Math.round(100 * chances[place])}%`);

// tree: forms, upos, heads, labels, chances (number or null), classes (Map of word to class names), zoom;
// room: captions of another tree, for which there is room, too, so that words stand one below the other
export function draw(tree) {
  const { forms, upos, heads, chances, classes } = tree;
  const backwards = RIGHT_TO_LEFT.test(forms.join(""));
  const written = captions(tree);
  const centres = [0];
  let right = 14;
  forms.forEach((form, place) => {
    const room = Math.max(width(form, 16), width(written[place], 13) + 14, width(tree.room?.[place] ?? "", 13) + 14, width(upos[place], 12), 24);
    centres.push(right + room / 2);
    right += room + GAP;
  });
  if (backwards) for (let word = 1; word < centres.length; word++) centres[word] = right - centres[word];
  const height = levels(heads), ground = STEP * (Math.max(0, ...height) + 1) + 12, tall = ground + 54;
  const svg = element("svg", {
    width: right * tree.zoom, height: tall * tree.zoom, viewBox: `0 0 ${right} ${tall}`, role: "group",
    "aria-label": forms.join(" "), "data-ground": ground, ...(backwards ? { "data-backwards": "yes" } : {}),
  });
  forms.forEach((form, place) => {
    const x = centres[place + 1];
    const half = Math.max(width(form, 16), width(upos[place], 12), 24) / 2 + 4;
    svg.append(element("g", { class: "word", "data-word": place + 1 },
      element("rect", { x: x - half, y: ground + 2, width: 2 * half, height: 48, rx: 4 }),
      element("text", { x, y: ground + 22 }, form), element("text", { x, y: ground + 42, class: "tag" }, upos[place])));
  });
  heads.forEach((head, place) => {
    if (head >= 0) svg.append(arc(place + 1, head, written[place], height[place], ground, centres, tree, chances[place], classes));
  });
  return svg;
}

function arc(word, head, caption, level, ground, centres, tree, chance, classes) {
  const end = centres[word], name = head ? tree.forms[head - 1] : "root";
  let line, x, y;
  if (head === 0) {
    line = `M ${end} 8 V ${ground - 4}`;
    [x, y] = [end, 0];
  } else {
    const side = centres[head] > end ? 1 : -1, start = centres[head] - 6 * side, top = ground - STEP * level;
    const bend = Math.min(14, Math.abs(start - end) / 2);
    line = `M ${start} ${ground - 4} V ${top + bend} Q ${start} ${top} ${start - side * bend} ${top} H ${end + side * bend} Q ${end} ${top} ${end} ${top + bend} V ${ground - 4}`;
    [x, y] = [(start + end) / 2, top - 7];
  }
  const text = element("text", head === 0 ? { x: x + 6, y: 18, class: "top" } : { x, y }, caption);
  const more = classes.get(word) ?? "";
  return element("g", {
    class: `arc ${kind(chance)} ${more}`.trim(), tabindex: 0, role: "button", "data-word": word, "data-head": head,
    "aria-label": `${tree.forms[word - 1]}: ${caption}, head ${name}${more ? ", " + more : ""}`,
  }, element("path", { class: "grip", d: line }), element("path", { class: "line", d: line }),
  element("path", { class: "tip", d: `M ${end - 4} ${ground - 8} h 8 l -4 8 z` }), text);
}
