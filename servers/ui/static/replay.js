"use strict";
// Plays a match back: one of its positions at a time. Without this script they stand one below the other.
function startReplays() {
  for (const element of document.querySelectorAll(".replay:not(.ready)")) startReplay(element);
}

function startReplay(element) {
  const frames = [...element.querySelectorAll(".frame")], last = frames.length - 1;
  const find = (name) => element.querySelector(name), button = (step) => find(`[data-step=${step}]`);
  let at = last, timer = 0;

  function to(place) {
    at = Math.max(0, Math.min(last, place));
    frames.forEach((frame, number) => { frame.hidden = number !== at; });
    find("input").value = at;
    find(".where").textContent = `${at} / ${last}`;
    for (const step of ["first", "back"]) button(step).disabled = at === 0;
    for (const step of ["on", "last"]) button(step).disabled = at === last;
    if (at === last) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    button("play").textContent = "▶";
  }

  function play() {
    if (timer) return pause();
    if (at === last) to(0);
    button("play").textContent = "⏸";
    timer = setInterval(() => (element.isConnected ? to(at + 1) : pause()), Number(find("select").value));
  }

  const steps = { first: () => to(0), back: () => to(at - 1), on: () => to(at + 1), last: () => to(last) };
  element.step = (name) => {
    if (name === "play") return play();
    pause();
    steps[name]();
  };
  element.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-step]");
    if (pressed) element.step(pressed.dataset.step);
  });
  find("input").addEventListener("input", (event) => { pause(); to(Number(event.target.value)); });
  find("select").addEventListener("change", () => { if (timer) { pause(); play(); } });
  find(".steps").hidden = false;
  element.classList.add("ready");
  to(last);
}

// The arrows step wherever the focus is; keys that scroll a page do so only within the replay or its dialog.
document.addEventListener("keydown", (event) => {
  const element = document.querySelector(".replay.ready");
  const step = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" }[event.key];
  if (!element || !step || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input, select, textarea, .scroll")) return;
  if (!step.match("back|on") && !event.target.closest(".replay, dialog")) return;
  if (step === "play" && event.target.closest("button, a, summary")) return;
  event.preventDefault();
  element.step(step);
});
