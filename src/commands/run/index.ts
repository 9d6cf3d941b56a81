/** `hearth run`: workflows of a working tree, without a server. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { totalmem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_NAMES, readPairs, type EventName, type Workflow } from '#actions'
import { executeJob, noContainers } from '#features/runners/index.ts'
import { systemClock } from '#lib/time.ts'
import { createRunner, describeIsolation, type Limits, type Runner } from '#runner'
import { CommandError, text, UsageError, type Command, type Flags } from '../command.ts'
import { counted } from '../terminal.ts'
import { PrintedLog } from './print-log.ts'
import { runWorkflow, withJobOnly, type JobEnd, type ReadyJob } from './run-workflow.ts'
import { WorkingTree } from './working-tree.ts'

const GIBIBYTE = 1024 ** 3

const LIMITS: Limits = {
  timeMs: Number.MAX_SAFE_INTEGER,
  memoryBytes: Math.max(GIBIBYTE, Math.floor(totalmem() / 2)),
  diskBytes: 20 * GIBIBYTE,
  processes: 4_096,
  files: 4_096,
  outputBytes: 0,
}

const print = (line: string): void => void process.stdout.write(line)

/** The event of `--event`. Throws UsageError. */
function eventOf(flags: Flags): EventName {
  const name = text(flags.event) ?? 'push'
  const known = EVENT_NAMES.find((one) => one === name)
  if (!known) throw new UsageError(`--event is one of ${EVENT_NAMES.join(', ')}`)
  return known
}

/** The workflows that the command line means. Throws CommandError. */
async function chosenWorkflows(
  tree: WorkingTree,
  word: string | undefined,
  event: EventName,
): Promise<Workflow[]> {
  const paths = word === undefined ? tree.workflowPaths() : tree.pathsOf(word)
  if (paths.length === 0) {
    const all = tree.workflowPaths().join(', ')
    throw new CommandError(
      word === undefined || all === ''
        ? 'there are no workflows: files in .hearth/workflows or .github/workflows'
        : `there is no workflow ${word}; there are ${all}`,
    )
  }
  const workflows: Workflow[] = []
  for (const path of paths) workflows.push(await tree.read(path))
  const matching = workflows.filter(({ on }) => on[event] !== undefined)
  if (matching.length > 0) return matching
  const others = [...new Set(workflows.flatMap(({ on }) => Object.keys(on)))].join(', ')
  throw new CommandError(`no workflow runs for ${event}; they run for ${others}`)
}

/** The default values of inputs, for dispatch. */
const inputsOf = ({ on }: Workflow, event: EventName) =>
  Object.fromEntries(
    Object.entries(on[event]?.inputs ?? {}).map(([name, input]) => [
      name,
      input.default ?? (input.type === 'boolean' ? false : ''),
    ]),
  )

async function secretsOf(flags: Flags): Promise<Record<string, string>> {
  const file = text(flags.secrets)
  if (file === undefined) return {}
  const pairs = readPairs(await readFile(file, 'utf8'))
  return Object.fromEntries(pairs.map(([name, value]) => [name.toUpperCase(), value]))
}

type Session = {
  readonly tree: WorkingTree
  readonly runner: Runner
  readonly secrets: Readonly<Record<string, string>>
  readonly stop: AbortSignal
  /** How many jobs have run. */
  jobs: number
}

async function execute(
  session: Session,
  workflow: Workflow,
  event: EventName,
  job: ReadyJob,
): Promise<JobEnd> {
  const { tree, runner, secrets, stop } = session
  print(`${workflow.path}: ${job.name}\n`)
  const log = new PrintedLog(print)
  const result = await executeJob(
    {
      id: `job-${++session.jobs}`,
      jobId: job.jobId,
      repository: tree.repository,
      plan: job.plan,
      contexts: {
        github: tree.github(workflow, event),
        inputs: job.inputs,
        vars: {},
        needs: job.needs,
        matrix: job.matrix,
        strategy: job.strategy,
      },
      secrets,
      stop,
    },
    {
      runner,
      limits: LIMITS,
      now: systemClock.now,
      log,
      containers: noContainers('hearth run has none'),
      artifacts: null,
      caches: null,
      uploadSarif: null,
      checkOut: async (folder, source) => {
        if (source.repository !== tree.repository || source.ref !== null)
          throw new Error(
            `hearth run has the files of the working tree only, not ${source.repository}${source.ref === null ? '' : ` at ${source.ref}`}`,
          )
        await tree.checkOut(folder)
        return null
      },
      fetchAction: (_, { repository, ref }) => {
        throw new Error(
          `hearth run has no actions of other repositories, such as ${repository}@${ref}`,
        )
      },
      readAction: (text, path) => tree.reader.readAction(text, path),
      report: (step) => log.step(step),
    },
  )
  if (result.reason !== null) print(`  ${result.reason}\n`)
  print(`${workflow.path}: ${job.name}: ${result.conclusion.replaceAll('_', ' ')}\n\n`)
  return result
}

