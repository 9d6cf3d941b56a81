/**
 * PBKDF2 on a thread of its own with a low priority: deriving one key takes a core for tens of
 * milliseconds, and whoever asks for something else meanwhile goes first. Where such a thread is
 * not to be had, the runtime's own threads do the work.
 *
 * One derivation at a time: whoever calls waits for the answer before the next (`password.ts` keeps
 * the line).
 */
import { pbkdf2 } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type Derivation = {
  readonly password: string
  readonly salt: Uint8Array
  readonly rounds: number
  readonly bytes: number
}
export type Derived = Uint8Array

/** The types know browsers' workers; these also keep a process alive, or not. */
type CountedWorker = Worker & { ref(): void; unref(): void }

const onRuntimeThreads = promisify(pbkdf2)
const plainly = ({ password, salt, rounds, bytes }: Derivation): Promise<Derived> =>
  onRuntimeThreads(password, salt, rounds, bytes, 'sha256')

/**
 * A worker's file: beside this one in the source tree, at its own path below `src` in a compiled
 * executable.
 */
function workerUrl(): URL {
  const source = new URL('./password.worker.ts', import.meta.url)
  return existsSync(fileURLToPath(source))
    ? source
    : new URL('./lib/password.worker.js', import.meta.url)
}

export class PasswordThread {
  #worker: CountedWorker | null = null
  #given: { resolve(key: Derived): void; reject(error: Error): void } | null = null
  /** Set when a worker fell over: a second one would too. */
  #broken = false

  constructor(private readonly url: () => URL = workerUrl) {}

  /**
   * Whether the next derivation is left to the runtime's threads, because the own one fell over.
   */
  get isBroken(): boolean {
    return this.#broken
  }

  async derive(derivation: Derivation): Promise<Derived> {
    if (this.#broken) return plainly(derivation)
    try {
      return await this.#onThread(derivation)
    } catch {
      this.#broken = true
      return plainly(derivation)
    }
  }

  /** Rejects when the thread cannot be made or ends before it has answered. */
  #onThread(derivation: Derivation): Promise<Derived> {
    if (this.#given) throw new TypeError('one derivation at a time')
    const worker = (this.#worker ??= this.#start())
    return new Promise<Derived>((resolve, reject) => {
      this.#given = { resolve, reject }
      worker.ref()
      worker.postMessage(derivation)
    }).finally(() => {
      this.#given = null
      this.#worker?.unref()
    })
  }

  #start(): CountedWorker {
    const worker = new Worker(this.url()) as CountedWorker
    worker.onmessage = ({ data }: MessageEvent<Derived>) => this.#given?.resolve(data)
    const fell = (reason: string) => {
      this.#worker = null
      worker.terminate()
      this.#given?.reject(new Error(reason))
    }
    worker.onerror = (event) => {
      event.preventDefault()
      fell(event.message)
    }
    worker.addEventListener('close', () => fell('the thread ended'))
    worker.unref()
    return worker
  }
}
