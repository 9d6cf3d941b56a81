/**
 * Backs a forge up while clients work, destroys it, restores it, and holds the copy against what
 * had been acknowledged.
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Client, Life } from '../crash/client.ts'
import { Contributor } from '../crash/contributor.ts'
import { checkDatabase } from '../crash/database.ts'
import { Founder, prepareRepo } from '../crash/founder.ts'
import { Ledger } from '../crash/ledger.ts'
import { checkExport, checkObjects } from '../crash/objects.ts'
import { RaceHistory } from '../crash/racer.ts'
import { Random } from '../crash/random.ts'
import { claim, OWNER, startForge, type ForgeProcess } from '../../../scripts/support/forge.ts'
import { git, withToken } from '../../../scripts/support/git.ts'

export type DrillOptions = {
  executable: string
  directory: string
  seed: number
  rounds: number
  backups: number
  contributors: number
  encrypted?: boolean
  say?: (line: string) => void
}

export type DrillReport = {
  rounds: number
  backups: number
  /** Acknowledged changes that were looked for in what was restored. */
  checked: number
  repositories: number
  /** Of one backup, and of one restore, on average. */
  seconds: { backup: number; restore: number }
  problems: string[]
}

type Said = {
  readonly status: number
  readonly out: string
  readonly error: string
  readonly seconds: number
}

