/** Histories of any size, written by `git fast-import`. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../support/git.ts'

/** Directories of two levels, and files in each. A commit changes one file: five new objects. */
const WIDTH = 16
const FIRST_COMMIT_SECONDS = 1_000_000_000
const COMMIT_INTERVAL_SECONDS = 300
/** Text that is written to git at once. */
const CHUNK = 2000

/** All files of a wide tree are in one directory, and some commits change it. */
export const WIDE_DIRECTORY = 'all'
const WIDE_COMMITS = 20

/** Commits of the main branch in a repository with many branches. */
const MAIN_COMMITS = 200
/** The first parts of their names. */
const BRANCH_PREFIXES = 50

const hex = (value: number): string => (value % WIDTH).toString(WIDTH)

/** The file that a commit of a long history changes. */
export const fileOf = (n: number): string =>
  `part-${hex(n)}/unit-${hex(Math.floor(n / WIDTH))}/file-${hex(Math.floor(n / WIDTH ** 2))}.ts`

export const wideFileOf = (n: number): string =>
  `${WIDE_DIRECTORY}/file-${String(n).padStart(7, '0')}.ts`

const commitHead = (n: number, title: string, branch = 'main'): string =>
  `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> ${FIRST_COMMIT_SECONDS + n * COMMIT_INTERVAL_SECONDS} +0000\ndata ${title.length}\n${title}\n`

function change(path: string, text: string): string {
  return `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`
}

function* longHistory(commits: number): Generator<string> {
  for (let n = 0; n < commits; n++)
    yield commitHead(n, `Change ${n}`) + change(fileOf(n), `export const revision = ${n}\n`)
}

function* wideTree(files: number): Generator<string> {
  yield commitHead(0, `Add ${files} files`)
  for (let n = 0; n < files; n++) yield change(wideFileOf(n), `export const file = ${n}\n`)
  for (let n = 1; n <= WIDE_COMMITS; n++)
    yield commitHead(n, `Change ${n}`) +
      change(
        wideFileOf(Math.floor((files * n) / (WIDE_COMMITS + 1))),
        `export const again = ${n}\n`,
      )
}

export const SHAPES = { commits: longHistory, files: wideTree } as const
export type Shape = keyof typeof SHAPES

export const branchOf = (n: number): string =>
  `team-${n % BRANCH_PREFIXES}/branch-${String(n).padStart(6, '0')}`

function* manyBranches(count: number): Generator<string> {
  for (let n = 0; n < MAIN_COMMITS; n++)
    yield commitHead(n, `Change ${n}`) + change(`file-${n % WIDTH}.txt`, `${n}\n`)
  for (let n = 0; n < count; n++)
    yield `${commitHead(n, `Branch ${n}`, branchOf(n))}from refs/heads/main\n${change(`file-${n % WIDTH}.txt`, `branch ${n}\n`)}`
}

/** Makes a bare repository of a short main branch and many others with a commit each. */
export async function makeBranches(path: string, count: number): Promise<void> {
  await importInto(path, manyBranches(count))
}

/** Makes a bare repository. Gives the directory of its packs, its last commit and the ninth before. */
export async function makeHistory(
  path: string,
  shape: Shape,
  size: number,
): Promise<{ packs: string; head: string; older: string }> {
  await importInto(path, SHAPES[shape](size))
  const packs = join(path, 'objects', 'pack')
  if (!readdirSync(packs).some((name) => name.endsWith('.idx')))
    throw new Error(`git fast-import wrote no pack in ${path}`)
  const oidOf = async (revision: string) => (await git(path, 'rev-parse', revision)).trim()
  return { packs, head: await oidOf('main'), older: await oidOf('main~9') }
}

/** Makes a bare repository of what `git fast-import` reads. */
async function importInto(path: string, parts: Iterable<string>): Promise<void> {
  mkdirSync(path, { recursive: true })
  await git(path, 'init', '-q', '--bare', '-b', 'main')
  const child = Bun.spawn(['git', '-C', path, 'fast-import', '--quiet', '--depth=20'], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  let text = ''
  let waiting = 0
  for (const part of parts) {
    text += part
    if (++waiting % CHUNK !== 0) continue
    child.stdin.write(text)
    text = ''
    await child.stdin.flush()
  }
  child.stdin.write(text)
  await child.stdin.end()
  if ((await child.exited) !== 0) throw new Error(`git fast-import failed in ${path}`)
}
