import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mergeParts, mergeText } from '../../../src/git/merge/index.ts'
import {
  editText,
  importCommits,
  Random,
  randomText,
  Repo,
  type Commit,
} from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const repo = new Repo()
afterAll(() => repo.remove())

test('clean or in conflict, the bytes are those of git', () => {
  const random = new Random(21)
  const commits: Commit[] = []
  for (let i = 0; i < 100; i++) {
    const base = randomText(random, random.below(40))
    const ours = editText(random, base)
    const theirs = random.chance(0.1) ? ours : editText(random, base)
    for (const [n, data] of [base, ours, theirs].entries()) {
      commits.push({
        parents: n === 0 ? [] : [3 * i],
        files: new Map([['f', { mode: '100644', data }]]),
        time: 1000 + n,
      })
    }
  }
  const oids = importCommits(repo, commits)
  const data = (i: number) => commits[i]?.files.get('f')?.data ?? new Uint8Array(0)
  const seen = { clean: 0, conflict: 0 }
  for (let i = 0; i < oids.length; i += 3) {
    const [ours = '', theirs = ''] = [oids[i + 1], oids[i + 2]]
    const git = repo.run(['merge-tree', '--write-tree', ours, theirs])
    const merged = repo.run(['cat-file', 'blob', `${git.stdout.toString().slice(0, 40)}:f`]).stdout
    const found = mergeText(data(i), data(i + 1), data(i + 2), { size: 7, ours, theirs })
    expect(Buffer.from(found.data).toString('latin1')).toBe(merged.toString('latin1'))
    expect(found.clean).toBe(git.status === 0)
    seen[found.clean ? 'clean' : 'conflict']++
  }
  expect(seen.clean).toBeGreaterThan(15)
  expect(seen.conflict).toBeGreaterThan(15)
})

test('the parts are those of the merge with markers, and a conflict has the lines of its base', () => {
  const random = new Random(22)
  const text = (data: Uint8Array) => Buffer.from(data).toString('latin1')
  const closed = (lines: string) => (lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`)
  let conflicts = 0
  for (let i = 0; i < 300; i++) {
    const base = randomText(random, random.below(40))
    const [ours, theirs] = [editText(random, base), editText(random, base)]
    const parts = mergeParts(base, ours, theirs)
    const marked = parts.map((part) =>
      part.kind === 'merged'
        ? text(part.data)
        : `<<<<<<< ours\n${closed(text(part.ours))}=======\n${closed(text(part.theirs))}>>>>>>> theirs\n`,
    )
    const whole = mergeText(base, ours, theirs, { size: 7, ours: 'ours', theirs: 'theirs' })
    expect(marked.join('').replaceAll('\r', '')).toBe(text(whole.data).replaceAll('\r', ''))
    for (const part of parts) {
      if (part.kind !== 'conflict') continue
      conflicts++
      expect(text(base)).toContain(text(part.base))
    }
  }
  expect(conflicts).toBeGreaterThan(50)
})

test('a conflict names the lines that both sides replaced', () => {
  const bytes = (text: string) => Buffer.from(text)
  const parts = mergeParts(bytes('a\nb\nc\n'), bytes('a\nX\nc\n'), bytes('a\nY\nc\n'))
  expect(
    parts.map((part) =>
      part.kind === 'merged'
        ? String(part.data)
        : [String(part.base), String(part.ours), String(part.theirs)],
    ),
  ).toEqual(['a\n', ['b\n', 'X\n', 'Y\n'], 'c\n'])
})
