/**
 * Webhooks under load, from outside: the built executable, 20 webhooks of one repository, of which
 * one receiver always fails, one is slow and one never answers. Beside it runs another forge that
 * has the 17 good receivers only and to which the same happens at the same time, so that whatever
 * else weighs on the machine weighs on both. At the end the first is killed in the middle of a
 * burst and started again. Prints how long the good receivers of each waited, and holds what
 * arrived against what happened: nothing lost, no event twice as two deliveries. Exits with 1 when
 * that does not hold.
 *
 * `bun scripts/bench/webhooks.ts [events, 10000] [events a second, 20] [executable]`
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#core/db.ts'
import { claim, EXECUTABLE, requireBuilt, startForge, type ForgeProcess } from '../support/forge.ts'

const GOOD = 17
const SLOW_MS = 250
const BURST = 200
const WARM_UP = 100

const count = Number(process.argv[2] ?? 10_000)
const pace = Number(process.argv[3] ?? 20)
const executable = requireBuilt(process.argv[4] ?? EXECUTABLE)
const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-webhooks-'))
const say = (text: string): void => void process.stdout.write(`${text}\n`)

/**
 * What one receiver got: for each delivery the event and how often it came, and how long after the
 * event the first came.
 */
class Receiver {
  readonly deliveries = new Map<string, { event: string; times: number }>()
  readonly events = new Set<string>()
  readonly waits: number[] = []
  calls = 0

  take(delivery: string, event: string, happened: number): void {
    this.calls++
    const known = this.deliveries.get(delivery)
    if (known) known.times++
    else this.deliveries.set(delivery, { event, times: 1 })
    if (!this.events.has(event)) this.waits.push(Date.now() - happened)
    this.events.add(event)
  }

  /** Events that came under more than one id. */
  get doubled(): number {
    return this.deliveries.size - this.events.size
  }

  get again(): number {
    return this.calls - this.deliveries.size
  }
}

/** By the path of their address: `<forge>/<name>`. */
const receivers = new Map<string, Receiver>()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const path = new URL(request.url).pathname.slice(1)
    const { id, type, time } = (await request.json()) as { id: string; type: string; time: string }
    if (type === 'ping') return new Response('pong')
    receivers.get(path)?.take(request.headers.get('x-svc-delivery') ?? '', id, Date.parse(time))
    if (path.endsWith('/slow')) await Bun.sleep(SLOW_MS)
    return new Response(null, { status: path.endsWith('/failing') ? 500 : 204 })
  },
})
/** Takes connections and reads what comes, and says nothing, ever. */
const dead = createServer((socket) => void socket.on('error', () => {}).resume())
await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve))
const deadPort = (dead.address() as { port: number }).port

type Row = { url: string; state: string; rows: number; events: number; tried: number }

/** One forge with a repository in which things happen. */
class Site {
  #token = ''
  #issue = 0

  private constructor(
    readonly name: string,
    private process: ForgeProcess,
  ) {}

