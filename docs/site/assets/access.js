"use strict";
// What the theme leaves out: a table that is too wide for the screen is scrolled by keyboard, too, and a button beside
// code is no landmark.
window.addEventListener("load", () => {
  const scrolled = { tabindex: "0", role: "group", "aria-label": "Table" };
  function look() {
    for (const frame of document.querySelectorAll(".md-typeset__scrollwrap")) {
      const wide = frame.scrollWidth > frame.clientWidth;
      for (const [name, value] of Object.entries(scrolled)) {
        if (wide) frame.setAttribute(name, value);
        else frame.removeAttribute(name);
      }
    }
  }
  look();
  window.addEventListener("resize", look);
  for (const buttons of document.querySelectorAll(".md-code__nav")) buttons.setAttribute("role", "none");
});
