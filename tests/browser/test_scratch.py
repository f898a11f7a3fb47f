import json, nbformat, pytest, time, notebooks, urllib.request
from nbformat.v4 import new_code_cell, new_notebook

CELL = """import anneal_edu as ae
class T(ae.panels.TwoPaths):
    scenes = {'mirror images': {}, 'no correlation': {'correlation': 0.0}}
panel = T()
panel"""

def test_scratch(tmp_path, open_notebook, lab):
    root, url, token = lab
    settings = root.parent / "jupyterlab_settings_dir/@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings"
    settings.parent.mkdir(parents=True, exist_ok=True); settings.write_text('{"saveState": true}')
    nb = new_notebook(cells=[new_code_cell(CELL)])
    notebooks.normalise(nb); nbformat.write(nb, tmp_path / "s.ipynb")
    page = open_notebook(tmp_path / "s.ipynb")
    page.run_all()
    page.page.wait_for_timeout(1000)
    page.page.locator(".anneal-edu-scenes button", has_text="Lecture").first.click()
    page.page.wait_for_timeout(800)
    page.page.keyboard.press("ArrowRight"); page.page.wait_for_timeout(800)
    page.page.screenshot(path="/tmp/shot2.png")
    page.page.keyboard.press("n"); page.page.wait_for_timeout(300)
    page.page.screenshot(path="/tmp/shot3.png")
    page.page.evaluate("() => document.exitFullscreen()"); page.page.wait_for_timeout(800)
    print("readout", page.page.locator(".widget-readout").first.inner_text(), page.page.locator(".anneal-edu-picture").first.evaluate("i => [i.clientWidth, i.naturalWidth]"))
    page.page.evaluate("() => jupyterapp.commands.execute('docmanager:save')"); page.page.wait_for_timeout(1000)
    saved = json.loads((root / "s.ipynb").read_text()); print("saved", saved["metadata"].keys(), len(json.dumps(saved)))
    page.page.evaluate("() => jupyterapp.commands.execute('kernelmenu:restart') && 0"); page.page.wait_for_timeout(700)
    page.page.keyboard.press("Enter"); page.page.wait_for_timeout(5000)
    page.page.locator(".anneal-edu-picture").first.click(); page.page.wait_for_timeout(3500)
    print("asleep after restart:", page.page.locator(".anneal-edu-asleep").all_inner_texts())
    page.page.screenshot(path="/tmp/shot4.png")
    page.page.evaluate("() => jupyterapp.commands.execute('kernelmenu:shutdown')"); page.page.wait_for_timeout(1500)
    page.page.context.close()
    (tmp_path / "s.ipynb").write_text((root / "s.ipynb").read_text())
    again = open_notebook(tmp_path / "s.ipynb")
    again.page.wait_for_timeout(6000)
    again.page.screenshot(path="/tmp/shot5.png")
    print("reopened", again.page.locator(".anneal-edu-sentence").all_inner_texts(), again.page.locator(".anneal-edu-asleep").all_inner_texts())
