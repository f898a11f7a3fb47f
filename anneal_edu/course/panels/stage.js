// What a panel shows: its picture, one sentence, a few numbers; and how it is moved from the keyboard and in a hall.
// The kernel draws; this file only shows what the model holds, and sends back what the reader asks for.

const PATIENCE_MS = 2500; // an idle kernel that has not answered by then is of another day
const FRAME_MS = 120; // between an answer and the next frame that is asked for
const SHOWN = {
  film: "loadFilm", png: "showPicture", alt: "showPicture", width: "showPicture", takeaway: "showSentence", numbers: "showNumbers",
  overlay: "showOverlay", computing: "showOverlay", done: "showOverlay", scene: "showScene",
};

function element(kind, className, parent, text = "") {
  const made = document.createElement(kind);
  made.className = className;
  made.textContent = text;
  parent.append(made);
  return made;
}

function button(parent, text, onclick, title = "", sign = "") {
  const made = element("button", "", parent);
  if (sign) element("span", "anneal-edu-sign", made, sign).setAttribute("aria-hidden", true);
  element("span", "", made, text);
  made.type = "button";
  if (title) made.title = title;
  made.onclick = onclick;
  return made;
}

/** Change an attribute only if it differs, so that whoever watches it is told once. */
function set(target, attribute, value) {
  if (target.getAttribute(attribute) !== value) target.setAttribute(attribute, value);
}

class Stage {
  constructor({ model, el }) {
    this.model = model;
    this.el = el;
    this.root = el; // the whole panel, once this part is in it
    this.off = new AbortController();
    el.classList.add("anneal-edu-stage");
    this.buttons = element("div", "anneal-edu-scenes", el);
    const frame = element("div", "anneal-edu-frame", el);
    this.image = element("img", "anneal-edu-picture", frame);
    this.film = new Film([element("canvas", "anneal-edu-film", frame)]);
    this.overlay = element("div", "anneal-edu-overlay", frame);
    this.overlayWords = element("span", "", this.overlay);
    this.bar = element("progress", "", this.overlay);
    this.cancel = button(this.overlay, "Cancel", () => this.ask({ cancel: true }));
    this.sentence = element("p", "anneal-edu-sentence", el);
    set(this.sentence, "role", "status");
    this.numbers = element("dl", "anneal-edu-numbers", el);
    this.asleep = element("p", "anneal-edu-asleep", el);
    this.addButtons();
    for (const show of new Set(Object.values(SHOWN))) this[show]();
    for (const [name, show] of Object.entries(SHOWN)) this.on(`change:${name}`, () => this[show]());
    this.on("msg:custom", (message) => (message.played ? this.pause() : this.answered()));
    this.enter();
    if (model.get("plays")) this.hearTime();
  }

  on(event, heard, model = this.model) {
    model.on(event, heard);
    this.off.signal.addEventListener("abort", () => model.off(event, heard));
  }

