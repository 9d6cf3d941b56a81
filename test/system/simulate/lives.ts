/**
 * The forge as those who use it see it: an address that is there, gone for a moment, and there
 * again.
 */
import { startForge, type ForgeOptions, type ForgeProcess } from '../../../scripts/support/forge.ts'

export type Life = { readonly url: string; over: boolean }

export class Lives {
  #process: ForgeProcess | null = null
  #life = Promise.withResolvers<Life>()
  #current: Life | null = null
  readonly ends = { killed: 0, stopped: 0 }
  /** Milliseconds from the start of the process until it listened. */
  readonly starts: number[] = []

  constructor(private readonly options: ForgeOptions) {}

  async begin(): Promise<void> {
    const process = await startForge(this.options)
    this.#process = process
    this.starts.push(process.announced)
    const life = { url: process.url, over: false }
    this.#current = life
    this.#life.resolve(life)
    void process.exited.then((status) => {
      // Whoever ended it has said so before.
      if (!life.over) this.died(status)
    })
  }

  /** Told when it ended by itself, which it must not. */
  died: (status: number) => void = () => {}

  /** The present life, or the next one when there is none. */
  now = (): Promise<Life> => this.#life.promise

  get pid(): number | null {
    return this.#process?.pid ?? null
  }

  /** Ends it, as a crash or as a service manager does. Gives what is wrong with that. */
  async end(how: 'kill' | 'stop'): Promise<string | null> {
    const process = this.#process
    if (!process || !this.#current) return null
    this.#life = Promise.withResolvers()
    this.#current.over = true
    this.#current = null
    this.#process = null
    if (how === 'kill') {
      this.ends.killed++
      await process.kill()
      return null
    }
    this.ends.stopped++
    const timer = setTimeout(() => void process.kill(), 60_000)
    const status = await process.stop()
    clearTimeout(timer)
    return status === 0 ? null : `after SIGTERM it ended with status ${status}`
  }
}
