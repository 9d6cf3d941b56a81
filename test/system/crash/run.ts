/**
 * Cuts a forge off again and again while clients work, and holds it against what it had
 * acknowledged after each restart.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  beginForge,
  claim,
  OWNER,
  startForge,
  type ForgeProcess,
} from '../../../scripts/support/forge.ts'
import { git, withToken } from '../../../scripts/support/git.ts'
import type { Client, Life } from './client.ts'
import { Contributor } from './contributor.ts'
import { checkDatabase, hastenMaintenance } from './database.ts'
import { Founder, prepareRepo } from './founder.ts'
import { Importer, startSource } from './importer.ts'
import { countKinds, type Kind } from './ledger.ts'
import { killMachine, powerMachine, type Machine } from './machine.ts'
import { checkExport, checkObjects } from './objects.ts'
import { RaceHistory, Racer } from './racer.ts'
import { Random } from './random.ts'

export type CrashOptions = {
  executable: string
  /** `kill` ends the process; `power` loses what was not synced as well. */
  how: 'kill' | 'power'
  rounds: number
  seed: number
  /** Contributors at once; one founder of repositories comes with them. */
  contributors?: number
  /** Clients that push to the same refs at once. */
  racers?: number
  /** How long clients work in a round, in milliseconds, between these two. */
  length?: readonly [number, number]
  /**
   * How many rounds work in one repository before the next is begun: a store grows by a pack with
   * every push.
   */
  perRepo?: number
  /**
   * Where data, clones and ledgers go; a new temporary directory unless given. Kept when there are
   * problems.
   */
  directory?: string
  say?: (line: string) => void
}

export type CrashReport = {
  rounds: number
  /** How many of the cuts fell into the start of the process. */
  whileStarting: number
  /** How often the packing of a store was made to begin with a life. */
  maintained: number
  /** Moves of shared refs that were acknowledged, and refused because somebody else was first. */
  races: { moved: number; refused: number }
  /** Repositories that were copied from elsewhere, whole. */
  imported: number
  acknowledged: Record<Kind, number>
  /** The fewest acknowledged writes of one client: one that was stuck proves nothing. */
  least: number
  /** Milliseconds until it listened again after a cut: the median and the most. */
  restart: { median: number; most: number }
  problems: string[]
  /** Still there when there are problems. */
  directory: string
}

/** How long the last round goes on at most for clients that have no acknowledged write yet. */
const MAX_LAST_ROUND_MS = 60_000

