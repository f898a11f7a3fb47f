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

window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  fitFormulas();
  window.addEventListener("resize", fitFormulas);
});
