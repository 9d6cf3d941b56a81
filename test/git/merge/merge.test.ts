import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { land } from '../../../src/git/merge/index.ts'
import type { MergeMethod, Signature } from '../../../src/git/ports.ts'
import {
  importCommits,
  Random,
  randomHistory,
  Repo,
  type Commit,
  type File,
  type Files,
} from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
const folders: string[] = []
afterAll(() => {
  for (const repo of repos) repo.remove()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const author: Signature = {
  name: 'Ann Author',
  email: 'ann@example.org',
  time: 1_700_000_001,
  zone: '+0200',
}
const committer: Signature = {
  name: 'Cee',
  email: 'cee@example.org',
  time: 1_700_000_002,
  zone: '-0330',
}

function make(commits: readonly Commit[]) {
  const repo = new Repo()
  repos.push(repo)
  return { repo, oids: importCommits(repo, commits) }
}

const text = (data: string): File => ({ mode: '100644', data: Buffer.from(data) })
const files = (...entries: [string, string][]): Files =>
  new Map(entries.map(([name, data]) => [name, text(data)]))

/** Two commits on each side of a fork. */
const forked = () =>
  make([
    { parents: [], files: files(['a', '1\n'], ['b', '1\n']), time: 1 },
    { parents: [0], files: files(['a', '2\n'], ['b', '1\n']), time: 2, message: 'base moves\n' },
    {
      parents: [0],
      files: files(['a', '1\n'], ['b', '2\n']),
      time: 3,
      author: 'One <one@example.org>',
      message: 'first\n\nWhy it is.\n',
    },
    {
      parents: [2],
      files: files(['a', '1\n'], ['b', '3\n']),
      time: 4,
      author: 'Two <two@example.org>',
      message: 'second\n\nSigned-off-by: Two <two@example.org>\n',
    },
  ])

function landing(repo: Repo, method: MergeMethod, base = '', head = '', trailers?: string[]) {
  const found = land(repo.db, {
    method,
    base,
    head,
    message: 'Land it',
    author,
    committer,
    ...(trailers ? { trailers } : {}),
  })
  if (!('commit' in found)) throw new Error(`conflicts in ${found.conflicts.join()}`)
  return found
}

const show = (repo: Repo, commit: string, format: string) =>
  repo.git(['log', '-1', `--format=${format}`, commit]).trim()

test('merge: a commit with both parents, base first, by the given people', () => {
  const { repo, oids } = forked()
  const [, base, , head] = oids
  const { commit, tree } = landing(repo, 'merge', base, head)
  expect(show(repo, commit, '%P|%T|%an %ae %at %ai|%cn %ct|%B')).toBe(
    `${base} ${head}|${tree}|Ann Author ann@example.org 1700000001 2023-11-15 00:13:21 +0200|Cee 1700000002|Land it`,
  )
  expect(
    repo.git(['cat-file', 'blob', `${commit}:a`]) + repo.git(['cat-file', 'blob', `${commit}:b`]),
  ).toBe('2\n3\n')
  expect(repo.run(['fsck', '--strict', commit]).status).toBe(0)
})

test('squash: one parent, the same tree', () => {
  const { repo, oids } = forked()
  const [, base, , head] = oids
  const squashed = landing(repo, 'squash', base, head)
  expect(show(repo, squashed.commit, '%P')).toBe(base ?? '')
  expect(squashed.tree).toBe(landing(repo, 'merge', base, head).tree)
})

test('rebase: each commit again, with its author and message, and trailers where they belong', () => {
  const { repo, oids } = forked()
  const [, base, , head] = oids
  const { commit } = landing(repo, 'rebase', base, head, ['Reviewed-by: Rae <rae@example.org>'])
  expect(show(repo, commit, '%an|%cn|%ct|%B')).toBe(
    'Two|Cee|1700000002|second\n\nSigned-off-by: Two <two@example.org>\nReviewed-by: Rae <rae@example.org>',
  )
  expect(show(repo, `${commit}^`, '%an|%P|%B')).toBe(
    `One|${base}|first\n\nWhy it is.\n\nReviewed-by: Rae <rae@example.org>`,
  )
})

test('what could be fast-forwarded gets commits of its own', () => {
  const { repo, oids } = forked()
  const [root, , , head] = oids
  for (const method of ['merge', 'squash', 'rebase'] as const)
    expect(landing(repo, method, root, head).commit).not.toBe(head)
})

test('conflicts are named, and no commit is made', () => {
  const { repo, oids } = make([
    { parents: [], files: files(['a', '1\n']), time: 1 },
    { parents: [0], files: files(['a', '2\n']), time: 2 },
    { parents: [0], files: files(['a', '3\n']), time: 3 },
  ])
  const [, base = '', head = ''] = oids
  for (const method of ['merge', 'squash', 'rebase'] as const) {
    expect(land(repo.db, { method, base, head, message: 'm', author, committer })).toEqual({
      conflicts: ['a'],
    })
  }
  expect(repo.db.written.size).toBe(0)
})

test('a message in another encoding is replayed byte for byte', () => {
  const { repo, oids } = forked()
  const [root = '', base = ''] = oids
  const raw = Buffer.from(
    `tree ${repo.git(['rev-parse', `${oids[2]}^{tree}`]).trim()}\nparent ${root}\nauthor J\xf6rg <j@example.org> 5 +0000\n` +
      'committer J <j@example.org> 6 +0000\nencoding ISO-8859-1\n\ngr\xfc\xdfe\n',
    'latin1',
  )
  const head = repo.db.write('commit', raw)
  const { commit } = landing(repo, 'rebase', base, head)
  const replayed = repo.run(['cat-file', 'commit', commit]).stdout.toString('latin1')
  expect(replayed).toContain('author J\xf6rg <j@example.org> 5 +0000\n')
  expect(replayed).toContain('encoding ISO-8859-1\n\ngr\xfc\xdfe\n')
})

test('rebasing gives the commits and trees that git rebase gives', () => {
  let clean = 0
  for (let seed = 1; seed <= 5; seed++) {
    const { repo, oids } = make(
      randomHistory(seed, {
        commits: 18,
        merges: 0.2,
        oddities: 0.05,
        collisions: 0.02,
        files: 8,
        renames: 0.1,
      }),
    )
    const random = new Random(seed)
    for (let i = 0; i < 5; i++) {
      const [base, head] = [random.pick(oids), random.pick(oids)]
      if (repo.run(['merge-base', '--is-ancestor', head, base]).status === 0) continue
      const found = land(repo.db, { method: 'rebase', base, head, message: '', author, committer })
      const tree = mkdtempSync(join(tmpdir(), 'rebase-'))
      folders.push(tree)
      repo.git(['worktree', 'add', '-q', '--detach', tree, head])
      const git = repo.run(['rebase', '-q', '--no-ff', '--onto', base, base], undefined, tree)
      if (git.status !== 0) {
        expect(found).toHaveProperty('conflicts')
        continue
      }
      const list = (tip: string) =>
        repo.lines(['log', '--topo-order', '--format=%T %an %at %s', tip, `^${base}`])
      const rebased = repo.run(['rev-parse', 'HEAD'], undefined, tree).stdout.toString().trim()
      expect(list('commit' in found ? found.commit : '')).toEqual(list(rebased))
      clean++
    }
  }
  expect(clean).toBeGreaterThan(3)
})
