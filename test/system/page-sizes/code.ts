/** Long files of every kind, commits, tags, branches, releases and wiki pages. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { git, runGit, withToken } from '../../../scripts/support/git.ts'
import { REPO, type Filling } from './filling.ts'
import { denseText, longDocument, longLine, longLines } from './texts.ts'

const cell = (cell_type: string, source: string, outputs: readonly object[] = []): object => ({
  cell_type,
  metadata: {},
  source: [source],
  ...(cell_type === 'code' && { execution_count: 1, outputs }),
})
const stream = (text: string): object => ({ output_type: 'stream', name: 'stdout', text: [text] })
const display = (data: object): object => ({ output_type: 'display_data', metadata: {}, data })

const notebook = (cells: readonly object[]): string =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells,
  })

const PICTURE = Buffer.alloc(150_000, 'picture').toString('base64')

const NOTEBOOKS = {
  'notebooks/many-cells.ipynb': notebook(
    Array.from({ length: 600 }, (_, at) =>
      at % 2 === 0
        ? cell('markdown', `## Step ${at}\n\n${longLine(600, at)}`)
        : cell('code', `bake("rye", ${at}) # <&>\n`.repeat(20), [stream(longLines(10))]),
    ),
  ),
  'notebooks/long-cells.ipynb': notebook([
    cell('markdown', longDocument(120_000)),
    cell('code', 'bake("rye & wheat")\n'.repeat(6_000), [stream(longLines(900))]),
    cell('raw', longLines(1_500)),
    cell('code', 'draw()', [
      display({ 'image/png': PICTURE, 'text/plain': ['<Figure>'] }),
      display({ 'text/html': [`<table>${'<tr><td>1 & 2</td></tr>'.repeat(3_000)}</table>`] }),
      ...Array.from({ length: 40 }, () => display({ 'image/png': PICTURE.slice(0, 20_000) })),
    ]),
  ]),
}

const OPTIONS = Array.from({ length: 90 }, (_, at) => `'${longLine(90, at).replaceAll("'", '')}'`)
const ISSUE_FORM = `name: Long
description: A long form.
body:
${Array.from(
  { length: 20 },
  (_, at) => `  - type: markdown
    attributes:
      value: |
${longDocument(8_000).replace(/^/gm, '        ')}
  - type: dropdown
    id: choice${at}
    attributes: { label: Choice ${at}, options: [${OPTIONS.join(', ')}] }
  - type: textarea
    id: text${at}
    attributes: { label: Text ${at}, value: '${'x'.repeat(3_000)}' }
`,
).join('')}`

const LOCK_FILE = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { husk: '1.0.0' } },
    'node_modules/husk': { version: '1.0.0', license: 'MIT' },
    ...Object.fromEntries(
      Array.from({ length: 1_500 }, (_, at) => [
        `node_modules/a-dependency-with-a-rather-long-name-${at}`,
        { version: `1.${at}.0`, license: `(MIT OR "Licence-${at}")` },
      ]),
    ),
  },
})

export const DISPATCH = `name: ${'A workflow with a long name '.repeat(3)}
run-name: ${'A run with a long name and <signs> '.repeat(6)}
on:
  workflow_dispatch:
    inputs:
${Array.from(
  { length: 20 },
  (_, at) => `      input${at}:
        description: "${longLine(800, at).replaceAll('"', '')}"
        type: choice
        options: [${OPTIONS.slice(0, 60).join(', ')}]
`,
).join('')}jobs:
  bake:
    runs-on: ubuntu-latest
    strategy:
      matrix: { loaf: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }
    environment: { name: "kitchen-\${{ matrix.loaf }}", url: "https://kitchen.example/\${{ matrix.loaf }}" }
    steps:
${Array.from({ length: 40 }, (_, at) => `      - name: ${`Step ${at} with a long name & <signs> `.repeat(6)}\n        run: cat docs/log.txt\n`).join('')}      - run: |
          cat README.md >> "$GITHUB_STEP_SUMMARY"
          for n in $(seq 50); do echo "::warning file=docs/log.txt,line=$n::$(head -c 4000 docs/one-line.txt)"; done
`

const FILES: Readonly<Record<string, string>> = {
  ...NOTEBOOKS,
  'README.md': longDocument(400_000),
  'SECURITY.md': longDocument(200_000),
  'docs/dense.md': denseText(200_000),
  'docs/README.rst': longLines(4_000),
  'docs/log.txt': longLines(60),
  'docs/one-line.txt': `${'x & y "z" '.repeat(800)}\n`,
  'docs/table.csv': Array.from(
    { length: 3_000 },
    (_, at) => `${at},${'"a & b",'.repeat(20)}\n`,
  ).join(''),
  'docs/front.md': `---\n${Array.from({ length: 2_000 }, (_, at) => `key${at}: <value> & ${at}`).join('\n')}\n---\n# Front\n`,
  CODEOWNERS: Array.from(
    { length: 600 },
    (_, at) => `/folder-${at}/with/a/long/name/ @ada @library/team-${at % 100}\n`,
  ).join(''),
  '.gitmodules': Array.from(
    { length: 200 },
    (_, at) =>
      `[submodule "m${at}"]\n\tpath = vendor/m${at}\n\turl = https://example.com/m${at}.git\n`,
  ).join(''),
  'package-lock.json': LOCK_FILE,
  '.hearth/ISSUE_TEMPLATE/long.yml': ISSUE_FORM,
  '.hearth/ISSUE_TEMPLATE/long.md': `---\nname: Long text\nabout: ${longLine(150)}\n---\n${longDocument(60_000)}`,
  '.hearth/PULL_REQUEST_TEMPLATE.md': longDocument(60_000),
  '.hearth/workflows/long.yml': DISPATCH,
  ...Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [
      `many/file-${at}-with-a-long-name.ts`,
      `export const n = ${at}\n`,
    ]),
  ),
}

async function pushHistory(remote: string, work: string): Promise<void> {
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), content)
  }
  await git(work, 'init', '-q', '-b', 'main')
  for (const [path, content] of Object.entries(FILES)) write(path, content)
  await git(work, 'add', '-A')
  const message = (at: number): string =>
    `${longLine(250, at)}\n\n${longDocument(30_000)}\n\n${Array.from({ length: 60 }, (_, by) => `Co-authored-by: Person ${by} <p${by}@example.com>`).join('\n')}`
  await runGit(work, ['commit', '-q', '-F', '-'], message(0))
  for (let at = 1; at <= 120; at++)
    await runGit(work, ['commit', '-q', '--allow-empty', '-F', '-'], message(at))
  for (let at = 0; at < 120; at++) {
    await git(work, 'branch', `topic/${at}-${'a-branch-with-a-long-name-'.repeat(6)}`)
    await runGit(work, ['tag', '-a', `v1.${at}.0`, '-F', '-'], longDocument(40_000))
  }
  await git(work, 'push', '-q', remote, '--all')
  await git(work, 'push', '-q', remote, '--tags')
  await git(work, 'checkout', '-q', '-b', 'change')
  for (let at = 0; at < 200; at++)
    write(`many/file-${at}-with-a-long-name.ts`, `export const n = "${longLine(2_000, at)}"\n`)
  write('docs/log.txt', longLines(2_000))
  write('docs/dense.md', denseText(150_000))
  write(
    'notebooks/many-cells.ipynb',
    FILES['notebooks/many-cells.ipynb']?.replaceAll('rye', 'wheat') ?? '',
  )
  write('package-lock.json', LOCK_FILE.replaceAll('long-name', 'longer-name'))
  await git(work, 'add', '-A')
  await runGit(work, ['commit', '-q', '-F', '-'], message(1))
  await git(work, 'push', '-q', remote, 'change')
}

export async function pushCode({ hearth, token, ask, times }: Filling): Promise<string[]> {
  const work = mkdtempSync(join(hearth.work, 'code-'))
  await pushHistory(`${withToken(hearth.url, token)}/${REPO}.git`, work)
  const at = `/repos/${REPO}`
  await ask('PATCH', at, {
    description: longLine(350),
    website: `https://example.com/${'long/'.repeat(45)}`,
    topics: Array.from({ length: 20 }, (_, n) => `a-topic-with-a-long-name-that-is-it-${n}`),
  })
  await times(100, (n) =>
    ask('POST', `${at}/releases`, {
      tag_name: `v1.${n}.0`,
      name: longLine(250, n),
      body: n % 2 === 0 ? longDocument(200_000) : denseText(100_000),
    }),
  )
  const put = (slug: string, body: string) =>
    ask('PUT', `${at}/wiki/${slug}`, {
      title: slug.replaceAll('-', ' '),
      body,
      message: longLine(900),
    })
  for (const slug of ['Home', '_Sidebar', '_Footer']) await put(slug, longDocument(150_000))
  for (let n = 0; n < 60; n++) await put(`A-page-with-a-rather-long-name-${n}`, longDocument(4_000))
  for (let n = 0; n < 40; n++) await put('Home', `${n}\n\n${longDocument(400_000)}`)
  const [head] = (await ask('GET', `${at}/commits?ref=main&limit=1`)) as unknown as {
    sha: string
  }[]
  await times(150, (n) =>
    ask('POST', `${at}/statuses/${head?.sha}`, {
      state: n % 3 === 0 ? 'failure' : 'success',
      context: longLine(200, n),
      description: longLine(140, n),
      target_url: `https://ci.example.com/${'long/'.repeat(30)}${n}`,
    }),
  )
  const here = `/${REPO}`
  return [
    here,
    `${here}/commits/main`,
    `${here}/branches`,
    `${here}/tags`,
    `${here}/refs`,
    `${here}/releases`,
    `${here}/wiki`,
    `${here}/wiki/_pages`,
    `${here}/wiki/_edit/Home`,
    `${here}/code-owners`,
    `${here}/activity`,
    `${here}/insights`,
    `${here}/compare/main...change`,
    `${here}/edit/main/README.md`,
    `${here}/tree/main/docs`,
    `${here}/tree/main/many`,
    `${here}/tree/main/vendor`,
    ...Object.keys(FILES)
      .filter((path) => !path.startsWith('many/'))
      .map((path) => `${here}/blob/main/${path}`),
  ]
}
