/**
 * Proves that attackers do not keep a forge from its users: 200 of them send what parsers find hard
 * to every door, in a process of their own, while one reader opens pages. The p99 of the reader
 * stays below five times that of a quiet forge. The longest turn of the event loop is shown too: one
 * turn holds the requests of all attackers that arrived meanwhile. Run it on an idle machine.
 */
import { fileURLToPath } from 'node:url'
import { attacksOn, prepareAttacks } from '../http/stalls/attacks.ts'
import { clientOf, type ForgeAccess, startMeasuredForge } from '../http/stalls/measured-forge.ts'
import { hardTexts, randomOf, randomText } from '../http/stalls/texts.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  attackers: { kind: 'count', default: '200', help: 'Attackers, each with one request at a time.' },
  pause: {
    kind: 'count',
    default: '1000',
    help: 'Milliseconds between the requests of an attacker; 0 measures how much work fits.',
  },
  seconds: { kind: 'count', default: '30', help: 'Seconds of measuring, quiet and attacked.' },
  seed: { kind: 'count', default: '', help: 'Repeats the choices of an earlier run.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  attack: { kind: 'text', default: '', help: 'Used by the script itself: attacks a forge.' },
} as const satisfies Record<string, Option>

const MAX_RATIO = 5

/**
 * What a reader without an account opens as often as this without being taken for a crawler. The
 * header is that of a trusted proxy: the reader has an address of their own.
 */
const PAGES = [
  '/acme/site',
  '/acme/site/issues',
  '/acme',
  '/docs/api',
  '/api/v1/repos/acme/site',
  '/api/v1/repos/acme/site/issues',
]

async function readPages(url: string, seconds: number): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  for (let at = 0; performance.now() < until; at++) {
    const began = performance.now()
    const response = await fetch(url + (PAGES[at % PAGES.length] ?? ''), {
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${response.url} answered ${response.status}`)
    times.push(performance.now() - began)
    await Bun.sleep(20)
  }
  return times.sort((a, b) => a - b)
}

const percentile = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

const inWords = (times: readonly number[]): string =>
  `${times.length} requests, p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, longest ${percentile(times, 1).toFixed(1)} ms`

type AttackOrder = { access: ForgeAccess; attackers: number; pauseMs: number; seed: number }

/** Attacks until the process is ended. */
async function attack({ access, attackers, pauseMs, seed }: AttackOrder): Promise<never> {
  const attacks = await attacksOn(clientOf(access))
  const attacker = async (number: number): Promise<never> => {
    const random = randomOf(seed + number)
    await Bun.sleep(random(pauseMs + 1))
    for (;;) {
      const { send, sizes } = attacks[random(attacks.length)] ?? attacks[0]!
      const size = sizes[random(sizes.length)] ?? 1000
      const hard = hardTexts(size)
      const text = random(2) === 0 ? hard[random(hard.length)]?.text : undefined
      await send(text ?? randomText(random, size).text).catch(() => {})
      await Bun.sleep(pauseMs)
    }
  }
  return await Promise.race(Array.from({ length: attackers }, (_, number) => attacker(number)))
}

async function measure(options: Record<keyof typeof OPTIONS, string>): Promise<number> {
  const seed =
    options.seed === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed)
  const seconds = Number(options.seconds)
  const forge = await startMeasuredForge(requireBuilt(options.executable))
  try {
    await prepareAttacks(forge)
    await readPages(forge.url, 3)
    const quiet = await readPages(forge.url, seconds)
    await forge.scrape()
    const { url, token, cookie } = forge
    const order: AttackOrder = {
      access: { url, token, cookie },
      attackers: Number(options.attackers),
      pauseMs: Number(options.pause),
      seed,
    }
    const script = fileURLToPath(import.meta.url)
    const child = Bun.spawn([process.execPath, script, '--attack', JSON.stringify(order)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await Bun.sleep(3_000)
    const attacked = await readPages(forge.url, seconds)
    const isAttacking = child.exitCode === null
    child.kill('SIGKILL')
    await child.exited
    const { turnMs, residentMiB } = await forge.scrape()
    const ratio = percentile(attacked, 0.99) / percentile(quiet, 0.99)
    process.stdout.write(
      `seed ${seed}\nquiet: ${inWords(quiet)}\nattacked: ${inWords(attacked)}\np99 is ${ratio.toFixed(1)} times that of a quiet forge; longest turn ${Math.round(turnMs)} ms of CPU; ${Math.round(residentMiB)} MiB\n`,
    )
    return isAttacking && ratio < MAX_RATIO ? 0 : 1
  } finally {
    await forge.stop()
  }
}

await runScript('bun test/system/stalls.ts [options]', OPTIONS, async (options) =>
  options.attack === '' ? measure(options) : attack(JSON.parse(options.attack) as AttackOrder),
)
