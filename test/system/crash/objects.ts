/**
 * Holds the object stores against the database with real git: every object that a ref reaches is
 * there and whole.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../../scripts/support/git.ts'
import type { Expected, Family } from './database.ts'

/**
 * Checks the stores of some families, all when `only` is null. Each is read through a bare
 * repository beside it that borrows its objects (gitrepository-layout, "objects/info/alternates")
 * and has the database's refs, so nothing in the data directory is touched.
 */
export async function checkObjects(
  repos: string,
  work: string,
  expected: Expected,
  only: ReadonlySet<string> | null,
): Promise<string[]> {
  const problems: string[] = []
  for (const family of expected.families) {
    if (only !== null && !only.has(family.name)) continue
    problems.push(
      ...(await checkFamily(join(repos, family.store), work, family, expected)).map(
        (problem) => `${family.name}: ${problem}`,
      ),
    )
  }
  return problems
}

/**
 * Makes a bare repository beside a store that borrows its objects and has the database's refs below
 * `refs/look/<repository id>/`, for git to look at. Whoever asks removes it.
 */
export function borrow(store: string, work: string, refs: Family['refs']): string {
  const bare = mkdtempSync(join(work, 'look-'))
  for (const directory of ['objects/info', 'objects/pack', 'refs'])
    mkdirSync(join(bare, directory), { recursive: true })
  writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/none\n')
  writeFileSync(join(bare, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
  writeFileSync(join(bare, 'objects/info/alternates'), `${join(store, 'objects')}\n`)
  const named = refs.map(({ repo_id, name, oid }): [string, string] => [
    `refs/look/${repo_id}/${name.slice('refs/'.length)}`,
    oid,
  ])
  named.sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(
    join(bare, 'packed-refs'),
    `# pack-refs with: sorted \n${named.map(([name, oid]) => `${oid} ${name}\n`).join('')}`,
  )
  return bare
}

async function checkFamily(
  store: string,
  work: string,
  family: Family,
  expected: Expected,
): Promise<string[]> {
  const bare = borrow(store, work, family.refs)
  try {
    const problems: string[] = []
    problems.push(...(await checkConnected(bare, store)), ...(await checkFiles(store)))

    const merged = expected.merged.filter((pull) => pull.store === family.store)
    for (const [base, pulls] of Map.groupBy(
      merged,
      (pull) => `${pull.repo_id}/heads/${pull.base_ref}`,
    )) {
      const list = await runGit(bare, ['rev-list', `refs/look/${base}`])
      if (list.status !== 0)
        problems.push(`git rev-list of ${base} ended with ${list.status}: ${list.error.trim()}`)
      const reached = new Set(list.out.split('\n'))
      for (const { number, commit, base_ref } of pulls) {
        if (!reached.has(commit))
          problems.push(`#${number} is merged as ${commit}, which ${base_ref} does not reach`)
      }
    }
    return problems
  } finally {
    rmSync(bare, { recursive: true, force: true })
  }
}

/** How often git may look again. */
const MOST_LOOKS = 10

/**
 * What `git fsck` says of a store. The forge may be packing it right now: where packs came and went
 * meanwhile, git is asked again.
 */
async function checkConnected(bare: string, store: string): Promise<string[]> {
  const packs = (): string =>
    readdirSync(join(store, 'objects', 'pack'))
      .sort()
      .join()
  for (let looks = 1; ; looks++) {
    const before = packs()
    const { status, out, error } = await runGit(bare, [
      'fsck',
      '--full',
      '--strict',
      '--no-dangling',
      '--no-progress',
    ])
    const said = `${out}${error}`
      .split('\n')
      .filter((line) => line !== '' && !/^notice: /.test(line))
    if (status === 0 && said.length === 0) return []
    if (looks === MOST_LOOKS || packs() === before)
      return [`git fsck ended with ${status}: ${said.slice(0, 5).join('; ')}`]
  }
}

/**
 * What git says of each file of a store by itself: packs with their indexes, and what was computed
 * from them.
 */
async function checkFiles(store: string): Promise<string[]> {
  const packs = join(store, 'objects', 'pack')
  const problems: string[] = []
  const check = async (file: string, ...args: string[]): Promise<void> => {
    const { status, out, error } = await runGit(store, ['--git-dir', store, ...args])
    // The forge may be packing the store right now: what it has taken away is none to judge.
    if (status !== 0 && existsSync(file))
      problems.push(
        `git ${args.join(' ')} ended with ${status}: ${(out + error).trim().slice(0, 500)}`,
      )
  }
  for (const name of readdirSync(packs))
    if (name.endsWith('.idx')) await check(join(packs, name), 'verify-pack', join(packs, name))
  const graph = join(store, 'objects', 'info', 'commit-graph')
  if (existsSync(graph)) await check(graph, 'commit-graph', 'verify', '--no-progress')
  return problems
}

/** Exports a repository with the forge's own command and has git check what came out. */
export async function checkExport(
  executable: string,
  data: string,
  work: string,
  repo: string,
): Promise<string[]> {
  const target = mkdtempSync(join(work, 'export-'))
  try {
    const env = { PATH: '/nonexistent', HOME: '/nonexistent' }
    const child = Bun.spawn([executable, 'export', repo, target, '--data', data], {
      env,
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [error, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (status !== 0) return [`hearth export ${repo} ended with ${status}: ${error.trim()}`]
    const problems: string[] = []
    // Without a commit there is no pack, and nothing to index.
    const packed = readdirSync(join(target, 'objects', 'pack')).length > 0
    const commands = [
      ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'],
      ...(packed
        ? [
            ['multi-pack-index', 'write'],
            ['multi-pack-index', 'verify'],
          ]
        : []),
    ]
    for (const args of commands) {
      const ran = await runGit(target, args)
      if (ran.status !== 0)
        problems.push(
          `git ${args.join(' ')} of the export of ${repo} ended with ${ran.status}: ${(ran.out + ran.error).trim().slice(0, 500)}`,
        )
    }
    return problems
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}
