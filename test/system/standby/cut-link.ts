/**
 * Two machines in network namespaces, each with a link to the clients and one to each other. The
 * link between them is cut while clients work, so that both still could serve.
 */
import { $ } from 'bun'
import { ask, type Life } from '../crash/client.ts'
import { OWNER } from '../../../scripts/support/forge.ts'
import { Machine } from './machine.ts'
import {
  check,
  requireFenced,
  SETTINGS,
  startPair,
  startWork,
  untilServing,
  type Mode,
} from './round.ts'

/** The lease of `SETTINGS`, and how soon both machines know of each other again. */
const LEASE_MS = 3000
const LEARNED_WITHIN_MS = 20_000

type Network = {
  readonly first: string
  readonly second: string
  readonly cut: () => Promise<void>
  readonly mend: () => Promise<void>
  readonly remove: () => Promise<void>
}

let networks = 0

/** Makes two namespaces: 10.77.1.2 and 10.77.2.2 for clients, 10.77.3.1 and .2 for each other. */
async function makeNetwork(): Promise<Network> {
  // Names of a removed network are free only a moment later.
  const id = `${process.pid}-${++networks}`
  const [first, second] = [`hearth-a-${id}`, `hearth-b-${id}`]
  const remove = async (): Promise<void> => {
    await $`ip netns del ${first}`.quiet().nothrow()
    await $`ip netns del ${second}`.quiet().nothrow()
  }
  try {
    for (const [name, at] of [
      [first, 1],
      [second, 2],
    ] as const) {
      await $`ip netns add ${name}`.quiet()
      await $`ip -n ${name} link set lo up`.quiet()
      const [outside, inside] = [`hc${at}-${id}`, `hi${at}-${id}`]
      await $`ip link add ${outside} type veth peer name ${inside} netns ${name}`.quiet()
      await $`ip addr add 10.77.${at}.1/24 dev ${outside}`.quiet()
      await $`ip link set ${outside} up`.quiet()
      await $`ip -n ${name} addr add 10.77.${at}.2/24 dev ${inside}`.quiet()
      await $`ip -n ${name} link set ${inside} up`.quiet()
    }
    await $`ip -n ${first} link add pair type veth peer name pair netns ${second}`.quiet()
    await $`ip -n ${first} addr add 10.77.3.1/24 dev pair`.quiet()
    await $`ip -n ${second} addr add 10.77.3.2/24 dev pair`.quiet()
    const set = async (state: string): Promise<void> => {
      await $`ip -n ${first} link set pair ${state}`.quiet()
      await $`ip -n ${second} link set pair ${state}`.quiet()
    }
    await set('up')
    return { first, second, cut: () => set('down'), mend: () => set('up'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Makes issues until the machine refuses; gives when the last was acknowledged and the refusal. */
async function writeUntilRefused(life: Life): Promise<{ lastAt: number; refusedAt: number }> {
  let lastAt = 0
  for (;;) {
    const sentAt = Date.now()
    const { status, body } = await ask(life, 'POST', `/repos/${OWNER.workspace}/work/issues`, {
      title: 'after the cut',
    })
    if (status < 300) lastAt = Date.now()
    else if (status === 503) return { lastAt, refusedAt: Date.now() }
    else throw new Error(`an issue answered ${status}: ${JSON.stringify(body)}`)
    if (Date.now() - sentAt > 60_000) throw new Error('the first machine never refused')
    await Bun.sleep(20)
  }
}

async function untilFenced(machine: Machine, token: string): Promise<number> {
  const began = performance.now()
  for (;;) {
    try {
      await requireFenced(machine, token)
      if (/^fenced/.test(await machine.must('standby', 'status'))) break
    } catch (error) {
      if (performance.now() - began > LEARNED_WITHIN_MS) throw error
    }
    await Bun.sleep(100)
  }
  return (performance.now() - began) / 1000
}

export async function cutLink(options: {
  readonly executable: string
  readonly directory: string
  readonly mode: Mode
  readonly contributors: number
  readonly seconds: number
}): Promise<string> {
  const { executable, directory, mode } = options
  const network = await makeNetwork()
  const machine = (at: 1 | 2, name: string, namespace: string): Machine =>
    new Machine({
      executable,
      directory,
      name,
      namespace,
      http: `10.77.${at}.2:3000`,
      standby: `10.77.3.${at}:3100`,
      peer: `10.77.3.${3 - at}:3100`,
      settings: SETTINGS[mode],
    })
  const first = machine(1, 'first', network.first)
  const second = machine(2, 'second', network.second)
  try {
    const { token } = await startPair({ first, second })
    const life: Life = { url: first.url, token, over: false }
    const { clients, done } = await startWork(life, directory, options.contributors, 7)
    await Bun.sleep(1000 + Math.random() * options.seconds * 1000)
    life.over = true
    const cutAt = Date.now()
    await network.cut()
    await done
    // Without a lease, or a standby that confirms, the first goes on, as nobody told it otherwise.
    const isBound = mode !== 'local'
    const refused = isBound ? await writeUntilRefused({ ...life, over: false }) : null
    if (mode === 'lease' && refused && refused.lastAt > cutAt + LEASE_MS)
      throw new Error(`a change was acknowledged ${refused.lastAt - cutAt} ms after the cut`)
    if (mode === 'standby' && refused && refused.lastAt > cutAt)
      throw new Error('a change was acknowledged that the standby cannot have')

    const without = await second.run('standby', 'takeover')
    if (!isBound && without.status === 0) throw new Error('it took over from one that may serve')
    if (!isBound) await second.must('standby', 'takeover', '--force')
    else if (without.status !== 0) throw new Error(without.error)
    await untilServing(second, token)
    const servedAt = Date.now()
    if (isBound) await requireFenced(first, token)
    await network.mend()
    const learned = await untilFenced(first, token)
    const { problems, lostAt, acknowledged } = await check(second.data, directory, clients)
    if (problems.length > 0) throw new Error(problems.slice(0, 5).join('\n'))
    if (mode === 'standby' && lostAt.length > 0) throw new Error('a confirmed change is lost')
    return `${mode}, link cut: ${acknowledged} acknowledged, ${lostAt.length} lost, the first refused ${refused === null ? 'nothing until it was told' : `after ${((refused.refusedAt - cutAt) / 1000).toFixed(1)} s`}, the second served ${((servedAt - cutAt) / 1000).toFixed(1)} s after the cut, the first was fenced ${learned.toFixed(1)} s after the link was back`
  } finally {
    await first.kill()
    await second.kill()
    await network.remove()
  }
}
