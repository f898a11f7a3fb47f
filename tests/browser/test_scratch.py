import nbformat, pytest, time, notebooks
from nbformat.v4 import new_code_cell, new_notebook

def test_scratch(tmp_path, open_notebook):
    nb = new_notebook(cells=[new_code_cell("import anneal_edu as ae\nclass T(ae.panels.TwoPaths):\n    scenes = {'mirror images': {}, 'no correlation': {'correlation': 0.0}}\npanel = T()\npanel"), new_code_cell("ae.panels.AnnealingRuns()")])
    notebooks.normalise(nb); nbformat.write(nb, tmp_path / "s.ipynb")
    page = open_notebook(tmp_path / "s.ipynb")
    page.run_all()
    page.page.wait_for_timeout(1500)
    page.page.screenshot(path="/tmp/shot1.png")
    print(page.complaints())
    b = page.page.locator(".anneal-edu-scenes button", has_text="no correlation").first
    b.click(); page.wait_until_idle(); page.page.wait_for_timeout(500)
    print(page.page.locator(".anneal-edu-sentence").first.inner_text())
    page.page.locator(".anneal-edu-scenes button", has_text="Lecture").first.click()
    page.page.wait_for_timeout(800)
    page.page.screenshot(path="/tmp/shot2.png")
    print(page.page.evaluate("() => document.fullscreenElement && document.fullscreenElement.className"))
    page.page.keyboard.press("1"); page.page.wait_for_timeout(800)
    print(page.page.locator(".anneal-edu-sentence").first.inner_text())
    page.page.keyboard.press("ArrowRight"); page.page.wait_for_timeout(800)
    print([h.get_attribute("aria-valuenow") for h in page.page.locator(".noUi-handle").all()][:2])
    page.page.keyboard.press("Escape")
