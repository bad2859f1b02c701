// The script of the inject preview's page. Text of others is only ever put into the page as text.

import {
  budgetOf,
  toPage,
  type Answer,
  type Folder,
  type FromPage,
  type LeftOut,
  type Question,
  type ShownItem,
} from "../src/views/inject/messages";
import { counted, grouped } from "../src/views/text/words";

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  setState(state: Question): void;
};

const PAUSE_MS = 300;
const host = acquireVsCodeApi();
const prompt = byId("prompt", HTMLTextAreaElement);
const budget = byId("budget", HTMLInputElement);
const exact = byId("budget-number", HTMLInputElement);
const format = byId("format", HTMLSelectElement);
const folder = byId("folder", HTMLSelectElement);
const status = byId("status", HTMLElement);
const copy = byId("copy", HTMLButtonElement);

let files: readonly string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = toPage(event.data);
  switch (message?.type) {
    case "question":
      showQuestion(message.question, message.folders);
      break;
    case "asking":
      document.body.classList.add("asking");
      break;
    case "answer":
      showAnswer(message.answer);
      break;
    case "problem":
      showProblem(message.message);
      break;
    case "copied":
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 1_500);
      break;
    case undefined:
      break;
  }
});

prompt.addEventListener("input", () => changed());
prompt.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) changed(0);
});
budget.addEventListener("input", () => {
  exact.value = budget.value;
  changed();
});
exact.addEventListener("change", () => {
  exact.value = String(budgetOf(exact.valueAsNumber));
  budget.value = exact.value;
  changed(0);
});
format.addEventListener("change", () => changed(0));
folder.addEventListener("change", () => {
  setFiles([]); // paths of another folder
  changed(0);
});
byId("pick", HTMLButtonElement).addEventListener("click", () =>
  host.postMessage({ type: "pick", question: question() }),
);
byId("open-editors", HTMLButtonElement).addEventListener("click", () =>
  host.postMessage({ type: "openEditors", question: question() }),
);
copy.addEventListener("click", () => host.postMessage({ type: "copy" }));

host.postMessage({ type: "ready" });

function question(): Question {
  return {
    prompt: prompt.value,
    files,
    budget: budgetOf(exact.valueAsNumber),
    format: format.value === "xml" ? "xml" : "markdown",
    folder: folder.value,
  };
}

function changed(pause = PAUSE_MS): void {
  host.setState(question());
  clearTimeout(timer);
  timer = setTimeout(() => host.postMessage({ type: "ask", question: question() }), pause);
}

function showQuestion(asked: Question, folders: readonly Folder[]): void {
  if (prompt.value !== asked.prompt) prompt.value = asked.prompt;
  budget.value = String(asked.budget);
  exact.value = String(asked.budget);
  format.value = asked.format;
  const known = folders.length > 0 ? folders : [{ uri: asked.folder, name: "" }];
  folder.replaceChildren(...known.map(({ uri, name }) => new Option(name, uri, false, uri === asked.folder)));
  byId("folder-field", HTMLElement).hidden = folders.length < 2;
  setFiles(asked.files);
  host.setState(asked);
}

function setFiles(paths: readonly string[]): void {
  files = paths;
  const chips = paths.map((path) => {
    const remove = make("button", { className: "remove", textContent: "×" });
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${path}`);
    remove.title = `Remove ${path}`;
    remove.addEventListener("click", () => {
      setFiles(files.filter((one) => one !== path));
      byId("pick", HTMLButtonElement).focus();
      changed(0);
    });
    return make("li", { className: "chip" }, [make("span", { textContent: path, title: path }), remove]);
  });
  byId("files", HTMLElement).replaceChildren(
    ...(chips.length > 0 ? chips : [make("li", { className: "hint", textContent: "none" })]),
  );
}

function showAnswer(answer: Answer): void {
  document.body.classList.remove("asking");
  const empty = answer.text === "";
  status.classList.remove("problem");
  status.textContent = empty
    ? "Nothing would be injected: no memory and no file matches well enough."
    : `${grouped(answer.tokens)} of ${grouped(answer.budget)} tokens, ${counted(answer.items.length, "item")}, ${answer.leftOut.length + answer.more} left out`;
  copy.disabled = empty;
  byId("text", HTMLElement).textContent = answer.text;
  showBar(answer);
  fill("items", answer.items.map(itemOf), "Nothing.");
  const left = answer.leftOut.map(leftOf);
  if (answer.more > 0)
    left.push(make("li", { className: "hint", textContent: `and ${grouped(answer.more)} more` }));
  fill("left", left, "Nothing.");
}

function showProblem(message: string): void {
  document.body.classList.remove("asking");
  status.textContent = message;
  status.classList.add("problem");
  copy.disabled = true;
  byId("text", HTMLElement).textContent = "";
  for (const id of ["bar", "legend", "items", "left"]) byId(id, HTMLElement).replaceChildren();
}

function showBar({ segments }: Answer): void {
  const parts = segments.map(({ share, tone, label, tokens }) => {
    const part = make("span", {
      className: `segment tone-${tone}`,
      title: `${label}: ${grouped(tokens)} tokens`,
    });
    part.style.width = `${Math.min(1, Math.max(0, share)) * 100}%`;
    return part;
  });
  byId("bar", HTMLElement).replaceChildren(...parts);
  const rows = segments.map(({ tone, label, tokens }) =>
    make("li", {}, [
      make("span", { className: `swatch tone-${tone}` }),
      make("span", { textContent: `${label} ${grouped(tokens)}` }),
    ]),
  );
  byId("legend", HTMLElement).replaceChildren(...rows);
}

function itemOf(item: ShownItem): HTMLElement {
  const facts = `${item.section} · score ${item.score.toFixed(2)} · ${counted(item.tokens, "token")}`;
  return make("li", {}, [
    opener(item),
    make("div", { className: "facts", textContent: facts }),
    ...(item.reasons.length > 0
      ? [make("div", { className: "why", textContent: item.reasons.join(" · ") })]
      : []),
  ]);
}

function leftOf(item: LeftOut): HTMLElement {
  return make("li", {}, [opener(item), make("div", { className: "why", textContent: item.why })]);
}

function opener({ kind, target, title }: ShownItem | LeftOut): HTMLElement {
  const button = make("button", { className: "link", textContent: title, title: `Open the ${kind}` });
  button.type = "button";
  button.addEventListener("click", () => host.postMessage({ type: "open", kind, target }));
  return button;
}

function fill(id: string, items: HTMLElement[], empty: string): void {
  const shown = items.length > 0 ? items : [make("li", { className: "hint", textContent: empty })];
  byId(id, HTMLElement).replaceChildren(...shown);
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: { className?: string; textContent?: string; title?: string },
  children: readonly HTMLElement[] = [],
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (given.className !== undefined) element.className = given.className;
  if (given.textContent !== undefined) element.textContent = given.textContent;
  if (given.title !== undefined) element.title = given.title;
  element.append(...children);
  return element;
}

function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${id}.`);
  return found;
}
