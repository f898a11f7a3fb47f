// Shows the frames of one panel, which were drawn beforehand: no Python, no network, nothing to install.
// A state is one number a control, its place among the control's settings; `frames` has the states that were drawn.

const SVG = "http://www.w3.org/2000/svg";
const FRAME_MS = 160; // between two frames that are played
const $ = (id) => document.getElementById(id);
const embedded = window.parent !== window;

function element(kind, parent, text = "", attributes = {}) {
  const made = document.createElement(kind);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

async function unpacked(id) {
  const bytes = Uint8Array.from(atob($(id).textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

class Player {
  constructor(panel) {
    this.panel = panel;
    this.elements = new Map(); // of pieces that have been shown
    this.states = Object.keys(panel.frames).map((key) => key.split(".").map(Number));
    this.scenes = Object.entries(panel.scenes).map(([name, key]) => [name, key.split(".").map(Number)]);
    this.state = this.base = this.scenes[0][1];
    this.time = panel.controls.findIndex(({ name }) => name === panel.plays);
    this.addScenes();
    this.first = this.time >= 0 ? this.time : Math.max(0, panel.controls.findIndex(({ kind }) => kind === "slider"));
    this.inputs = panel.controls.map((control, i) => this.addControl(control, i));
    this.showShared();
    this.showHash();
    window.addEventListener("hashchange", () => this.showHash());
    document.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("fullscreenchange", () => this.onFullscreen());
    $("lecture").onclick = () => this.toggleLecture();
    document.body.classList.toggle("embedded", embedded);
    if (document.body.classList.contains("card")) this.playWhenTouched();
    new ResizeObserver(() => (this.tellHeight(), this.film.show(this.film.at))).observe($("panel"));
    requestIdleCallback?.(() => this.addPrint()) ?? this.addPrint();
    document.documentElement.dataset.ready = "true";
  }

  // --- the state ---

  /** The drawn state that has ``value`` at control ``i`` and otherwise differs least from what is shown. */
  nearest(i, value, wanted = this.state) {
    const exactly = wanted.map((at, j) => (j === i ? value : at));
    if (this.panel.frames[exactly.join(".")]) return exactly;
    const far = (state) =>
      state.reduce((sum, at, j) => sum + (at !== wanted[j] && j !== i ? 1000 + 100 * (at !== this.base[j]) : 0) +
        (j === i ? 0 : Math.abs(at - wanted[j])), 0);
    const there = this.states.filter((state) => i < 0 || state[i] === value);
    return there.reduce((best, state) => (far(state) < far(best) ? state : best));
  }

  move(i, value, { settled = true } = {}) {
    const before = this.state;
    this.show(this.nearest(i, value));
    const back = this.panel.controls.filter((_, j) => j !== i && this.state[j] !== before[j]);
    this.tellBack(back);
    this.keepAddress(settled);
  }

  showScene(i) {
    this.base = this.scenes[i][1];
    this.show(this.base);
    this.tellBack([]);
    this.keepAddress(true);
  }

  show(state) {
    this.state = state;
    const { panel } = this;
    const [sentence, numbers, ...plots] = panel.frames[state.join(".")];
    this.showFilm();
    const shown = plots.join(";");
    if (shown !== this.shown) {
      plots.forEach((pieces, i) => this.svgs[i].replaceChildren(...pieces.map((piece) => this.elementOf(piece, i))));
      this.shown = shown;
    }
    this.inputs.forEach((set, i) => set(state[i]));
    if ($("sentence").textContent !== panel.sentences[sentence]) $("sentence").textContent = panel.sentences[sentence];
    $("picture").setAttribute("aria-label", `${panel.picture} ${panel.sentences[sentence]}`);
    showNumbers($("numbers"), panel.numbers[numbers]);
    this.scenes.forEach(([, values], i) => {
      const here = values.join() === state.join();
      if (here) this.base = values;
      $("scenes").children[i].setAttribute("aria-pressed", here);
    });
    this.reserve();
  }

  // --- what moves ---

  /** Load the run to which the state belongs, and go to its moment; while the film plays, it is ahead. */
  showFilm() {
    const run = this.state.map((at, i) => (i === this.time ? "*" : at)).join(".");
    const recorded = this.panel.films[run];
    if (!recorded) return;
    if (run !== this.run) this.film.load(inNumbers(recorded, this.panel.arrays));
    if (run !== this.run) this.film.show(this.moment(this.state[this.time]));
    else if (!this.playing) this.film.go(this.moment(this.state[this.time]));
    this.run = run;
  }

  /** The moment of a setting of time. */
  moment(at) {
    const { values } = this.panel.controls[this.time];
    return ((values[at] - values[0]) / (values.at(-1) - values[0])) * this.film.last;
  }

  playFilm() {
    const reached = (t) => {
      const at = this.panel.controls[this.time].values.findLastIndex((_, i) => this.moment(i) <= t + 1e-6);
      if (at !== this.state[this.time]) this.move(this.time, at, { settled: false });
    };
    this.film.play(reached, () => this.pause());
  }

  /** A small picture plays when it is pressed. */
  playWhenTouched() {
    const again = () => (this.move(this.time, 0, { settled: false }), this.start(this.time));
    $("picture").onclick = () => (this.playing ? this.pause() : again());
  }

  changeSpeed() {
    this.speed.textContent = this.film.faster();
    if (this.playing) this.playFilm();
  }

  /** Say which controls are back where the scene has them, because not every combination was drawn. */
  tellBack(controls) {
    const named = controls.map((control) => {
      const word = control.words[this.state[this.panel.controls.indexOf(control)]];
      return `${control.label} is now ${word}`;
    });
    $("note").textContent = named.length
      ? `${named.join(", ")}: these pages hold each scene with one control moved. In JupyterLab all combinations can be had.`
      : "";
  }

  // --- the address ---

  address() {
    const pairs = this.panel.controls.map(({ name, values }, i) => [name, values[this.state[i]]]);
    return `#${new URLSearchParams(pairs)}`;
  }

  keepAddress(settled) {
    if (embedded || !settled) history.replaceState(null, "", this.address());
    else if (location.hash !== this.address()) history.pushState(null, "", this.address());
  }

  showHash() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const wanted = this.panel.controls.map(({ name, values }, i) => {
      if (!asked.has(name)) return this.scenes[0][1][i];
      const exact = values.findIndex((value) => String(value) === asked.get(name));
      if (exact >= 0) return exact;
      const far = values.map((value) => Math.abs(value - Number(asked.get(name))));
      return Number.isFinite(far[0]) ? far.indexOf(Math.min(...far)) : this.scenes[0][1][i];
    });
    this.show(this.nearest(-1, null, wanted));
    this.tellBack(this.panel.controls.filter((_, i) => this.state[i] !== wanted[i]));
  }

  // --- the picture ---

  showShared() {
    this.shared = document.createElementNS(SVG, "svg");
    this.shared.innerHTML = `<defs>${this.panel.shared}</defs>`;
    this.shared.setAttribute("class", "shared");
    document.body.prepend(this.shared);
    this.svgs = plotsIn($("picture"), this.panel.plots);
    this.film = new Film(this.svgs.map((svg) => element("canvas", svg.parentElement)));
  }

  elementOf(piece, plot) {
    const name = `${plot} ${piece}`;
    if (!this.elements.has(name)) {
      const holder = document.createElementNS(SVG, "g");
      holder.innerHTML = this.panel.pieces[piece];
      this.elements.set(name, holder.firstChild);
    }
    return this.elements.get(name);
  }

  /** Keep the room of the tallest words seen at this width, so that what stands below does not jump. */
  reserve() {
    const parts = [$("sentence"), $("numbers")];
    if (this.width !== $("panel").clientWidth) {
      this.width = $("panel").clientWidth;
      for (const part of parts) part.style.minHeight = "";
    }
    for (const part of parts) {
      const { height } = part.getBoundingClientRect();
      if (height > (parseFloat(part.style.minHeight) || 0)) part.style.minHeight = `${height}px`;
    }
  }

  // --- what can be moved ---

  addScenes() {
    this.scenes.forEach(([name], i) => {
      const made = element("button", $("scenes"), name, { "data-scene": name, title: `key ${i + 1}`, type: "button" });
      made.onclick = () => this.showScene(i);
    });
    $("scenes").append($("lecture"));
    if (this.time < 0) return;
    this.play = element("button", $("first"), "▶ Play", { class: "quiet", type: "button" });
    this.play.onclick = () => (this.playing ? this.pause() : this.start(this.time));
    if (!Object.keys(this.panel.films).length) return;
    this.speed = element("button", $("first"), "1×", { class: "quiet", type: "button", title: "speed of Play" });
    this.speed.onclick = () => this.changeSpeed();
  }

  /** Put a control into the page; returns the function that moves it. */
  addControl(control, i) {
    const { name, label, kind, values, words, even } = control;
    if (kind === "choice") {
      const group = element("fieldset", $(i === this.first ? "first" : "controls"));
      element("legend", group, label);
      const radios = words.map((word, j) => {
        const option = element("label", group);
        const radio = element("input", option, "", { type: "radio", name, value: values[j], "data-control": name });
        element("span", option, word);
        radio.onchange = () => this.move(i, j);
        return radio;
      });
      return (at) => (radios[at].checked = true);
    }
    const box = element("div", $(i === this.first ? "first" : "controls"), "", { class: kind });
    element("label", box, label, { for: `control-${name}` });
    if (kind === "list") {
      const list = element("select", box, "", { id: `control-${name}`, "data-control": name });
      words.forEach((word, j) => element("option", list, word, { value: values[j] }));
      list.onchange = () => this.move(i, list.selectedIndex);
      if (name === "seed") {
        const roll = element("button", box, "another", { class: "quiet", type: "button", "aria-label": "another seed" });
        roll.onclick = () => this.step(i, 1, true);
      }
      return (at) => (list.selectedIndex = at);
    }
    const range = element("input", box, "", { type: "range", id: `control-${name}`, "data-control": name });
    const shown = element("output", box, "", { for: `control-${name}` });
    const [low, step] = even ? [values[0], values[1] - values[0]] : [0, 1];
    Object.assign(range, { min: low, max: low + step * (values.length - 1), step: Number(step.toFixed(10)) });
    const place = () => Math.round((Number(range.value) - low) / step);
    range.oninput = () => this.move(i, place(), { settled: false });
    range.onchange = () => {
      history.replaceState(null, "", this.settled ?? location.hash);
      this.keepAddress(true);
      this.settled = location.hash;
    };
    return (at) => {
      range.value = low + step * at;
      range.setAttribute("aria-valuetext", (shown.textContent = words[at]));
    };
  }

  step(i, way, around = false) {
    const last = this.panel.controls[i].values.length - 1;
    const next = this.state[i] + way;
    if (next >= 0 && next <= last) this.move(i, next);
    else if (around) this.move(i, 0);
  }

  /** Play a control from where it stands, or from its first setting if it is at its last, to its last. */
  start(i) {
    this.play.textContent = "❚❚ Pause";
    $("sentence").setAttribute("aria-live", "off"); // else a screen reader speaks at every moment
    this.playing = true;
    if (this.speed) return this.playFilm();
    const last = this.panel.controls[i].values.length - 1;
    if (this.state[i] === last) this.move(i, 0, { settled: false });
    this.playing = setInterval(() => {
      if (this.state[i] < last) this.move(i, this.state[i] + 1, { settled: false });
      if (this.state[i] === last) this.pause();
    }, FRAME_MS);
  }

  pause() {
    if (this.speed) this.film.stop();
    else clearInterval(this.playing);
    this.playing = null;
    this.play.textContent = "▶ Play";
    $("sentence").removeAttribute("aria-live");
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const slider = this.panel.controls.findIndex(({ kind }) => kind === "slider");
    const arrow = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (this.scenes[Number(event.key) - 1]) this.showScene(Number(event.key) - 1);
    else if (event.key === "n") $("numbers").hidden = !$("numbers").hidden;
    else if (event.key === "Escape" && document.body.classList.contains("lecture")) this.toggleLecture();
    else if (arrow && slider >= 0) this.step(slider, arrow);
    else return;
    event.preventDefault();
  }

  // --- a lecture, a print, a lesson around it ---

  toggleLecture() {
    const root = document.documentElement;
    if (document.fullscreenElement) document.exitFullscreen();
    else if (root.requestFullscreen) root.requestFullscreen();
    else document.body.classList.toggle("lecture"); // a telephone that fills its screen with films alone
  }

  onFullscreen() {
    document.body.classList.toggle("lecture", ($("numbers").hidden = Boolean(document.fullscreenElement)));
    this.reserve();
  }

  addPrint() {
    for (const [name, state] of this.scenes) {
      const [sentence, numbers] = this.panel.frames[state.join(".")];
      const section = element("section", $("print"));
      element("h2", section, name);
      const svgs = plotsIn(element("div", section, "", { class: "picture" }), this.panel.plots);
      this.panel.whole[state.join(".")].forEach((pieces, i) => svgs[i].append(...pieces.map((piece) => this.elementOf(piece, i).cloneNode(true))));
      element("p", section, this.panel.sentences[sentence], { class: "sentence" });
      showNumbers(element("dl", section, "", { class: "numbers" }), this.panel.numbers[numbers]);
    }
  }

  tellHeight() {
    if (embedded) parent.postMessage({ panel: this.panel.name, height: $("panel").offsetHeight }, "*");
  }
}

/** One SVG for each plot: side by side where there is room, else one below another. */
function plotsIn(picture, boxes) {
  picture.replaceChildren();
  return boxes.map((box) => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", box.join(" "));
    const plot = element("div", picture);
    plot.style.setProperty("--width", box[2]);
    plot.append(svg);
    return svg;
  });
}

/** A film whose arrays are numbers again; a character says how many steps one moved since it was last seen. */
function inNumbers({ views, ...film }, arrays) {
  const numbers = ([low, step, moved], n) => {
    const levels = new Array(Math.max(n, 1)).fill(0);
    return Float32Array.from(moved, (letter, i) => {
      if (letter === " ") return NaN;
      const move = letter.charCodeAt() - 33 - 46;
      return low + step * (levels[i % levels.length] += move > 900 ? move - 1800 : move);
    });
  };
  const read = (layer) => {
    const found = Object.entries(layer.arrays).map(([name, part]) => [name, numbers(arrays[part], layer.rows[name])]);
    return { ...layer, arrays: Object.fromEntries(found) };
  };
  return { ...film, views: views.map(({ points, layers }) => ({ points, layers: layers.map(read) })) };
}

function showNumbers(list, numbers) {
  list.replaceChildren();
  for (const [label, text] of numbers) {
    const pair = element("div", list);
    element("dt", pair, label);
    element("dd", pair, text);
  }
}

unpacked("frames").then((panel) => (window.player = new Player(panel)));
