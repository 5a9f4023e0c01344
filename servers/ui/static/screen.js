"use strict";
// The big screen: one slide after the other. Who wants less motion steps by keys; without this script all slides are shown.
(() => {
  const SHOWN_MS = 12000;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const slides = () => [...document.querySelectorAll(".slide")];
  let shown = "", paused = calm.matches, since = Date.now();

  function draw() {
    const all = slides();
    if (!all.some((slide) => slide.id === shown)) shown = all[0].id;
    for (const slide of all) slide.hidden = slide.id !== shown;
    document.getElementById("controls").hidden = false;
    document.getElementById("screen-pause").textContent = paused ? "Continue" : "Pause";
  }

  function step(by) {
    const all = slides(), at = all.findIndex((slide) => slide.id === shown);
    shown = all[(at + by + all.length) % all.length].id;
    since = Date.now();
    draw();
  }

  function pause() { paused = !paused; since = Date.now(); draw(); }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, .scroll")) return;
    if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "f") document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    else if (event.key === " " && !event.target.closest("a, button")) pause();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => { if (event.target.id === "screen-pause") pause(); });
  document.addEventListener("page:changed", draw);
  window.setInterval(() => { if (!paused && Date.now() - since >= SHOWN_MS) step(1); }, 500);
  draw();
})();