/** Runs a command of the executable as a person would. */
export async function hearth(
  executable: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Said> {
  const began = performance.now()
  const child = Bun.spawn([executable, ...args], {
    env: { PATH: '/nonexistent', HOME: '/nonexistent', TZ: 'UTC', ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, out, error, seconds: (performance.now() - began) / 1000 }
}

/** What had been acknowledged at a moment: a ledger with fewer entries. */
const upTo = (ledger: Ledger, entries: number): Ledger => {
  const part = new Ledger('/dev/null')
  part.entries.push(...ledger.entries.slice(0, entries))
  for (const [name, oids] of ledger.sent) part.sent.set(name, oids)
  return part
}

const namesOf = (data: string): string[] => {
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  try {
    const rows = db
      .query(
        `SELECT actors.username || '/' || repos.name AS name FROM repos JOIN actors ON actors.id = repos.workspace_id WHERE parent_id IS NULL AND deleted_at IS NULL`,
      )
      .all()
    return (rows as { name: string }[]).map(({ name }) => name)
  } finally {
    db.close()
  }
}

export async function runDrill({
  executable,
  directory,
  seed,
  rounds,
  backups,
  contributors,
  encrypted = false,
  say = () => {},
}: DrillOptions): Promise<DrillReport> {
  mkdirSync(directory, { recursive: true })
  const random = new Random(seed)
  const log = join(directory, 'serve.log')
  const place = join(directory, 'place')
  const identity = join(directory, 'identity.txt')
  const environment: Record<string, string> = { HEARTH_LOG_LEVEL: 'warn' }
  if (encrypted) {
    const secret = await generateX25519Identity()
    writeFileSync(identity, `${secret}\n`)
    environment.HEARTH_BACKUPS_RECIPIENTS = await identityToRecipient(secret)
  }
  const withKey = encrypted ? ['--identity', identity] : []
  const report: DrillReport = {
    rounds: 0,
    backups: 0,
    checked: 0,
    repositories: 0,
    seconds: { backup: 0, restore: 0 },
    problems: [],
  }
  const { problems } = report
  let data = join(directory, 'data-0')
  let forge: ForgeProcess | null = null
  const must = async (args: readonly string[]): Promise<Said> => {
    const said = await hearth(executable, args, environment)
    if (said.status !== 0)
      problems.push(
        `hearth ${args.join(' ')} ended with ${said.status}: ${said.error.trim()} ${said.out.trim()}`,
      )
    return said
  }
  try {
    forge = await startForge({ executable, data, log, environment })
    const { token } = await claim(forge)
    for (let round = 0; round < rounds && problems.length === 0; round++) {
      const url: string = forge.url
      const life: Life = { url, token, over: false }
      const repo = await prepareRepo(life, directory, OWNER.workspace, `work-${round}`, {
        upToDate: round % 2 === 0,
      })
      // New clients each round: what the old ones remember may not be there any more.
      const clients: Client[] = Array.from(
        { length: contributors },
        (_, at) => new Contributor(`worker-${round}-${at}`, directory, random.branch(), () => repo),
      )
      clients.push(new Founder(`founder-${round}`, directory, random.branch(), OWNER.workspace))
      const work = Promise.all(clients.map((client) => client.work(life)))
      let known: number[] = []
      for (let at = 0; at < backups; at++) {
        await Bun.sleep(random.between(500, 2000))
        // Before it is begun: what is acknowledged until now must be in it.
        known = clients.map(({ ledger }) => ledger.entries.length)
        const { seconds } = await must(['backup', 'create', '--data', data, '--to', place])
        report.seconds.backup += seconds
        report.backups++
      }
      await Bun.sleep(random.between(0, 500))
      life.over = true
      await forge.kill()
      forge = null
      await work
      const surprises = clients.flatMap(({ ledger }) => ledger.surprises)
      problems.push(...surprises)
      rmSync(data, { recursive: true, force: true })
      if (existsSync(data)) throw new Error(`${data} is still there`)

      data = join(directory, `data-${round + 1}`)
      // Cut off somewhere and begun again, as it happens to people in a hurry.
      if (random.chance(0.5))
        await interrupted(
          executable,
          ['backup', 'restore', place, '--data', data, ...withKey],
          random,
          environment,
        )
      let isWhole = false
      if (existsSync(data)) {
        const isUnfinished = existsSync(join(data, 'RESTORE-UNFINISHED.json'))
        const early = await hearth(executable, ['doctor', '--data', data], environment)
        if (early.status === 0 && isUnfinished)
          problems.push('a restore that was cut off left something that opens')
        // A quick machine has restored everything before it is cut off; what it made is checked.
        isWhole = early.status === 0 && !isUnfinished
      }
      const restored = isWhole
        ? { seconds: 0 }
        : await must(['backup', 'restore', place, '--data', data, ...withKey])
      report.seconds.restore += restored.seconds
      if (problems.length > 0) break

      const ledgers = clients.map(({ ledger }, at) => upTo(ledger, known[at] ?? 0))
      const { problems: wrong, expected } = checkDatabase(
        join(data, 'hearth.db'),
        ledgers,
        new RaceHistory(),
      )
      problems.push(
        ...wrong,
        ...(await checkObjects(join(data, 'repos'), directory, expected, null)),
      )
      report.checked += known.reduce((sum, count) => sum + count, 0)
      await must(['doctor', '--data', data])
      for (const name of namesOf(data)) {
        problems.push(...(await checkExport(executable, data, directory, name)))
        report.repositories++
      }
      await must(['backup', 'verify', place, '--data', data, ...withKey])
      forge = await startForge({ executable, data, log, environment })
      const clone = join(directory, `look-${round}`)
      await git(directory, 'clone', '-q', withToken(`${forge.url}/${repo}.git`, token), clone)
      await git(clone, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')
      rmSync(clone, { recursive: true, force: true })
      report.rounds++
      say(
        `round ${round + 1} of ${rounds}: ${report.checked} acknowledged changes looked for${problems.length > 0 ? `; ${problems.length} problems` : ''}`,
      )
    }
    if (forge && (await forge.stop()) !== 0)
      problems.push(
        `the forge did not stop cleanly in the end: ${readFileSync(log, 'utf8').slice(-500)}`,
      )
    forge = null
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    await forge?.kill()
  }
  report.seconds.backup /= Math.max(1, report.backups)
  report.seconds.restore /= Math.max(1, report.rounds)
  return report
}

/** Begins a command and kills it somewhere on the way. */
async function interrupted(
  executable: string,
  args: readonly string[],
  random: Random,
  environment: Record<string, string>,
): Promise<void> {
  const child = Bun.spawn([executable, ...args], {
    env: { PATH: '/nonexistent', HOME: '/nonexistent', ...environment },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await Bun.sleep(random.between(50, 500))
  child.kill('SIGKILL')
  await child.exited
}