  /** Wait until the panel is in the page, then listen to what happens on all of it. */
  enter() {
    const root = this.el.closest(".anneal-edu-panel");
    if (this.off.signal.aborted) return;
    if (!root) return requestAnimationFrame(() => this.enter());
    const { signal } = this.off;
    this.root = root;
    root.tabIndex = 0;
    set(root, "role", "group");
    set(root, "aria-label", this.model.get("alt").split(". ")[0]);
    window.addEventListener("keydown", (event) => this.keepKeys(event), { signal, capture: true });
    root.addEventListener("keydown", (event) => this.onKey(event), { signal });
    for (const move of ["pointerdown", "keydown"]) root.addEventListener(move, () => this.greet(), { signal });
    document.addEventListener("fullscreenchange", () => this.onFullscreen(), { signal });
    const named = new MutationObserver(() => nameControls(root));
    const attributeFilter = ["aria-valuetext", "title", "class"];
    named.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter });
    const resized = new ResizeObserver(() => (this.reserve(), this.film.show(this.film.at)));
    for (const seen of [this.el, this.image]) resized.observe(seen);
    signal.addEventListener("abort", () => (named.disconnect(), resized.disconnect()));
    nameControls(root);
    this.ask({ pixels: window.devicePixelRatio });
  }

  close() {
    this.off.abort();
    clearTimeout(this.waiting);
    this.pause();
  }

  // --- what the model holds ---

  showPicture() {
    const { model, image } = this;
    const bytes = model.get("png");
    image.alt = model.get("alt");
    image.style.width = `${model.get("width")}px`;
    if (!bytes?.byteLength || bytes === this.bytes) return;
    const before = image.src;
    this.bytes = bytes;
    image.src = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    if (before) image.addEventListener("load", () => URL.revokeObjectURL(before), { once: true });
  }

  // --- what moves ---

  /** A film moves with its slider and never waits for the kernel; while it plays, it is ahead and the slider follows. */
  async hearTime() {
    this.time = await this.model.widget_manager.get_model(this.model.get("plays").replace("IPY_MODEL_", ""));
    this.on("change:value", () => this.playing || this.film.go(this.moment), this.time);
    this.loadFilm();
  }

  get moment() {
    return Math.round((this.time.get("value") - this.time.get("min")) / this.time.get("step"));
  }

  set moment(moment) {
    if (moment === this.moment) return;
    this.time.set("value", this.time.get("min") + moment * this.time.get("step"));
    this.time.save_changes();
  }

  loadFilm() {
    if (!this.time) return;
    this.film.load(this.model.get("film"));
    this.film.show(this.moment);
    this.speed.hidden = !this.film.views.length;
  }

  playFilm() {
    this.film.play((t) => (this.moment = Math.floor(t)), () => this.pause());
  }

  stopFilm() {
    this.moment = Math.round(this.film.at);
    this.film.go(this.moment);
  }

  showSentence() {
    const words = this.model.get("takeaway");
    if (this.sentence.textContent !== words) this.sentence.textContent = words;
    this.reserve();
  }

  showNumbers() {
    this.numbers.replaceChildren();
    for (const [label, value] of this.model.get("numbers")) {
      const pair = element("div", "", this.numbers);
      element("dt", "", pair, label);
      element("dd", "", pair, value);
    }
    this.reserve();
  }

  showOverlay() {
    const [words, computing] = [this.model.get("overlay"), this.model.get("computing")];
    this.overlay.hidden = !words;
    this.overlayWords.textContent = words;
    this.bar.hidden = this.cancel.hidden = !computing;
    this.bar.value = this.model.get("done");
    if (words && !computing) this.pause();
  }

  showScene() {
    const now = this.model.get("scene");
    for (const [name, made] of this.scenes) set(made, "aria-pressed", String(name === now));
  }

  addButtons() {
    const { model, buttons } = this;
    const names = model.get("scenes");
    this.scenes = names.map((name, i) => {
      return [name, button(buttons, name, () => this.ask({ scene: name }), `key ${i + 1}`)];
    });
    if (names.length) button(buttons, "Reset", () => this.ask({ scene: names[0] })).classList.add("anneal-edu-quiet");
    if (model.get("plays")) {
      this.play = button(buttons, "Play", () => (this.playing ? this.pause() : this.start()), "", "▶");
      this.play.classList.add("anneal-edu-quiet");
      this.speed = button(buttons, "1×", () => this.changeSpeed(), "speed of Play");
      this.speed.classList.add("anneal-edu-quiet");
    }
    if (model.get("can_roll")) {
      button(buttons, "another seed", () => this.ask({ roll: true }), "", "⚄").classList.add("anneal-edu-quiet");
    }
    const keys = "full screen; keys: 1–9 scenes, ← → first slider, n numbers, Esc back";
    button(buttons, "Lecture", () => this.toggleLecture(), keys).classList.add("anneal-edu-quiet");
  }

  /** Keep the room of the tallest sentence and numbers seen at this width, so that what stands below does not jump. */
  reserve() {
    if (this.width !== this.el.clientWidth) {
      this.width = this.el.clientWidth;
      for (const part of [this.sentence, this.numbers]) part.style.minHeight = "";
    }
    for (const part of [this.sentence, this.numbers]) {
      const height = part.getBoundingClientRect().height;
      if (height > (parseFloat(part.style.minHeight) || 0)) part.style.minHeight = `${height}px`;
    }
  }

  // --- is anybody there? ---

  ask(what) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.unanswered(), PATIENCE_MS);
    try {
      this.model.send(what);
    } catch {
      /* a model without a kernel cannot send: the patience above runs out */
    }
  }

  /** Ask whether anybody is there, once what the reader has just moved is on its way. */
  greet() {
    setTimeout(() => this.waiting ?? this.ask({ hello: true }));
  }

  answered() {
    clearTimeout(this.waiting);
    this.waiting = null;
    this.asleep.textContent = "";
    if (!this.playing || this.film.views.length) return;
    clearTimeout(this.playing);
    this.playing = setTimeout(() => this.ask({ play: false }), FRAME_MS);
  }

  unanswered() {
    if (this.model.widget_manager?.kernel?.status === "busy") {
      this.waiting = setTimeout(() => this.unanswered(), PATIENCE_MS);
      return;
    }
    this.waiting = null;
    this.pause();
    const cell = this.el.closest(".jp-CodeCell");
    const code = cell?.querySelector(".cm-content")?.innerText.trim().split("\n").at(-1);
    const which = code ? `its cell (${code})` : "its cell";
    this.asleep.textContent = cell
      ? `Nobody computes behind this picture any more. To make it live, click on ${which}; ` +
        "in the menu Run, choose Run All Above Selected Cell; then press Shift+Enter."
      : "Nobody computes behind this picture here.";
  }

  start() {
    this.playing = true;
    this.setPlay("Pause", "❚❚");
    set(this.sentence, "aria-live", "off"); // else a screen reader speaks at every moment
    if (this.film.views.length) this.playFilm();
    else this.ask({ play: true });
  }

  pause() {
    if (!this.playing) return;
    clearTimeout(this.playing);
    this.playing = null;
    this.setPlay("Play", "▶");
    this.sentence.removeAttribute("aria-live");
    if (this.film.views.length) this.stopFilm();
  }

  changeSpeed() {
    this.speed.textContent = this.film.faster();
    if (this.playing) this.playFilm();
  }

  setPlay(words, sign) {
    const [shown, named] = this.play.children;
    shown.textContent = sign;
    named.textContent = words;
  }

  // --- a lecture ---

  toggleLecture() {
    return document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen();
  }

  onFullscreen() {
    const here = document.fullscreenElement === this.root;
    if (here === this.root.classList.contains("anneal-edu-lecture")) return;
    this.root.classList.toggle("anneal-edu-lecture", here);
    this.ask({ lecture: here ? [window.innerWidth, window.innerHeight] : null });
    this.root.focus();
  }

  /** Plain keys on a panel are the panel's: JupyterLab, which would move between cells, gets the others. */
  keepKeys(event) {
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    if (this.root.contains(event.target)) this.root.toggleAttribute("data-lm-suppress-shortcuts", plain);
  }

  onKey(event) {
    const typing = event.target.matches("input, textarea, select") || event.target.isContentEditable;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const scene = this.scenes[Number(event.key) - 1];
    const arrow = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (scene) this.ask({ scene: scene[0] });
    else if (event.key === "n") this.numbers.hidden = !this.numbers.hidden;
    else if (event.key === "Escape" && document.fullscreenElement) document.exitFullscreen();
    else if (arrow && !event.target.closest(".noUi-handle")) this.ask({ step: arrow });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** What a screen reader says of the controls, which ipywidgets leaves without a name or calls "null". */
function nameControls(root) {
  for (const untold of root.querySelectorAll('[title="null"]')) untold.removeAttribute("title");
  for (const made of root.querySelectorAll("button.jupyter-button")) set(made, "aria-label", made.textContent.trim());
  for (const control of root.querySelectorAll(".widget-inline-hbox, .widget-toggle-buttons")) {
    const label = control.querySelector(".widget-label")?.textContent.trim() || "choice";
    const [handle, readout] = [control.querySelector(".noUi-handle"), control.querySelector(".widget-readout")];
    if (handle && readout) {
      set(handle, "aria-label", label);
      set(handle, "aria-valuetext", readout.textContent);
      if (readout.isContentEditable) set(readout, "role", "textbox"), set(readout, "aria-label", `${label}: type`);
    }
    const choices = control.querySelectorAll(".widget-toggle-button");
    if (choices.length) set(control, "role", "group"), set(control, "aria-label", label);
    for (const choice of choices) set(choice, "aria-pressed", String(choice.classList.contains("mod-active")));
  }
}

function render(view) {
  const stage = new Stage(view);
  return () => stage.close();
}

export default { render };
