/** One life of a pair of machines: work, a loss at a random moment, a take-over, the old one back. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Client, type Life } from '../crash/client.ts'
import { Contributor } from '../crash/contributor.ts'
import { checkDatabase } from '../crash/database.ts'
import { Founder, prepareRepo } from '../crash/founder.ts'
import { checkObjects } from '../crash/objects.ts'
import { RaceHistory } from '../crash/racer.ts'
import { Random } from '../crash/random.ts'
import { claim, OWNER } from '../../../scripts/support/forge.ts'
import type { Machine } from './machine.ts'

export type Mode = 'local' | 'standby' | 'lease'

export const SETTINGS: Readonly<Record<Mode, Readonly<Record<string, string>>>> = {
  local: {},
  standby: { HEARTH_STANDBY_ACKNOWLEDGE: 'standby' },
  lease: { HEARTH_STANDBY_LEASE: '3s' },
}

export type Pair = { readonly first: Machine; readonly second: Machine }

/** A pair of machines with their key, the first serving and the second following. */
export async function startPair({ first, second }: Pair): Promise<{ token: string }> {
  await first.must('standby', 'key')
  mkdirSync(join(second.data, 'secrets'), { mode: 0o700 })
  const key = join('secrets', 'standby.pem')
  copyFileSync(join(first.data, key), join(second.data, key))
  await first.start('serve')
  const { token } = await claim({ url: first.url, setup: () => first.setup() })
  await second.start('standby', 'follow')
  await second.until(/is_following +true/)
  return { token }
}

/** Clients that work until the life is over. */
export async function startWork(
  life: Life,
  directory: string,
  contributors: number,
  seed: number,
): Promise<{ clients: Client[]; done: Promise<unknown> }> {
  const random = new Random(seed)
  const repo = await prepareRepo(life, directory, OWNER.workspace, 'work', { upToDate: false })
  const clients: Client[] = Array.from(
    { length: contributors },
    (_, at) => new Contributor(`worker-${at}`, directory, random.branch(), () => repo),
  )
  clients.push(new Founder('founder', directory, random.branch(), OWNER.workspace))
  return { clients, done: Promise.all(clients.map((client) => client.work(life))) }
}

export type Checked = {
  readonly acknowledged: number
  /** When the acknowledged changes that are gone were acknowledged. */
  readonly lostAt: readonly number[]
  readonly problems: readonly string[]
}

/** Holds a data directory against what clients were told. */
export async function check(
  data: string,
  directory: string,
  clients: readonly Client[],
): Promise<Checked> {
  const { problems, expected } = checkDatabase(
    join(data, 'hearth.db'),
    clients.map(({ ledger }) => ledger),
    new RaceHistory(),
  )
  const timeOf = new Map(
    clients.flatMap(({ ledger: { entries, times } }) =>
      entries.map((entry, at) => [JSON.stringify(entry), times[at] ?? 0] as const),
    ),
  )
  const lost = problems.filter((problem) => problem.startsWith('acknowledged and lost'))
  const lostAt = lost.map((problem) => {
    const [, entry = ''] = /^acknowledged and lost: (\{.*\})/.exec(problem) ?? []
    return timeOf.get(entry) ?? 0
  })
  return {
    acknowledged: timeOf.size,
    lostAt,
    problems: [
      ...problems.filter((problem) => !lost.includes(problem)),
      ...(await checkObjects(join(data, 'repos'), directory, expected, null)),
    ],
  }
}

/** Throws unless a machine refuses changes with 503 because of the other one. */
export async function requireFenced(machine: Machine, token: string): Promise<void> {
  const life: Life = { url: machine.url, token, over: false }
  const { status, body } = await ask(life, 'POST', `/repos/${OWNER.workspace}/work/issues`, {
    title: 'must not be taken',
  })
  const { reason } = (body.error ?? {}) as { reason?: string }
  if (status !== 503 || reason !== 'standby')
    throw new Error(`the first machine answered ${status} ${JSON.stringify(body)}`)
}

/** Waits until a machine answers a request for its work. */
export async function untilServing(machine: Machine, token: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = await fetch(`${machine.url}/api/v1/repos/${OWNER.workspace}/work`, {
      headers: { authorization: `Bearer ${token}` },
    }).catch(() => null)
    if (found?.ok) return
    await Bun.sleep(50)
  }
  throw new Error('the second machine does not serve')
}
