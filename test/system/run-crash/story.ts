/**
 * One push, and a kill of the forge at one moment of its run. Afterwards the run must have ended,
 * once, with all that was told before.
 */
import { Site, type Job, type Log, type Run } from './site.ts'
import { LINES, WORKFLOWS, type WorkflowName } from './workflows.ts'

type Moment =
  | 'pushed'
  | 'taken'
  | 'printing'
  | 'uploading'
  | 'between jobs'
  | 'second job'
  | 'waiting'
  | 'approved'
  | 'cancelling'
  | 'second run waits'
  | 'ended'

export type Point = {
  readonly workflow: WorkflowName
  readonly moment: Moment
  readonly delay_ms: number
}

export const nameOf = ({ workflow, moment, delay_ms }: Point): string =>
  `${workflow}, ${moment}${delay_ms > 0 ? ` +${delay_ms} ms` : ''}`

/** What a moment waits for may be over before it is seen. */
const hasBegun = ({ status }: { readonly status: string }): boolean =>
  status === 'in_progress' || status === 'completed'

const points = (
  workflow: WorkflowName,
  moment: Moment,
  ...delays: readonly number[]
): readonly Point[] => delays.map((delay_ms) => ({ workflow, moment, delay_ms }))

export const allPoints = (): readonly Point[] => [
  ...points('repeatable', 'pushed', 0, 5, 10, 20, 40, 80, 160, 320),
  ...points('repeatable', 'taken', 0, 10, 40),
  ...points('repeatable', 'printing', 0, 100),
  ...points('repeatable', 'uploading', 0, 10, 30, 80, 160),
  ...points('repeatable', 'between jobs', 0, 5, 10, 20, 40),
  ...points('repeatable', 'second job', 0, 40, 100),
  ...points('repeatable', 'ended', 0, 5, 20),
  ...points('writing', 'taken', 0, 40),
  ...points('writing', 'printing', 0, 100),
  ...points('writing', 'uploading', 0, 30),
  ...points('writing', 'second job', 0, 40),
  ...points('deploying', 'waiting', 0),
  ...points('deploying', 'approved', 0, 20, 200),
  ...points('stubborn', 'cancelling', 0, 20, 1_000, 9_900),
  ...points('grouped', 'second run waits', 0),
]

type Told = { readonly job: string; readonly lines: Log['lines'] }

class Story {
  /** Lines that the interface gave out before the kill. */
  readonly #told: Told[] = []
  readonly problems: string[] = []

  constructor(
    private readonly site: Site,
    private readonly point: Point,
  ) {}

