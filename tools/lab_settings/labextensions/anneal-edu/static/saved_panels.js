// The page of a lesson in JupyterLab.
// Where no kernel runs, ipywidgets makes no widget at all: "Loading widget..." stands in place of every panel.
// This shows each as it was saved: its picture, sentence and numbers, without the controls.

const STATE = "application/vnd.jupyter.widget-state+json";
const WORDS = "No kernel runs, so nothing moves here: this is the panel as it was saved.";

function escaped(text) {
  const element = document.createElement("span");
  element.textContent = text ?? "";
  return element.innerHTML.replaceAll('"', "&quot;");
}

/** Of the parts of a widget, the one that holds a picture. */
function stageOf(states, id) {
  const [names, seen] = [[id], new Set()];
  for (const name of names) {
    const part = states[name];
    if (!part || seen.has(name)) continue;
    seen.add(name);
    const png = part.buffers?.find((buffer) => buffer.path[0] === "png");
    if (png) return { ...part.state, png: png.data };
    names.push(...Array.from(JSON.stringify(part).matchAll(/IPY_MODEL_(\w+)/g), (found) => found[1]));
  }
  throw new Error(`no panel of the name ${id} is saved in this notebook`);
}

function pageOf(stage) {
  const rows = (stage.numbers ?? []).map(([label, value]) => {
    return `<div><dt>${escaped(label)}</dt><dd>${escaped(value)}</dd></div>`;
  });
  const overlay = stage.overlay ? `<div class="anneal-edu-overlay">${escaped(stage.overlay)}</div>` : "";
  return `<style>${stage._css}</style><div class="anneal-edu-panel"><div class="anneal-edu-stage">
    <div class="anneal-edu-frame"><img class="anneal-edu-picture" style="width: ${Number(stage.width ?? 1000)}px"
      alt="${escaped(stage.alt)}" src="data:image/png;base64,${escaped(stage.png)}">${overlay}</div>
    <p class="anneal-edu-sentence">${escaped(stage.takeaway)}</p>
    <dl class="anneal-edu-numbers">${rows.join("")}</dl>
    <p class="anneal-edu-asleep">${WORDS}</p></div></div>`;
}

/** What ipywidgets' renderers ask of a manager of widgets, answered from the file. */
function managerOf(rendermime, states) {
  return {
    restoredStatus: true,
    restored: { connect: () => {} },
    get_model: async (id) => stageOf(states, id),
    create_view: async (stage) => {
      const luminoWidget = rendermime.createRenderer("text/html");
      await luminoWidget.renderModel({ trusted: true, metadata: {}, data: { "text/html": pageOf(stage) } });
      return { luminoWidget };
    },
  };
}

async function showSaved(panel, context) {
  await context.ready;
  await context.sessionContext.ready;
  if (context.sessionContext.session?.kernel) return;
  const states = context.model.getMetadata("widgets")?.[STATE]?.state ?? {};
  const manager = managerOf(panel.content.rendermime, states);
  for (const cell of panel.content.widgets) {
    for (const output of cell.outputArea?.widgets ?? []) {
      for (const renderer of output.children()) if (renderer._manager) renderer.manager = manager;
    }
  }
}

/** Lines of at most 72 letters can be read; code and pictures are as wide as they are. */
const STYLE = `.jp-MarkdownCell .jp-RenderedMarkdown > :is(p, ul, ol, blockquote, details) { max-width: 35em; }`;

const plugin = {
  id: "anneal-edu:saved-panels",
  autoStart: true,
  activate: (app) => {
    document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
    const createNew = (panel, context) => {
      showSaved(panel, context).catch((error) => console.warn("anneal_edu: the saved panels stay hidden.", error));
    };
    app.docRegistry.addWidgetExtension("Notebook", { createNew });
  },
};

window._JUPYTERLAB ??= {};
window._JUPYTERLAB["anneal-edu"] = { init: () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
