/**
 * Pushes hostile packs at a host and watches what becomes of it: an answer each time, no trace of
 * what was refused, bounded memory.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestHost } from './host.ts'
import type { Hostile } from './mutate.ts'
import { rawPush } from './raw.ts'
import { complaints } from './sound.ts'

export type Torment = {
  readonly refused: number
  /**
   * Changes that changed nothing, such as a byte of a name that nobody checks: such a pack must be
   * sound.
   */
  readonly taken: number
  /** Why, in the engine's words without ids and numbers, with how often. */
  readonly reasons: ReadonlyMap<string, number>
  /** Bytes by which the process grew at most, over what it had at the beginning. */
  readonly growth: number
  readonly problems: readonly string[]
}

/** Nothing that is so small takes so long, however busy the machine: then it hangs. */
const HANGS = 120_000

/** `make` gives the hostile pack of a number; numbers begin at `seed`. */
export async function torment(
  host: TestHost,
  make: (seed: number) => Hostile,
  seed: number,
  count: number,
): Promise<Torment> {
  const reasons = new Map<string, number>()
  const problems: string[] = []
  const before = process.memoryUsage.rss()
  let [refused, taken, most] = [0, 0, before]
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  try {
    for (let i = 0; i < count; i++) {
      const store = `torment-${seed}-${i}`
      const { what, pack, tip } = make(seed + i)
      const say = (problem: string): void =>
        void problems.push(`seed ${seed + i}: ${what}: ${problem}`)
      await host.create(store)
      const slow = Promise.withResolvers<null>()
      const timer = setTimeout(() => slow.resolve(null), HANGS)
      const answer = await Promise.race([
        rawPush(host, store, [[null, tip, 'refs/heads/x']], pack).catch((error: Error) => error),
        slow.promise,
      ])
      clearTimeout(timer)
      most = Math.max(most, process.memoryUsage.rss())
      if (answer === null) {
        say('no answer: it hangs')
        break
      }
      if (answer instanceof Error) say(`the connection broke: ${answer.message}`)
      else if (answer.unpack === 'ok') {
        taken++
        const wrong = await complaints(join(host.root, store))
        if (wrong.length > 0) say(`taken, and git says: ${wrong.join('; ')}`)
        const verified = await host.git.verify(store, [...(host.refs.get(store)?.values() ?? [])])
        if (verified.length > 0) say(`taken, and not sound: ${verified.join('; ')}`)
      } else {
        refused++
        const reason = answer.unpack.replace(/[0-9a-f]{40}/g, 'ID').replace(/\d+/g, 'N')
        if (/internal error/.test(reason)) say('a fault of the engine')
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
        const left = [
          ...readdirSync(join(host.root, store, 'objects', 'pack')),
          ...readdirSync(join(host.root, '..', 'tmp', 'git')),
        ]
        if (left.length > 0) say(`it left ${left.join(', ')}`)
        if (host.refs.get(store)?.size !== 0) say('a ref was made')
        if ((await host.git.readCommit(store, tip)) !== null) say('its commit is visible')
      }
      await host.git.removeStore(store)
      host.refs.delete(store)
    }
  } finally {
    clearInterval(watch)
  }
  return { refused, taken, reasons, growth: most - before, problems }
}
