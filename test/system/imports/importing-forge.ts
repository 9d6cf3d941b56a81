/** The built executable, which imports from another forge and is killed meanwhile. */
import { join } from 'node:path'
import {
  claim,
  OWNER,
  requireBuilt,
  startForge,
  type ForgeProcess,
} from '../../../scripts/support/forge.ts'
import { recordsOf } from './compare.ts'

const ENDED = new Set(['done', 'done_with_errors', 'failed', 'cancelled'])
const ENVIRONMENT = { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' }

export type Import = {
  readonly id: string
  readonly state: string
  readonly errors: string[]
  readonly steps: readonly unknown[]
}
export type Source = { readonly source: string; readonly url: string; readonly token?: string }

export const hasEnded = ({ state }: Import): boolean => ENDED.has(state)

/** How far it is, to be compared. */
export const stepsOf = ({ steps }: Import): string => JSON.stringify(steps)

export class ImportingForge {
  token = ''

  private constructor(
    private readonly launch: () => Promise<ForgeProcess>,
    private process: ForgeProcess,
  ) {}

  /** Its data and its log are in `root`. */
  static async start(root: string, executable: string): Promise<ImportingForge> {
    const launch = (): Promise<ForgeProcess> =>
      startForge({
        executable: requireBuilt(executable),
        data: join(root, 'data'),
        log: join(root, 'serve.log'),
        environment: ENVIRONMENT,
      })
    const forge = new ImportingForge(launch, await launch())
    forge.token = (await claim(forge.process)).token
    return forge
  }

  get url(): string {
    return this.process.url
  }

  get pid(): number {
    return this.process.pid
  }

  readonly api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  begin(source: Source, name: string): Promise<Import> {
    return this.api('POST', '/imports', { ...source, workspace: OWNER.workspace, name })
  }

  async waitFor(id: string, is: (found: Import) => boolean): Promise<Import> {
    for (;;) {
      const found = await this.api<Import>('GET', `/imports/${id}`)
      if (is(found)) return found
      await Bun.sleep(20)
    }
  }

  /** Ends the process as a crash would, and starts the next. */
  async killAndStart(): Promise<void> {
    await this.process.kill()
    this.process = await this.launch()
  }

  kill(): Promise<void> {
    return this.process.kill()
  }

  /** The records of a repository as text, in which its name is another one's. */
  async textOf(name: string, as = name): Promise<string> {
    const records = await recordsOf(this.api, `${OWNER.workspace}/${name}`)
    return JSON.stringify(records).replaceAll(name, as)
  }

  /**
   * Whether an import that was killed brought the text of the whole one, whose name is `first`;
   * tells where it did not.
   */
  async isAsWhole(killed: Import, name: string, first: string, whole: string): Promise<boolean> {
    const there = await this.textOf(name, first)
    const isSame = killed.state === 'done' && whole === there
    console.log(
      `${name}: ${killed.state} ${isSame ? 'as the whole one' : 'differs'}`,
      killed.errors,
    )
    if (isSame) return true
    const at = [...whole].findIndex((letter, n) => letter !== there[n])
    console.log(`  ${whole.slice(at - 80, at + 80)}\n  ${there.slice(at - 80, at + 80)}`)
    return false
  }
}
