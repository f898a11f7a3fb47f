// What a lesson does for the panels in it: it makes their frames as high as they are.

window.addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe.panel")) {
    if (frame.contentWindow === source && data?.height > 0) frame.style.height = `${Math.ceil(data.height)}px`;
  }
});
