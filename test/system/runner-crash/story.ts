/**
 * One push to a forge whose jobs a real runner takes, and one fault. Afterwards the run must have
 * ended, once, with a clear end of each job and with all lines that were told before.
 */
import { join } from 'node:path'
import { freePort } from '../../../scripts/support/ports.ts'
import { RunnerProgram } from '../../../scripts/support/runner-program.ts'
import { Site, type Job, type Run } from '../run-crash/site.ts'
import { expectedOf, MOMENTS, type Point } from './points.ts'
import { Proxy, type Call } from './proxy.ts'
import { FILES, LINES } from './workflow.ts'

const RESTART_MS = 300
/** Calls by which a runner reports about a job. */
const REPORTS = ['UpdateTask', 'UpdateLog']

class Story {
  readonly problems: string[] = []
  readonly #proxy = new Proxy()
  readonly #runners: RunnerProgram[] = []
  readonly #happened = Promise.withResolvers<void>()
  #site: Site | null = null
  #isDone = false
  /** Whether the runner had told the forge about the job when the fault came. */
  #hasReported = false
  /** Lines that the interface gave out when the fault came. */
  #told: readonly string[] = []

  constructor(
    private readonly executable: string,
    private readonly program: string,
    private readonly point: Point,
  ) {}

  get site(): Site {
    if (!this.#site) throw new Error('the forge was not started')
    return this.#site
  }

  async #addRunner(name: string): Promise<RunnerProgram> {
    const { token } = await this.site.of<{ token: string }>('POST', '/actions/runners', { name })
    const runner = new RunnerProgram({
      program: this.program,
      folder: join(this.site.directory, name),
      label: 'far',
      capacity: 1,
      settings: { fetch_interval: '1s', fetch_interval_max: '1s' },
    })
    await runner.register(this.#proxy.url, token)
    this.#runners.push(runner)
    runner.start()
    return runner
  }

  async run(): Promise<void> {
    const { point } = this
    await this.#proxy.listen()
    const address = `127.0.0.1:${freePort()}`
    this.#proxy.target = `http://${address}`
    // The same address before and after a kill, for whoever has links with it.
    this.#site = new Site(this.executable, { HEARTH_SITE_URL: this.#proxy.url }, address)
    await this.site.start()
    const runner = await this.#addRunner('far')
    const meet = async (call: Call): Promise<'pass' | 'drop'> => {
      if (this.#isDone || !MOMENTS[point.moment](call)) return 'pass'
      this.#isDone = true
      await this.#happen(runner)
      return 'drop'
    }
    this.#proxy.set(point.when === 'before' ? { request: meet } : { answer: meet })
    if (point.moment === 'registered') await this.#happened.promise
    await this.site.pushFiles(FILES)
    await this.#happened.promise
    if (point.victim === 'runner for good') {
      if (point.moment !== 'registered') await this.#untilFirstIsFree()
      await this.#addRunner('spare')
    }
    await this.#judge()
  }

  async #happen(runner: RunnerProgram): Promise<void> {
    const { victim } = this.point
    this.#told = await this.#linesNow()
    this.#hasReported = REPORTS.some((name) => this.#proxy.passed.has(name))
    if (victim === 'runner' || victim === 'runner for good') await runner.stop('SIGKILL')
    if (victim === 'runner') setTimeout(() => runner.start(), RESTART_MS)
    if (victim === 'forge') await this.site.restart()
    this.#happened.resolve()
  }

  async #linesNow(): Promise<readonly string[]> {
    const [run] = await this.site.runs()
    const [job] = run ? await this.site.jobs(run) : []
    return job ? linesOf(await this.site.log(job)) : []
  }

  /** Waits until the job of the lost runner has ended or waits for another one. */
  async #untilFirstIsFree(): Promise<void> {
    await this.site.until('the end of the lost job', async () => {
      const [run] = await this.site.runs()
      const jobs = run ? await this.site.jobs(run) : []
      return jobs.find(({ name, status }) => name === 'first' && status !== 'in_progress')
    })
  }

  async #judge(): Promise<void> {
    const { site, problems } = this
    const run = await site.until('the end of the run', async () => {
      const [found] = await site.runs()
      return found?.status === 'completed' ? found : null
    })
    const jobs = await site.jobs(run)
    const [first] = jobs
    const expected = expectedOf(this.point, this.#hasReported)
    if (!expected.includes(String(first?.conclusion)))
      problems.push(`the job is ${first?.conclusion} (${first?.reason}), not ${expected.join()}`)
    if (first?.conclusion === 'failure' && !/stopped reporting/.test(first.reason ?? ''))
      problems.push(`it failed because "${first.reason}"`)
    for (const job of jobs) await this.#judgeJob(job)
    for (const { run: id, times } of site.endsTold())
      if (times !== 1) problems.push(`the end of ${id} was told ${times} times`)
    await this.#judgeArtifacts(run)
    const runners = await site.of<{ name: string; state: string }[]>('GET', '/actions/runners')
    for (const { name, state } of runners)
      if (state === 'busy') problems.push(`the runner ${name} is busy for ever`)
    problems.push(...site.errors.map((line) => `the log says ${line.slice(0, 300)}`))
  }

  async #judgeJob(job: Job): Promise<void> {
    const { site, problems } = this
    if (job.status !== 'completed') problems.push(`${job.name} is ${job.status}`)
    for (const step of job.steps)
      if (step.status !== 'completed')
        problems.push(`the step ${step.name} of ${job.name} is ${step.status} for ever`)
    if (job.name !== 'first') return
    const log = await site.log(job)
    if (!log.complete) problems.push(`the log of ${job.name} never ends`)
    const lines = linesOf(log)
    const all = Array.from({ length: LINES }, (_, at) => `line ${at + 1}`)
    const count = job.conclusion === 'success' ? all.length : lines.length
    if (lines.join() !== all.slice(0, count).join())
      problems.push(`the log has ${lines.length} lines: ${lines.join()}`)
    if (lines.length < this.#told.length)
      problems.push(`${this.#told.length} lines were read, and ${lines.length} are left`)
  }

  async #judgeArtifacts(run: Run): Promise<void> {
    const artifacts = await this.site.of<unknown[]>('GET', `/actions/runs/${run.id}/artifacts`)
    const isRight = run.conclusion === 'success' ? artifacts.length === 1 : artifacts.length <= 1
    if (!isRight) this.problems.push(`${artifacts.length} artifacts of a run: ${run.conclusion}`)
  }

  async close(): Promise<void> {
    for (const runner of this.#runners) await runner.stop('SIGKILL')
    this.#proxy.close()
    await this.#site?.stop()
  }

  get runnerLogs(): string {
    return this.#runners.map(({ log }) => log).join('\n---\n')
  }
}

const linesOf = (log: { readonly lines: readonly { readonly text: string }[] }): string[] =>
  log.lines.flatMap(({ text }) => /^line \d+$/.exec(text.trim())?.[0] ?? [])

/** What is wrong after a fault at a point; empty when nothing is. */
export async function runStory(
  executable: string,
  program: string,
  point: Point,
  isVerbose = false,
): Promise<string[]> {
  const story = new Story(executable, program, point)
  try {
    await story.run()
  } catch (error) {
    story.problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    if (isVerbose && story.problems.length > 0) process.stdout.write(`${story.runnerLogs}\n`)
    await story.close()
  }
  return story.problems
}
