/**
 * Holds the engine against git on real histories: `bun test/system/merge-peers.ts --repo DIR …
 * [--merges 500] [--diffs 100]`, where each DIR is a bare repository. Merge commits are merged anew
 * and compared with `git merge-tree
 * --write-tree`; commits are compared
 * with their parents, and the patch must apply with `git apply` and give the very tree, with the
 * counts of `git diff --numstat`.
 *
 * It fails when the engine merges cleanly where git has a conflict, when a patch does not apply, or
 * when fewer than 99.5 of a hundred merges are equal. Git reads no `.gitattributes` in a bare
 * repository, so it is given those of our side as a file.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createGit, GitError, type Git } from '#git'

const { values } = parseArgs({
  options: {
    repo: { type: 'string', multiple: true },
    merges: { type: 'string', default: '500' },
    diffs: { type: 'string', default: '100' },
  },
})
const repos = (values.repo ?? []).map((path) => resolve(path))
if (repos.length === 0) {
  process.stderr.write('usage: merge-peers --repo DIR [--repo DIR …] [--merges N] [--diffs N]\n')
  process.exit(2)
}
const MERGES = Number(values.merges)
const DIFFS = Number(values.diffs)
const scratch = mkdtempSync(join(tmpdir(), 'hearth-peers-'))
mkdirSync(join(scratch, 'objects'))

type Ran = { code: number; out: Buffer; err: string }

async function git(
  repo: string,
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Ran> {
  const child = Bun.spawn(['git', '--git-dir', repo, ...args], {
    env: {
      PATH: '/usr/bin:/bin',
      HOME: scratch,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_NO_LAZY_FETCH: '1',
      ...options.env,
    },
    stdin: options.input === undefined ? 'ignore' : Buffer.from(options.input, 'utf8'),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out: Buffer.from(out), err }
}

async function lines(repo: string, ...args: string[]): Promise<string[]> {
  const { code, out, err } = await git(repo, args)
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${err}`)
  return out
    .toString()
    .split('\n')
    .filter((line) => line !== '')
}

/** `-c core.attributesFile` with the attributes at the top of a commit's tree. */
async function withAttributes(repo: string, commit: string): Promise<string[]> {
  const { code, out } = await git(repo, ['cat-file', 'blob', `${commit}:.gitattributes`])
  if (code !== 0) return []
  const file = join(scratch, `attributes-${Bun.hash(out).toString(36)}`)
  writeFileSync(file, out)
  return ['-c', `core.attributesFile=${file}`]
}

type Outcome = 'equal' | 'both conflict' | 'we refuse' | 'other tree' | 'we are clean' | 'skipped'

/** Some stores lack objects (a partial clone): what needs those cannot be compared. */
const unlessMissing = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError && error.code === 'missing') return otherwise
    throw error
  }
}

async function mergeOnce(
  engine: Git,
  repo: string,
  store: string,
  ours: string,
  theirs: string,
): Promise<{ outcome: Outcome; note: string }> {
  const attributes = await withAttributes(repo, ours)
  const env = {
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repo, 'objects'),
  }
  const theirsDone = git(
    repo,
    [
      ...attributes,
      'merge-tree',
      '--write-tree',
      '--name-only',
      '--allow-unrelated-histories',
      '-z',
      ours,
      theirs,
    ],
    { env },
  )
  const [done, mine] = await Promise.all([theirsDone, engine.previewMerge(store, ours, theirs)])
  if (done.code > 1) return { outcome: 'skipped', note: done.err.trim().slice(0, 200) }
  const tree = done.out.toString('latin1').split('\0')[0] ?? ''
  if (done.code === 0) {
    if (!('tree' in mine))
      return { outcome: 'we refuse', note: `conflicts in ${mine.conflicts.slice(0, 3).join(', ')}` }
    return mine.tree === tree
      ? { outcome: 'equal', note: '' }
      : { outcome: 'other tree', note: `${mine.tree} instead of ${tree}` }
  }
  return 'tree' in mine
    ? {
        outcome: 'we are clean',
        note: done.out.toString('latin1').split('\0').slice(1, 4).join(' '),
      }
    : { outcome: 'both conflict', note: '' }
}

/** Every nth, so that a sample reaches over the whole history. */
const spread = <T>(all: readonly T[], count: number): T[] => {
  const step = Math.max(1, all.length / count)
  return Array.from(
    { length: Math.min(all.length, count) },
    (_, at) => all[Math.floor(at * step)] as T,
  )
}

