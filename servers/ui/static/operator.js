"use strict";
// The operator's controls. The token stays in this tab, and goes to this origin only, as a header: another page cannot make
// the browser send it.
(() => {
  const KEY = "league-operator-token";
  const find = (id) => document.getElementById(id);
  const answer = (words) => { find("answer").textContent = words; };

  async function call(method, path, told) {
    const headers = { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` };
    const response = await fetch(path, { method, headers, credentials: "omit", body: told && JSON.stringify(told) });
    let body = {};
    try { body = await response.json(); } catch { /* an answer without a body */ }
    return { ok: response.ok, status: response.status, words: body.error ?? body.reason ?? "", body };
  }

  // The students of a class, whose real names are shown to the operator alone. A league without a class has none.
  const CLASS_MS = 15000;
  let asking = false, noClass = false;
  async function showClass() {
    const part = find("class");
    if (!part || asking || noClass || document.hidden) return;
    if (sessionStorage.getItem(KEY) === null) { part.hidden = true; return; }
    asking = true;
    try {
      const found = await call("GET", "/admin/class");
      noClass = found.body.students === null;
      part.hidden = !found.body.students && !found.words;
      find("class-summary").textContent = found.body.summary ?? found.words;
      const refused = found.body.refused ?? [];
      find("refused-part").hidden = refused.length === 0;
      find("refused").replaceChildren(...refused.map((words) => {
        const line = document.createElement("li");
        line.textContent = words;
        return line;
      }));
      find("students").replaceChildren(...(found.body.students ?? []).map(studentRow));
    } catch { /* the manager has ended, or comes back */ }
    asking = false;
  }

  function studentRow(student) {
    const row = document.createElement("tr");
    row.className = student.state.replaceAll(" ", "-");
    const cell = (kind, words, style) => {
      const made = row.appendChild(document.createElement(kind));
      made.className = style ?? "";
      made.appendChild(document.createElement("bdi")).textContent = words;
      return made;
    };
    cell("td", student.student_id, "wide");
    cell("th", student.name).scope = "row";
    const player = cell("td", student.player, "wide");
    if (student.player_id) {
      const link = document.createElement("a");
      link.href = `/players/${encodeURIComponent(student.player_id)}`;
      link.append(...player.childNodes);
      player.append(link);
    }
    cell("td", student.check);
    cell("td", student.words, "words");
    return row;
  }

  function show() {
    const known = sessionStorage.getItem(KEY) !== null;
    for (const [id, hidden] of [["sign-in", known], ["desk", !known]]) {
      const part = find(id);
      if (part) part.hidden = hidden;
    }
  }

  find("token-form")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, find("token").value.trim());
    const found = await call("GET", "/admin/standings");
    if (!found.ok) {
      sessionStorage.removeItem(KEY);
      answer(found.status === 401 || found.status === 403 ? "This is not the operator's token." : `Failed: ${found.words}`);
    } else {
      find("token").value = "";
      answer("Signed in.");
    }
    show();
    showClass();
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button");
    if (button?.id === "forget") {
      sessionStorage.removeItem(KEY);
      answer("Signed out.");
      show();
      showClass();
      return;
    }
    const path = button?.dataset.action;
    if (!path || (button.dataset.confirm && !window.confirm(button.dataset.confirm))) return;
    button.disabled = true;
    const reason = find(button.dataset.reason)?.value;
    const found = await call("POST", path, reason && { reason });
    answer(found.ok ? `Done: ${button.textContent.trim()}.` : `Failed: ${found.words || found.status}`);
    if (!found.ok) button.disabled = false;
    if (found.status === 401 || found.status === 403) { sessionStorage.removeItem(KEY); show(); }
  });

  document.addEventListener("page:changed", () => { show(); showClass(); });
  window.setInterval(showClass, CLASS_MS);
  show();
  showClass();
})();
