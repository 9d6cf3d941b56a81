import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { formatPatch, patchBytes } from '../../../src/git/diff/index.ts'
import {
  importCommits,
  Random,
  randomHistory,
  Repo,
  type File,
  type Files,
} from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repos: Repo[] = []
afterAll(() => repos.forEach((repo) => repo.remove()))

function make(seed: number) {
  const repo = new Repo()
  repos.push(repo)
  return {
    repo,
    oids: importCommits(repo, randomHistory(seed, { commits: 16, files: 8 })),
    random: new Random(seed),
  }
}

describe('patches are those of git diff, byte for byte', () => {
  for (let seed = 1; seed <= 8; seed++) {
    test(`history ${seed}`, () => {
      const { repo, oids, random } = make(seed)
      for (let i = 0; i < 15; i++) {
        const [a, b] = [random.pick(oids), random.pick(oids)]
        const context = random.pick([3, 3, 0, 1, 10])
        const ignoreWhitespace = random.chance(0.2)
        const flags = [
          '--histogram',
          '-M',
          '--abbrev=7',
          `-U${context}`,
          ...(ignoreWhitespace ? ['-w'] : []),
        ]
        const git = repo.run(['diff-tree', '-r', '-p', ...flags, a, b]).stdout
        const ours = Buffer.concat([...patchBytes(repo.db, a, b, { context, ignoreWhitespace })])
        expect(ours.toString('latin1')).toBe(git.toString('latin1'))
      }
    })
  }
})

test('git apply makes the new tree from the old one', () => {
  let applied = 0
  for (const seed of [33, 34, 35]) {
    const { repo, oids } = make(seed)
    for (const [i, to] of oids.entries()) {
      const from = oids[i - 1] ?? ''
      const patch = i === 0 ? Buffer.alloc(0) : Buffer.concat([...patchBytes(repo.db, from, to)])
      // Binary patches carry no content, and submodules cannot be applied to an index alone.
      if (patch.length === 0 || patch.includes('Binary files') || patch.includes('160000')) continue
      repo.git(['read-tree', from])
      repo.git(['apply', '--cached', '--whitespace=nowarn', '-'], patch)
      expect(repo.git(['write-tree']).trim()).toBe(repo.git(['rev-parse', `${to}^{tree}`]).trim())
      applied++
    }
  }
  expect(applied).toBeGreaterThan(5)
})

const file = (data: string | Buffer, mode: File['mode'] = '100644'): File => ({
  mode,
  data: Buffer.from(data),
})

function between(before: Files, after: Files) {
  const repo = new Repo()
  repos.push(repo)
  const [a = '', b = ''] = importCommits(repo, [
    { parents: [], files: before, time: 1 },
    { parents: [0], files: after, time: 2 },
  ])
  return { repo, a, b }
}

test('null is the empty tree on either side', () => {
  const { repo, a } = between(new Map([['f', file('one\ntwo')]]), new Map())
  expect(formatPatch(repo.db, null, a)).toBe(
    'diff --git a/f b/f\nnew file mode 100644\n' +
      `index 0000000..${repo.git(['rev-parse', `${a}:f`]).slice(0, 7)}\n` +
      '--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n',
  )
  expect(formatPatch(repo.db, a, null)).toContain('deleted file mode 100644')
  expect(formatPatch(repo.db, null, null)).toBe('')
})

test('paths narrow a patch to files and folders', () => {
  const { repo, a, b } = between(
    new Map(),
    new Map([
      ['d/x', file('1\n')],
      ['d/y/z', file('2\n')],
      ['dd', file('3\n')],
      ['e', file('4\n')],
    ]),
  )
  const names = (paths: string[]) =>
    formatPatch(repo.db, a, b, { paths }).match(/^\+\+\+ .*/gm) ?? []
  expect(names(['d'])).toEqual(['+++ b/d/x', '+++ b/d/y/z'])
  expect(names(['e', 'd/y/z', 'd/y'])).toEqual(['+++ b/d/y/z', '+++ b/e'])
  expect(names(['nope'])).toEqual([])
})

test('text that is not UTF-8 stays as it is in bytes and is marked in text', () => {
  const { repo, a, b } = between(
    new Map([['f', file('a\n')]]),
    new Map([['f', file(Buffer.from([0xff, 0xfe, 10]))]]),
  )
  expect(
    Buffer.concat([...patchBytes(repo.db, a, b)]).includes(Buffer.from([0x2b, 0xff, 0xfe, 10])),
  ).toBe(true)
  expect(formatPatch(repo.db, a, b)).toContain('+\ufffd\ufffd\n')
})