  async #firstJob(isRight: (job: Job) => boolean, name = 'first'): Promise<Job> {
    return this.site.until(`the job ${name}`, async () => {
      const [run] = await this.site.runs()
      const jobs = run ? await this.site.jobs(run) : []
      return jobs.find((job) => job.name === name && isRight(job))
    })
  }

  async #listen(job: Job): Promise<void> {
    await this.site.until('the log', async () => {
      const log = await this.site.log(job)
      if (!log.lines.some(({ text }) => text === 'line 4')) return null
      this.#told.push({ job: job.id, lines: log.lines })
      return log
    })
  }

  async reach(): Promise<void> {
    const { site, point } = this
    const runs = async () => (await site.runs())[0]
    switch (point.moment) {
      case 'pushed':
        return
      case 'taken':
        return void (await this.#firstJob(hasBegun))
      case 'printing':
        return this.#listen(await this.#firstJob(hasBegun))
      case 'uploading':
        return void (await this.#firstJob(({ steps }) =>
          steps.some((step) => step.name === 'Upload' && hasBegun(step)),
        ))
      case 'between jobs':
        return void (await this.#firstJob(({ status }) => status === 'completed'))
      case 'second job':
        return void (await this.#firstJob(hasBegun, 'second'))
      case 'waiting':
        return void (await site.until('the gate', async () => (await this.#deployment()) ?? null))
      case 'approved':
        return this.#approve()
      case 'cancelling': {
        await this.#listen(await this.#firstJob(hasBegun))
        return void (await site.of('POST', `/actions/runs/${(await runs())?.id}/cancel`))
      }
      case 'second run waits':
        await this.#firstJob(({ status }) => status === 'in_progress')
        await site.push(WORKFLOWS[point.workflow])
        return void (await site.until('the group', async () =>
          (await site.runs()).length === 2 && (await runs())?.status === 'waiting' ? true : null,
        ))
      case 'ended':
        return void (await site.until('the end', async () =>
          (await runs())?.status === 'completed' ? true : null,
        ))
    }
  }

  async #deployment(): Promise<{ id: string } | undefined> {
    const all = await this.site.of<{ id: string; state: string }[]>('GET', '/deployments')
    return all.find(({ state }) => state === 'waiting')
  }

  async #approve(): Promise<void> {
    const { id } = await this.site.until('the gate', async () => (await this.#deployment()) ?? null)
    await this.site.of('POST', `/deployments/${id}/review`, { verdict: 'approve' })
  }

  /** Waits until everything has ended, and says what is wrong. */
  async judge(): Promise<void> {
    const { site, point } = this
    if (point.moment === 'waiting') await this.#approve()
    const count = point.workflow === 'grouped' ? 2 : 1
    const runs = await site.until('the end of all', async () => {
      const all = await site.runs()
      return all.length >= count && all.every(({ status }) => status === 'completed') ? all : null
    })
    if (runs.length !== count) this.problems.push(`${runs.length} runs, not ${count}`)
    for (const { run, times } of site.endsTold())
      if (times !== 1) this.problems.push(`the end of ${run} was told ${times} times`)
    for (const run of runs) await this.#judgeRun(run)
    for (const told of this.#told) await this.#judgeTold(told)
    this.problems.push(...site.errors.map((line) => `the log says ${line.slice(0, 300)}`))
  }

  async #judgeRun(run: Run): Promise<void> {
    const { site, point, problems } = this
    const jobs = await site.jobs(run)
    const ends = jobs.map(({ name, conclusion }) => `${name} ${conclusion}`).join(', ')
    const expected = this.#expected()
    if (!expected.includes(String(run.conclusion)))
      problems.push(`the run is ${run.conclusion}, not ${expected.join(' or ')} (${ends})`)
    for (const job of jobs) {
      if (job.status !== 'completed') problems.push(`${job.name} is ${job.status}`)
      for (const step of job.steps)
        if (step.status !== 'completed')
          problems.push(`the step ${step.name} of ${job.name} is ${step.status} for ever`)
      const log = await site.log(job)
      if (!log.complete) problems.push(`the log of ${job.name} never ends`)
      if (job.name === 'first' && job.conclusion === 'success') this.#judgeLines(log)
    }
    if (run.conclusion === 'success' && point.workflow !== 'deploying') {
      const artifacts = await site.of<unknown[]>('GET', `/actions/runs/${run.id}/artifacts`)
      if (artifacts.length !== 1) problems.push(`${artifacts.length} artifacts, not 1`)
    }
  }

  #expected(): readonly string[] {
    const { workflow, moment } = this.point
    if (workflow === 'stubborn') return ['cancelled']
    // What begins or ends in the same moment as the kill may have been cut off or not.
    if (workflow === 'writing' || moment === 'approved') return ['failure', 'success']
    return ['success']
  }

  #judgeLines(log: Log): void {
    const printed = log.lines.flatMap(({ text }) => (/^line \d+$/.test(text) ? [text] : []))
    const expected = Array.from({ length: LINES }, (_, at) => `line ${at + 1}`)
    if (printed.join() !== expected.join())
      this.problems.push(`the log has ${printed.length} lines: ${printed.join()}`)
  }

  /** A job that was not run again still has what was read of it. */
  async #judgeTold({ job, lines }: Told): Promise<void> {
    const { lines: now } = await this.site.log({ id: job } as Job)
    const text = (all: Log['lines']): string[] =>
      all.flatMap((line) => (/^line \d+$/.test(line.text) ? [line.text] : []))
    const before = text(lines)
    if (text(now).slice(0, before.length).join() !== before.join())
      this.problems.push(
        `${before.length} lines were read before the kill; ${text(now).join()} now`,
      )
  }

  async run(): Promise<void> {
    const { site, point } = this
    await site.start()
    if (point.workflow === 'deploying')
      await site.of('PUT', '/environments/production', {
        reviewers: ['ada'],
        prevent_self_review: false,
      })
    await site.push(WORKFLOWS[point.workflow])
    await this.reach()
    if (point.delay_ms > 0) await Bun.sleep(point.delay_ms)
    await site.restart()
    await this.judge()
  }
}

/** What is wrong after a kill at a point; empty when nothing is. */
export async function runStory(executable: string, point: Point): Promise<string[]> {
  const site = new Site(executable)
  const story = new Story(site, point)
  try {
    await story.run()
  } catch (error) {
    story.problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await site.stop()
  }
  return story.problems
}
