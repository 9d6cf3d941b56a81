/** A runner that takes jobs through the protocol and leaves them running, for clients to act in. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { OWNER } from '../../../scripts/support/forge.ts'

/** What a client needs to act for a job. */
export type TakenJob = {
  readonly task: string
  readonly token: string
  readonly secrets: Readonly<Record<string, string>>
  readonly payload: string
  /** What runners make the variables and the file of the event from. */
  readonly context: Readonly<Record<string, unknown>>
}

type Message = Readonly<Record<string, unknown>>

/** A job whose runner says nothing for a minute has lost it. */
const RENEW_MS = 15_000

export class Jobs {
  #credentials: Record<string, string> = {}
  readonly #renewals = new Map<string, ReturnType<typeof setInterval>>()

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly directory: string,
  ) {}

  /** Makes a repository and registers a runner for it. */
  async begin(): Promise<void> {
    await this.rest('POST', '/repos', { workspace: OWNER.workspace, name: 'site' })
    const made = await this.rest('POST', `/repos/${OWNER.workspace}/site/actions/runners`, {
      name: 'clients',
    })
    const { runner } = await this.runner('Register', {
      name: 'clients',
      token: made.token,
      labels: ['far'],
      version: 'v1',
    })
    const { uuid, token } = runner as { uuid: string; token: string }
    this.#credentials = { 'x-runner-uuid': uuid, 'x-runner-token': token }
  }

  async rest(method: string, path: string, body?: Message): Promise<Message> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Message)
  }

  async runner(method: string, body: Message): Promise<Message> {
    const answer = await fetch(`${this.url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.#credentials },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Message
  }

  /** Pushes a workflow with one job to a branch, and takes the job. */
  async take(branch: string, job = ''): Promise<TakenJob> {
    const folder = join(this.directory, `push-${branch}-${Bun.nanoseconds()}`)
    const git = (...args: readonly string[]): void => {
      const { exitCode, stderr } = Bun.spawnSync(['git', '-C', folder, ...args])
      if (exitCode !== 0) throw new Error(stderr.toString())
    }
    const address = this.url.replace('://', `://x:${this.token}@`)
    const remote = `${address}/${OWNER.workspace}/site.git`
    Bun.spawnSync(['git', 'init', '-q', '-b', branch, folder])
    await Bun.write(
      join(folder, '.github/workflows/ci.yml'),
      `on: push\njobs:\n  far:\n    runs-on: far\n${job}    steps: [{ run: 'true' }]\n`,
    )
    await Bun.write(join(folder, 'file'), `${Bun.nanoseconds()}`)
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    git('add', '-A')
    git(...who, 'commit', '-qm', 'Change')
    git('push', '-qf', remote, branch)
    rmSync(folder, { recursive: true, force: true })
    for (;;) {
      const { task } = (await this.runner('FetchTask', {})) as { task?: Message }
      if (!task) continue
      const context = task.context as Record<string, unknown>
      // As runners do: one of which the runner says nothing is given again when it asks again.
      const state = { id: String(task.id), startedAt: new Date().toISOString() }
      await this.runner('UpdateTask', { state })
      // As runners do while a step runs for long.
      const renew = (): void => void this.runner('UpdateTask', { state }).catch(() => {})
      this.#renewals.set(state.id, setInterval(renew, RENEW_MS))
      return {
        task: String(task.id),
        token: String(context.gitea_runtime_token ?? ''),
        secrets: (task.secrets ?? {}) as Record<string, string>,
        payload: Buffer.from(String(task.workflowPayload), 'base64').toString(),
        context,
      }
    }
  }

  /** Ends the renewals of the jobs that are left. */
  close(): void {
    for (const timer of this.#renewals.values()) clearInterval(timer)
  }

  async end({ task }: TakenJob): Promise<void> {
    clearInterval(this.#renewals.get(task))
    await this.runner('UpdateLog', { taskId: task, index: '0', rows: [], noMore: true })
    const state = { id: task, result: 'RESULT_SUCCESS', stoppedAt: new Date().toISOString() }
    await this.runner('UpdateTask', { state })
  }
}
