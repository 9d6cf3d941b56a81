/** Runs the steps of a job one after the other, and those of composite actions within them. */
import {
  CommandFileFault,
  expand,
  ExpressionBudget,
  ExpressionFault,
  expandStrings,
  holds,
  interpolate,
  isSettable,
  isTruthy,
  MAX_MATCHER_FILE_BYTES,
  readPairs,
  readPaths,
  scalarText,
  statusFunctions,
  withHashFiles,
  type Json,
  type JsonObject,
  type Scope,
  type Step,
} from '#actions'
import type { ContainerSpec, JobContainers, StepResult } from '#runner'
import { hashFiles } from './hash-files.ts'
import type { Conclusion, ExecutableJob, ExecutionHost } from './job-input.ts'
import type { JobReport } from './job-report.ts'
import type { JobWorkplace } from './job-workplace.ts'
import { scriptFile, stepProgram } from './shells.ts'
import { isDebugged, runnerContext, standardEnvironment } from './step-environment.ts'
import { readStepFile, STEP_FILES, stepFileName, type StepFile } from './step-files.ts'
import { runUses } from './uses.ts'

const MAX_OUTPUT_CHARS = 1024 * 1024
const MINUTE_MS = 60_000

export type StepSurroundings = {
  readonly host: ExecutionHost
  readonly report: JobReport
  readonly place: JobWorkplace
  readonly end: { readonly signal: AbortSignal; readonly why: 'cancelled' | 'timed_out' | null }
}

type StepRecord = { outputs: Record<string, string>; outcome: Conclusion; conclusion: Conclusion }

/** The steps of a job, or of a composite action: what they see of each other. */
export type Frame = {
  readonly steps: Record<string, StepRecord>
  readonly inputs: JsonObject
  /** Variables of the step that uses the action. */
  readonly env: Readonly<Record<string, string>>
  /** Where the action is, as the steps see it; null in the job itself. */
  readonly actionPath: string | null
  readonly depth: number
  /** Whether one of its steps has failed. */
  hasFailed: boolean
}

/** What runs at the end of the job, in reverse order. */
export type PostStep = {
  readonly name: string
  readonly if: string
  readonly run: (number: number) => Promise<Conclusion>
}

/** A step that is running. */
export type RunningStep = {
  readonly step: Step
  readonly frame: Frame
  /** The number in the report: that of the step of the job. */
  readonly number: number
  readonly env: Readonly<Record<string, string>>
  readonly outputs: Record<string, string>
  readonly state: Record<string, string>
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
}

/** Where something is evaluated: in a step with its own variables, or beside all steps. */
export type EvaluationPlace = Pick<RunningStep, 'frame' | 'env'>

export const besideSteps = (frame: Frame): EvaluationPlace => ({ frame, env: {} })

const timeoutSignal = (ms: number | undefined): AbortSignal | undefined =>
  ms === undefined ? undefined : AbortSignal.timeout(ms)

export class StepRunner {
  status: 'success' | 'failure' | 'cancelled' = 'success'
  readonly postSteps: PostStep[] = []
  /** The containers of the job, as the context `job` names them. */
  jobContext: JsonObject = { container: {}, services: {} }
  readonly #fileEnv: Record<string, string> = {}
  readonly #budget = new ExpressionBudget()
  readonly #root: Frame
  #paths: string[] = []
  #jobEnv: Record<string, string> = {}
  #fileCount = 0

