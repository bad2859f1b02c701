"use strict";
// Everything stored is put into the page as text, never as markup.

const at = (id) => document.getElementById(id);
const TYPES = ["user", "feedback", "project", "reference"];
const CATEGORIES = ["", "decision", "blocker", "procedure", "fact", "event", "directive", "plan", "idea", "conversation", "reminder"];
const WEEK = 7 * 86400000;
let projects = [];
let shown = []; // {project, memory} in the order of the list
let tab = "memories";
let loads = 0; // a slow answer must not replace a newer one
let draws = 0;
let problems = []; // projects that could not be read

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "line", "circle", "text", "rect", "g", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== ""));
  return element;
}

function say(text, bad = false) {
  at("note").textContent = text;
  at("note").classList.toggle("bad", bad);
}

async function ask(method, params = {}, project = null) {
  const body = JSON.stringify({ method, params, project });
  const answer = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const told = await answer.json();
  if (!answer.ok) throw new Error([told.message, told.data && told.data.hint].filter(Boolean).join(" "));
  return told;
}

async function every(project, include) {
  const found = [];
  for (let cursor; ; ) {
    const page = await ask("memory/list", { agent: "*", limit: 200, include, cursor }, project.id);
    found.push(...page.items);
    if (!(cursor = page.cursor)) return found;
  }
}

/** Do something for each project that is chosen; what fails in one is told and does not hide the others. */
async function inEach(run) {
  problems = [];
  for (const project of chosen()) {
    try {
      await run(project);
    } catch (error) {
      problems.push(`${project.name}: ${error.message}`);
    }
  }
}

const chosen = () => projects.filter((one) => !at("project").value || one.id === at("project").value);
const day = (time) => new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
const title = (memory) => memory.name.replace(/ \([0-9a-f]{6}\)$/, "");

async function load() {
  const mine = ++loads;
  const include = at("away").checked ? ["archived", "resolved", "expired"] : [];
  const query = at("query").value.trim();
  say("Reading…");
  let found = [];
  if (query) {
    const hits = await ask("search", { query, limit: 50, agent: "*", include });
    const wanted = new Set(chosen().map((one) => one.id));
    found = hits.map((one) => ({ project: one.project, memory: one.hit.memory, score: one.hit.score }));
    found = found.filter((one) => one.memory.scope === "global" || wanted.has(one.project.id));
  } else {
    const seen = new Set();
    await inEach(async (project) => {
      for (const memory of await every(project, include)) {
        if (!seen.has(memory.id)) found.push({ project, memory });
        seen.add(memory.id);
      }
    });
    found.sort((one, other) => other.memory.updatedAt - one.memory.updatedAt);
  }
  if (mine !== loads) return;
  shown = found;
  await draw();
}

async function draw() {
  const mine = ++draws;
  for (const button of document.querySelectorAll("nav button")) {
    button.setAttribute("aria-selected", String(button.id === `tab-${tab}`));
  }
  const views = { memories: list, review, graph, time };
  const parts = await views[tab]();
  if (mine === draws) at("view").replaceChildren(...parts);
  if (problems.length) say(problems.join(" "), true);
}

function list(entries = shown) {
  say(entries.length === 1 ? "1 memory" : `${entries.length} memories`);
  return entries.map((one) => {
    const { memory } = one;
    const kind = [memory.type, memory.category, memory.scope, memory.scope === "global" ? "" : one.project.name, memory.agent];
    const state = memory.status === "active" ? "" : memory.status;
    const marks = [...kind, day(memory.updatedAt), state, one.score && one.score.toFixed(2)].filter(Boolean).join(" · ");
    const body = memory.description || memory.content;
    return make("button", { class: "card", "data-id": memory.id, onclick: () => open(one) },
      make("strong", {}, title(memory)),
      body.trim() === memory.name.trim() ? "" : make("div", {}, body.slice(0, 240)),
      make("div", { class: "dim" }, marks));
  });
}

async function review() {
  const parts = [];
  await inEach(async (project) => {
    const found = await ask("memory/candidates", { limit: 200 }, project.id);
    for (const one of found.items) {
      const text = make("textarea", { "aria-label": "Text" });
      text.value = one.content;
      const decide = (method, params) => async () => {
        await act(() => ask(method, { id: one.id, ...params() }, project.id));
      };
      parts.push(make("div", { class: "card", "data-candidate": one.id }, text,
        ...one.evidence.map((each) => make("blockquote", {}, `${each.speaker}, ${day(each.at)}: ${each.words}`)),
        make("div", { class: "dim" }, [project.name, one.type, one.scope, one.rule].join(" · ")),
        make("div", { class: "row" },
          make("button", { class: "keep", onclick: decide("memory/confirm", () => (text.value === one.content ? {} : { content: text.value })) }, "Keep"),
          make("button", { class: "reject", onclick: decide("memory/reject", () => ({})) }, "Reject"))));
    }
  });
  say(parts.length ? `${parts.length} waiting` : "No candidates wait to be confirmed.");
  return parts;
}

