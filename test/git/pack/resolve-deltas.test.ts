import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PackReceiver } from '../../../src/git/pack/pack-receiver.ts'
import { writeReceivedIndex } from '../../../src/git/pack/received-index.ts'
import { resolveDeltas } from '../../../src/git/pack/resolve-deltas.ts'
import { resolveShare, type ShareRequest } from '../../../src/git/pack/resolve-share.ts'
import { BorrowedBlocks } from '../../../src/git/tasks/lent-blocks.ts'
import type { DelegatedTask, TaskHelpers, Task } from '../../../src/git/tasks/task.ts'
import { makeHistory } from '../support/history.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let work: string
let pack: Buffer
let index: Uint8Array

beforeAll(async () => {
  work = scratch()
  const source = await makeHistory(work, 'source', { seed: 90, commits: 250 })
  const directory = join(source, 'objects', 'pack')
  const name = readdirSync(directory).find((file) => file.endsWith('.pack'))!
  pack = Buffer.from(await Bun.file(join(directory, name)).bytes())
  await git(work, 'index-pack', '-o', join(work, 'theirs.idx'), join(directory, name))
  index = await Bun.file(join(work, 'theirs.idx')).bytes()
})

afterAll(() => discard(work))

function finish<R>(task: Task<R>): R {
  for (;;) {
    const step = task.next()
    if (step.done) return step.value
  }
}

/** Runs delegated tasks at once, in place of other threads. */
function helpers(others: number): TaskHelpers & { asked: number } {
  const help = {
    blocks: new BorrowedBlocks(),
    otherThreads: others,
    asked: 0,
    delegate<R>(name: string, args: unknown): DelegatedTask<R> {
      expect(name).toBe('resolve')
      help.asked++
      return { settled: true, value: finish(resolveShare(args as ShareRequest)) as R, error: null }
    },
  }
  return help
}

const limits = { maxPackBytes: 1e9, maxObjectBytes: 1e9, maxObjects: 1e6 }

for (const { others, memory, piece } of [
  { others: 0, memory: 1 << 26, piece: 1 << 16 },
  { others: 0, memory: 1, piece: 1 },
  { others: 1, memory: 1 << 26, piece: 977 },
  { others: 3, memory: 5000, piece: 1 << 20 },
]) {
  test(`git's index for ${piece}-byte pieces, ${others} other threads, ${memory} bytes for bases`, () => {
    const path = join(work, `pack-${others}-${memory}`)
    const receiver = new PackReceiver(`${path}.pack`, limits)
    for (let at = 0; at < pack.length; at += piece)
      receiver.push(new Uint8Array(pack.subarray(at, at + piece)))
    receiver.end()
    receiver.close()
    const help = helpers(others)
    const resolver = finish(
      resolveDeltas(
        receiver,
        pack.length - 20,
        { maxObjectBytes: 1e9, memoryBytes: memory, boundsExpansion: true },
        help,
        100,
      ),
    )
    expect(resolver.resolved).toBe(resolver.deltas)
    expect(resolver.deltas).toBeGreaterThan(100)
    expect(help.asked).toBe(others)
    resolver.close()
    writeReceivedIndex(`${path}.idx`, receiver.entries, receiver.links, receiver.checksum!)
    return Bun.file(`${path}.idx`)
      .bytes()
      .then((bytes) => expect(Buffer.compare(bytes, index)).toBe(0))
  })
}
