/** The scan of what commits add, beside gitleaks on the same commits. */
import { basename, join } from 'node:path'
import type { Git } from '#git'

/** Milliseconds of processor time of one measurement. */
export type Round = { readonly ours: number; readonly other: number }

/** The newest commits of the main line, newest first. */
export async function commitsOf(repo: string, count: number): Promise<string[]> {
  const log = await Bun.$`git -C ${repo} rev-list --first-parent -n ${count} HEAD`.quiet().text()
  return log.trim().split('\n')
}

/** Processor time of a process and of what it runs: gitleaks reads the output of `git log -p`. */
async function cpuOfProgram(command: readonly string[]): Promise<number> {
  const child = Bun.spawn([...command], { stdout: 'ignore', stderr: 'pipe' })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${said.slice(-1000)}`)
  const used = child.resourceUsage()?.cpuTime
  if (!used) throw new Error('the system does not tell what a process used')
  return Number(used.total) / 1000
}

export async function compareScan(
  engine: Git,
  repo: string,
  { tip, hide }: { readonly tip: string; readonly hide: string },
  { gitleaks, scratch }: { readonly gitleaks: string; readonly scratch: string },
): Promise<Round> {
  const before = process.cpuUsage()
  await engine.searchAdded(basename(repo), { tips: [tip], hide: [hide], matcher: 'secrets' })
  const { user, system } = process.cpuUsage(before)
  const other = await cpuOfProgram([
    gitleaks,
    'git',
    repo,
    `--log-opts=${hide}..${tip}`,
    `--report-path=${join(scratch, 'report.json')}`,
    '--exit-code=0',
    '--no-banner',
  ])
  return { ours: (user + system) / 1000, other }
}
