/**
 * Measures what is lost when a machine is, with a copy that follows it: Litestream copies the
 * database as it is written (https://litestream.io), and a loop copies new packs, or the forge
 * itself with `--bucket`. The primary is killed under load and its disk destroyed; the copy is
 * started, and what clients had been told is looked for in it.
 */
import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, Life } from './crash/client.ts'
import { Contributor } from './crash/contributor.ts'
import { checkDatabase } from './crash/database.ts'
import { Founder, prepareRepo } from './crash/founder.ts'
import { checkObjects } from './crash/objects.ts'
import { RaceHistory } from './crash/racer.ts'
import { Random } from './crash/random.ts'
import { hearth } from './drill/run.ts'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  rounds: { kind: 'count', default: '5', help: 'How often the primary is lost.' },
  litestream: { kind: 'text', default: 'litestream', help: 'The program.' },
  to: {
    kind: 'text',
    default: '',
    help: 'Where the database is copied to, such as s3://bucket/folder?endpoint=…; a directory unless given.',
  },
  bucket: {
    kind: 'text',
    default: '',
    help: 'Where the forge copies its packs to (storage.bucket), such as s3://bucket/folder; without it a loop copies them to a directory.',
  },
  endpoint: {
    kind: 'text',
    default: 'http://127.0.0.1:9000',
    help: 'The address of the server of that bucket.',
  },
  access: { kind: 'text', default: 'access', help: 'Its access key.' },
  secret: { kind: 'text', default: 'secret', help: 'Its secret key.' },
  contributors: { kind: 'count', default: '4', help: 'Clients that work at once.' },
  seconds: { kind: 'count', default: '15', help: 'How long they work before the primary is lost.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

type Loss = {
  left: number
  acknowledged: number
  lost: number /** With branches moved back. */
  after: number
  seconds: number
  broken: number
  takeover: number
}

/**
 * New files first, an index after its pack, as `rsync --ignore-existing` over `*.pack` and then the
 * rest would.
 */
async function copyPacks(from: string, to: string): Promise<void> {
  const plain = async (filter: string[]) =>
    await Bun.spawn(
      [
        'sh',
        '-c',
        `cd "$0" && find . -type f ${filter.join(' ')} | while read -r f; do [ -e "$1/$f" ] || { mkdir -p "$1/$(dirname "$f")" && cp -p "$f" "$1/$f.partial" && mv "$1/$f.partial" "$1/$f"; }; done; true`,
        from,
        to,
      ],
      { stdout: 'ignore', stderr: 'ignore' },
    ).exited
  await plain([`-name '*.pack'`])
  await plain([
    `! -name '*.pack'`,
    `! -name '*.pending'`,
    `! -name 'commit-graph'`,
    `! -name '*.bitmap'`,
  ])
}

async function round(
  directory: string,
  options: {
    executable: string
    litestream: string
    to: string
    contributors: number
    seconds: number
    seed: number
    storage: Record<string, string> | null
  },
): Promise<Loss> {
  const { executable, litestream } = options
  const data = join(directory, 'primary')
  const standby = join(directory, 'standby')
  const replica = options.to === '' ? `file://${join(directory, 'replica')}` : `${options.to}`
  mkdirSync(join(standby, 'repos'), { recursive: true, mode: 0o700 })
  const log = join(directory, 'serve.log')
  const environment = { HEARTH_LOG_LEVEL: 'warn', ...options.storage }
  const forge = await startForge({ executable, data, log, environment })
  const { token } = await claim(forge)
  const follower = Bun.spawn([litestream, 'replicate', join(data, 'hearth.db'), replica], {
    stdout: Bun.file(join(directory, 'litestream.log')),
    stderr: Bun.file(join(directory, 'litestream.err')),
  })
  const random = new Random(options.seed)
  const life: Life = { url: forge.url, token, over: false }
  const repo = await prepareRepo(life, directory, OWNER.workspace, 'work', { upToDate: false })
  const clients: Client[] = Array.from(
    { length: options.contributors },
    (_, at) => new Contributor(`worker-${at}`, directory, random.branch(), () => repo),
  )
  clients.push(new Founder('founder', directory, random.branch(), OWNER.workspace))
  const work = Promise.all(clients.map((client) => client.work(life)))
  const until = performance.now() + options.seconds * 1000
  while (performance.now() < until) {
    if (options.storage === null) await copyPacks(join(data, 'repos'), join(standby, 'repos'))
    await Bun.sleep(500)
  }
  // All at once, as a machine goes.
  const killedAt = new Date().toISOString()
  follower.kill('SIGKILL')
  await forge.kill()
  life.over = true
  await Promise.all([work, follower.exited])
  rmSync(data, { recursive: true, force: true })

  const began = performance.now()
  const restored = Bun.spawn([litestream, 'restore', '-o', join(standby, 'hearth.db'), replica], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [said, status] = await Promise.all([new Response(restored.stderr).text(), restored.exited])
  if (status !== 0 || !existsSync(join(standby, 'hearth.db')))
    throw new Error(`litestream restore ended with ${status}: ${said.slice(-500)}`)
  const copy = await startForge({ executable, data: standby, log, environment })
  const takeover = (performance.now() - began) / 1000
  await copy.stop()

  const { problems, expected } = checkDatabase(
    join(standby, 'hearth.db'),
    clients.map(({ ledger }) => ledger),
    new RaceHistory(),
  )
  const lost = problems.filter((problem) => problem.startsWith('acknowledged and lost'))
  const other = problems.filter((problem) => !problem.startsWith('acknowledged and lost'))
  if (other.length > 0)
    throw new Error(`the copy of the database is not sound: ${other.slice(0, 3).join('; ')}`)
  if (options.storage !== null) {
    // Packs come when they are asked for: here each repository is, as a clone would.
    const again = await startForge({ executable, data: standby, log, environment })
    for (const { name } of expected.families) {
      const asked = await fetch(
        `${again.url}/${OWNER.workspace}/${name}.git/info/refs?service=git-upload-pack`,
        { headers: { authorization: `Basic ${btoa(`x:${token}`)}` } },
      )
      if (!asked.ok && asked.status !== 401)
        throw new Error(`${name} answered ${asked.status}: ${await asked.text()}`)
    }
    await again.stop()
  }
  for (const { store } of expected.families)
    for (const part of ['objects/pack', 'objects/info', 'refs'])
      mkdirSync(join(standby, 'repos', store, part), { recursive: true })
  const broken = (await checkObjects(join(standby, 'repos'), directory, expected, null)).filter(
    (problem) => /fsck/.test(problem),
  )
  const db = new Database(join(standby, 'hearth.db'), { readonly: true })
  const { newest } = db.query('SELECT max(time) AS newest FROM events').get() as { newest: string }
  db.close()
  const doctor = await hearth(executable, ['doctor', '--data', standby], environment)
  if (broken.length > 0 && doctor.status === 0)
    throw new Error('objects are missing in the copy and the doctor does not say so')
  // With branches moved back to what is there, all of it must be whole again.
  const fixed = await hearth(executable, ['doctor', '--fix', '--data', standby], environment)
  const left =
    (await hearth(executable, ['doctor', '--data', standby], environment)).status === 0 ? 0 : 1
  if (left > 0)
    process.stdout.write(
      `${fixed.out
        .split('\n')
        .filter((line) => / is missing/.test(line))
        .slice(0, 5)
        .join('\n')}\n`,
    )
  const after = checkDatabase(
    join(standby, 'hearth.db'),
    clients.map(({ ledger }) => ledger),
    new RaceHistory(),
  ).problems.filter((problem) => problem.startsWith('acknowledged and lost')).length
  return {
    after,
    left,
    acknowledged: clients.reduce((sum, { ledger }) => sum + ledger.entries.length, 0),
    lost: lost.length,
    seconds: (Date.parse(killedAt) - Date.parse(newest)) / 1000,
    broken: broken.length,
    takeover,
  }
}

if (import.meta.main) {
  await runScript('bun test/system/drill-replica.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-replica-'))
    const executable = join(root, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    const losses: Loss[] = []
    for (let at = 0; at < Number(options.rounds); at++) {
      const directory = join(root, String(at))
      mkdirSync(directory)
      const to =
        options.to === '' ? '' : options.to.replace(/^(s3:\/\/[^?]+)/, `$1/${crypto.randomUUID()}`)
      const storage =
        options.bucket === ''
          ? null
          : {
              HEARTH_STORAGE_BUCKET: `${options.bucket}/drill-${crypto.randomUUID()}`,
              HEARTH_STORAGE_ENDPOINT: options.endpoint,
              HEARTH_STORAGE_ACCESS_KEY: options.access,
              HEARTH_STORAGE_SECRET_KEY: options.secret,
            }
      const loss = await round(directory, {
        storage,
        executable,
        litestream: options.litestream,
        to,
        contributors: Number(options.contributors),
        seconds: Number(options.seconds),
        seed: Math.floor(Math.random() * 1e9),
      })
      losses.push(loss)
      process.stdout.write(
        `round ${at + 1}: ${loss.acknowledged} acknowledged, ${loss.lost} lost; the copy ends ${loss.seconds.toFixed(1)} s before the loss; ` +
          `${loss.broken} repositories with refs to objects that had not come${loss.left > 0 ? ', not all mended by the doctor' : loss.broken > 0 ? ', mended by the doctor' : ''}; ${loss.after} changes less with branches moved back; serving again after ${loss.takeover.toFixed(1)} s\n`,
      )
      rmSync(directory, { recursive: true, force: true })
    }
    const worst = (pick: (loss: Loss) => number): number => Math.max(...losses.map(pick))
    process.stdout.write(
      `at worst: ${worst(({ lost }) => lost)} acknowledged changes of the last ${worst(({ seconds }) => seconds).toFixed(1)} s lost, ${worst(({ after }) => after)} with branches moved back, ${worst(({ broken }) => broken)} repositories incomplete, back after ${worst(({ takeover }) => takeover).toFixed(1)} s\n`,
    )
    rmSync(root, { recursive: true, force: true })
    return 0
  })
}
