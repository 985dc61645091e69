import { quotedHtml } from './render.ts'

type Frame = { title: string; base: string; query: string; nonce: string; content: string }

/** A page of the documentation: no script, one style with a nonce. */
export function framed({ title, base, query, nonce, content }: Frame): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${quotedHtml(title)} · Millrace help</title>
<link rel="icon" href="${base}/favicon.svg">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>
<nav aria-label="Help"><a href="${base}/help">All documents</a> <a href="${base}/">Open Millrace</a></nav>
<form action="${base}/help" role="search">
<input type="search" name="q" value="${quotedHtml(query)}" maxlength="200" aria-label="Search the documentation" placeholder="Search the documentation">
<button>Search</button>
</form>
</header>
<main>
${content}
</main>
</body>
</html>
`
}

const STYLE = `
:root { color-scheme: light dark; --text: #292524; --muted: #57534e; --line: #d6d3d1; --soft: #f5f5f4; --ground: #fff; --accent: #0f766e }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e5e4; --muted: #a8a29e; --line: #44403c; --soft: #292524; --ground: #1c1917; --accent: #5eead4 }
}
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 Inter, system-ui, sans-serif; color: var(--text); background: var(--ground) }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; justify-content: space-between; padding: 12px 24px; border-bottom: 1px solid var(--line) }
nav a { margin-right: 16px }
form { display: flex; gap: 8px; flex: 0 1 400px }
input, button { font: inherit; color: inherit; padding: 4px 12px; border: 1px solid var(--line); border-radius: 4px; background: var(--ground) }
input { flex: 1; min-width: 0 }
button { background: var(--soft); cursor: pointer }
main { max-width: 1000px; margin: 0 auto; padding: 16px 24px 64px; overflow-wrap: break-word }
a { color: var(--accent) }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 16px }
h2 { margin-top: 40px }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px }
code { padding: 1px 4px }
pre { padding: 12px 16px; overflow-x: auto }
pre code { padding: 0 }
.table { overflow-x: auto; margin: 16px 0 }
table { border-collapse: collapse; font-size: 15px; width: 100% }
th, td { text-align: left; vertical-align: top; padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line) }
td code { overflow-wrap: normal }
thead:not(:has(th)) { display: none }
img { max-width: 100%; height: auto }
.hits { list-style: none; padding: 0 }
.hits li { margin: 24px 0 }
.hits p { margin: 4px 0; color: var(--muted) }
mark { background: none; color: var(--text); font-weight: 600 }
`
