/**
 * Working trees without git on the machine: the engine beside isomorphic-git, and beside git itself
 * where it is there. The checkout of a repository, and a commit of three files. Each side is a
 * process of its own, in turn; processor time is of the first and the third time in it, memory the
 * most that the process had. Then the files that each writes of a commit with executable files,
 * links, names that are no text, a submodule and a large file are compared with those of git.
 * `bun scripts/bench/worktree.ts [--repository PATH] [--rounds N]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { git } from '../support/git.ts'
import { runScript, type Option } from '../support/options.ts'
import { table, whole } from './forge/table.ts'
import { median } from './forge/wrk.ts'
import { compareTrees } from './worktree/compare.ts'

const OPTIONS = {
  repository: { kind: 'text', default: '.', help: 'Whose HEAD is checked out.' },
  rounds: { kind: 'count', default: '5', help: 'Rounds of each measurement.' },
} as const satisfies Record<string, Option>

const SIDES = ['hearth', 'isomorphic'] as const
const ACTIONS = ['checkout', 'commit'] as const
const ONE = fileURLToPath(new URL('worktree/one.ts', import.meta.url))

type Taken = { readonly first: number; readonly last: number; readonly rss: number }

async function runSide(...args: readonly string[]): Promise<Taken> {
  const child = Bun.spawn([process.execPath, ONE, ...args], { stdout: 'pipe', stderr: 'inherit' })
  const said = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${args[0]} ${args[1]} failed`)
  return JSON.parse(said) as Taken
}

async function takeGit(repository: string, folder: string): Promise<number> {
  const child = Bun.spawn(
    ['git', '--git-dir', repository, '--work-tree', folder, 'checkout', '-q', '-f', 'HEAD', '.'],
    { stdout: 'ignore', stderr: 'inherit' },
  )
  await child.exited
  return Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000
}

await runScript('bun scripts/bench/worktree.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-worktree-'))
  try {
    const repository = join(directory, 'repository.git')
    await git(process.cwd(), 'clone', '-q', '--bare', '--no-local', options.repository, repository)
    await git(repository, 'repack', '-q', '-a', '-d')
    const commit = (await git(repository, 'rev-parse', 'HEAD')).trim()
    const files = (await git(repository, 'ls-tree', '-r', commit)).split('\n').length - 1
    const samples = new Map<string, Taken[]>()
    const gits: number[] = []
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const action of ACTIONS)
        for (const side of SIDES) {
          const folder = join(directory, `${side}-${action}-${round}`)
          const name = `${action}, ${side}`
          const taken = await runSide(side, action, repository, commit, folder)
          samples.set(name, [...(samples.get(name) ?? []), taken])
        }
      const folder = join(directory, `git-${round}`)
      await git(directory, 'init', '-q', folder)
      gits.push(await takeGit(repository, folder))
      for (const glob of new Bun.Glob(`*-${round}*`).scanSync({ cwd: directory, onlyFiles: false }))
        rmSync(join(directory, glob), { recursive: true, force: true })
    }
    const middle = (taken: readonly Taken[], key: keyof Taken): string =>
      whole(median(taken.map((one) => one[key])))
    const rows = [...samples].map(([name, taken]) => [
      name,
      middle(taken, 'first'),
      middle(taken, 'last'),
      middle(taken, 'rss'),
    ])
    rows.push(['checkout, git', whole(median(gits)), '', ''])
    process.stdout.write(`${files} files\n`)
    process.stdout.write(`${table(['', 'first (ms)', 'third (ms)', 'most memory (MiB)'], rows)}\n`)
    process.stdout.write(await compareTrees(join(directory, 'odd'), runSide))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return 0
})
