/** What is measured: one row of the table each, the same work on both sides. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { git, runGit } from '../../support/git.ts'
import { REPO, type Side } from './sides.ts'

/** Issues of the repository; the first has many comments. */
export const ISSUES = 200
export const COMMENTS = 300
/** Pull requests that stay open. */
export const PULLS = 10

/** What both sides hold: files, folders and commits of `main`, two of them, open pull requests. */
export type Content = {
  readonly files: readonly string[]
  readonly folders: readonly string[]
  readonly commits: readonly string[]
  readonly range: readonly [base: string, head: string]
  /** Pull requests of each side. */
  readonly pulls: Readonly<Record<Side['name'], readonly number[]>>
  /** A bare repository with the same history, and a folder for clones. */
  readonly bare: string
  readonly scratch: string
}

export type Row = {
  readonly name: string
  /** Requests or commands of one measurement, and how many run at a time. */
  readonly count: number
  readonly atOnce?: number
  /** Before each measurement; not counted. */
  readonly before?: (side: Side, round: number) => Promise<void>
  /** Counts requests that a side refuses under this load instead of ending the run. */
  readonly mayFail?: boolean
  /** Piece of work number `n`, which is never repeated within a run. */
  readonly run: (side: Side, n: number, round: number) => Promise<unknown>
}

const at = <T>(list: readonly T[], n: number): T => {
  const one = list[n % list.length]
  if (one === undefined) throw new Error('the repository is too small to measure')
  return one
}

const api = `/repos/${REPO}`

function pageRows({ files, folders, commits, range, pulls }: Content): Row[] {
  return [
    { name: 'Page of the repository', count: 60, run: (side) => side.page(`/${REPO}`) },
    {
      name: 'Page of a folder',
      count: 60,
      run: (side, n) => side.page(side.pages.tree(at(folders, n))),
    },
    {
      name: 'Page of a file',
      count: 60,
      run: (side, n) => side.page(side.pages.file(at(files, n))),
    },
    { name: 'Blame', count: 20, run: (side, n) => side.page(side.pages.blame(at(files, n * 7))) },
    { name: 'History', count: 30, run: (side) => side.page(side.pages.history) },
    {
      name: 'Page of a commit',
      count: 40,
      run: (side, n) => side.page(`/${REPO}/commit/${at(commits, n)}`),
    },
    {
      name: 'Comparison of 20 commits',
      count: 10,
      run: (side) => side.page(`/${REPO}/compare/${range[0]}...${range[1]}`),
    },
    { name: 'List of issues', count: 60, run: (side) => side.page(`/${REPO}/issues`) },
    {
      name: 'Page of an issue',
      count: 60,
      run: (side, n) => side.page(`/${REPO}/issues/${(n % (ISSUES - 1)) + 2}`),
    },
    {
      name: `Issue of ${COMMENTS} comments`,
      count: 10,
      run: (side) => side.page(`/${REPO}/issues/1`),
    },
    {
      name: 'Pull request',
      count: 40,
      run: (side, n) => side.page(side.pages.pull(at(pulls[side.name], n))),
    },
    {
      name: 'Changes of a pull request',
      count: 40,
      run: (side, n) => side.page(side.pages.changes(at(pulls[side.name], n))),
    },
    {
      name: 'Search of issues',
      count: 30,
      run: (side, n) => side.page(`/${REPO}/issues?q=handle+${n % 50}`),
    },
    {
      name: 'Search of code',
      count: 20,
      run: (side, n) => side.page(side.pages.codeSearch(at(['context', 'header', 'router'], n))),
    },
  ]
}

const REST_ROWS: readonly Row[] = [
  { name: 'REST: repository', count: 100, run: (side) => side.api('GET', api) },
  {
    name: 'REST: issue',
    count: 100,
    run: (side, n) => side.api('GET', `${api}/issues/${(n % (ISSUES - 1)) + 2}`),
  },
  {
    name: 'REST: 30 issues',
    count: 60,
    // Both take 30 at a time; Gitea calls that `limit`.
    run: (side, n) =>
      side.api(
        'GET',
        `${api}/issues?state=open&page=${(n % 6) + 1}&${side.name === 'hearth' ? 'per_page' : 'limit'}=30`,
      ),
  },
  {
    name: 'REST: new issue',
    count: 40,
    run: (side, n) =>
      side.api('POST', `${api}/issues`, { title: `Added ${n}`, body: 'What is wrong.' }),
  },
  {
    name: 'REST: new comment',
    count: 40,
    run: (side, n) =>
      side.api('POST', `${api}/issues/${(n % 50) + 20}/comments`, { body: `Comment ${n}.` }),
  },
  {
    name: '200 people at once, five pages each',
    count: 1000,
    atOnce: 200,
    // Gitea answers some of these with 500.
    mayFail: true,
    run: (side, n) =>
      side.page(at([`/${REPO}`, `/${REPO}/issues`, `/${REPO}/issues/7`, side.pages.history], n)),
  },
]

const written = async (bare: string, input: string, ...args: string[]): Promise<string> =>
  (await runGit(bare, args, input)).out.trim()

/** A commit on top of `main` that adds one file, made without a work tree. */
export async function commitOn(bare: string, n: number): Promise<string> {
  const blob = await written(bare, `${n}\n`, 'hash-object', '-w', '--stdin')
  const listing = await git(bare, 'ls-tree', 'main')
  const tree = await written(bare, `${listing}100644 blob ${blob}\tpeer-${n}.txt\n`, 'mktree')
  return (await git(bare, 'commit-tree', tree, '-p', 'main', '-m', `Change ${n}`)).trim()
}

function gitRows({ bare, scratch }: Content): Row[] {
  let made = 0
  const clone = async (side: Side, ...options: string[]): Promise<void> => {
    const into = join(scratch, `clone-${made++}`)
    await git(scratch, 'clone', '-q', '--bare', ...options, side.remote('peer'), into)
    rmSync(into, { recursive: true, force: true })
  }
  const ready = new Map<Side, number>()
  return [
    { name: 'Clone', count: 3, run: (side) => clone(side) },
    { name: 'Clone of depth 1', count: 5, run: (side) => clone(side, '--depth', '1') },
    { name: 'Eight clones at once', count: 8, atOnce: 8, run: (side) => clone(side) },
    {
      name: 'Fetch of nothing',
      count: 10,
      run: (side) => git(bare, 'fetch', '-q', side.remote('peer'), 'refs/heads/main'),
    },
    {
      name: 'Push of one commit',
      count: 5,
      run: async (side, n) => {
        const commit = await commitOn(bare, n)
        await git(bare, 'push', '-q', side.remote('peer'), `${commit}:refs/heads/push-${n}`)
      },
    },
    {
      name: 'Push of everything',
      count: 1,
      before: (side, round) => side.create(`whole-${round}`),
      run: (side, _, round) =>
        git(bare, 'push', '-q', side.remote(`whole-${round}`), 'refs/heads/main'),
    },
    {
      name: 'Merge of a pull request',
      count: 1,
      before: async (side, round) => {
        const branch = `merge-${round}`
        const commit = await commitOn(bare, 1000 + round)
        await git(bare, 'push', '-q', side.remote('peer'), `${commit}:refs/heads/${branch}`)
        ready.set(side, await side.openPull(branch, `Merge ${round}`))
      },
      run: (side) => side.merge(ready.get(side) ?? 0),
    },
  ]
}

export const rowsOf = (content: Content): readonly Row[] => [
  ...pageRows(content),
  ...REST_ROWS,
  ...gitRows(content),
]
