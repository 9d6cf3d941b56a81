import { expect, test } from 'bun:test'
import { AdvertisedRefs } from '../../../src/http/git/advertised-refs.ts'
import type { Ref, RefSnapshot } from '#git'
import { MINUTE } from '#lib/time.ts'
import { random } from '../../git/support/history.ts'
import { makeWorld } from '../../world.ts'

const { hearth, clock } = await makeWorld()
const oidOf = (n: number): string => n.toString(16).padStart(40, '0')
const snapshotOf = (generation: string, oids: ReadonlyMap<string, string>): RefSnapshot => ({
  generation,
  head: 'refs/heads/main',
  refs: [...oids]
    .map(([name, oid]): Ref => ({ name, oid, peeled: null }))
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
})
const request = (oids: Iterable<string>): Uint8Array => Buffer.from([...oids].join('\n'))

test('a request may name refs that its caller was sent and that are deleted or moved since', () => {
  const next = random(11)
  for (let round = 0; round < 200; round++) {
    const advertised = new AdvertisedRefs(hearth)
    const sent = new Map<string, string>()
    for (let n = 0; n < 12; n++)
      if (next() < 0.7) sent.set(`refs/heads/branch-${n}`, oidOf(1000 * round + n))
    const current = new Map(sent)
    for (let change = 0; change < 3; change++) {
      const name = `refs/heads/branch-${Math.floor(next() * 12)}`
      if (next() < 0.4) current.delete(name)
      else current.set(name, oidOf(1000 * round + 500 + change))
    }
    advertised.note('ada', `repo-${round}`, snapshotOf('before', sent))
    const now = snapshotOf('now', current)
    const { refs } = advertised.addMissing('ada', `repo-${round}`, now, request(sent.values()))
    const missing = [...sent].filter(([name, oid]) => current.get(name) !== oid)
    expect(refs.map(({ name, oid }) => `${name} ${oid}`).sort()).toEqual(
      [...missing, ...current].map(([name, oid]) => `${name} ${oid}`).sort(),
    )
    expect(advertised.addMissing('eve', `repo-${round}`, now, request(sent.values()))).toBe(now)
  }
})

test('what was sent is forgotten after a minute', () => {
  const advertised = new AdvertisedRefs(hearth)
  const sent = new Map([['refs/heads/gone', oidOf(7)]])
  advertised.note('ada', 'repo', snapshotOf('before', sent))
  const now = snapshotOf('now', new Map())
  expect(advertised.addMissing('ada', 'repo', now, request(sent.values())).refs).toHaveLength(1)
  clock.advance(MINUTE + 1)
  expect(advertised.addMissing('ada', 'repo', now, request(sent.values()))).toBe(now)
})
