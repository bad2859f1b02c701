// The page of the preview: a frame without content of others. Everything in it is put there as text by the script.

export interface PageParts {
  /** What the content security policy calls the extension's own files. */
  readonly source: string;
  readonly nonce: string;
  readonly style: string;
  readonly script: string;
}

/** No network, no inline script or style, no images or fonts: the script of this nonce and our own style sheet. */
export function policyOf({ source, nonce }: Pick<PageParts, "source" | "nonce">): string {
  return `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none';`;
}

/** The page's HTML. */
export function pageHtml(parts: PageParts): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(parts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${parts.style}">
<title>Inject Preview</title>
</head>
<body>
<main>
<section class="ask" aria-labelledby="ask-title">
<h1 id="ask-title">What would an agent see?</h1>
<label for="prompt">What the agent is asked</label>
<textarea id="prompt" rows="3" spellcheck="false" aria-describedby="prompt-hint"
 placeholder="For example: fix the expiry of tokens"></textarea>
<p class="hint" id="prompt-hint">Empty: what an agent sees when a session begins.</p>
<div class="field" role="group" aria-labelledby="files-title">
<span class="label" id="files-title">Files in play</span>
<ul id="files" aria-labelledby="files-title"></ul>
<div class="row">
<button type="button" class="quiet" id="pick">Add Files…</button>
<button type="button" class="quiet" id="open-editors">Use Open Editors</button>
</div>
</div>
<div class="row settings">
<div class="field grow">
<label for="budget">Budget in tokens</label>
<div class="row">
<input type="range" id="budget" min="250" max="20000" step="250">
<input type="number" id="budget-number" min="100" max="1000000" step="50" aria-label="Budget in tokens, exact">
</div>
</div>
<div class="field">
<label for="format">Format</label>
<select id="format"><option value="markdown">Markdown</option><option value="xml">XML</option></select>
</div>
<div class="field" id="folder-field" hidden>
<label for="folder">Folder</label>
<select id="folder"></select>
</div>
</div>
</section>
<section class="used" aria-labelledby="used-title">
<h2 id="used-title">Tokens</h2>
<p id="status" role="status" aria-live="polite"></p>
<div id="bar" role="img" aria-labelledby="status"></div>
<ul id="legend" aria-label="Tokens by section"></ul>
</section>
<section class="block" aria-labelledby="block-title">
<div class="head"><h2 id="block-title">The block</h2><button type="button" id="copy" disabled>Copy</button></div>
<pre id="text" tabindex="0" aria-labelledby="block-title"></pre>
</section>
<section class="items" aria-labelledby="items-title">
<h2 id="items-title">In the block</h2>
<ul id="items"></ul>
<h2 id="left-title">Left out</h2>
<ul id="left"></ul>
</section>
</main>
<p class="notice">Looking here counts as no use: it changes no memory and no ranking.</p>
<script nonce="${parts.nonce}" src="${parts.script}"></script>
</body>
</html>
`;
}
