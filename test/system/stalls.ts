/**
 * Proves that attackers do not keep a forge from its users: 200 of them send what parsers find hard
 * to every door, while one reader opens pages of a repository of their own. Reader and attackers
 * are processes of their own. Quiet and attacked phases take turns, because other programs use the
 * machine too. In the median of the rounds, the p99 of the reader stays below five times that of the
 * quiet phase before. The longest turn of the event loop and the memory are shown as well, and how
 * much of its time the loop waited for a processor: on an idle machine next to none.
 *
 * Attackers, threads and other programs take processors too. A server in a process of its own, which
 * answers every request with one byte, shows what that alone does: the reader reads from it in the
 * same phases. The p99 of the forge may grow five times as much as the p99 of this server.
 *
 * That is rough on a busy machine. So the reader also counts the processor time of the event loop
 * from request to answer, which other programs do not change: what the loop did for the request and
 * for everybody before it. Its p99 stays below five times that of the quiet phase.
 */
import { readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { attacksOn, prepareAttacks } from '../http/stalls/attacks.ts'
import {
  clientOf,
  type ForgeAccess,
  type MeasuredForge,
  startMeasuredForge,
} from '../http/stalls/measured-forge.ts'
import { type HardText, hardTexts, randomOf, randomText } from '../http/stalls/texts.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  attackers: { kind: 'count', default: '200', help: 'Attackers, each with one request at a time.' },
  pause: {
    kind: 'count',
    default: '1000',
    help: 'Milliseconds between the requests of an attacker; 0 measures how much work fits.',
  },
  networks: {
    kind: 'count',
    default: '1',
    help: 'Networks that the attackers come from, at most 254.',
  },
  seconds: { kind: 'count', default: '10', help: 'Seconds of a phase, quiet or attacked.' },
  rounds: { kind: 'count', default: '5', help: 'Rounds of a quiet and an attacked phase.' },
  seed: { kind: 'count', default: '', help: 'Repeats the choices of an earlier run.' },
  only: { kind: 'text', default: '', help: 'Only attacks whose name has this text.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  attack: { kind: 'text', default: '', help: 'Used by the script itself: attacks a forge.' },
  read: { kind: 'text', default: '', help: 'Used by the script itself: reads pages.' },
  serve: { kind: 'text', default: '', help: 'Used by the script itself: serves one byte.' },
} as const satisfies Record<string, Option>

const MAX_RATIO = 5
/** Requests of many attackers share a turn, and so does collecting their garbage. */
const MAX_TURN_MS = 100
/** The forge finishes what attackers have sent before a quiet phase is measured. */
const SETTLE_MS = 3_000
const WARM_UP_MS = 1_000
/** Of a process (setpriority(2)); scripts may run at a low priority themselves. */
const LOWEST_PRIORITY = 19

/**
 * What a reader without an account opens as often as this without being taken for a crawler. The
 * attackers change another repository, so these pages keep their size.
 */
const PAGES = [
  '/acme/home',
  '/acme/home/issues',
  '/acme/home/blob/main/README.md',
  '/docs/api',
  '/api/v1/repos/acme/home',
  '/api/v1/repos/acme/home/issues',
]

async function prepareHome(forge: MeasuredForge): Promise<void> {
  await forge.seed('POST', '/v1/repos', { workspace: 'acme', name: 'home', private: false })
  await forge.seed('POST', '/repos/acme/home/commits', {
    branch: 'main',
    message: 'Begin',
    files: ['README.md', 'a.ts', 'b.ts'].map((path) => ({ action: 'put', path, content: '# a\n' })),
  })
  for (let issue = 0; issue < 10; issue++)
    await forge.seed('POST', '/v1/repos/acme/home/issues', { title: `Issue ${issue}`, body: '*a*' })
}

type ReadOrder = { readonly url: string; readonly pid: number; readonly seconds: number }

/** Milliseconds of requests in ascending order: waited for, and of processor time of the main thread. */
type Times = { readonly wall: number[]; readonly loop: number[] }

/** Reads pages and prints the times. `pid` is that of the server. */
async function read({ url, pid, seconds }: ReadOrder): Promise<number> {
  const times: Times = { wall: [], loop: [] }
  const beganMs = performance.now()
  for (let at = 0; performance.now() < beganMs + WARM_UP_MS + seconds * 1000; at++) {
    const sentMs = performance.now()
    const ranMs = schedulingOf(pid).ran
    const response = await fetch(url + (PAGES[at % PAGES.length] ?? ''), {
      // That of a trusted proxy: the reader has an address of their own.
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${response.url} answered ${response.status}`)
    if (sentMs > beganMs + WARM_UP_MS) {
      times.wall.push(performance.now() - sentMs)
      times.loop.push(schedulingOf(pid).ran - ranMs)
    }
    await Bun.sleep(20)
  }
  process.stdout.write(JSON.stringify(times))
  return 0
}

/** Answers every request with one byte until the process is ended. Prints its address. */
async function serveByte(): Promise<never> {
  const { url } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('a') })
  process.stdout.write(`${url.origin}\n`)
  return await new Promise<never>(() => {})
}

type AttackOrder = {
  readonly access: ForgeAccess
  readonly attackers: number
  readonly networks: number
  readonly pauseMs: number
  readonly seed: number
  readonly only: string
}

/** Attacks until the process is ended. Prints the number of requests so far every second. */
async function attack(order: AttackOrder): Promise<never> {
  const { access, attackers, networks, pauseMs, seed, only } = order
  // Real attackers have machines of their own.
  setPriority(0, Math.min(LOWEST_PRIORITY, getPriority(0) + 10))
  const byNetwork = await Promise.all(
    Array.from({ length: networks }, async (_, network) => {
      // Addresses for documentation (RFC 5737).
      const attacks = await attacksOn(clientOf({ ...access, address: `198.51.100.${network + 1}` }))
      return attacks.filter(({ name }) => name.includes(only))
    }),
  )
  const texts = new Map<number, HardText[]>()
  let sent = 0
  setInterval(() => process.stdout.write(`${sent}\n`), 1_000)
  const attacker = async (number: number): Promise<never> => {
    const random = randomOf(seed + number)
    const attacks = byNetwork[number % networks] ?? []
    await Bun.sleep(random(pauseMs + 1))
    for (;;) {
      const { send, sizes } = attacks[random(attacks.length)]!
      const size = sizes[random(sizes.length)] ?? 1000
      const hard = texts.get(size) ?? hardTexts(size)
      texts.set(size, hard)
      const text = random(2) === 0 ? hard[random(hard.length)]?.text : undefined
      await send(text ?? randomText(random, size).text).catch(() => {})
      sent++
      await Bun.sleep(pauseMs)
    }
  }
  return await Promise.race(Array.from({ length: attackers }, (_, number) => attacker(number)))
}

const script = fileURLToPath(import.meta.url)

async function readTimes(order: ReadOrder): Promise<Times> {
  const child = Bun.spawn([process.execPath, script, '--read', JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { wall, loop } = JSON.parse(await new Response(child.stdout).text()) as Times
  return { wall: wall.sort((a, b) => a - b), loop: loop.sort((a, b) => a - b) }
}

type ByteServer = { readonly url: string; readonly pid: number; end(): Promise<void> }

/** The server of one byte, in a process of its own. */
async function startByteServer(): Promise<ByteServer> {
  const child = Bun.spawn([process.execPath, script, '--serve', 'byte'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await child.exited
  }
  return { url: new TextDecoder().decode(value).trim(), pid: child.pid, end }
}

/** Attackers in a process of their own, which pause until they are told to go on. */
class Attackers {
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  /** Requests of all attackers so far. */
  sent = 0

  constructor(order: AttackOrder) {
    this.#child = Bun.spawn([process.execPath, script, '--attack', JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    void this.#count()
  }

  async #count(): Promise<void> {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream()))
      this.sent = Number(text.trim().split('\n').at(-1))
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null
  }

  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }
}

const percentile = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

const inWords = ({ wall: times, loop }: Times): string =>
  `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, longest ${percentile(times, 1).toFixed(0)} ms, of the loop p50 ${percentile(loop, 0.5).toFixed(1)}, p99 ${percentile(loop, 0.99).toFixed(1)} ms`

/** Milliseconds that a main thread ran, and that it waited for a processor (proc_pid_schedstat). */
function schedulingOf(pid: number): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'latin1')
    .split(' ')
    .map((nanoseconds) => Number(nanoseconds) / 1e6)
  return { ran, waited }
}

/**
 * How many times slower the slowest requests of a reader are than in a quiet phase, and the longest
 * turn of the event loop in milliseconds of processor time.
 */
type Slowdown = {
  readonly forge: number
  /** The same in processor time of the event loop. */
  readonly loop: number
  readonly byteServer: number
  readonly turnMs: number
}

type Measured = {
  readonly forge: MeasuredForge
  readonly attackers: Attackers
  readonly byteServer: ByteServer
  readonly seconds: number
}

async function measureRound({
  forge,
  attackers,
  byteServer,
  seconds,
}: Measured): Promise<Slowdown> {
  attackers.pause()
  await Bun.sleep(SETTLE_MS)
  const quiet = await readTimes({ url: forge.url, pid: forge.pid, seconds })
  const quietByte = await readTimes({ url: byteServer.url, pid: byteServer.pid, seconds })
  attackers.goOn()
  await forge.scrape()
  const before = attackers.sent
  const start = schedulingOf(forge.pid)
  const attacked = await readTimes({ url: forge.url, pid: forge.pid, seconds })
  const sent = attackers.sent - before
  const end = schedulingOf(forge.pid)
  const waited = (end.waited - start.waited) / (end.waited - start.waited + end.ran - start.ran)
  const { turnMs, residentMiB } = await forge.scrape()
  const attackedByte = await readTimes({ url: byteServer.url, pid: byteServer.pid, seconds })
  const slowdown = {
    forge: percentile(attacked.wall, 0.99) / percentile(quiet.wall, 0.99),
    loop: percentile(attacked.loop, 0.99) / percentile(quiet.loop, 0.99),
    byteServer: percentile(attackedByte.wall, 0.99) / percentile(quietByte.wall, 0.99),
    turnMs,
  }
  process.stdout.write(
    `quiet: ${inWords(quiet)}; attacked: ${inWords(attacked)}; p99 x${slowdown.forge.toFixed(1)}, of the loop x${slowdown.loop.toFixed(1)}; ${Math.round(sent / (seconds + WARM_UP_MS / 1000))} attacks a second; the event loop waited ${Math.round(waited * 100)} % of its time for a processor; longest turn ${Math.round(turnMs)} ms of CPU; ${Math.round(residentMiB)} MiB\n` +
      `  server of one byte: quiet: ${inWords(quietByte)}; attacked: ${inWords(attackedByte)}; p99 x${slowdown.byteServer.toFixed(1)}\n`,
  )
  return slowdown
}

const medianOf = (values: number[]): number =>
  percentile(
    values.sort((a, b) => a - b),
    0.5,
  )

async function measureRounds(measured: Measured, rounds: number): Promise<Slowdown> {
  const all: Slowdown[] = []
  for (let round = 0; round < rounds; round++) all.push(await measureRound(measured))
  return {
    forge: medianOf(all.map(({ forge }) => forge)),
    loop: medianOf(all.map(({ loop }) => loop)),
    byteServer: medianOf(all.map(({ byteServer }) => byteServer)),
    turnMs: Math.max(...all.map(({ turnMs }) => turnMs)),
  }
}

async function measure(options: Record<keyof typeof OPTIONS, string>): Promise<number> {
  const seed =
    options.seed === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed)
  const forge = await startMeasuredForge(requireBuilt(options.executable))
  try {
    await prepareAttacks(forge)
    await prepareHome(forge)
    const { url, token, cookie } = forge
    const attackers = new Attackers({
      access: { url, token, cookie },
      attackers: Number(options.attackers),
      networks: Number(options.networks),
      pauseMs: Number(options.pause),
      seed,
      only: options.only,
    })
    const byteServer = await startByteServer()
    try {
      process.stdout.write(`seed ${seed}\n`)
      // All pages and all attacks are compiled once.
      await readTimes({ url, pid: forge.pid, seconds: 2 })
      const measured = {
        forge,
        attackers,
        byteServer,
        seconds: Number(options.seconds),
      }
      const slowdown = await measureRounds(measured, Number(options.rounds))
      const allowed = MAX_RATIO * Math.max(1, slowdown.byteServer)
      process.stdout.write(
        `median: p99 is ${slowdown.forge.toFixed(1)} times that of a quiet forge, and ${slowdown.loop.toFixed(1)} times in processor time of the event loop; of the server of one byte ${slowdown.byteServer.toFixed(1)} times\n`,
      )
      const isProven =
        slowdown.forge < allowed && slowdown.loop < MAX_RATIO && slowdown.turnMs < MAX_TURN_MS
      return attackers.isRunning && isProven ? 0 : 1
    } finally {
      await byteServer.end()
      await attackers.end()
    }
  } finally {
    await forge.stop()
  }
}

await runScript('bun test/system/stalls.ts [options]', OPTIONS, async (options) => {
  if (options.attack !== '') return attack(JSON.parse(options.attack) as AttackOrder)
  if (options.serve !== '') return serveByte()
  if (options.read !== '') return read(JSON.parse(options.read) as ReadOrder)
  return measure(options)
})
