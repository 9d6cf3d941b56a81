/** What a forge does besides pages and git: runs of workflows, packages and webhooks. */
import { publish } from '../packages/npm.ts'
import { oneStep } from '../runs/workflows.ts'
import { OWNER } from '../../support/forge.ts'
import { REPO, type Setting } from './setting.ts'

const FILE = '.hearth/workflows/bench.yml'

/** Settings of the forge that its services need: webhooks reach this machine, jobs reach nothing. */
export const SERVICE_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1',
  HEARTH_JOBS_NETWORK: 'none',
}

export type ServiceCounts = {
  readonly deliveries: number
  readonly runs: number
  readonly packages: number
}

export class Services {
  readonly #setting: Setting
  readonly #receiver: Bun.Server<undefined>
  #deliveries = 0
  #runs = 0
  #packages = 0

  private constructor(setting: Setting) {
    this.#setting = setting
    this.#receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        await request.arrayBuffer()
        this.#deliveries++
        if (request.headers.get('x-svc-event') === 'workflow.completed') this.#runs++
        return new Response(null, { status: 204 })
      },
    })
  }

  /** Adds a webhook for everything, and a workflow that each push to the default branch runs. */
  static async start(setting: Setting): Promise<Services> {
    const services = new Services(setting)
    await services.#post(`/repos/${REPO}/hooks`, {
      url: `http://127.0.0.1:${services.#receiver.port}/`,
    })
    await services.#post(`/repos/${REPO}/commits`, {
      branch: 'main',
      message: 'Run a workflow for each push',
      files: [
        {
          path: FILE,
          action: 'put',
          content: oneStep('ubuntu-latest').replace(
            'on: push',
            'on: { push: { branches: [main] } }',
          ),
        },
      ],
    })
    return services
  }

  get counts(): ServiceCounts {
    return { deliveries: this.#deliveries, runs: this.#runs, packages: this.#packages }
  }

  /** Publishes a version of one of ten packages, and reads its package as npm does. */
  async publish(n: number): Promise<void> {
    const { forge, token } = this.#setting
    const registry = {
      name: 'the forge',
      npm: `${forge.url}/packages/${OWNER.workspace}/npm`,
      headers: { authorization: `Bearer ${token}` },
    }
    const name = `steady-${n % 10}`
    await publish(registry, name, `1.0.${n}`, 10_000)
    this.#packages++
    const read = await fetch(`${registry.npm}/${name}`, { headers: registry.headers })
    await read.arrayBuffer()
    if (!read.ok) throw new Error(`reading the package ${name} answered ${read.status}`)
  }

  async stop(): Promise<void> {
    await this.#receiver.stop(true)
  }

  async #post(path: string, body: unknown): Promise<void> {
    const { forge, token } = this.#setting
    const response = await fetch(`${forge.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  }
}
