import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { directorySize, type PackSizes } from '../../../src/git/store/store-files.ts'

test('the size of a store follows packs that come and go, and files that grow', () => {
  const store = mkdtempSync(join(tmpdir(), 'hearth-store-'))
  const packs = join(store, 'objects/pack')
  mkdirSync(packs, { recursive: true })
  const known: PackSizes = new Map()
  const measure = () => directorySize(store, known)
  const write = (name: string, bytes: number) => writeFileSync(join(packs, name), 'x'.repeat(bytes))
  try {
    write('pack-a.pack', 100)
    // Without its index a pack may still be written to.
    expect(measure()).toBe(100)
    write('pack-a.pack', 150)
    expect(measure()).toBe(150)
    write('pack-a.idx', 10)
    write('pack-b.pack', 1000)
    write('pack-b.idx', 20)
    writeFileSync(join(store, 'objects/note'), 'xx')
    expect([measure(), measure(), directorySize(store)]).toEqual([1182, 1182, 1182])
    writeFileSync(join(store, 'objects/note'), 'xxxx')
    rmSync(join(packs, 'pack-b.pack'))
    rmSync(join(packs, 'pack-b.idx'))
    expect(measure()).toBe(164)
    write('pack-c.away', 0)
    writeFileSync(join(packs, 'pack-c.away'), '500\n')
    expect(measure()).toBe(664)
  } finally {
    rmSync(store, { recursive: true, force: true })
  }
})
