// A candidate in words: its line, its evidence, the page that opening one shows. Pure.

import type { Candidate, Evidence, Memory } from "../../protocol";
import { AUDIENCES, KIND_WORDS } from "../memories/wording";
import { escaped, fenced } from "../text/markdown";
import { age, counted, day, oneLine, plainLines, shortAge, titleOf } from "../text/words";

const SPEAKERS: Readonly<Record<Evidence["speaker"], readonly [string, string]>> = {
  user: ["the user", "account"],
  agent: ["the agent", "hubot"],
  tool: ["commands", "terminal"],
  model: ["a model", "sparkle"],
  repository: ["the repository's MEMORY.md", "repo"],
};

/** What would be kept, on one line. */
export function lineOf(candidate: Candidate): string {
  return oneLine(candidate.content.replaceAll("`", ""), 160);
}

/** What stands behind it: `feedback · project · 3 sessions · 2d`. */
export function asideOf(candidate: Candidate, now: number): string {
  const kind = candidate.category ?? candidate.type;
  return [
    ...new Set([kind, candidate.scope]),
    ...(candidate.sessions > 1 ? [counted(candidate.sessions, "session")] : []),
    shortAge(candidate.updatedAt, now),
  ].join(" · ");
}

/** What kind of memory it would be, and for whom. */
export function kindOf(candidate: Pick<Candidate, "category" | "type" | "scope">): string {
  return `${candidate.category ?? KIND_WORDS[candidate.type]}, for ${AUDIENCES[candidate.scope]}`;
}

/** Who gave the words, when, and in which session. */
export function sayingOf(evidence: Evidence): string {
  const session = evidence.sessionId ? `, session ${oneLine(evidence.sessionId, 40)}` : "";
  return `${SPEAKERS[evidence.speaker][0]}, ${day(evidence.at)}${session}`;
}

/** The icon of who gave the words. */
export function speakerIcon(evidence: Evidence): string {
  return SPEAKERS[evidence.speaker][1];
}

/** One piece of evidence: what stood before, and the words. */
export function evidencePage(evidence: Evidence): string {
  const before = evidence.before ? [`Before it stood:\n\n${fenced(evidence.before)}`] : [];
  return [...before, fenced(evidence.words)].join("\n\n");
}

/** A candidate as a page of Markdown; what was said stands in it as text and can do nothing. */
export function candidatePage(candidate: Candidate, now: number): string {
  const ends = candidate.expiresAt ? [`forgotten on ${day(candidate.expiresAt)} if nobody keeps it`] : [];
  const facts = [
    ...(candidate.name ? [`named ${escaped(candidate.name, 200)}`] : []),
    kindOf(candidate),
    `${candidate.status}; found by ${escaped(candidate.rule, 80)} in ${counted(candidate.sessions, "session")}`,
    `first ${day(candidate.createdAt)} (${age(candidate.createdAt, now)}), last ${day(candidate.updatedAt)}`,
    ...(candidate.files.length > 0
      ? [`files: ${candidate.files.map((one) => escaped(one, 120)).join(", ")}`]
      : []),
    ...ends,
  ];
  return [
    "# Candidate",
    fenced(candidate.content),
    facts.map((fact) => `- ${fact}`).join("\n"),
    ...candidate.evidence.flatMap((one) => [`## ${escaped(sayingOf(one))}`, evidencePage(one)]),
    "",
  ].join("\n\n");
}

/** Where a memory came from: who recorded it, and the words behind it where it was a candidate. */
export function whyPage(memory: Memory, candidates: readonly Candidate[], now: number): string {
  const session = memory.sessionId ? ` in session ${escaped(memory.sessionId, 80)}` : "";
  const recorded = `Recorded ${day(memory.createdAt)} (${age(memory.createdAt, now)}) by ${escaped(memory.source, 80)}${session}.`;
  const pages = candidates.map((one) => candidatePage(one, now).replace("# Candidate", "# From"));
  return [
    `# Why “${escaped(titleOf(memory.name, memory.content), 200)}”`,
    fenced(memory.content),
    recorded,
    ...(pages.length > 0 ? pages : ["It was never a candidate: no other words are kept behind it."]),
    "",
  ].join("\n\n");
}

/** Text in lines of at most `width` characters, at most so many; for places that do not wrap. */
export function wrapped(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  for (const line of plainLines(text).split("\n")) {
    let rest = oneLine(line);
    while (rest !== "") {
      const space = rest.length > width ? rest.lastIndexOf(" ", width) : rest.length;
      const end = space > 0 ? space : width;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
  }
  return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1] ?? ""} …`] : lines;
}