  constructor(
    readonly job: ExecutableJob,
    readonly surroundings: StepSurroundings,
  ) {
    this.#root = {
      steps: {},
      inputs: job.contexts.inputs,
      env: {},
      actionPath: null,
      depth: 0,
      hasFailed: false,
    }
  }

  async runAll(): Promise<void> {
    const { report, end } = this.surroundings
    for (const template of this.job.plan.env)
      Object.assign(
        this.#jobEnv,
        expandStrings(template, this.#scope(besideSteps(this.#root)), this.#budget),
      )
    for (const step of this.job.plan.steps) await this.#runTopStep(step)
    let number = this.job.plan.steps.length
    for (let post = this.postSteps.pop(); post; post = this.postSteps.pop()) {
      const scope = this.#scope(besideSteps(this.#root))
      if (!holds(post.if, scope, this.#budget)) continue
      report.beginStep(++number, post.name)
      const conclusion = await post.run(number)
      report.endStep(number, conclusion)
      if (conclusion === 'failure') this.#fail()
    }
    if (end.why !== null) this.status = 'cancelled'
  }

  /** Evaluates a part of the job with the contexts of its beginning. */
  evaluateTemplate(template: Json): Promise<Json> {
    return this.#value(besideSteps(this.#root), template)
  }

  evaluateOutputs(): Promise<Record<string, string>> {
    const { outputs } = this.job.plan
    return this.evaluate(besideSteps(this.#root), (scope) =>
      expandStrings({ ...outputs }, scope, this.#budget),
    )
  }

  /** The address of the environment; null without one. */
  async evaluateUrl(): Promise<string | null> {
    const template = this.job.plan.environment?.url ?? null
    if (template === null) return null
    return this.evaluate(besideSteps(this.#root), (scope) =>
      interpolate(scalarText(template), scope, this.#budget),
    )
  }

  /** Evaluates with the contexts of now; `hashFiles` asks the sandbox. */
  evaluate<T>(at: EvaluationPlace, run: (scope: Scope) => T): Promise<T> {
    return withHashFiles(
      (functions) => {
        const scope = this.#scope(at)
        return run({ ...scope, functions: { ...scope.functions, ...functions } })
      },
      (patterns) => hashFiles(this.surroundings.place, patterns),
    )
  }

  /** Evaluates a default of an action. It asks for addresses to call, not for people to read. */
  evaluateDefault<T>(at: EvaluationPlace, run: (scope: Scope) => T): Promise<T> {
    return this.evaluate(at, (scope) => {
      const { github, ...contexts } = scope.contexts
      const reached = { ...(github as JsonObject), ...this.#doorAddresses() }
      return run({ ...scope, contexts: { ...contexts, github: reached } })
    })
  }

  /** Runs the steps of a composite action. */
  async runFrame(running: RunningStep, frame: Frame, steps: readonly Step[]): Promise<Conclusion> {
    for (const step of steps) {
      const { conclusion } = await this.#runStep(step, frame, running)
      if (conclusion === 'failure') frame.hasFailed = true
    }
    return this.surroundings.end.why !== null
      ? 'cancelled'
      : frame.hasFailed
        ? 'failure'
        : 'success'
  }

  /** Executes a program as (a part of) a step, with its files and variables. */
  async execute(
    running: RunningStep,
    program: {
      readonly command: string
      readonly files?: Readonly<Record<string, string>>
      readonly env?: Readonly<Record<string, string>>
      readonly folder: string
    },
  ): Promise<Conclusion> {
    const { place, report } = this.surroundings
    const id = ++this.#fileCount
    const kinds = Object.keys(STEP_FILES) as StepFile[]
    const pathOf = (kind: StepFile): string => `${place.paths.files}/${stepFileName(kind, id)}`
    const files = Object.fromEntries(kinds.map((kind) => [STEP_FILES[kind], pathOf(kind)]))
    const output = report.outputOf(running.number, {
      setOutput: (name, value) => this.#obeySetOutput(running, name, value),
      saveState: (name, value) => void (running.state[name] = value),
      readFile: (path) => place.readFile(path, MAX_MATCHER_FILE_BYTES),
    })
    const result = await place.step({
      script: stepProgram({
        env: { ...this.#environment(running), ...program.env, ...files },
        paths: this.#paths,
        folder: program.folder,
        files: kinds.map(pathOf),
        command: program.command,
      }),
      output: (bytes) => output.push(bytes),
      ...(program.files ? { files: program.files } : {}),
      ...(running.signal ? { signal: running.signal } : {}),
      ...(running.timeoutMs === undefined ? {} : { timeoutMs: running.timeoutMs }),
    })
    output.end()
    const conclusion = this.#conclude(running, result)
    return (await this.#readFiles(running, id)) ? conclusion : 'failure'
  }

  /** Runs an image as (a part of) a step, with its files and variables. */
  async executeImage(
    running: RunningStep,
    containers: JobContainers,
    program: {
      readonly image: ContainerSpec
      readonly entrypoint: string | null
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    },
  ): Promise<Conclusion> {
    const { place, report } = this.surroundings
    const id = ++this.#fileCount
    const kinds = Object.keys(STEP_FILES) as StepFile[]
    const names = kinds.map((kind) => stepFileName(kind, id))
    const files = Object.fromEntries(
      kinds.map((kind, at) => [STEP_FILES[kind], `${place.paths.files}/${names[at]}`]),
    )
    const output = report.outputOf(running.number, {
      setOutput: (name, value) => this.#obeySetOutput(running, name, value),
      saveState: (name, value) => void (running.state[name] = value),
      readFile: (path) => place.readFile(path, MAX_MATCHER_FILE_BYTES),
    })
    const timeout = timeoutSignal(running.timeoutMs)
    const signals = [running.signal, timeout].flatMap((one) => one ?? [])
    const started = performance.now()
    const env = { ...this.#environment(running), ...program.env, ...files }
    const { exit, wasOutOfMemory } = await place.runImage(
      containers,
      { ...program, image: { ...program.image, env: { ...env, ...program.image.env } } },
      names,
      (bytes) => output.push(bytes),
      AbortSignal.any(signals),
    )
    output.end()
    const ended = ((): StepResult['ended'] => {
      if (running.signal?.aborted) return 'cancelled'
      if (timeout?.aborted) return 'timed_out'
      return wasOutOfMemory ? 'memory' : 'exited'
    })()
    const duration_ms = Math.round(performance.now() - started)
    const conclusion = this.#conclude(running, { ended, exit_code: exit, duration_ms })
    return (await this.#readFiles(running, id)) ? conclusion : 'failure'
  }

  /** A path in the workspace, as steps see it. */
  inWorkspace(path: string): string {
    const { workspace } = this.surroundings.place.paths
    if (path.startsWith('/')) return path
    return path === '' || path === '.' ? workspace : `${workspace}/${path}`
  }

  #fail(): void {
    if (this.status === 'success') this.status = 'failure'
  }

  #scope({ frame, env }: EvaluationPlace): Scope {
    const { end } = this.surroundings
    const cancelled = end.why !== null
    const failed = frame === this.#root ? this.status === 'failure' : frame.hasFailed
    const functions = statusFunctions({
      success: !failed && !cancelled,
      failure: failed && !cancelled,
      cancelled,
    })
    return { contexts: this.#contexts(frame, env), functions }
  }

  #contexts(frame: Frame, env: RunningStep['env']): JsonObject {
    const { contexts, secrets } = this.job
    const { place } = this.surroundings
    return {
      github: this.#github(frame),
      env: { ...this.#variables(frame), ...env },
      vars: contexts.vars,
      secrets,
      inputs: frame.inputs,
      needs: contexts.needs as unknown as JsonObject,
      strategy: contexts.strategy,
      matrix: contexts.matrix ?? {},
      job: { status: this.status, ...this.jobContext },
      runner: runnerContext(place.paths, isDebugged(this.job)),
      steps: frame.steps,
    }
  }

  #github(frame: Frame): JsonObject {
    const { place } = this.surroundings
    return {
      ...this.job.contexts.github,
      job: this.job.jobId,
      workspace: place.paths.workspace,
      event_path: place.eventPath,
      ...(frame.actionPath === null ? {} : { action_path: frame.actionPath }),
    }
  }

  /** The context `env` beside all steps. */
  #variables(frame: Frame): Record<string, string> {
    return { ...this.#jobEnv, ...this.#fileEnv, ...frame.env }
  }

  #environment({ step, frame, env }: RunningStep): Record<string, string> {
    const { place } = this.surroundings
    const github = { ...this.#github(frame), action: step.id }
    const runner = runnerContext(place.paths, isDebugged(this.job))
    const standard = { ...standardEnvironment(github, runner), ...this.#doorEnvironment() }
    return { ...this.#variables(frame), ...env, ...standard, ...this.job.services?.steps }
  }

  /** Programs read where the forge is from these. `HEARTH_SERVER_URL` stays the public address. */
  #doorEnvironment(): Record<string, string> {
    const { place } = this.surroundings
    const addresses = this.#doorAddresses()
    if (place.gitSettingsPath === null) return {}
    return {
      ...Object.fromEntries(
        Object.entries(addresses).map(([key, value]) => [`GITHUB_${key.toUpperCase()}`, value]),
      ),
      GIT_CONFIG_SYSTEM: place.gitSettingsPath,
    }
  }

  /** Keys of the context `github` by which the job reaches the forge; none without a door. */
  #doorAddresses(): Record<string, string> {
    const address = this.surroundings.host.door?.address
    if (address === undefined) return {}
    const api_url = `${address}/api/v1`
    return { server_url: address, api_url, graphql_url: `${address}/api/graphql` }
  }

  async #runTopStep(step: Step): Promise<void> {
    const { report } = this.surroundings
    const record = await this.#runStep(step, this.#root, null)
    if (record.conclusion === 'skipped')
      report.skipStep(step.number, await this.#nameOf(step, besideSteps(this.#root)))
    else report.endStep(step.number, record.conclusion)
    if (record.conclusion === 'failure') this.#fail()
  }

  /** Runs a step of the job (`outer` is null), or of a composite action in a step of the job. */
  async #runStep(step: Step, frame: Frame, outer: RunningStep | null): Promise<StepRecord> {
    const outputs: Record<string, string> = {}
    const end = (outcome: Conclusion, conclusion = outcome): StepRecord =>
      (frame.steps[step.id] = { outputs, outcome, conclusion })
    const { report, end: jobEnd } = this.surroundings
    const number = outer?.number ?? step.number
    let mayFail = false
    try {
      // As on GitHub, a step knows its own variables in all that it says, its condition included.
      const env = await this.evaluate(besideSteps(frame), (scope) =>
        expandStrings(step.env, scope, this.#budget),
      )
      const at: EvaluationPlace = { frame, env }
      const condition = await this.evaluate(at, (scope) => holds(step.if, scope, this.#budget))
      if (!condition) return end('skipped')
      if (outer === null) report.beginStep(number, await this.#nameOf(step, at))
      mayFail = isTruthy(await this.#value(at, step.continueOnError))
      const minutes = Number(await this.#value(at, step.timeoutMinutes))
      const running: RunningStep = {
        step,
        frame,
        number,
        env,
        outputs,
        state: {},
        // A step that begins after the cancel has until the end of the job's grace.
        signal: jobEnd.why === null ? jobEnd.signal : undefined,
        timeoutMs: minutes > 0 ? Math.min(minutes * MINUTE_MS, 2 ** 31 - 1) : outer?.timeoutMs,
      }
      const outcome = await (step.kind === 'run'
        ? this.#runScript(step, running)
        : runUses(this, step, running))
      return end(outcome, outcome === 'failure' && mayFail ? 'success' : outcome)
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error
      if (outer === null && !report.steps.some((one) => one.number === number))
        report.beginStep(number, step.id)
      report.error(number, error.message)
      return end('failure', mayFail ? 'success' : 'failure')
    }
  }

  #value(at: EvaluationPlace, template: Json): Promise<Json> {
    return this.evaluate(at, (scope) => expand(template, scope, this.#budget))
  }

  async #nameOf(step: Step, at: EvaluationPlace): Promise<string> {
    if (typeof step.name === 'string') {
      const { name } = step
      return this.evaluate(at, (scope) => interpolate(name, scope, this.#budget)).catch(() => name)
    }
    if (step.kind === 'uses') return `Run ${step.uses}`
    return `Run ${step.run.trim().split('\n', 1)[0] ?? ''}`.slice(0, 200)
  }

  async #runScript(
    step: Step & { readonly kind: 'run' },
    running: RunningStep,
  ): Promise<Conclusion> {
    const { frame } = running
    const { report } = this.surroundings
    const text = async (...templates: readonly Json[]): Promise<string> => {
      for (const template of templates) {
        const value = await this.#value(running, template)
        if (value !== null && value !== '') return String(value)
      }
      return ''
    }
    const defaults = frame === this.#root ? this.job.plan.defaults : []
    const script = await this.evaluate(running, (scope) =>
      interpolate(step.run, scope, this.#budget),
    )
    const shell = await text(step.shell, ...defaults.map((one) => one.shell))
    const folder = await text(step.workingDirectory, ...defaults.map((one) => one.workingDirectory))
    const { name, command } = scriptFile(shell)
    report.line(`##[group]Run ${script.trim().split('\n', 1)[0] ?? ''}`)
    for (const line of script.trimEnd().split('\n')) report.line(line)
    if (shell !== '') report.line(`shell: ${shell}`)
    report.line('##[endgroup]')
    return this.execute(running, {
      command,
      files: { [name]: script },
      folder: this.inWorkspace(folder),
    })
  }

  #conclude({ number }: RunningStep, { ended, exit_code, duration_ms }: StepResult): Conclusion {
    const { report, host, end } = this.surroundings
    if (end.why !== null && ended === 'cancelled') {
      report.line('##[error]The operation was canceled.')
      return 'cancelled'
    }
    const why = (() => {
      switch (ended) {
        case 'exited':
          return exit_code === 0 ? null : `Process completed with exit code ${exit_code}.`
        case 'timed_out':
          return `The step was stopped after ${Math.round(duration_ms / MINUTE_MS)} minutes.`
        case 'memory':
          return `The job was out of memory (${Math.round(host.limits.memoryBytes / 1024 ** 2)} MiB for all its processes together).`
        case 'disk':
          return `The job was out of disk space (${Math.round(host.limits.diskBytes / 1024 ** 2)} MiB for all its files together).`
        case 'full_disk':
          return 'The disk of the server is nearly full. Ask an administrator to make room, and rerun.'
        case 'lost':
          return 'The step ended all processes of the job.'
        case 'cancelled':
          return 'The step ended with all processes of the job.'
        case 'not_started':
          return 'The sandbox could not be started.'
      }
    })()
    if (why === null) return 'success'
    report.error(number, why)
    return 'failure'
  }

  /** Reads the files of a step. Returns false, with an error, when one is wrong. */
  async #readFiles(running: RunningStep, id: number): Promise<boolean> {
    const { place, report } = this.surroundings
    let isFine = true
    const read = async (kind: StepFile, use: (text: string) => void): Promise<void> => {
      try {
        use(await readStepFile(place.filesFolder, stepFileName(kind, id)))
      } catch (error) {
        if (!(error instanceof CommandFileFault)) throw error
        isFine = false
        report.error(running.number, `The file $${STEP_FILES[kind]} is wrong: ${error.message}`)
      }
    }
    await read('env', (text) => {
      for (const [name, value] of readPairs(text)) {
        if (!isSettable(name)) throw new CommandFileFault(`the variable ${name} cannot be set`)
        this.#fileEnv[name] = value
      }
    })
    await read('path', (text) => void (this.#paths = [...readPaths(text), ...this.#paths]))
    await read('output', (text) => {
      for (const [name, value] of readPairs(text)) this.#setOutput(running, name, value)
    })
    await read(
      'state',
      (text) => void Object.assign(running.state, Object.fromEntries(readPairs(text))),
    )
    await read('summary', (text) => report.addSummary(text))
    return isFine
  }

  #obeySetOutput(running: RunningStep, name: string, value: string): void {
    try {
      this.#setOutput(running, name, value)
    } catch (error) {
      if (!(error instanceof CommandFileFault)) throw error
      this.surroundings.report.error(running.number, error.message)
    }
  }

  #setOutput({ outputs }: RunningStep, name: string, value: string): void {
    if (name === '') return
    const size = Object.entries(outputs).reduce(
      (sum, [key, one]) => sum + key.length + one.length,
      0,
    )
    if (size + name.length + value.length > MAX_OUTPUT_CHARS)
      throw new CommandFileFault(
        `the outputs of a step have at most ${MAX_OUTPUT_CHARS} characters`,
      )
    outputs[name] = value
  }
}
