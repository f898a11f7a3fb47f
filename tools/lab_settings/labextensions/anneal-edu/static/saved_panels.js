// ipywidgets asks the kernel for its widgets before it looks into the notebook, and where there is no kernel it gives up:
// "Loading widget..." stands in place of every panel. This extension has it look into the notebook all the same.

const VIEW = "application/vnd.jupyter.widget-view+json";

async function showSaved(panel, context) {
  await context.ready;
  await context.sessionContext.ready;
  if (context.sessionContext.session?.kernel) return;
  const manager = await panel.content.rendermime.createRenderer(VIEW)._manager.promise;
  await manager._loadFromNotebook(context.model);
  manager._restoredStatus = true;
  manager._restored.emit();
}

const plugin = {
  id: "anneal-edu:saved-panels",
  autoStart: true,
  activate: (app) => {
    const createNew = (panel, context) => {
      showSaved(panel, context).catch((error) => console.warn("anneal_edu: the saved panels stay hidden.", error));
    };
    app.docRegistry.addWidgetExtension("Notebook", { createNew });
  },
};

window._JUPYTERLAB ??= {};
window._JUPYTERLAB["anneal-edu"] = { init: () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
