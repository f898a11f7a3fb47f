// What a panel shows: its picture, one sentence, a few numbers; and how it is moved from the keyboard and in a hall.
// The kernel draws; this file only shows what the model holds, and sends back what the reader asks for.

const PATIENCE_MS = 2500; // a kernel that has not answered by then is not there, or belongs to another day

function element(kind, className, parent, text = "") {
  const made = document.createElement(kind);
  made.className = className;
  made.textContent = text;
  parent.append(made);
  return made;
}

function render({ model, el }) {
  el.classList.add("anneal-edu-stage");
  const scenes = element("div", "anneal-edu-scenes", el);
  const frame = element("div", "anneal-edu-frame", el);
  const image = element("img", "anneal-edu-picture", frame);
  const veil = element("div", "anneal-edu-veil", frame);
  const sentence = element("p", "anneal-edu-sentence", el);
  const numbers = element("dl", "anneal-edu-numbers", el);
  const asleep = element("p", "anneal-edu-asleep", el);
  sentence.setAttribute("role", "status");
  const panel = () => el.closest(".anneal-edu-panel") ?? el;

  // --- what the model holds ---

  let address = null;
  function showPicture() {
    const bytes = model.get("png");
    if (!bytes?.byteLength) return;
    const before = address;
    address = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    image.onload = () => before && URL.revokeObjectURL(before);
    image.src = address;
  }
  function showWords() {
    image.alt = model.get("alt");
    image.style.width = `${model.get("width")}px`;
    sentence.textContent = model.get("takeaway");
    numbers.replaceChildren();
    for (const [label, value] of model.get("numbers")) {
      const pair = element("div", "", numbers);
      element("dt", "", pair, label);
      element("dd", "", pair, value);
    }
  }
  function showVeil() {
    veil.replaceChildren();
    veil.hidden = !model.get("veil");
    if (veil.hidden) return;
    element("span", "", veil, model.get("veil"));
    if (!model.get("computing")) return;
    const bar = element("progress", "", veil);
    bar.value = model.get("done");
    element("button", "", veil, "Cancel").onclick = () => model.send({ cancel: true });
  }
  function showScenes() {
    scenes.replaceChildren();
    for (const [number, name] of model.get("scenes").entries()) {
      const button = element("button", "", scenes, name);
      button.title = `key ${number + 1}`;
      button.setAttribute("aria-pressed", name === model.get("scene"));
      button.onclick = () => ask({ scene: name });
    }
    if (model.get("scenes").length) {
      element("button", "anneal-edu-quiet", scenes, "Reset").onclick = () => ask({ scene: model.get("scenes")[0] });
    }
    const lecture = element("button", "anneal-edu-quiet", scenes, "Lecture");
    lecture.title = "full screen: keys 1-9 scenes, ← → first slider, n numbers, Esc back";
    lecture.onclick = toggleLecture;
  }

  // --- is anybody there? ---

  let waiting = null;
  function ask(what) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      asleep.textContent =
        "Nobody computes behind this picture any more. To make it live: click on the code above it, press Shift+Enter.";
    }, PATIENCE_MS);
    try {
      model.send(what);
    } catch {
      /* a model without a kernel cannot send: the patience above runs out */
    }
  }
  function onMessage(message) {
    if (!message.here) return;
    clearTimeout(waiting);
    asleep.textContent = "";
  }

  // --- a lecture ---

  function toggleLecture() {
    if (document.fullscreenElement) return document.exitFullscreen();
    return panel().requestFullscreen();
  }
  function onFullscreen() {
    const here = document.fullscreenElement === panel();
    panel().classList.toggle("anneal-edu-lecture", here);
    ask({ lecture: here ? [window.innerWidth, window.innerHeight, window.devicePixelRatio] : null });
    if (here) panel().focus();
  }
  function onKey(event) {
    const typing = event.target.matches("input, textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const number = Number(event.key);
    const handled = () => (event.preventDefault(), event.stopPropagation());
    if (number >= 1 && number <= model.get("scenes").length) {
      handled();
      ask({ scene: model.get("scenes")[number - 1] });
    } else if (event.key === "n") {
      handled();
      numbers.hidden = !numbers.hidden;
    } else if (event.key.startsWith("Arrow") && !event.target.closest(".noUi-handle, [role=radiogroup]")) {
      handled();
      ask({ step: ["ArrowRight", "ArrowUp"].includes(event.key) ? 1 : -1 });
    }
  }
  function nameParts() {
    for (const handle of panel().querySelectorAll(".noUi-handle")) {
      const label = handle.closest(".widget-inline-hbox")?.querySelector(".widget-label");
      if (label) handle.setAttribute("aria-label", label.textContent);
    }
  }

  const follow = [["png", showPicture], ["takeaway", showWords], ["numbers", showWords], ["alt", showWords],
    ["width", showWords], ["veil", showVeil], ["computing", showVeil], ["done", showVeil], ["scenes", showScenes],
    ["scene", showScenes]];
  for (const [name, show] of follow) model.on(`change:${name}`, show);
  model.on("msg:custom", onMessage);
  document.addEventListener("fullscreenchange", onFullscreen);
  showPicture(), showWords(), showVeil(), showScenes();
  requestAnimationFrame(() => {
    const root = panel();
    root.tabIndex = 0;
    root.addEventListener("keydown", onKey);
    root.addEventListener("pointerdown", () => ask({ hello: true }), { capture: true });
    nameParts();
    ask({ hello: true });
  });
  return () => {
    for (const [name, show] of follow) model.off(`change:${name}`, show);
    model.off("msg:custom", onMessage);
    document.removeEventListener("fullscreenchange", onFullscreen);
    clearTimeout(waiting);
    if (address) URL.revokeObjectURL(address);
  };
}

export default { render };
