import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { collidingMessages } from '../support/colliding-messages.ts'
import {
  isSha1Collision,
  refuseSha1Collisions,
  type Sha1CollisionDetector,
} from '../../../src/git/pack/refuse-sha1-collisions.ts'
import { UbcCollisionDetector } from '../../../src/git/pack/sha1-collision-detector.ts'
import { EntryReader } from '../../../src/git/store/entry-reader.ts'
import { ObjectStore } from '../../../src/git/store/object-store.ts'
import { makeHistory } from '../support/history.ts'
import { startHost } from '../support/host.ts'
import { discard, git, scratch } from '../support/real-git.ts'

const look = (...parts: Uint8Array[]) => {
  const finder = new UbcCollisionDetector()
  for (const part of parts) finder.update(part)
  return { sum: Buffer.from(finder.digest()).toString('hex'), found: finder.found }
}
const sha1 = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')

describe('the two messages of the first published collision (SHAttered)', () => {
  const { first, second } = collidingMessages

  test('have one hash and differ', () => {
    expect(Buffer.compare(first, second)).not.toBe(0)
    expect(sha1(first)).toBe(sha1(second))
    expect(sha1(first)).toBe('f92d74e3874587aaf443d1db961d4e26dde13e9c')
  })

  test('are each detected alone, with any suffix and in parts of any size', () => {
    for (const message of [first, second]) {
      expect(look(message)).toEqual({ sum: sha1(message), found: true })
      const longer = Buffer.concat([message, Buffer.alloc(5000, 'and more')])
      for (const cut of [1, 63, 64, 65, 193, 300, 320]) {
        expect(look(longer.subarray(0, cut), longer.subarray(cut))).toEqual({
          sum: sha1(longer),
          found: true,
        })
      }
    }
  })

  test('are not detected without their prefix or as the content of a git object', () => {
    expect(look(first.subarray(192)).found).toBe(false)
    expect(look(first.subarray(0, 256)).found).toBe(false)
    expect(isSha1Collision('blob', first)).toBe(false)
    expect(isSha1Collision('blob', second)).toBe(false)
    const changed = Buffer.from(first)
    changed[319] = (changed[319] ?? 0) ^ 1
    expect(look(changed).found).toBe(false)
  })
})

test('the detector computes SHA-1 for lengths around a block and accepts harmless bytes', () => {
  let state = 12345
  const bytes = Buffer.from(
    Array.from({ length: 300_000 }, () => (state = (state * 48271) % 2147483647) & 255),
  )
  for (let length = 0; length < 200; length++) {
    const part = bytes.subarray(length, length * 2)
    expect(look(part.subarray(0, length >> 1), part.subarray(length >> 1))).toEqual({
      sum: sha1(part),
      found: false,
    })
  }
  expect(look(bytes)).toEqual({ sum: sha1(bytes), found: false })
  for (const fill of [0, 0xff, 0x55]) expect(look(Buffer.alloc(100_000, fill)).found).toBe(false)
})

describe('a received pack', () => {
  /** A detector that reports objects containing a word. */
  const suspicious = (word: string) => (): Sha1CollisionDetector => {
    const finder = {
      found: false,
      update: (bytes: Uint8Array) => void (finder.found ||= Buffer.from(bytes).includes(word)),
      digest: () => null,
    }
    return finder
  }

  test('is refused for a detected object, and scanned up to a limit', async () => {
    const work = scratch()
    try {
      const source = await makeHistory(work, 'source', { seed: 5, commits: 12 })
      await git(source, 'repack', '-adq')
      const directory = join(work, 'source')
      const bare = join(work, 'bare.git')
      await git(work, 'clone', '-q', '--bare', directory, bare)
      await git(work, 'init', '-q', '--bare', 'empty.git')
      const reader = new EntryReader(4 << 20, 1 << 30)
      const [full, empty] = [
        new ObjectStore(bare, reader),
        new ObjectStore(join(work, 'empty.git'), reader),
      ]
      full.refresh()
      const [pack] = full.packs
      if (!pack) throw new Error('no pack')
      const run = (
        most: number | undefined,
        finder?: () => Sha1CollisionDetector,
        store = empty,
      ): boolean => {
        const task = refuseSha1Collisions(store, pack, most, finder)
        for (;;) {
          const step = task.next()
          if (step.done) return step.value
        }
      }
      expect(run(undefined)).toBe(true)
      expect(run(100)).toBe(false)
      expect(() => run(undefined, suspicious('author'))).toThrow(
        'was made for a collision of SHA-1',
      )
      // Objects that the store has already are not scanned again.
      expect(run(undefined, suspicious('author'), full)).toBe(true)
      expect(run(0, suspicious('author'))).toBe(false)
    } finally {
      discard(work)
    }
  })

  test('reports whether all of it was scanned, and can be scanned later', async () => {
    const host = await startHost()
    const work = scratch()
    try {
      await host.create('one')
      const source = join(work, 'source')
      await git(work, 'init', '-q', '-b', 'main', 'source')
      await Bun.write(join(source, 'small'), 'small')
      await git(source, 'add', '-A')
      await git(source, 'commit', '-qm', 'small')
      await git(source, 'push', '-q', host.remote('one'), 'main')
      expect(host.pushes.at(-1)?.unscanned).toBe(false)
      await Bun.write(
        join(source, 'large'),
        crypto.getRandomValues(new Uint8Array(65536)).toHex().repeat(40),
      )
      await git(source, 'add', '-A')
      await git(source, 'commit', '-qm', 'large')
      await git(source, 'push', '-q', host.remote('one'), 'main')
      expect(host.pushes.at(-1)?.unscanned).toBe(true)
      const tip = await git(source, 'rev-parse', 'HEAD')
      expect(await host.git.findSha1Collisions('one', { tips: [tip] })).toEqual([])
      await expect(
        host.git.findSha1Collisions('one', { tips: [tip] }, AbortSignal.abort()),
      ).rejects.toThrow('given up')
    } finally {
      discard(work)
      await host.close()
    }
  })
})