async function diffOnce(
  engine: Git,
  repo: string,
  store: string,
  parent: string,
  commit: string,
): Promise<string | null> {
  const attributes = await withAttributes(repo, parent)
  const numstat = await git(repo, [
    ...attributes,
    '-c',
    'diff.algorithm=histogram',
    'diff',
    '--numstat',
    '-M50%',
    '-l1000',
    '-z',
    parent,
    commit,
  ])
  const diff = await engine.diff(store, parent, commit, { hunks: false })
  const counts = new Map(
    diff.files.map(({ path, binary, additions, deletions }) => [
      path,
      binary ? '-\t-' : `${additions}\t${deletions}`,
    ]),
  )
  const fields = numstat.out.toString().split('\0')
  for (let at = 0; at < fields.length - 1; at++) {
    const [added, removed, path] = (fields[at] ?? '').split('\t')
    const name = path === '' ? fields[(at += 2)] : path
    const mine = counts.get(name ?? '')
    if (mine !== `${added}\t${removed}`)
      return `counts of ${name}: ${mine ?? 'not there'} instead of ${added} ${removed}`
    counts.delete(name ?? '')
  }
  if (counts.size > 0) return `${[...counts.keys()][0]} is not changed for git`
  if (
    diff.files.some(
      ({ binary, mode, old_mode }) => binary || mode === '160000' || old_mode === '160000',
    )
  )
    return null
  const env = {
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repo, 'objects'),
  }
  await git(repo, ['read-tree', parent], { env })
  const patch = await engine.patch(store, parent, commit)
  // A patch is text: a file in another encoding cannot be in it.
  if (patch.includes('\ufffd') || patch === '') return null
  const applied = await git(repo, ['apply', '--cached', '--whitespace=nowarn', '-'], {
    env,
    input: patch,
  })
  if (applied.code !== 0) return `the patch does not apply: ${applied.err.trim().slice(0, 200)}`
  const tree = (await git(repo, ['write-tree'], { env })).out.toString().trim()
  const wanted = (await lines(repo, 'rev-parse', `${commit}^{tree}`))[0]
  return tree === wanted ? null : `the patch gives ${tree} instead of ${wanted}`
}

const totals = new Map<Outcome, number>()
const differences: string[] = []
let patches = 0
const failed: string[] = []

for (const repo of repos) {
  const store = basename(repo)
  const engine = createGit({
    root: dirname(repo),
    tmp: join(scratch, 'tmp'),
    sharedRoot: true,
    workers: 2,
  })
  const merges = spread(
    await lines(repo, 'rev-list', '--all', '--min-parents=2', '--max-parents=2', '--parents'),
    MERGES,
  )
  const queue = merges.values()
  const work = async () => {
    for (const line of queue) {
      const [commit = '', ours = '', theirs = ''] = line.split(' ')
      const { outcome, note } = await unlessMissing(
        () => mergeOnce(engine, repo, store, ours, theirs),
        { outcome: 'skipped' as Outcome, note: 'objects are missing' },
      )
      totals.set(outcome, (totals.get(outcome) ?? 0) + 1)
      if (outcome !== 'equal' && outcome !== 'both conflict' && outcome !== 'skipped')
        differences.push(
          `${outcome}: ${dirname(repo).split('/').at(-1)} ${commit.slice(0, 12)} (${ours.slice(0, 12)} ${theirs.slice(0, 12)}) ${note}`,
        )
    }
  }
  await Promise.all([work(), work()])
  for (const line of spread(
    await lines(repo, 'rev-list', '--all', '--min-parents=1', '--max-parents=1', '--parents'),
    DIFFS,
  )) {
    const [commit = '', parent = ''] = line.split(' ')
    const problem = await unlessMissing(
      () => diffOnce(engine, repo, store, parent, commit),
      'missing',
    )
    if (problem === 'missing') continue
    patches++
    if (problem !== null)
      failed.push(`${dirname(repo).split('/').at(-1)} ${commit.slice(0, 12)}: ${problem}`)
  }
  await engine.close()
  process.stdout.write(`${repo}: ${merges.length} merges, done\n`)
}
rmSync(scratch, { recursive: true, force: true })

const all = [...totals].reduce(
  (sum, [outcome, count]) => (outcome === 'skipped' ? sum : sum + count),
  0,
)
const equal = (totals.get('equal') ?? 0) + (totals.get('both conflict') ?? 0)
const share = all === 0 ? 0 : (100 * equal) / all
process.stdout.write(
  `\n${all} merges, ${share.toFixed(2)} percent as git: ${[...totals].map(([outcome, count]) => `${outcome} ${count}`).join(', ')}\n`,
)
for (const line of differences) process.stdout.write(`  ${line}\n`)
process.stdout.write(
  `${patches} commits compared with their parents: ${patches - failed.length} with git's counts and a patch that applies\n`,
)
for (const line of failed) process.stdout.write(`  ${line}\n`)
if (all > 0 && (share < 99.5 || (totals.get('we are clean') ?? 0) > 0)) process.exitCode = 1
if (failed.length > patches * 0.005) process.exitCode = 1
