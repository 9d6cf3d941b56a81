/**
 * No request keeps a forge from others: repeated tokens, nesting and random mixtures of them are
 * sent to every parser that strangers reach. Each turn of the event loop takes less than 50 ms of
 * CPU, and nothing is answered with 500. Memory stays bounded meanwhile. `HEARTH_FUZZ_SECONDS` is
 * the time for random texts, `HEARTH_FUZZ_SEED` repeats them. `HEARTH_STALLS=all` sends every text to
 * every parser (half an hour), and waits until memory is given back.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Attack, prepareAttacks } from './stalls/attacks.ts'
import { type MeasuredForge, startMeasuredForge } from './stalls/measured-forge.ts'
import { type HardText, hardTexts, randomOf, randomText } from './stalls/texts.ts'

const MAX_TURN_MS = 50
/** A text that exceeds the limit is sent again: compiling and collecting garbage is not its fault. */
const TRIES = 4
const TEXTS_PER_ATTACK = 5
const FIXED_SEED = 14

/**
 * What threads, requests and uncollected garbage may take while texts are sent, besides caches, which
 * have their own limits. Six runs of a minute and a half with different random texts took 540 to
 * 740 on a fast machine: ten threads collect their garbage when their heaps have grown by 32.
 */
const MAX_WORKING_MIB = 1024
/** What may stay besides the caches when no more come, because the allocator keeps some pages. */
const MAX_KEPT_MIB = 128
const MAX_RETURN_MS = 120_000

const fuzzSeconds = Number(process.env.HEARTH_FUZZ_SECONDS ?? '20')
const randomSeed = Number(process.env.HEARTH_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const isComplete = process.env.HEARTH_STALLS === 'all'

let forge: MeasuredForge
let attacks: Attack[]
/** Resident memory without caches before the first attack, when all code is loaded, and the most since. */
let startMiB = 0
let largestMiB = 0

beforeAll(async () => {
  forge = await startMeasuredForge()
  attacks = await prepareAttacks(forge)
  // What a first request loads and compiles is no attack.
  for (const { send } of attacks) for (const text of ['a', 'a '.repeat(1000)]) await send(text)
  const { residentMiB, cacheMiB } = await forge.scrape()
  startMiB = residentMiB - cacheMiB
}, 120_000)
afterAll(() => forge?.stop())

/** The shortest of the longest turns of several tries, in milliseconds of CPU, and the last status. */
async function longestTurn(
  send: Attack['send'],
  text: string,
): Promise<{ turnMs: number; status: number }> {
  let shortest = Infinity
  let status = 0
  for (let tries = 0; tries < TRIES && shortest >= MAX_TURN_MS; tries++) {
    await forge.scrape()
    status = await send(text)
    const { turnMs, residentMiB, cacheMiB } = await forge.scrape()
    shortest = Math.min(shortest, turnMs)
    largestMiB = Math.max(largestMiB, residentMiB - cacheMiB)
  }
  return { turnMs: shortest, status }
}

/** Sends texts and gives what took too long, in words. */
async function faultsOf(attack: Attack, texts: readonly HardText[]): Promise<string[]> {
  const faults: string[] = []
  for (const { name, text } of texts) {
    const { turnMs, status } = await longestTurn(attack.send, text)
    if (status === 500) faults.push(`${attack.name}, ${name}: answered with 500`)
    if (turnMs >= MAX_TURN_MS) faults.push(`${attack.name}, ${name}: ${Math.round(turnMs)} ms`)
  }
  return faults
}

/** Some of the texts, others for each seed; all of them in the complete run. */
function chosenTexts(sizes: readonly number[], random: (below: number) => number): HardText[] {
  const all = sizes.flatMap((size) => hardTexts(size))
  if (isComplete) return all
  return Array.from({ length: TEXTS_PER_ATTACK }, () => all[random(all.length)]).filter(
    (text) => text !== undefined,
  )
}

test('texts that parsers find hard', async () => {
  process.stdout.write(`stalls: HEARTH_FUZZ_SEED=${randomSeed}\n`)
  const faults: string[] = []
  for (const seed of [FIXED_SEED, randomSeed]) {
    const random = randomOf(seed)
    for (const attack of attacks)
      faults.push(...(await faultsOf(attack, chosenTexts(attack.sizes, random))))
  }
  expect(faults).toEqual([])
}, 3_600_000)

test('random mixtures of them', async () => {
  const faults: string[] = []
  for (const seed of [FIXED_SEED, randomSeed]) {
    const random = randomOf(seed)
    const until = performance.now() + (fuzzSeconds * 1000) / 2
    while (performance.now() < until) {
      const attack = attacks[random(attacks.length)]
      if (attack === undefined) break
      const size = attack.sizes[random(attack.sizes.length)] ?? 1000
      faults.push(...(await faultsOf(attack, [randomText(random, size)])))
    }
  }
  expect(faults).toEqual([])
}, 3_600_000)

/** Pages that are the same whoever asks, or that show the most of what there is. */
const PAGES = [
  ...['/', '/explore', '/login', '/register', '/docs', '/docs/api', '/docs/configure'],
  ...['/docs/reference/issues', '/docs/reference/pull-requests', '/docs/reference/records-1'],
  ...['/acme', '/acme/site', '/acme/site/issues', '/acme/site/pulls', '/acme/site/activity'],
  ...['/acme/site/commits/main', '/acme/site/branches', '/acme/site/settings', '/notifications'],
  ...['/admin', '/admin/jobs', '/admin/users', '/settings', '/api/openapi.json'],
]

test('pages that are only looked at', async () => {
  const faults: string[] = []
  for (const path of PAGES)
    for (const cookie of ['', forge.cookie]) {
      const send = async (): Promise<number> => {
        const response = await fetch(forge.url + path, { headers: { cookie }, redirect: 'manual' })
        await response.arrayBuffer()
        return response.status
      }
      const visit = { name: cookie === '' ? 'by a visitor' : 'signed in', text: '' }
      faults.push(...(await faultsOf({ name: path, sizes: [0], send }, [visit])))
    }
  expect(faults).toEqual([])
}, 600_000)

test('memory is bounded while texts are sent', () => {
  expect(largestMiB - startMiB).toBeLessThan(MAX_WORKING_MIB)
})

// Threads end some seconds after their last request, and garbage is collected in its own time: too
// long a wait for each run.
if (isComplete)
  test('memory is given back afterwards', async () => {
    const until = performance.now() + MAX_RETURN_MS
    let keptMiB = Infinity
    while (keptMiB >= MAX_KEPT_MIB && performance.now() < until) {
      await Bun.sleep(500)
      const { residentMiB, cacheMiB } = await forge.scrape()
      keptMiB = residentMiB - cacheMiB - startMiB
    }
    expect(keptMiB).toBeLessThan(MAX_KEPT_MIB)
  }, 180_000)