async function graph() {
  const nodes = shown.slice(0, 400).map((one, number) => ({ ...one, x: 450 + 250 * Math.cos(number * 2.4), y: 300 + 200 * Math.sin(number * 2.4) }));
  const by = new Map(nodes.map((node) => [node.memory.id, node]));
  const edges = new Map();
  await inEach(async (project) => {
    const ids = nodes.filter((node) => node.project.id === project.id).map((node) => node.memory.id);
    const found = ids.length ? await ask("memory/links", { ids }, project.id) : { items: [] };
    for (const { link } of found.items) {
      if (by.has(link.from) && by.has(link.to)) edges.set(`${link.from} ${link.to} ${link.kind}`, link);
    }
  });
  const lines = [...edges.values()];
  const linked = new Set(lines.flatMap((line) => [line.from, line.to]));
  const drawn = nodes.filter((node) => linked.has(node.memory.id));
  settle(drawn, lines.map((line) => [by.get(line.from), by.get(line.to)]));
  say(`${drawn.length} linked memories, ${lines.length} links; ${nodes.length - drawn.length} without a link`);
  const picture = make("svg", { viewBox: "0 0 900 600", role: "img", "aria-label": "Memories and their links" });
  for (const line of lines) {
    const [from, to] = [by.get(line.from), by.get(line.to)];
    picture.append(make("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }, make("title", {}, line.kind)));
  }
  for (const node of drawn) {
    picture.append(make("circle", { class: `node ${node.memory.status}`, cx: node.x, cy: node.y, r: 7, tabindex: 0, onclick: () => open(node), onkeydown: (event) => event.key === "Enter" && open(node) }, make("title", {}, title(node.memory))),
      make("text", { x: node.x + 10, y: node.y + 4 }, title(node.memory).slice(0, 32)));
  }
  return drawn.length ? [picture] : [];
}

/** Push all nodes apart and linked ones together, and keep them inside the picture. */
function settle(nodes, pairs) {
  for (let heat = 40; heat > 0.5; heat *= 0.96) {
    const force = new Map(nodes.map((node) => [node, [(450 - node.x) * 0.02, (300 - node.y) * 0.02]]));
    const move = (node, x, y) => { force.get(node)[0] += x; force.get(node)[1] += y; };
    for (let i = 0; i < nodes.length; i++) {
      for (let j = i + 1; j < nodes.length; j++) {
        const [x, y] = [nodes[i].x - nodes[j].x, nodes[i].y - nodes[j].y];
        const push = 4000 / Math.max(60, x * x + y * y);
        move(nodes[i], x * push * 0.05, y * push * 0.05);
        move(nodes[j], -x * push * 0.05, -y * push * 0.05);
      }
    }
    for (const [one, other] of pairs) {
      const [x, y] = [other.x - one.x, other.y - one.y];
      const pull = (Math.hypot(x, y) - 90) / Math.max(1, Math.hypot(x, y)) * 0.2;
      move(one, x * pull, y * pull);
      move(other, -x * pull, -y * pull);
    }
    for (const [node, [x, y]] of force) {
      const far = Math.max(1, Math.hypot(x, y) / heat);
      node.x = Math.min(760, Math.max(20, node.x + x / far));
      node.y = Math.min(580, Math.max(20, node.y + y / far));
    }
  }
}

function time() {
  if (!shown.length) return list();
  const first = Math.min(...shown.map((one) => one.memory.createdAt));
  const start = Math.max(first, Date.now() - 104 * WEEK);
  const weeks = Math.floor((Date.now() - start) / WEEK) + 1;
  const by = Array.from({ length: weeks }, () => []);
  for (const one of shown) by[Math.max(0, Math.floor((one.memory.createdAt - start) / WEEK))]?.push(one);
  const most = Math.max(...by.map((entries) => entries.length));
  const width = 880 / weeks;
  const below = make("div", { id: "week" });
  const pick = (number) => {
    const entries = list(by[number]);
    below.replaceChildren(...entries);
    say(`${by[number].length} from the week of ${day(start + number * WEEK)}`);
  };
  const picture = make("svg", { viewBox: "0 0 900 220", role: "img", "aria-label": "New memories by week" });
  by.forEach((entries, number) => {
    if (!entries.length) return;
    const height = (entries.length / most) * 170;
    picture.append(make("rect", { x: 10 + number * width, y: 180 - height, width: Math.max(1, Math.min(60, width * 0.85)), height, tabindex: 0, onclick: () => pick(number), onkeydown: (event) => event.key === "Enter" && pick(number) },
      make("title", {}, `${day(start + number * WEEK)}: ${entries.length}`)));
  });
  picture.append(make("text", { x: 10, y: 205 }, day(start)), make("text", { x: 890, y: 205, "text-anchor": "end" }, day(Date.now())));
  say("New memories by week; choose a bar to see them.");
  return [picture, below];
}

function field(label, control) {
  return make("label", {}, label, control);
}

function select(options, value) {
  const control = make("select", {}, ...options.map((one) => make("option", { value: one, selected: one === value }, one || "(none)")));
  return control;
}

async function open(one) {
  const { project, memory } = one;
  for (const card of document.querySelectorAll(".card")) card.setAttribute("aria-current", String(card.dataset.id === memory.id));
  const name = make("input", { value: title(memory) });
  const content = make("textarea", {});
  content.value = memory.content;
  const [type, category] = [select(TYPES, memory.type), select(CATEGORIES, memory.category || "")];
  const tags = make("input", { value: memory.tags.join(", ") });
  const pinned = make("input", { type: "checkbox", checked: Boolean(memory.pinned) });
  const changes = () => {
    const given = {};
    if (name.value !== title(memory)) given.name = name.value;
    if (content.value !== memory.content) given.content = content.value;
    if (type.value !== memory.type) given.type = type.value;
    if (category.value !== (memory.category || "")) given.category = category.value || null;
    if (tags.value !== memory.tags.join(", ")) given.tags = tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (pinned.checked !== Boolean(memory.pinned)) given.pinned = pinned.checked;
    return given;
  };
  const call = (method, params = {}) => () => act(() => ask(method, { id: memory.id, ...params }, project.id), one);
  const button = (text, run) => make("button", { onclick: run }, text);
  const away = memory.status === "archived";
  const past = make("div", { class: "dim" });
  at("detail").hidden = false;
  at("detail").replaceChildren(
    make("div", { class: "dim" }, [memory.scope === "global" ? "all projects" : project.name, memory.scope, memory.status, memory.source].join(" · ")),
    field("Name", name), field("Text", content), field("Type", type), field("Category", category), field("Tags", tags),
    make("label", {}, pinned, " pinned"),
    make("div", { class: "row" },
      button("Save", () => (Object.keys(changes()).length ? call("memory/update", { ...changes(), expectedVersion: memory.version })() : say("Nothing was changed."))),
      button(`Useful (${memory.useful || 0})`, call("memory/rate", { useful: true })),
      button(`Not useful (${memory.notUseful || 0})`, call("memory/rate", { useful: false })),
      away ? button("Restore", call("memory/restore")) : button("Archive", call("memory/archive")),
      memory.category === "blocker" && memory.status !== "archived" ? button(memory.status === "resolved" ? "Reopen" : "Resolve", call(memory.status === "resolved" ? "memory/reopen" : "memory/resolve")) : "",
      button("Undo", call("memory/undo")),
      button("Delete", async () => { if (confirm(`Delete “${title(memory)}”?`)) await call("memory/delete")(); })),
    past);
  const found = await ask("memory/history", { id: memory.id }, project.id);
  past.replaceChildren(make("p", {}, `shown in ${memory.accessCount} sessions`), ...found.versions.map((each) => make("div", {}, `${each.version}  ${day(each.at)}  ${each.change}${each.reason ? `: ${each.reason}` : ""}`)));
}

/** Do something, then show what became of it. */
async function act(doing, one) {
  try {
    const done = await doing();
    at("detail").hidden = true;
    await load();
    say("Done.");
    const memory = done.memory || done;
    if (one && memory.version) await open({ ...one, memory });
  } catch (error) {
    say(error.message, true);
  }
}

const report = (run) => async (event) => {
  event?.preventDefault?.();
  try { await run(); } catch (error) { say(error.message, true); }
};

at("search").addEventListener("submit", report(load));
at("query").addEventListener("search", report(load));
at("project").addEventListener("change", report(load));
at("away").addEventListener("change", report(load));
for (const button of document.querySelectorAll("nav button")) {
  button.addEventListener("click", report(() => { tab = button.id.slice(4); return draw(); }));
}
report(async () => {
  const told = await ask("projects");
  projects = told.projects;
  const option = (one) => make("option", { value: one.id, title: one.folder, selected: one.id === told.first }, one.exists ? one.name : `${one.name} (folder is gone)`);
  at("project").replaceChildren(make("option", { value: "" }, "all"), ...projects.map(option));
  await load();
})();
