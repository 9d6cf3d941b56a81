/** A forge with runners that a test speaks for, over HTTP and in binary messages. */
import { createRunner } from '#features/runners/create-runner.ts'
import { removeRunner } from '#features/runners/remove-runner.ts'
import * as messages from '#features/runners/protocol/messages.ts'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { decode, encode, type Type, type ValueOf } from '#lib/protobuf.ts'
import type { Settings } from '#core/settings.ts'
import { makeListening } from '../../../http/listening-world.ts'

export const REPO = { repo: 'acme/site' } as const
const FILE = '.hearth/workflows/ci.yml'

type State = NonNullable<ValueOf<typeof messages.UpdateTaskRequest>['state']>
type Step =
  ValueOf<typeof messages.UpdateTaskRequest> extends { state: infer S }
    ? NonNullable<S> extends { steps: readonly (infer T)[] }
      ? T
      : never
    : never

/** One runner, as it speaks. */
export class WireRunner {
  uuid = ''
  token = ''

  constructor(private readonly url: string) {}

  async send(method: string, body: Uint8Array, headers: Record<string, string> = {}) {
    return fetch(`${this.url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'x-runner-uuid': this.uuid,
        'x-runner-token': this.token,
        ...headers,
      },
      body: new Uint8Array(body),
    })
  }

  /** Throws the code of the error. */
  async call<Q, A>(
    method: string,
    [request, response]: readonly [Type<Q>, Type<A>],
    message: NonNullable<Q>,
    headers: Record<string, string> = {},
  ): Promise<NonNullable<A>> {
    const answer = await this.send(method, encode(request, message), headers)
    if (answer.status !== 200) throw new Error(((await answer.json()) as { code: string }).code)
    return decode(response, await answer.bytes())
  }

  async register(token: string, labels: readonly string[] = ['linux']): Promise<void> {
    const { runner } = await this.call(
      'Register',
      [messages.RegisterRequest, messages.RegisterResponse],
      { name: 'far', token, agentLabels: [], version: 'v1.0.8', labels, ephemeral: false },
    )
    this.uuid = runner?.uuid ?? ''
    this.token = runner?.token ?? ''
  }

  /** `ms` is how long the runner waits. */
  async fetch(
    ms = 0,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<messages.Task | null> {
    const { task } = await this.call(
      'FetchTask',
      [messages.FetchTaskRequest, messages.FetchTaskResponse],
      { tasksVersion: 0 },
      { 'connect-timeout-ms': String(ms + 1000), ...headers },
    )
    return task
  }

  async log(taskId: number, index: number, rows: readonly string[], noMore = false) {
    const { ackIndex } = await this.call(
      'UpdateLog',
      [messages.UpdateLogRequest, messages.UpdateLogResponse],
      { taskId, index, rows: rows.map((content) => ({ time: null, content })), noMore },
    )
    return ackIndex
  }

  async state(
    id: number,
    state: { result?: State['result']; steps?: readonly Partial<Step>[] } = {},
    outputs: Readonly<Record<string, string>> = {},
  ) {
    const { state: answer, sentOutputs } = await this.call(
      'UpdateTask',
      [messages.UpdateTaskRequest, messages.UpdateTaskResponse],
      {
        state: {
          id,
          result: state.result ?? 'RESULT_UNSPECIFIED',
          startedAt: null,
          stoppedAt: null,
          steps: (state.steps ?? []).map((step, index) => ({
            id: index,
            result: 'RESULT_UNSPECIFIED' as const,
            startedAt: null,
            stoppedAt: null,
            logIndex: 0,
            logLength: 0,
            ...step,
          })),
        },
        outputs,
      },
    )
    return { result: answer?.result, sentOutputs }
  }
}

export async function makeWireWorld(change: Partial<Settings> = {}) {
  const { world, server } = await makeListening(change)
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO.repo, { as: ada })
  await world.commit(REPO.repo, 'main', { 'README.md': 'hello\n' }, { as: ada })
  type Input = Omit<NonNullable<(typeof createRunner)['__input']>, 'repo' | 'workspace'>
  return {
    world,
    ada,
    url: server.url,
    remove: (id: string) => world.call(removeRunner, ada, { ...REPO, id }),
    /** A registered runner. */
    async runner(input: Partial<Input> = {}, labels: readonly string[] = ['linux']) {
      const { token, id } = await world.call(createRunner, ada, { ...REPO, name: 'far', ...input })
      const runner = new WireRunner(server.url)
      await runner.register(token, labels)
      return Object.assign(runner, { id, registration: token })
    },
    async push(text: string) {
      await world.commit(REPO.repo, 'main', { [FILE]: text }, { as: ada })
      await world.jobs()
    },
    run: async () => (await world.call(listRuns, ada, REPO)).items[0],
    async jobs() {
      const [run] = (await world.call(listRuns, ada, REPO)).items
      return (await world.call(listJobs, ada, { ...REPO, id: run?.id ?? '' })).items
    },
    async text(id: string) {
      const { lines } = await world.call(getJobLog, ada, { ...REPO, id })
      return lines.map(({ text }) => text)
    },
  }
}