/**
 * Each round works, cuts, sometimes cuts the start too, starts, and checks. Ends at the first round
 * with problems.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const {
    executable,
    how,
    rounds,
    seed,
    contributors = 4,
    racers = 2,
    length = [300, 2000],
    perRepo = 20,
    say = () => {},
  } = options
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), `hearth-${how}-`))
  mkdirSync(directory, { recursive: true })
  const random = new Random(seed)
  const machine = how === 'power' ? await powerMachine(directory) : killMachine(directory)
  const log = join(directory, 'serve.log')
  const begin = () => ({
    executable,
    data: machine.data,
    log,
    environment: { HEARTH_LOG_LEVEL: 'warn', HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' },
  })
  const restarts: number[] = []
  let whileStarting = 0
  let maintained = 0
  let done = 0
  let problems: string[] = []
  let forge: ForgeProcess | null = null
  const clients: Client[] = []
  const races = new RaceHistory()

  const elsewhere = join(directory, 'elsewhere')
  mkdirSync(elsewhere, { recursive: true })
  const source = await startSource(elsewhere)
  const importer = new Importer('importer', directory, random.branch(), OWNER.workspace, source)
  clients.push(importer)

  try {
    forge = await startForge(begin())
    const { token } = await claim(forge)
    const nextRepo = ({ url }: ForgeProcess, at: number) =>
      prepareRepo({ url, token, over: false }, directory, OWNER.workspace, `work-${at}`, {
        upToDate: at % 2 === 0,
      })
    let repo = await nextRepo(forge, 0)
    for (let at = 0; at < contributors; at++)
      clients.push(new Contributor(`worker-${at}`, directory, random.branch(), () => repo))
    clients.push(new Founder('founder', directory, random.branch(), OWNER.workspace))
    for (let at = 0; at < racers; at++)
      clients.push(new Racer(`racer-${at}`, directory, random.branch(), () => repo, races))
    const ledgers = clients.map(({ ledger }) => ledger)

    while (done < rounds && problems.length === 0) {
      const known = ledgers.map(({ entries }) => entries.length)
      if (done > 0 && done % perRepo === 0) repo = await nextRepo(forge, done / perRepo)
      const life: Life = { url: forge.url, token, over: false }
      const work = Promise.all(clients.map((client) => client.work(life)))
      const isLast = done === rounds - 1
      const died = await Promise.race([
        (isLast ? untilAllWrote(clients) : Promise.resolve())
          .then(() => momentOfCut(life, length, random))
          .then(() => null),
        forge.exited,
      ])
      life.over = true
      if (died !== null) problems.push(`the forge ended by itself with status ${died}`)
      else await machine.cut(forge.pid, forge.kill)
      forge = null
      await work
      // Stores are packed together a while after their pushes; so often does it begin with the next
      // life.
      if (random.chance(0.7)) maintained += hastenMaintenance(join(machine.data, 'hearth.db'))
      if (random.chance(0.2)) {
        await cutWhileStarting(machine, begin(), random)
        whileStarting++
      }
      forge = await startForge(begin())
      restarts.push(forge.announced)
      done++

      // A database that is broken must be seen before the next round writes into it.
      const { problems: wrong, expected } = checkDatabase(
        join(machine.data, 'hearth.db'),
        ledgers,
        races,
      )
      const last = done === rounds
      const touched = ledgers.flatMap(({ entries }, at) =>
        entries.slice(known[at]).map((entry) => entry.repo.split('/')[1] ?? ''),
      )
      const objects = await checkObjects(
        join(machine.data, 'repos'),
        directory,
        expected,
        last || done % 25 === 0 ? null : new Set(touched),
      )
      problems.push(...ledgers.flatMap(({ surprises }) => surprises), ...wrong, ...objects)
      if (last && problems.length === 0) {
        problems.push(
          ...(await lookAsUsers(forge.url, token, directory, repo)),
          ...(await checkExport(executable, machine.data, directory, repo)),
        )
      }
      if (done % 10 === 0 || last || problems.length > 0) {
        say(
          `round ${done} of ${rounds}: ${inWords(countKinds(ledgers))}${problems.length > 0 ? `; ${problems.length} problems` : ''}`,
        )
      }
    }
    if (problems.length === 0 && (await forge.stop()) !== 0)
      problems.push('the forge did not stop cleanly in the end')
  } catch (error) {
    problems = [
      ...problems,
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    ]
  } finally {
    await forge?.kill()
    await source.close()
    const keep = problems.length > 0
    await machine.close(keep)
    if (!keep) rmSync(directory, { recursive: true, force: true })
  }
  restarts.sort((a, b) => a - b)
  return {
    rounds: done,
    whileStarting,
    maintained,
    problems,
    imported: importer.imported,
    races: {
      moved: races.sent.filter(({ said }) => said === 'moved').length,
      refused: races.sent.filter(({ said }) => said === 'refused').length,
    },
    directory,
    acknowledged: countKinds(clients.map(({ ledger }) => ledger)),
    least: leastOf(clients),
    restart: { median: restarts[Math.floor(restarts.length / 2)] ?? 0, most: restarts.at(-1) ?? 0 },
  }
}

export const inWords = (counts: Readonly<Record<Kind, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')

/** The fewest acknowledged writes of a client. Racers and the importer are counted by themselves. */
const leastOf = (clients: readonly Client[]): number =>
  Math.min(
    ...clients
      .filter((client) => !(client instanceof Racer || client instanceof Importer))
      .map(({ ledger }) => ledger.entries.length),
  )

/** On a slow machine waits until each client, and each kind of write, was acknowledged once. */
async function untilAllWrote(clients: readonly Client[]): Promise<void> {
  const hasAll = (): boolean =>
    leastOf(clients) > 0 &&
    Object.values(countKinds(clients.map(({ ledger }) => ledger))).every((count) => count > 0)
  for (const end = performance.now() + MAX_LAST_ROUND_MS; performance.now() < end; ) {
    if (hasAll()) return
    await Bun.sleep(20)
  }
}

/**
 * Waits until the cut: half of them fall anywhere, half fall shortly after a change was sent,
 * because the moments between a transaction and its answer are short and would hardly ever be hit.
 */
async function momentOfCut(
  life: Life,
  length: readonly [number, number],
  random: Random,
): Promise<void> {
  await Bun.sleep(random.between(...length))
  if (random.chance(0.5)) return
  const after = random.between(0, 8)
  const sent = Promise.withResolvers<void>()
  life.sending = () => sent.resolve()
  await Promise.race([sent.promise, Bun.sleep(1000)])
  await Bun.sleep(after)
}

/**
 * Recovery itself is cut off: sometimes before the process has read a line, sometimes when it
 * already listens.
 */
async function cutWhileStarting(
  machine: Machine,
  begin: Parameters<typeof beginForge>[0],
  random: Random,
): Promise<void> {
  const starting = beginForge(begin)
  await Bun.sleep(random.between(0, 250))
  await machine.cut(starting.pid, starting.kill)
  // What it said before it ended does not matter any more.
  await starting.ready.catch(() => {})
}

/** In the end a clone over the network must satisfy git. */
async function lookAsUsers(
  url: string,
  token: string,
  directory: string,
  repo: string,
): Promise<string[]> {
  const clone = join(directory, 'last-look.git')
  try {
    await git(directory, 'clone', '-q', '--mirror', withToken(`${url}/${repo}.git`, token), clone)
    await git(clone, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
