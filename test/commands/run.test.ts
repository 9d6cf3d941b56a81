import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'hearth-run-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let counter = 0
/** A working tree with these files, of which nothing is committed. */
function makeTree(files: Readonly<Record<string, string>>): string {
  const root = join(folder, `tree${++counter}`, 'site')
  mkdirSync(root, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  Bun.spawnSync(['git', 'init', '-q', '-b', 'main'], { cwd: root })
  return root
}

async function run(root: string, ...words: string[]) {
  const main = join(import.meta.dir, 'run-alone.ts')
  const child = Bun.spawn([process.execPath, main, ...words], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { out, errors, status: await child.exited }
}

const CI = `
name: CI
on: [push, workflow_dispatch]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: { matrix: { os: [a, b] } }
    outputs: { made: '\${{ steps.make.outputs.x }}' }
    steps:
      - uses: actions/checkout@v4
      - id: make
        run: cat file.txt; cat ignored.txt || true; echo "x=\${{ matrix.os }}" >> $GITHUB_OUTPUT
  deploy:
    needs: test
    runs-on: ubuntu-latest
    steps: [{ run: 'echo "made \${{ needs.test.outputs.made }} \${{ secrets.KEY }}"' }]
  never:
    if: github.ref == 'refs/heads/other'
    runs-on: ubuntu-latest
    steps: [{ run: exit 1 }]
`
const FILES = {
  '.github/workflows/ci.yml': CI,
  '.github/workflows/nightly.yaml':
    "on: { schedule: [{ cron: '0 1 * * *' }] }\njobs: { x: { runs-on: x, steps: [{ run: exit 3 }] } }\n",
  'file.txt': 'not committed\n',
  'ignored.txt': 'secret of mine\n',
  '.gitignore': 'ignored.txt\n',
}

test('runs the jobs of a push on the files of the working tree', async () => {
  const root = makeTree(FILES)
  writeFileSync(join(root, 'secrets.env'), 'KEY=top-secret-key\n')
  const before = readdirSync(root)
  const { out, errors, status } = await run(root, '--secrets', 'secrets.env')
  expect(errors).toBe('')
  expect(out).toContain('    not committed\n')
  expect(out).not.toContain('secret of mine')
  expect(out).toContain('    made b ***\n')
  expect(out).not.toContain('top-secret-key')
  expect(out).toContain('.github/workflows/ci.yml: test (a): success')
  expect(out).toContain('.github/workflows/ci.yml: never: skipped, because its condition was false')
  expect(out.trim()).toEndWith('.github/workflows/ci.yml: success')
  expect(out).not.toContain('nightly')
  expect(status).toBe(0)
  expect(readdirSync(root)).toEqual(before)
})

test('a workflow that fails gives exit status 1', async () => {
  const root = makeTree(FILES)
  const { out, status } = await run(root, 'nightly', '--event', 'schedule')
  expect(out).toContain('error: Process completed with exit code 3.')
  expect(status).toBe(1)
})

test('lists and explains without running', async () => {
  const root = makeTree(FILES)
  expect((await run(root, '--list')).out).toBe(
    '.github/workflows/ci.yml: CI\n  test (a) (ubuntu-latest, 2 steps)\n  test (b) (ubuntu-latest, 2 steps)\n  deploy (ubuntu-latest, 1 step)\n',
  )
  expect((await run(root, '--explain', '--job', 'never')).out).toBe(
    '.github/workflows/ci.yml: CI\n  never: skipped, because its condition was false\n',
  )
})

test('what is wrong on the command line or in a file is named', async () => {
  const root = makeTree({
    ...FILES,
    '.github/workflows/broken.yml': 'on: push\njobs:\n  a: { runs-on: x, stesp: [] }\n',
  })
  const cases: [string[], string, number][] = [
    [['nothing'], 'there is no workflow nothing; there are .github/workflows/broken.yml', 1],
    [['ci', '--event', 'release'], 'no workflow runs for release; they run for push', 1],
    [['ci', '--event', 'full_moon'], '--event is one of push', 2],
    [['ci', '--job', 'nope'], 'no workflow has a job nope', 1],
    [['broken'], '.github/workflows/broken.yml:3:', 1],
  ]
  for (const [words, message, code] of cases) {
    const { errors, status } = await run(root, ...words)
    expect(errors).toContain(message)
    expect(status).toBe(code)
  }
})