  static async open(name: string): Promise<Site> {
    const site = new Site(name, await start(name))
    ;({ token: site.#token } = await claim(site.process))
    await site.#post('/repos', { workspace: 'acme', name: 'bench', private: true })
    site.#issue = Number(
      (await site.#post('/repos/acme/bench/issues', { title: 'Where it happens' })).number,
    )
    for (let n = 1; n <= GOOD; n++) await site.addHook(`good-${n}`, server.port ?? 0)
    return site
  }

  async #post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.process.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  async addHook(name: string, port: number): Promise<void> {
    receivers.set(`${this.name}/${name}`, new Receiver())
    await this.#post('/repos/acme/bench/hooks', {
      url: `http://127.0.0.1:${port}/${this.name}/${name}`,
      events: ['comment.created'],
    })
  }

  comment = (): Promise<unknown> =>
    this.#post(`/repos/acme/bench/issues/${this.#issue}/comments`, { body: 'Something happened.' })

  /** Makes events at the pace, however long each takes to be answered. */
  async happen(many: number): Promise<void> {
    const began = performance.now()
    const open = new Set<Promise<unknown>>()
    for (let n = 0; n < many; n++) {
      const ahead = began + (n * 1000) / pace - performance.now()
      if (ahead > 1) await Bun.sleep(ahead)
      const one = this.comment().finally(() => open.delete(one))
      open.add(one)
      if (open.size >= 32) await Promise.race(open)
    }
    await Promise.all(open)
  }

  receiver(name: string): Receiver {
    const known = receivers.get(`${this.name}/${name}`)
    if (!known) throw new Error(`${this.name} has no receiver ${name}`)
    return known
  }

  get good(): Receiver[] {
    return Array.from({ length: GOOD }, (_, n) => this.receiver(`good-${n + 1}`))
  }

  goodHave = (events: number): boolean =>
    this.good.every((receiver) => receiver.events.size >= events)

  /**
   * Seconds of a core that it has used (`man 5 proc_pid_stat`, fields 14 and 15); null where the
   * system does not say.
   */
  get coreSeconds(): number | null {
    const path = `/proc/${this.process.pid}/stat`
    if (!existsSync(path)) return null
    const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  }

  /**
   * What its database says: how many events there were, and the deliveries of each webhook by
   * state.
   */
  kept(): { happened: number; rows: Row[] } {
    const db = openDatabase({ path: join(directory, this.name, 'hearth.db'), readonly: true })
    try {
      return {
        happened:
          db.one<{ n: number }>(`SELECT count(*) AS n FROM events WHERE type = 'comment.created'`)
            ?.n ?? 0,
        rows: db.all<Row>(
          `SELECT w.url, d.state, count(*) AS rows, count(DISTINCT d.event_id) AS events, count(d.tried_at) AS tried FROM webhooks w JOIN webhook_deliveries d ON d.hook_id = w.id
           JOIN webhook_payloads p ON p.event_id = d.event_id WHERE p.type <> 'ping' GROUP BY w.id, d.state ORDER BY w.id, d.state`,
        ),
      }
    } finally {
      db.close()
    }
  }

  async crash(): Promise<void> {
    await this.process.kill()
  }

  async startAgain(): Promise<void> {
    this.process = await start(this.name)
  }

  stop = (): Promise<number> => this.process.stop()
}

const start = (name: string): Promise<ForgeProcess> =>
  startForge({
    executable,
    data: join(directory, name),
    log: join(directory, `${name}.log`),
    environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' },
  })

