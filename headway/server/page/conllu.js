// Sentences of CoNLL-U that keep every byte of what was read: edits change HEAD and DEPREL, and nothing else.

export class Sentence {
  constructor(lines, after) {
    this.lines = lines;
    this.after = after;
    this.before = "";
    this.required = new Map();
    this.forbidden = [];
    this.look = null;
    this.shown = null;
    this.words = lines.flatMap((line, place) => /^[0-9]+\t/.test(line) ? [{ place, cells: line.split("\t") }] : []);
  }

  column(number) { return this.words.map(word => word.cells[number] ?? "_"); }
  get forms() { return this.column(1); }
  get upos() { return this.column(3); }
  get heads() { return this.column(6).map(head => head === "_" ? -1 : Number(head)); }
  get labels() { return this.column(7); }
  get text() {
    const comment = this.lines.find(line => /^# *text *=/.test(line));
    return comment ? comment.replace(/^# *text *= ?/, "") : this.forms.join(" ");
  }

  note(word, name) {
    const found = (this.words[word - 1].cells[9] ?? "_").split("|").find(note => note.startsWith(name + "="));
    return found === undefined ? null : found.slice(name.length + 1);
  }

  set(word, head, label) {
    const { place, cells } = this.words[word - 1];
    cells[6] = String(head);
    cells[7] = label;
    const ending = this.lines[place].endsWith("\r") ? "\r" : "";
    this.lines[place] = cells.join("\t").replace(/\r$/, "") + ending;
  }

  setTree(heads, labels) { heads.forEach((head, place) => this.set(place + 1, head, labels[place])); }

  isTree() {
    return this.heads.every((_, place) => {
      let word = place + 1;
      for (let step = 0; step <= this.words.length; step++) {
        if (word === 0) return true;
        word = this.heads[word - 1];
        if (!(word >= 0)) return false;
      }
      return false;
    });
  }

  matches(wanted) {
    const same = (pattern, value) => !pattern || pattern === value || (pattern.endsWith("*") && value.startsWith(pattern.slice(0, -1)));
    const [forms, tags, heads, labels] = [this.forms, this.upos, this.heads, this.labels];
    return forms.flatMap((form, place) =>
      same(wanted.relation, labels[place]) && same(wanted.form, form) && same(wanted.upos, tags[place])
        && same(wanted.head, heads[place] > 0 ? tags[heads[place] - 1] : heads[place] === 0 ? "ROOT" : "")
        ? [place + 1] : []);
  }

  toString() { return this.before + this.lines.join("\n") + this.after; }
}

// The bytes of a file as text that becomes the same bytes again; a byte order mark stays.
export function decode(bytes, name) {
  try { return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes); }
  catch { throw new Error(`${name}: not UTF-8`); }
}

function check(text, name) {
  text.split("\n").forEach((line, place) => {
    const cells = line.split("\t").length;
    if (/^[^#\s]/.test(line) && cells !== 10) throw new Error(`${name}: line ${place + 1} has ${cells} fields instead of the 10 of CoNLL-U`);
  });
}

export function read(given, name) {
  const mark = given.startsWith("\ufeff") ? "\ufeff" : "", text = given.slice(mark.length), sentences = [];
  check(text, name);
  let start = 0, loose = "";
  for (const gap of [...text.matchAll(/\n(?: *\r?\n)+/g), null]) {
    const body = text.slice(start, gap ? gap.index : text.length);
    let after = gap ? gap[0] : "";
    let content = body;
    if (!gap) { const end = body.length - body.replace(/[\r\n ]+$/, "").length; after = body.slice(body.length - end); content = body.slice(0, body.length - end); }
    start = gap ? gap.index + gap[0].length : text.length;
    const sentence = new Sentence((loose + content).split("\n"), after);
    if (sentence.words.length) { sentences.push(sentence); loose = ""; } else { loose += content + after; }
  }
  if (!sentences.length && name) throw new Error(`${name}: no sentences in CoNLL-U`);
  if (loose && sentences.length) sentences.at(-1).after += loose;
  if (sentences.length) sentences[0].before = mark;
  return sentences;
}

// The table of one paragraph of a text, after `number` sentences and `start` characters: numbered on, as for the whole text.
export function follow(table, number, start) {
  return table
    .replace(/^# newdoc\n/gm, number ? "" : "$&")
    .replace(/^(# sent_id = )(\d+)$/gm, (_, name, id) => name + (number + Number(id)))
    .replace(/([\t|]TokenRange=)(\d+):(\d+)(?=[^\t\n]*$)/gm, (_, name, from, to) => `${name}${start + Number(from)}:${start + Number(to)}`);
}

export const write = sentences => sentences.join("");