/** Reads a workflow that a job calls; only those of the tree are here. */
async function load(tree: WorkingTree, uses: string): Promise<Workflow> {
  if (uses.startsWith('./')) return tree.read(uses.slice(2))
  throw new CommandError(`${uses} is not in this working tree`)
}

/** Prints which jobs run, in their order, as if each succeeded. */
async function list(
  tree: WorkingTree,
  workflow: Workflow,
  event: EventName,
  explains: boolean,
): Promise<void> {
  print(`${workflow.path}: ${workflow.name}\n`)
  await runWorkflow({
    workflow,
    github: tree.github(workflow, event),
    inputs: inputsOf(workflow, event),
    vars: {},
    stop: new AbortController().signal,
    load: (uses) => load(tree, uses),
    execute: async ({ key, plan }) => {
      print(`  ${key} (${plan.runsOn.join(', ')}, ${counted(plan.steps.length, 'step')})\n`)
      return { conclusion: 'success', outputs: {} }
    },
    onEnd: (key, conclusion, reason) => {
      if (explains)
        print(`  ${key}: ${conclusion}${reason === null ? '' : `, because ${reason}`}\n`)
    },
  })
}

/** Runs workflows one after the other. Returns whether all succeeded. */
async function runAll(
  session: Session,
  workflows: readonly Workflow[],
  event: EventName,
): Promise<boolean> {
  const { tree, stop } = session
  let succeeded = true
  for (const workflow of workflows) {
    const conclusion = await runWorkflow({
      workflow,
      github: tree.github(workflow, event),
      inputs: inputsOf(workflow, event),
      vars: {},
      stop,
      load: (uses) => load(tree, uses),
      execute: (job) => execute(session, workflow, event, job),
      onEnd: (key, ended, reason) =>
        print(
          `${workflow.path}: ${key}: ${ended}${reason === null ? '' : `, because ${reason}`}\n\n`,
        ),
    })
    print(`${workflow.path}: ${conclusion.replaceAll('_', ' ')}\n`)
    if (conclusion !== 'success' && conclusion !== 'skipped') succeeded = false
  }
  return succeeded
}

async function withRunner<T>(flags: Flags, use: (runner: Runner) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-run-'))
  const runner = createRunner({
    directory: join(directory, 'jobs'),
    isolation: flags['no-sandbox'] === true ? 'none' : 'required',
    network: flags.network === true,
    readable: [],
    hidden: [],
  })
  try {
    const isolation = await runner.isolation()
    if (isolation.kind === 'missing')
      throw new CommandError(
        `${describeIsolation(isolation)}. With --no-sandbox, steps run with your rights`,
      )
    return await use(runner)
  } finally {
    await runner.sweep()
    await rm(directory, { recursive: true, force: true })
  }
}

export const run: Command = {
  name: 'run',
  summary:
    'Runs workflows of the working tree around this folder, without a server: files of .hearth/workflows, else of .github/workflows. Steps run in a sandbox on a copy of the files, committed or not, without those that git ignores. WORKFLOW is a file or its name. Exit status 1 when a workflow fails.',
  brief: 'Runs workflows of a working tree, without a server.',
  args: ['[WORKFLOW]'],
  flags: {
    job: { value: 'ID', help: 'Only this job, and the jobs that it needs.' },
    event: { value: 'NAME', help: 'The event that happened (push).' },
    secrets: { value: 'FILE', help: 'Secrets, as lines of NAME=VALUE.' },
    network: { help: 'Lets steps use the network of this machine.' },
    'no-sandbox': { help: 'Runs steps with your rights, without a sandbox.' },
    list: { help: 'Prints the jobs that would run, and runs nothing.' },
    explain: { help: 'The same, with the reasons of those that would not run.' },
  },

  run: async ({ args, flags }) => {
    const event = eventOf(flags)
    const secrets = await secretsOf(flags)
    const tree = WorkingTree.find(process.cwd())
    const stop = new AbortController()
    const interrupt = (): void => stop.abort()
    process.on('SIGINT', interrupt)
    process.on('SIGTERM', interrupt)
    try {
      const chosen = await chosenWorkflows(tree, args[0], event)
      const job = text(flags.job)
      const having = chosen.filter(
        ({ jobs }) => job === undefined || jobs.some(({ id }) => id === job),
      )
      if (having.length === 0) throw new CommandError(`no workflow has a job ${job}`)
      const workflows = job === undefined ? having : having.map((one) => withJobOnly(one, job))
      if (flags.list === true || flags.explain === true) {
        for (const one of workflows) await list(tree, one, event, flags.explain === true)
        return 0
      }
      return await withRunner(flags, async (runner) => {
        const session = { tree, runner, secrets, stop: stop.signal, jobs: 0 }
        return (await runAll(session, workflows, event)) ? 0 : 1
      })
    } finally {
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', interrupt)
      await tree.close()
    }
  },
}
