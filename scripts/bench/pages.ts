/**
 * How long a page takes on a large repository, beside cgit on the same one in the same run, in
 * turns: tree, file, blame, log, commit and comparison, and search (cgit's is `git log --grep`; the
 * forge's is that of code). `bun scripts/bench/pages.ts --repo DIR` with a bare repository. The
 * forge is given the time that it takes for itself after a push, then started anew; the first visit
 * of each page is told apart from later ones, because the forge keeps what it has found out and
 * cgit runs with its cache off. Neither packs what it sends. The last columns compare the processor
 * time of both servers, which other work on the machine changes less than the time of the clock.
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf } from './git/processes.ts'
import { startCgit } from './pages/cgit.ts'
import { choosePages, type Target } from './pages/pages.ts'
import { startHearth, type Hearth } from './git/servers.ts'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { OptionError, runScript } from '../support/options.ts'

const OPTIONS = {
  repo: { help: 'a bare repository', default: '', kind: 'text' },
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  targets: { help: 'different pages of each kind', default: '8', kind: 'count' },
  rounds: { help: 'visits of each page', default: '6', kind: 'count' },
  keep: {
    help: 'a directory for the forge, used again when it is there',
    default: '',
    kind: 'text',
  },
} as const

const part = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
  Number.NaN
const mean = (times: readonly number[]): number =>
  times.reduce((sum, time) => sum + time, 0) / times.length
const show = (value: number): string =>
  (Number.isNaN(value) ? '-' : value < 10 ? value.toFixed(1) : value.toFixed(0)).padStart(8)

async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now()
  const answer = await fetch(url, {
    headers: { 'accept-encoding': 'identity', ...headers },
    redirect: 'manual',
  })
  const text = await answer.text()
  const took = performance.now() - began
  if (answer.status !== 200 || text.length < 500)
    throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`)
  return took
}

/** Pages of each kind that are visited before the measuring, and are not among those measured. */
const WARM = 3

/** A forge, with the repository in it where its directory is used again. */
async function openForge(
  executable: string,
  directory: string,
): Promise<Omit<Hearth, 'data'> & { readonly data: string; readonly filled: boolean }> {
  const note = join(directory, 'token')
  const data = join(directory, 'data')
  if (!existsSync(note)) {
    const made = await startHearth(executable, directory)
    await Bun.write(note, made.token)
    return Object.assign(made, { data, filled: false })
  }
  return Object.assign(
    await startHearth(executable, directory, { before: (await Bun.file(note).text()).trim() }),
    { data, filled: true },
  )
}

/**
 * Jobs that a forge has by itself after a push: it packs and indexes the store, and reads ahead.
 */
const OWN_JOBS = `'maintain_store', 'read_ahead', 'keep_search', 'measure_repo'`

/**
 * Waits until the forge has done what it does by itself a while after a push. Gives how long that
 * took, in seconds.
 */
async function settled(data: string): Promise<number> {
  const began = performance.now()
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  try {
    const waits = db.query<{ n: number }, []>(
      `SELECT count(*) AS n FROM jobs WHERE kind IN (${OWN_JOBS}) AND state <> 'failed' AND key IS NOT 'sweep'`,
    )
    while ((waits.get()?.n ?? 0) > 0) {
      if (performance.now() - began > 1_800_000)
        throw new Error('the forge does not come to an end of its own work')
      await Bun.sleep(500)
    }
  } finally {
    db.close()
  }
  return (performance.now() - began) / 1000
}

