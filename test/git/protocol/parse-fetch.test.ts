/** Requests to git-upload-pack are parsed in steps, and lines of ids into bytes. */
import { expect, test } from 'bun:test'
import { hashObject } from '../../../src/git/object.ts'
import type { FetchRequest } from '../../../src/git/protocol/fetch-request.ts'
import { parseFetchV0, parseFetchV2 } from '../../../src/git/protocol/parse-fetch.ts'
import { FLUSH, parseLines, pkt } from '../../../src/git/protocol/pkt-line.ts'
import { SnapshotView } from '../../../src/git/protocol/snapshot-view.ts'
import { finishNow, type Steps } from '../../../src/lib/steps.ts'

const oidOf = (n: number): string => hashObject('blob', Buffer.from(`${n}`))
const OIDS = Array.from({ length: 60 }, (_, n) => oidOf(n))

const viewOf = (count: number): SnapshotView =>
  new SnapshotView({
    head: 'refs/heads/branch-00007',
    generation: 'one',
    refs: Array.from({ length: count }, (_, n) => ({
      name: `refs/heads/branch-${`${n}`.padStart(5, '0')}`,
      oid: oidOf(n),
      peeled: null,
    })),
  })
const view = viewOf(20)

/** How often work pauses, and what it gives. */
function countPauses<T>(steps: Steps<T>): { pauses: number; value: T } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next()
    if (done) return { pauses, value }
  }
}

const body = (...lines: string[]): Buffer => Buffer.concat(lines.map((line) => pkt(line)))
const parse = (lines: Buffer): FetchRequest =>
  finishNow(parseFetchV2(view, finishNow(parseLines(lines))))
const hex = (ids: Uint8Array): string[] => Buffer.from(ids).toString('hex').match(/.{40}/g) ?? []

test('ids are the same with a newline after them and without', () => {
  const lines = OIDS.flatMap((oid, n) => [
    `want ${oid}`,
    ...(n % 3 === 0 ? [`shallow ${oid}`] : []),
    `have ${oid}`,
  ])
  const [plain, ended] = [parse(body(...lines)), parse(body(...lines.map((line) => `${line}\n`)))]
  expect(hex(plain.wants)).toEqual(OIDS)
  expect(hex(ended.wants)).toEqual(OIDS)
  expect(hex(ended.shallow)).toEqual(OIDS.filter((_, n) => n % 3 === 0))
  const haves = ({ negotiation }: FetchRequest): string[] =>
    negotiation.flatMap((turn) => (typeof turn === 'string' ? [turn] : hex(turn)))
  expect(haves(plain)).toEqual(OIDS)
  expect(haves(ended)).toEqual(OIDS)
})

test('an older client’s lines keep their order', () => {
  const [first = '', second = '', third = ''] = OIDS
  const request = Buffer.concat([
    body(`want ${first} thin-pack side-band-64k\n`, `want ${second}\n`, `shallow ${third}\n`),
    FLUSH,
    body(`have ${third}\n`, `have ${second}\n`),
    FLUSH,
    body(`have ${first}\n`, 'done\n', `have ${second}\n`),
  ])
  const parsed = finishNow(parseFetchV0(view, finishNow(parseLines(request)), 0))
  expect(parsed && [hex(parsed.wants), hex(parsed.shallow), parsed.thin, parsed.band]).toEqual([
    [first, second],
    [third],
    true,
    'large',
  ])
  expect(parsed?.negotiation.map((turn) => (typeof turn === 'string' ? turn : hex(turn)))).toEqual([
    [third, second],
    'flush',
    [first],
    'done',
  ])
})

test('what is no id is named as the client sent it', () => {
  const upper = oidOf(1).toUpperCase()
  expect(() => parse(body(`want ${oidOf(0)}\n`, `want ${upper}\n`))).toThrow(
    `protocol error, expected to get an object id, not 'want ${upper}'`,
  )
  expect(() => parse(body(`oid ${oidOf(0)}\n`))).toThrow(`unexpected line: 'oid ${oidOf(0)}'`)
  const have = Buffer.concat([body(`want ${oidOf(0)}\n`, `have ${oidOf(1)}\n`), FLUSH])
  expect(() => finishNow(parseFetchV0(view, finishNow(parseLines(have)), 0))).toThrow(
    `not 'have ${oidOf(1)}'`,
  )
})

test('wanted refs are found in any order, and their lines are in that of the client', () => {
  const names = [3, 4, 5, 1, 19, 0].map((n) => `refs/heads/branch-${`${n}`.padStart(5, '0')}`)
  const { wants, wantedRefs } = parse(
    body(...names.map((name) => `want-ref ${name}\n`), 'want-ref HEAD\n'),
  )
  expect(hex(wants)).toEqual([3, 4, 5, 1, 19, 0, 7].map(oidOf))
  expect(Buffer.from(wantedRefs).toString()).toBe(
    [...names.map((name, at) => `${hex(wants)[at]} ${name}\n`), `${oidOf(7)} HEAD\n`].join(''),
  )
  expect(() => parse(body('want-ref refs/heads/nowhere\n'))).toThrow(
    'unknown ref refs/heads/nowhere',
  )
})

test('a request with very many lines is parsed in many steps, and one with more is refused', () => {
  const wants = (count: number): Buffer =>
    Buffer.from(`0032want ${oidOf(0)}\n`.repeat(count), 'latin1')
  const ids = countPauses(parseLines(wants(200_000)))
  expect(ids.pauses).toBeGreaterThan(8)
  expect(ids.value.length).toBeLessThan(20)
  expect(() => finishNow(parseLines(wants(200_001)))).toThrow('more than 200000 lines')
  expect(() => finishNow(parseLines(Buffer.from('0000'.repeat(200_001))))).toThrow(
    'more than 200000 lines',
  )

  // A body of lines that look like ids is read once as well: comparing each with all that follow
  // would take minutes.
  const looksLikeIds = Buffer.from(`0032want ${'z'.repeat(40)}\n`.repeat(200_000), 'latin1')
  const texts = countPauses(parseLines(looksLikeIds))
  expect([texts.pauses > 8, texts.value.length]).toEqual([true, 200_000])

  const many = viewOf(20_000)
  const named = Buffer.concat(many.snapshot.refs.map(({ name }) => pkt(`want-ref ${name}\n`)))
  const fetch = countPauses(parseFetchV2(many, finishNow(parseLines(named))))
  expect(fetch.pauses).toBe(5)
  expect(fetch.value.wants.length).toBe(20 * 20_000)

  const excluded = body(
    ...Array.from({ length: 1001 }, () => 'deepen-not refs/heads/branch-00001\n'),
  )
  expect(() => parse(excluded)).toThrow('more than 1000 deepen-not lines')
  const turns = Buffer.concat([
    body(`want ${oidOf(0)}\n`),
    FLUSH,
    Buffer.from(`0032have ${oidOf(0)}\n0000`.repeat(10_001), 'latin1'),
  ])
  expect(() => finishNow(parseFetchV0(view, finishNow(parseLines(turns)), 0))).toThrow(
    'the negotiation has more than 20000 parts',
  )
})