async function until(what: string, holds: () => boolean, seconds: number): Promise<number> {
  const began = performance.now()
  while (!holds()) {
    if (performance.now() - began > seconds * 1000)
      throw new Error(`${what} took longer than ${seconds} seconds`)
    await Bun.sleep(50)
  }
  return (performance.now() - began) / 1000
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

/** How long the good receivers waited. */
function waits(name: string, site: Site): { median: number; late: number } {
  const all = site.good.flatMap((receiver) => receiver.waits.splice(0)).sort((a, b) => a - b)
  const used = site.coreSeconds
  say(
    `${name.padEnd(42)} ${String(all.length).padStart(7)} deliveries   p50 ${at(all, 0.5)} ms   p99 ${at(all, 0.99)} ms   worst ${at(all, 1)} ms${used === null ? '' : `   ${used.toFixed(0)} s of a core`}`,
  )
  return { median: at(all, 0.5), late: at(all, 0.99) }
}

const problems: string[] = []
const sites: Site[] = []
try {
  const control = await Site.open('control')
  sites.push(control)
  const site = await Site.open('site')
  sites.push(site)
  await Promise.all(sites.map((one) => one.happen(WARM_UP)))
  await until('the first events', () => sites.every((one) => one.goodHave(WARM_UP)), 120)
  for (const one of sites) for (const receiver of one.good) receiver.waits.length = 0
  await site.addHook('failing', server.port ?? 0)
  await site.addHook('slow', server.port ?? 0)
  await site.addHook('dead', deadPort)

  const began = performance.now()
  await Promise.all(sites.map((one) => one.happen(count)))
  const seconds = (performance.now() - began) / 1000
  await until('the good receivers', () => sites.every((one) => one.goodHave(WARM_UP + count)), 600)
  say(
    `${count} events in ${seconds.toFixed(0)} seconds, the same in two forges; the load of the machine is ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`,
  )
  const alone = waits(`${GOOD} good receivers alone`, control)
  const beside = waits(`${GOOD} beside a failing, a slow and a dead one`, site)
  say(
    `beside them the p50 is ${(beside.median / Math.max(1, alone.median)).toFixed(2)} and the p99 ${(beside.late / Math.max(1, alone.late)).toFixed(2)} times that of the good ones alone`,
  )
  await control.stop()

  const burst = Promise.allSettled(Array.from({ length: BURST }, () => site.comment()))
  await until(
    'the burst',
    () => site.good.some(({ events }) => events.size > WARM_UP + count + BURST / 10),
    60,
  )
  await site.crash()
  const answered = (await burst).filter(({ status }) => status === 'fulfilled').length
  await site.startAgain()
  const { happened } = site.kept()
  await until('after the kill', () => site.goodHave(happened), 300)
  const again = site.good.reduce((sum, receiver) => sum + receiver.again, 0)
  say(
    `killed in a burst of ${BURST}: ${answered} were answered, ${happened - count - WARM_UP} had happened, all of them arrived; ${again} deliveries came again under their own id`,
  )
  if (happened - count - WARM_UP < answered) problems.push('an answered event is gone')

  const expected = happened - WARM_UP
  const [slow, failing] = [site.receiver('slow'), site.receiver('failing')]
  const took = await until('the slow receiver', () => slow.events.size === expected, 3600)
  say(
    `the slow one (${SLOW_MS} ms each) had all its ${expected} after ${took.toFixed(0)} seconds more; the failing one was tried ${failing.calls} times for ${failing.events.size} events`,
  )

  await site.stop()
  const { rows } = site.kept()
  const of = (name: string): Row[] => rows.filter(({ url }) => url.endsWith(`/${name}`))
  for (const name of [
    ...Array.from({ length: GOOD }, (_, n) => `good-${n + 1}`),
    'failing',
    'slow',
    'dead',
  ]) {
    const wanted = name.startsWith('good') ? happened : expected
    const sum = (field: 'rows' | 'events'): number =>
      of(name).reduce((total, row) => total + row[field], 0)
    if (sum('rows') !== wanted || sum('events') !== wanted)
      problems.push(
        `${name} has ${sum('rows')} deliveries of ${sum('events')} events, not ${wanted}`,
      )
    const receiver = site.receiver(name)
    if (name !== 'dead' && receiver.events.size !== wanted)
      problems.push(`${name} got ${receiver.events.size} events, not ${wanted}`)
    if (receiver.doubled > 0) problems.push(`${name} got ${receiver.doubled} events under two ids`)
    if (name.startsWith('good') && of(name).some(({ state }) => state !== 'delivered'))
      problems.push(`${name} has deliveries that are not delivered`)
  }
  for (const name of ['failing', 'slow', 'dead'])
    say(
      `${name}: ${of(name)
        .map(
          ({ state, rows: n, tried }) =>
            `${n} ${state}${state === 'sent' ? ` (${tried} tried)` : ''}`,
        )
        .join(', ')}`,
    )
  say(
    problems.length === 0
      ? `${happened} events, ${rows.reduce((sum, row) => sum + row.rows, 0)} deliveries: nothing lost, no event twice as two deliveries`
      : problems.join('\n'),
  )
} finally {
  for (const one of sites) await one.crash()
  await server.stop(true)
  dead.close()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(problems.length === 0 ? 0 : 1)
