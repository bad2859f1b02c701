// The Candidates view, with an agent beside the window that proposes what it holds.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { SidecarServer } from "../../src/common/server";
import type { Candidate, Memory } from "../../src/protocol";
import type { CandidateNode } from "../../src/views/candidates/view";
import type { Views } from "../../src/views/index";
import { propose } from "./agent";
import { activated, type Api, asked, eventually, folder } from "./window";

const { commands } = vscode;
const STAGING = "Deploys to staging go through the release train on Thursday.";

describe("the Candidates view", () => {
  let server: SidecarServer;
  let views: Views;
  let one: string;

  const nodes = (): CandidateNode[] => views.candidates.getChildren();
  const contents = (): string[] => nodes().map(({ candidate }) => candidate.content);
  const find = (text: string): CandidateNode | undefined =>
    nodes().find(({ candidate }) => candidate.content.includes(text));

  /** Proposed by an agent and in the view. */
  async function proposed(text: string, session = "s-1"): Promise<CandidateNode> {
    await propose("one", session, text.split(" ", 1).join(), text);
    return eventually(() => {
      const node = find(text);
      assert.ok(node, `“${text}” is in the view`);
      return node;
    });
  }

  async function memories(): Promise<Memory[]> {
    return (await server.request("memory/list", { workspaceUri: one, limit: 200 })).items;
  }

  const kept = (text: string): Promise<Memory> =>
    eventually(async () => {
      const found = (await memories()).find(({ content }) => content === text);
      assert.ok(found, `“${text}” is a memory`);
      return found;
    });

  async function candidate({ candidate: { id } }: CandidateNode): Promise<Candidate> {
    const asked = {
      status: ["waiting" as const, "rejected" as const, "confirmed" as const],
      workspaceUri: one,
    };
    const found = (await server.request("memory/candidates", asked)).items.find((each) => each.id === id);
    assert.ok(found);
    return found;
  }

  /** What is shown as a page. */
  const page = (beginning: string): Promise<string> =>
    eventually(() => {
      const found = vscode.workspace.textDocuments.find(({ uri }) => uri.path.startsWith(`/${beginning}`));
      assert.ok(found, `a page “${beginning}” is open`);
      return found.getText();
    });

  before(async () => {
    const api = (await activated()) as Api & { views: Views };
    ({ server, views } = api);
    one = folder("one").uri.toString();
    await commands.executeCommand("memorySidecar.candidates.focus");
    await eventually(() => assert.equal(server.state, "running"));
  });

  afterEach(() => commands.executeCommand("workbench.action.closeAllEditors"));

  it("shows what another process proposes, with the words behind it and how many wait", async () => {
    const node = await proposed(STAGING);
    const item = views.candidates.getTreeItem(node);
    assert.equal(item.label, STAGING);
    assert.match(String(item.description), /^feedback · project · (now|\d+m) · one$/);
    assert.match(item.contextValue ?? "", /;candidate;status=waiting;/);
    const [evidence] = views.candidates.getChildren(node);
    assert.ok(evidence);
    const words = views.candidates.getTreeItem(evidence);
    assert.match(words.label as string, /release train/);
    assert.match(String(words.description), /^the agent, 20\d\d-\d\d-\d\d, session s-1$/);
    assert.deepEqual(views.candidates.view.badge, { value: 1, tooltip: "1 candidate to review" });
    assert.ok(!(await memories()).some(({ content }) => content === STAGING));
    await commands.executeCommand("memorySidecar.review.open", node);
    assert.match(
      await page("Candidate Deploys"),
      /# Candidate[^]*release train[^]*found by compaction[^]*## the agent/,
    );
  });

  it("lets go of what was said again in another session, and tells where the memory came from", async () => {
    await propose("one", "s-2", "Trains", "Staging deploys: through the release train, Thursday.");
    const memory = await kept(STAGING);
    await eventually(() => assert.deepEqual(contents(), []));
    assert.equal(views.candidates.view.badge, undefined);
    await commands.executeCommand("memorySidecar.view.why", { id: memory.id, folder: one });
    assert.match(
      await page("Why "),
      /# Why[^]*extractor[^]*# From[^]*2 sessions[^]*session s\\?-?[^]*Thursday/,
    );
    const { memory: own } = await server.request("memory/record", { content: "Said so.", workspaceUri: one });
    await commands.executeCommand("memorySidecar.view.why", { id: own.id, folder: one, title: "Said so" });
    assert.match(await page("Why Said so"), /by user\.[^]*never a candidate/);
  });

  it("keeps with a click, and takes that back", async () => {
    const node = await proposed("The importer needs the locale de_CH.");
    const calls = await asked(
      "showInformationMessage",
      () => "Undo",
      () => commands.executeCommand("memorySidecar.review.keep", node),
    );
    assert.match(String(calls[0]?.[0]), /^Remembered “The”/);
    assert.equal((await candidate(node)).status, "confirmed");
    assert.equal(find("de_CH"), undefined);
    await eventually(async () =>
      assert.ok(!(await memories()).some(({ content }) => content.includes("de_CH"))),
    );
  });

  it("keeps in other words, and for whom one likes", async () => {
    const edited = await proposed("Invoices are printed on Monday.");
    await asked(
      "showInputBox",
      ({ value }: vscode.InputBoxOptions) => value?.replace("Monday", "Tuesday"),
      () => commands.executeCommand("memorySidecar.review.edit", edited),
    );
    await kept("Invoices are printed on Tuesday.");
    const scoped = await proposed("Answer in short sentences without emphasis.");
    await asked(
      "showQuickPick",
      (items: { scope: string }[]) => items.find(({ scope }) => scope === "global"),
      () => commands.executeCommand("memorySidecar.review.scope", scoped),
    );
    assert.equal((await kept("Answer in short sentences without emphasis.")).scope, "global");
    const left = await proposed("A question that is left decides nothing.");
    await asked(
      "showQuickPick",
      () => undefined,
      () => commands.executeCommand("memorySidecar.review.scope", left),
    );
    assert.equal((await candidate(left)).status, "waiting");
    await commands.executeCommand("memorySidecar.review.reject", left);
  });

  it("rejects for good, and thinks better of it", async () => {
    const node = await proposed("Nobody may use the elevator on Sundays.");
    await commands.executeCommand("memorySidecar.review.reject", node);
    assert.equal((await candidate(node)).status, "rejected");
    await propose("one", "s-9", "Elevator", "On Sundays nobody may use the elevator.");
    await commands.executeCommand("memorySidecar.review.refresh");
    assert.deepEqual(contents(), []);
    await commands.executeCommand("memorySidecar.review.rejected");
    const rejected = find("elevator");
    assert.ok(rejected);
    assert.equal(views.candidates.view.badge, undefined, "what was rejected does not wait");
    await commands.executeCommand("memorySidecar.review.keep", rejected);
    await kept("Nobody may use the elevator on Sundays.");
    await commands.executeCommand("memorySidecar.review.waiting");
  });

  it("leaves one for later until it is asked for", async () => {
    const node = await proposed("Reports go out before noon.");
    await commands.executeCommand("memorySidecar.review.later", node);
    assert.deepEqual(contents(), []);
    assert.equal(views.candidates.view.badge, undefined);
    await commands.executeCommand("memorySidecar.review.refresh");
    assert.deepEqual(contents(), ["Reports go out before noon."]);
  });

  it("is gone through by Enter alone", async () => {
    await proposed("Totals are rounded half to even.");
    let over = false;
    const calls = await asked(
      "showInformationMessage",
      () => undefined,
      async () => {
        const done = commands.executeCommand("memorySidecar.review").then(() => (over = true));
        await eventually(async () => {
          await commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
          assert.ok(over, "all were decided on");
        });
        await done;
      },
    );
    assert.deepEqual(calls[0], ["Kept 2, rejected 0."]);
    await kept("Totals are rounded half to even.");
    assert.deepEqual(contents(), []);
  });
});
