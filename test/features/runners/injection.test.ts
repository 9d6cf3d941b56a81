/** Text of others that tries to become commands, variables, masks or lines of the log. */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { writeZip } from '#lib/archives/zip-writer.ts'
import type { ArtifactStore } from '#src/features/runners/execute/job-input.ts'
import { makeExecutions } from './executions.ts'

const TEXTS = [
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\n::set-env name=PATH::/pwned\n',
  '\n::add-mask::pwned-no\n::stop-commands::pwned',
  '\n##[error]pwned\n',
  '%0A::error::pwned',
  'a<<EOF\nPATH=/pwned\nEOF',
  '${{ secrets.KEY }}',
  '-rf --upload-pack=touch pwned',
  '\u001b]0;pwned\u0007\u001b[2J',
  '\u202e\u0000pwned'.replace('\u0000', ''),
]

test('thirteen texts of others in env, inputs and outputs stay text', async () => {
  expect(TEXTS).toHaveLength(13)
  const { execute } = await makeExecutions()
  const jobs = `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
${TEXTS.map(
  (_, index) => `      - id: s${index}
        env: { TEXT: "\${{ github.event.texts[${index}] }}" }
        run: |
          printf 'length %s\\n' "\${#TEXT}"
          { echo 'value<<END_7f3a'; printf '%s\\n' "$TEXT"; echo END_7f3a; } >>"$GITHUB_OUTPUT"
`,
).join('')}      - run: |
          ls
          echo "path $PATH"
          test ! -e pwned
          test "$COUNT" = ${TEXTS.length}
        env:
          COUNT: ${TEXTS.length}
          SAID: "\${{ toJSON(steps) }}"
`
  const { conclusion, text, annotations } = await execute(jobs, {
    github: { event: { texts: TEXTS } },
    secrets: { KEY: 'the-secret-value' },
  })
  expect(annotations).toEqual([])
  expect(conclusion).toBe('success')
  expect(text).not.toContain('path /pwned')
  expect(text).not.toContain('the-secret-value')
  expect(text.match(/length \d+/g)).toHaveLength(TEXTS.length)
})

test('text that a script prints is obeyed only as far as any output is', async () => {
  const { execute } = await makeExecutions()
  const { conclusion, text, annotations } = await execute(
    `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - env: { TEXT: "\${{ github.event.title }}" }
        run: printf '%s\\n' "$TEXT"
      - run: echo "path $PATH"; echo "next $EVIL"
`,
    {
      github: {
        event: { title: '::set-env name=EVIL::pwned\n::add-path::/pwned\n::set-output name=x::y' },
      },
    },
  )
  expect(conclusion).toBe('success')
  expect(text).not.toContain('next pwned')
  expect(text).not.toMatch(/path .*\/pwned/)
  expect(annotations.map(({ level }) => level)).toContain('failure')
})

async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  async function* pieceOf(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  async function* archived(): AsyncGenerator<ArchivedFile> {
    for (const [path, text] of Object.entries(files))
      yield { path, isExecutable: false, size: Buffer.byteLength(text), data: pieceOf(text) }
  }
  const parts: Uint8Array[] = []
  for await (const part of writeZip(archived(), 6)) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** Artifacts of a run as other jobs left them, whatever the bytes are. */
function storeOf(artifacts: Readonly<Record<string, Buffer>>): ArtifactStore {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-injection-'))
  const names = Object.keys(artifacts)
  for (const [index, name] of names.entries())
    writeFileSync(join(folder, `${index}.zip`), artifacts[name] ?? '')
  return {
    create: () => Promise.reject(new Error('nothing is made here')),
    list: () => names.map((name, id) => ({ id: `${id}`, name, size: 1 })),
    open: async (name) => join(folder, `${names.indexOf(name)}.zip`),
  }
}

/** The place of the last entry in the directory of an archive. */
const lastEntry = (zip: Buffer): number => zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))

function changed(zip: Buffer, change: (copy: Buffer, entry: number) => void): Buffer {
  const copy = Buffer.from(zip)
  change(copy, lastEntry(copy))
  return copy
}

