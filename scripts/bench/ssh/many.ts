/**
 * Many connections over SSH at once: the memory of those that are idle, and how long the forge stays
 * in one turn of its event loop while many clone.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'ssh2'
import { newEd25519Key } from '#lib/ssh/ed25519-key.ts'
import { OWNER } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { residentOf } from '../git/processes.ts'
import type { Hearth } from '../git/servers.ts'

/** One key may have 128 connections. */
const CONNECTIONS_OF_KEY = 125
/** The forge lets ten of one network sign in at once. */
const SIGN_INS_AT_ONCE = 8
/** After this the memory of signing in is given back. */
const SETTLE_MS = 30_000

async function connect(port: number, privateKey: string): Promise<Client> {
  const client = new Client()
  const ready = Promise.withResolvers<void>()
  client.once('ready', () => ready.resolve())
  client.once('error', (error) => ready.reject(error))
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey, readyTimeout: 60_000 })
  await ready.promise
  return client
}

export async function idleRow(
  hearth: Hearth,
  port: number,
  repository: string,
  connections: number,
): Promise<string> {
  const keys: string[] = []
  for (let at = 0; at < connections; at += CONNECTIONS_OF_KEY) {
    const { pem, line } = newEd25519Key()
    keys.push(pem)
    await hearth.api('POST', `/repos/${OWNER.workspace}/${repository}/keys`, {
      title: `machine ${at}`,
      key: line,
    })
  }
  await Bun.sleep(SETTLE_MS)
  const before = residentOf(hearth.pid)
  const open: Client[] = []
  const wanted = Array.from({ length: connections }, (_, at) => keys[at % keys.length] ?? '')
  const next = wanted[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: SIGN_INS_AT_ONCE }, async () => {
      for (const key of next) open.push(await connect(port, key))
    }),
  )
  await Bun.sleep(SETTLE_MS)
  const after = residentOf(hearth.pid)
  for (const client of open) client.end()
  return `| ${open.length} idle connections, resident memory | ${after.toFixed(0)} MiB, ${(after - before).toFixed(0)} more than without |`
}

/** The longest turn since the last question, in milliseconds of processor time. */
async function longestTurnMs(hearth: Hearth): Promise<number> {
  const response = await fetch(`${hearth.url}/metrics`, {
    headers: { authorization: `Bearer ${hearth.token}` },
  })
  const [, seconds] =
    /^hearth_event_loop_longest_turn_cpu_seconds\{since="scrape"\} (\S+)$/m.exec(
      await response.text(),
    ) ?? []
  if (seconds === undefined) throw new Error(`/metrics: ${response.status}`)
  return Number(seconds) * 1000
}

type Clones = {
  readonly directory: string
  readonly command: string
  readonly address: string
  readonly count: number
}

export async function clonesRow(
  hearth: Hearth,
  { directory, command, address, count }: Clones,
): Promise<string> {
  await longestTurnMs(hearth)
  const into = (at: number): string => join(directory, `many-${at}`)
  const began = performance.now()
  await Promise.all(
    Array.from({ length: count }, (_, at) =>
      git(
        directory,
        '-c',
        `core.sshCommand=${command}`,
        'clone',
        '-q',
        '--bare',
        address,
        into(at),
      ),
    ),
  )
  const seconds = (performance.now() - began) / 1000
  const turnMs = await longestTurnMs(hearth)
  for (let at = 0; at < count; at++) rmSync(into(at), { recursive: true, force: true })
  return `| ${count} clones at once, longest turn of the event loop | ${turnMs.toFixed(1)} ms of processor time, in ${seconds.toFixed(1)} s |`
}
