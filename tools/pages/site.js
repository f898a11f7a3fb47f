// What a lesson does on a small screen: panels are as high as they are, and a formula that is too wide for its line gets
// a line of its own, which scrolls.

window.addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe.panel")) {
    if (frame.contentWindow === source && data?.height > 0) frame.style.height = `${Math.ceil(data.height)}px`;
  }
});

function fitFormulas() {
  for (const formula of document.querySelectorAll("article mjx-container:not([display])")) {
    formula.classList.remove("wide");
    formula.classList.toggle("wide", formula.offsetWidth > formula.closest("p, li, dd, td, th, article").clientWidth);
  }
}

/** The moving picture of the first page can be stopped. */
function addPause(picture) {
  const [moving, button] = [picture.src, document.createElement("button")];
  const set = (still) => {
    picture.src = still ? picture.dataset.still : moving;
    button.textContent = still ? "▶ Play" : "❚❚ Pause";
    button.onclick = () => set(!still);
  };
  set(false);
  picture.closest("figure").lastElementChild.append(button);
}

/** What the theme leaves out for keyboards and screen readers. */
function mendTheme() {
  for (const box of document.querySelectorAll("pre, .table-wrapper, .content table, mjx-container")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
  document.querySelector("aside.sidebar-drawer").ariaLabel = "all pages";
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.ariaLevel = 2;
  document.getElementById("search-results")?.insertAdjacentHTML("beforebegin", "<h1>Search</h1>");
}

if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("img[data-still]").forEach(addPause));
}

window.addEventListener("load", async () => {
  mendTheme();
  await window.MathJax?.startup?.promise;
  fitFormulas();
  window.addEventListener("resize", fitFormulas);
});
