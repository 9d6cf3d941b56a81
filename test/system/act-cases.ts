/**
 * The test cases of act, another program that runs workflow files, with `hearth run`: `bun
 * test/system/act-cases.ts`. Each has to end as its table of tests says, apart from listed reasons.
 * Cases with containers and with actions of other repositories are left out, because `hearth run` has
 * neither. The Go module proxy has the cases.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { git } from '../../scripts/support/git.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { EXPLAINED } from './act-cases/explained.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  only: { kind: 'text', default: '', help: 'The name of one case.' },
} as const satisfies Record<string, Option>

const MODULE = 'github.com/nektos/act@v0.2.89'
const TABLES = /^func TestRunEvent(?:HostEnvironment)?\(.*?^\}$/gms
const WINDOWS = /if runtime\.GOOS == "windows".*?\} else/s
const CASE = /^\t+\{workdir, "([^"]+)", "([^"]+)", "([^"]*)"/gm
const LEFT_OUT = [
  /needs? a runner with containers: hearth run has none/,
  /hearth run has no actions of other repositories/,
  /\S+\/\.github\/workflows\/\S+@\S+ is not in this working tree/,
]
const MAX_CASE_MS = 120_000

type Case = { readonly name: string; readonly event: string; readonly fails: boolean }
type Ending = { readonly succeeded: boolean; readonly text: string }

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** The folder of the runner of act, with its tests and their data. */
function fetchCases(): string {
  const child = Bun.spawnSync(['go', 'mod', 'download', '-json', MODULE], { cwd: tmpdir() })
  const { Dir } = JSON.parse(child.stdout.toString()) as { Dir?: string }
  if (Dir === undefined) throw new Error(`${MODULE} cannot be fetched: ${child.stdout.toString()}`)
  return join(Dir, 'pkg/runner')
}

/** The cases of both tables, for containers and for the machine itself. */
function readCases(folder: string): Case[] {
  const source = readFileSync(join(folder, 'runner_test.go'), 'utf8')
  const cases = new Map<string, Case>()
  for (const [table] of source.matchAll(TABLES))
    for (const [, name = '', event = '', error] of table.replace(WINDOWS, '').matchAll(CASE))
      cases.set(`${name} ${event}`, { name, event, fails: error !== '' })
  return [...cases.values()]
}

async function runCase(
  { name, event }: Case,
  { data, tree, executable }: { data: string; tree: string; executable: string },
): Promise<Ending> {
  rmSync(tree, { recursive: true, force: true })
  cpSync(data, tree, { recursive: true, verbatimSymlinks: true })
  const workflows = join(tree, '.hearth/workflows')
  mkdirSync(workflows, { recursive: true })
  for (const file of readdirSync(join(data, name)))
    if (/^(?!action\.).*\.ya?ml$/.test(file)) cpSync(join(data, name, file), join(workflows, file))
  // Files of Go modules can only be read.
  Bun.spawnSync(['chmod', '-R', 'u+w', tree])
  await git(tree, 'init', '-q')
  const child = Bun.spawn([executable, 'run', '--event', event], {
    cwd: tree,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: MAX_CASE_MS,
  })
  const [output, errors, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { succeeded: exit === 0, text: output + errors }
}

await runScript('bun test/system/act-cases.ts [options]', OPTIONS, async (options) => {
  const executable = resolve(requireBuilt(options.executable))
  const folder = fetchCases()
  const directory = mkdtempSync(join(tmpdir(), 'hearth-act-'))
  const places = { data: join(folder, 'testdata'), tree: join(directory, 'tree'), executable }
  const count = { agree: 0, explained: 0, left: 0, faults: 0 }
  try {
    for (const one of readCases(folder)) {
      const key = `${one.name} ${one.event}`
      if (options.only !== '' && options.only !== one.name) continue
      const { succeeded, text } = await runCase(one, places)
      const agrees = succeeded !== one.fails
      const reason = EXPLAINED[key]
      if (LEFT_OUT.some((pattern) => pattern.test(text))) count.left++
      else if (agrees && reason === undefined) count.agree++
      else if (!agrees && reason !== undefined) {
        count.explained++
        say(`differs ${key}: ${reason}`)
      } else {
        count.faults++
        say(`FAIL ${key} ${agrees ? 'agrees, and is explained' : 'differs'}`)
        if (!agrees) say(text.replace(/^/gm, '     '))
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  say(
    `${count.agree} agree, ${count.explained} differ for a reason, ${count.left} left out, ${count.faults} faults`,
  )
  return count.faults === 0 ? 0 : 1
})