test('archives of artifacts that lead out, lie or are too large leave nothing behind', async () => {
  const { execute } = await makeExecutions()
  const harmless = await zipOf({ 'aa/bb.txt': 'x'.repeat(200_000) })
  const renamed = (name: string): Buffer =>
    Buffer.from(harmless.toString('latin1').replaceAll('aa/bb.txt', name), 'latin1')
  const hostile = {
    parent: renamed('../bb.txt'),
    root: renamed('/tmp/pwnd'),
    backslash: renamed('..\\bb.txt'),
    within: renamed('a/../../b'),
    nothing: renamed('a//bb.txt'),
    zero: renamed('aa/b\0.txt'),
    link: changed(harmless, (zip, entry) => zip.writeUInt32LE((0o120777 << 16) >>> 0, entry + 38)),
    device: changed(harmless, (zip, entry) =>
      zip.writeUInt32LE((0o060666 << 16) >>> 0, entry + 38),
    ),
    longer: changed(harmless, (zip, entry) => zip.writeUInt32LE(10, entry + 24)),
    huge: changed(harmless, (zip, entry) => zip.writeUInt32LE(0xfffffffe, entry + 24)),
    shorter: changed(harmless, (zip, entry) => zip.writeUInt32LE(300_000, entry + 24)),
    beyond: changed(harmless, (zip, entry) => zip.writeUInt32LE(0xfffffff0, entry + 42)),
    count: changed(harmless, (zip) => zip.writeUInt16LE(0xfffe, zip.length - 12)),
    cut: harmless.subarray(0, -40),
    text: Buffer.from('::add-mask::pwned'),
  }
  const names = Object.keys(hostile)
  const { conclusion, text, annotations, ends } = await execute(
    `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
${names
  .map(
    (name) =>
      `      - { name: ${name}, uses: actions/download-artifact@v4, with: { name: ${name}, path: deep/got }, continue-on-error: true, id: ${name} }\n`,
  )
  .join('')}      - run: |
          echo "outcomes \${{ join(steps.*.outcome) }}"
          echo "left $(find . /tmp ../.. -name 'bb.txt' -o -name 'pwnd' -o -name 'b' -type f | grep -v '^/proc' | wc -l)"
`,
    { artifacts: storeOf(hostile) },
  )
  expect(conclusion).toBe('success')
  expect(text).toContain(`outcomes ${names.map(() => 'failure').join()}`)
  expect(text).toContain('left 0')
  expect(ends).toHaveLength(names.length + 1)
  const messages = annotations.map(({ message }) => message)
  expect(messages).toHaveLength(names.length)
  for (const [index, name] of names.entries())
    expect(messages[index]).toMatch(
      new RegExp(`^The artifact ${name} could not be downloaded: (?:The |the |aa/|its )`),
    )
})

/** What a file of a change may be called, to become an option, a command, a line or a path. */
const FILE_NAMES = [
  '-rf',
  '--checkpoint=1',
  '--checkpoint-action=exec=touch pwned',
  '--to-command=touch pwned',
  '-T',
  '@list',
  '$(touch pwned)',
  '`touch pwned`',
  ';touch pwned;',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '::set-env name=EVIL::pwned',
  'a\n::error::pwned',
  '##[add-mask]hidden',
  '%0A::error::pwned',
  '${{ secrets.KEY }}',
  '!important',
  '*',
  '[a]',
  '~',
  'a\u001b[2Jb',
  'a\u202eb',
  ' leading and trailing ',
  'C:\\pwned',
]

test('file names of a change stay names in paths, hashes and artifacts', async () => {
  const { execute } = await makeExecutions()
  const kept: { name: string; bytes: Buffer }[] = []
  const artifacts: ArtifactStore = {
    async create({ name, bytes }) {
      const parts: Uint8Array[] = []
      for await (const part of bytes) parts.push(Buffer.from(part))
      kept.push({ name, bytes: Buffer.concat(parts) })
      return { id: '1', url: 'https://forge.test/a', digest: 'sha256:0' }
    },
    list: () => kept.map(({ name }, id) => ({ id: `${id}`, name, size: 1 })),
    async open(name) {
      const path = join(mkdtempSync(join(tmpdir(), 'hearth-injection-')), 'a.zip')
      writeFileSync(path, kept.find((one) => one.name === name)?.bytes ?? '')
      return path
    },
  }
  const files = Object.fromEntries(FILE_NAMES.map((name) => [`names/${name}`, name]))
  const { conclusion, text, annotations } = await execute(
    `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo "hash \${{ hashFiles('names/**') }}"
      - { uses: actions/upload-artifact@v4, with: { name: odd, path: names }, continue-on-error: true }
      - run: rm names/C*
      - { uses: actions/upload-artifact@v4, with: { name: names, path: names } }
      - { uses: actions/download-artifact@v4, with: { name: names, path: got } }
      - run: |
          diff -r names got && echo same
          ls got | wc -l
          find . -name pwned; echo "evil [$EVIL] path $PATH"
`,
    { files, artifacts, secrets: { KEY: 'the-secret-value' } },
  )
  // A backslash is a separator elsewhere, so no archive has one.
  expect(annotations.map(({ message }) => message)).toEqual([
    'The artifact odd could not be uploaded: The path "C:\\\\pwned" is no path in an archive',
  ])
  expect(kept.map(({ name }) => name)).toEqual(['names'])
  expect(conclusion).toBe('success')
  expect(text).toMatch(/^hash [0-9a-f]{64}$/m)
  expect(text).toMatch(/^same$/m)
  expect(text).toContain('evil [] path')
  expect(text).not.toMatch(/^\.\/.*pwned$/m)
  expect(text).not.toContain('the-secret-value')
})
