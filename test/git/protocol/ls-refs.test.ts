import { describe, expect, test } from 'bun:test'
import type { RefSnapshot } from '#git'
import { SnapshotViews } from '../../../src/git/protocol/snapshot-view.ts'
import { listRefs } from '../../../src/git/protocol/upload-pack.ts'

const oid = (at: number): string => at.toString(16).padStart(40, '0')
const pkt = (text: string): string =>
  (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
const NAMES = [
  'refs/heads/a',
  'refs/heads/a-b',
  'refs/heads/main',
  'refs/heads/main/no',
  'refs/heads/näme',
  'refs/pull/1/head',
  'refs/tags/v1',
  'refs/tags/v10',
  'refs/tags/v2',
]

const views = new SnapshotViews()
const viewOf = (refs: RefSnapshot) => views.of(refs)

const snapshot = (names: readonly string[]): RefSnapshot => ({
  generation: 'one',
  head: 'refs/heads/main',
  refs: names.map((name, at) => ({
    name,
    oid: oid(at + 1),
    peeled: name.startsWith('refs/tags/') ? oid(99) : null,
  })),
})

const request = (...args: string[]): Buffer =>
  Buffer.from(
    [
      pkt('command=ls-refs\n'),
      pkt('object-format=sha1'),
      '0001',
      ...args.map((arg) => pkt(`${arg}\n`)),
      '0000',
    ].join(''),
  )

/** The lines of an answer; null when there is none. */
function linesOf(answer: Uint8Array | null): string[] | null {
  if (answer === null) return null
  const bytes = Buffer.from(answer)
  const lines: string[] = []
  let at = 0
  for (
    let length = 0;
    (length = parseInt(bytes.toString('latin1', at, at + 4), 16)) > 0;
    at += length
  )
    lines.push(bytes.toString('utf8', at + 4, at + length).trimEnd())
  expect(at + 4).toBe(bytes.length)
  return lines
}

const namesOf = (answer: Uint8Array | null): string[] =>
  (linesOf(answer) ?? []).map((line) => line.split(' ')[1] ?? '')

describe('a request for refs alone', () => {
  const sets = [
    [],
    ['refs/heads/'],
    ['refs/heads/main', 'refs/tags/', 'refs/heads/main'],
    ['refs/tags/v1', 'refs/tags/v10'],
    ['refs/heads/n'],
    ['HEAD'],
    ['refs/tags/v3'],
    ['H', 'refs/'],
  ]

  for (const prefixes of sets) {
    test(`names what begins with ${prefixes.join(', ') || 'anything'}, however the refs are ordered`, () => {
      const wanted = (name: string) =>
        prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix))
      const expected = ['HEAD', ...NAMES].filter(wanted).sort()
      for (const names of [NAMES, [...NAMES].reverse()]) {
        expect(
          namesOf(
            listRefs(
              viewOf(snapshot(names)),
              2,
              request(...prefixes.map((prefix) => `ref-prefix ${prefix}`)),
            ),
          ).sort(),
        ).toEqual(expected)
      }
    })
  }

  test('tells what tags lead to and where HEAD points, with names of any letters', () => {
    const lines = linesOf(listRefs(viewOf(snapshot(NAMES)), 2, request('peel', 'symrefs')))
    expect(lines).toContain(`${oid(3)} HEAD symref-target:refs/heads/main`)
    expect(lines).toContain(`${oid(7)} refs/tags/v1 peeled:${oid(99)}`)
    expect(lines).toContain(`${oid(5)} refs/heads/näme`)
  })

  test('is answered from the refs as they are, though asked in the same words', () => {
    const [before, after] = [snapshot(NAMES), snapshot(NAMES.slice(0, 3))]
    const words = request('ref-prefix refs/')
    expect(namesOf(listRefs(viewOf(before), 2, words))).toHaveLength(9)
    expect(namesOf(listRefs(viewOf(after), 2, words))).toHaveLength(3)
    expect(namesOf(listRefs(viewOf(before), 2, words))).toHaveLength(9)
  })

  test('is left to the long way when it is anything else', () => {
    const refs = snapshot(NAMES)
    const twice = Buffer.concat([request(), request()])
    const others = [
      twice,
      request('no-such-argument'),
      request().subarray(0, 20),
      Buffer.from('0000'),
      Buffer.from(`${pkt('command=fetch\n')}0000`),
      Buffer.from(`${pkt('command=ls-refs\n')}${pkt('object-format=sha256\n')}0000`),
    ]
    for (const body of others) expect(listRefs(viewOf(refs), 2, body)).toBeNull()
    expect(listRefs(viewOf(refs), 0, request())).toBeNull()
  })
})
