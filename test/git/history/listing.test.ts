import { expect, test } from 'bun:test'
import { compareListing, namesIn, readListing } from '../../../src/git/history/listing.ts'
import { MODE, serializeTree } from '../../../src/git/object.ts'
import { Random } from '../history-fixture.ts'

const encoder = new TextEncoder()

test('two listings derived from each other are those read afresh, and differ in the names that differ', () => {
  const random = new Random(5)
  // Ids of few digits make entries that look alike at every offset.
  const oid = () => random.pick(['3', '2', '6d']).repeat(40).slice(0, 40)
  const mode = () => (random.below(99) === 0 ? MODE.executable : MODE.file)
  const tree = (entries: Map<string, string>) =>
    serializeTree(
      [...entries].map(([name, id]) => ({ mode: mode(), name: encoder.encode(name), oid: id })),
    )
  let entries = new Map<string, string>()
  let data = tree(entries)
  let listing = readListing(data)
  for (let round = 0; round < 800; round++) {
    const next = new Map(entries)
    for (let i = random.below(4); i > 0; i--) {
      const name = random.pick(['a', 'm', '3', '33']) + random.below(30)
      if (random.chance(0.4)) next.delete(name)
      else next.set(name, oid())
    }
    const bytes = tree(next)
    const { other, changed } = compareListing(listing, bytes)
    expect([...other.starts]).toEqual([...readListing(bytes).starts])
    const now = new Set(rows(bytes))
    expect(changed).toEqual(
      rows(data)
        .filter((row) => !now.has(row))
        .map((row) => row.slice(row.indexOf(' ') + 1, -21)),
    )
    entries = next
    data = bytes
    listing = other
    expect(namesIn(listing).length).toBe(next.size)
  }
})

/** Each entry's bytes as text. */
function rows(data: Uint8Array): string[] {
  const { starts } = readListing(data)
  return [...starts.slice(0, -1)].map((start, i) =>
    Buffer.from(data).toString('latin1', start, starts[i + 1]),
  )
}