await runScript('bench-pages', OPTIONS, async ({ repo, executable, targets, rounds, keep }) => {
  if (repo === '' || !existsSync(join(repo, 'HEAD')))
    throw new OptionError('--repo names a bare repository')
  const directory = mkdtempSync(join(tmpdir(), 'hearth-pages-'))
  const copy = join(directory, 'copy.git')
  await git(directory, 'clone', '-q', '--bare', '--single-branch', repo, copy)
  await git(copy, 'commit-graph', 'write', '--reachable', '--changed-paths')
  const branch = (await git(copy, 'symbolic-ref', '--short', 'HEAD')).trim()
  const commits = (await git(copy, 'rev-list', '--count', 'HEAD')).trim()
  if (keep !== '') mkdirSync(keep, { recursive: true })
  const forge = await openForge(
    requireBuilt(executable),
    keep === '' ? join(directory, 'forge') : keep,
  )
  const cgit = await startCgit(copy, join(directory, 'cgit'))
  try {
    if (!forge.filled) {
      await forge.create('repo')
      await git(
        copy,
        '-c',
        `http.extraHeader=Authorization: ${forge.authorization}`,
        'push',
        '-q',
        forge.address('repo'),
        `HEAD:refs/heads/${branch}`,
      )
      process.stdout.write(
        `pushed; the forge's own work afterwards took ${(await settled(forge.data)).toFixed(0)} s\n`,
      )
    }
    await forge.restart()
    const all = await choosePages(copy, branch, Number(targets) + WARM)
    const pages = all.map(({ name, targets: each }) => ({
      name,
      targets: each.slice(0, Number(targets)),
    }))
    // A process that has just started compiles what it runs for the first time: other pages bear
    // that.
    for (const { targets: each } of all)
      for (const target of each.slice(Number(targets)))
        await timed(`${forge.url}/acme/repo${target.forge}`, {
          authorization: `Bearer ${forge.token}`,
        })
    type Times = { first: number[]; later: number[]; cgit: number[] }
    const times = new Map<string, { wall: Times; cpu: Times }>()
    const noTimes = (): Times => ({ first: [], later: [], cgit: [] })
    const ask = async (name: string, target: Target, round: number) => {
      let row = times.get(name)
      if (!row) times.set(name, (row = { wall: noTimes(), cpu: noTimes() }))
      const { wall, cpu } = row
      const measure = async (pid: number, kind: keyof Times, url: string, headers = {}) => {
        const before = cpuOf(pid)
        wall[kind].push(await timed(url, headers))
        cpu[kind].push(cpuOf(pid) - before)
      }
      const mine = () =>
        measure(
          forge.pid,
          round === 0 ? 'first' : 'later',
          `${forge.url}/acme/repo${target.forge}`,
          {
            authorization: `Bearer ${forge.token}`,
          },
        )
      const theirs = () => measure(cgit.pid, 'cgit', `${cgit.url}/repo${target.cgit}`)
      for (const one of round % 2 === 0 ? [mine, theirs] : [theirs, mine]) await one()
    }
    for (let round = 0; round < Number(rounds); round++)
      for (const { name, targets: all } of pages)
        for (const target of all) await ask(name, target, round)
    process.stdout.write(
      `${commits} commits, ${targets} pages of each kind, ${rounds} visits of each; milliseconds\n\n`,
    )
    process.stdout.write(
      `${'page'.padEnd(16)}${['first 50', 'first 99', 'later 50', 'later 99', 'cgit 50', 'cgit 99', 'first/cgit', 'later/cgit', 'first cpu', 'later cpu'].map((word) => word.padStart(11)).join('')}\n`,
    )
    for (const [name, { wall: row, cpu }] of times) {
      const cells = [
        part(row.first, 0.5),
        part(row.first, 0.99),
        part(row.later, 0.5),
        part(row.later, 0.99),
        part(row.cgit, 0.5),
        part(row.cgit, 0.99),
      ].map((value) => show(value).padStart(11))
      const ratio = (of: readonly number[]) =>
        `${(part(of, 0.5) / part(row.cgit, 0.5)).toFixed(2)}x`.padStart(11)
      // Means, because the kernel counts what cgit's processes used in steps of 10 ms.
      const cpuRatio = (of: readonly number[]) =>
        `${(mean(of) / mean(cpu.cgit)).toFixed(2)}x`.padStart(11)
      process.stdout.write(
        `${name.padEnd(16)}${cells.join('')}${ratio(row.first)}${ratio(row.later)}${cpuRatio(cpu.first)}${cpuRatio(cpu.later)}\n`,
      )
    }
  } finally {
    await Promise.all([forge.stop(), cgit.stop()])
    rmSync(directory, { recursive: true, force: true })
  }
  return 0
})
