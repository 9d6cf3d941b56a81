import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diffLines, splitLines } from '../../../src/git/diff/index.ts'
import { editText, Random, randomText } from '../history-fixture.ts'

// Many processes of git on a machine that may be busy.
setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), 'lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Which lines git removes and adds: `-3 +3 +4`. */
function gitDiff(a: Uint8Array, b: Uint8Array, ...flags: string[]): string {
  writeFileSync(join(folder, 'a'), a)
  writeFileSync(join(folder, 'b'), b)
  const { stdout } = spawnSync('git', ['diff', '--no-index', '--text', '-U1', ...flags, 'a', 'b'], {
    cwd: folder,
    maxBuffer: 1 << 28,
  })
  const moves: string[] = []
  let old = 0
  let now = 0
  for (const line of stdout.toString('latin1').split('\n').slice(4)) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (header) {
      old = Number(header[1]) + (header[2] === '0' ? 1 : 0)
      now = Number(header[3]) + (header[4] === '0' ? 1 : 0)
    } else if (line.startsWith('-')) moves.push(`-${old++}`)
    else if (line.startsWith('+')) moves.push(`+${now++}`)
    else if (line.startsWith(' ')) {
      old++
      now++
    }
  }
  return moves.join(' ')
}

function ourDiff(a: Uint8Array, b: Uint8Array, options: Parameters<typeof diffLines>[2]): string {
  const moves: string[] = []
  for (const change of diffLines(splitLines(a), splitLines(b), options)) {
    for (let i = 1; i <= change.oldCount; i++) moves.push(`-${change.old + i}`)
    for (let i = 1; i <= change.newCount; i++) moves.push(`+${change.new + i}`)
  }
  return moves.join(' ')
}

/**
 * Files of lines from a vocabulary: few words give many equal lines, which is what the algorithms
 * find hard.
 */
function pair(seed: number): [Buffer, Buffer] {
  const random = new Random(seed)
  const words = random.pick([2, 3, 10, 100, 3000])
  const word = (): string => {
    const n = random.below(words)
    return ' '.repeat(n % 5) + (n % 7 === 0 ? '' : `l${n}`)
  }
  const a = Array.from({ length: random.pick([20, 300, 1500]) }, word)
  const b = random.chance(0.15) ? a.map(word) : [...a]
  for (let edits = random.pick([1, 5, 50, 300]); edits > 0; edits--) {
    const at = random.below(b.length + 1)
    const kind = random.below(3)
    if (kind === 0) b.splice(at, random.below(10))
    else if (kind === 1) b.splice(at, 0, ...Array.from({ length: random.below(10) }, word))
    else b.splice(random.below(b.length + 1), 0, ...b.splice(at, random.below(30)))
  }
  const end = random.chance(0.2) ? '' : '\n'
  return [
    Buffer.from(a.join('\n') + end),
    Buffer.from(b.join('\n') + (random.chance(0.2) ? '' : end)),
  ]
}

describe('the same lines are removed and added as by git', () => {
  for (const algorithm of ['histogram', 'myers'] as const) {
    for (const indent of [true, false]) {
      test(`${algorithm}, ${indent ? 'with' : 'without'} indentation`, () => {
        for (let seed = 1; seed <= 60; seed++) {
          const [a, b] = pair(seed)
          const flag = indent ? '--indent-heuristic' : '--no-indent-heuristic'
          expect([seed, ourDiff(a, b, { algorithm, indent })]).toEqual([
            seed,
            gitDiff(a, b, `--diff-algorithm=${algorithm}`, flag),
          ])
        }
      })
    }
  }

  test('white space ignored', () => {
    const random = new Random(11)
    for (let i = 0; i < 40; i++) {
      const a = randomText(random, 30)
      const b = Buffer.from(
        editText(random, a)
          .toString('latin1')
          .replace(/ /g, (space) => (random.chance(0.3) ? '  ' : space)),
        'latin1',
      )
      expect(ourDiff(a, b, { ignoreWhitespace: true })).toBe(gitDiff(a, b, '--histogram', '-w'))
    }
  })
})

test('a diff turns the one file into the other', () => {
  for (let seed = 100; seed < 160; seed++) {
    const [a, b] = pair(seed)
    const [old, now] = [splitLines(a), splitLines(b)]
    const parts: Uint8Array[] = []
    let at = 0
    for (const change of diffLines(old, now)) {
      parts.push(
        a.subarray(old.starts[at], old.starts[change.old]),
        b.subarray(now.starts[change.new], now.starts[change.new + change.newCount]),
      )
      at = change.old + change.oldCount
    }
    expect(Buffer.concat([...parts, a.subarray(old.starts[at])]).equals(b)).toBe(true)
  }
})

test('files made to be dear are compared all the same', () => {
  // Every line once on each side, in opposite order: each split of the histogram leaves almost
  // everything to do again.
  const forth = Array.from({ length: 40_000 }, (_, i) => `line ${i}`)
  const back = [...forth].reverse()
  const changes = diffLines(
    splitLines(Buffer.from(forth.join('\n'))),
    splitLines(Buffer.from(back.join('\n'))),
  )
  const kept = 40_000 - changes.reduce((sum, change) => sum + change.oldCount, 0)
  expect(kept).toBeGreaterThanOrEqual(1)
  expect(changes.reduce((sum, change) => sum + change.oldCount - change.newCount, 0)).toBe(0)
  const few = (seed: number) => {
    const random = new Random(seed)
    return Buffer.from(Array.from({ length: 100_000 }, () => `${random.below(50)}\n`).join(''))
  }
  expect(diffLines(splitLines(few(1)), splitLines(few(2))).length).toBeGreaterThan(0)
})
