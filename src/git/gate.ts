/** Lets a bounded number of operations run at once; the others wait in the order they came. */
import { GitError } from './ports.ts'

export class Gate {
  private inside = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly limit: number) {}

  /** Waits for a place; the function that it gives frees the place. Throws GitError `aborted` when the signal comes first. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) throw new GitError('aborted', 'the request was given up')
    if (this.inside >= this.limit) {
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }
        const stop = () => {
          const at = this.waiting.indexOf(go)
          if (at >= 0) this.waiting.splice(at, 1)
          reject(new GitError('aborted', 'the request was given up'))
        }
        this.waiting.push(go)
        signal?.addEventListener('abort', stop, { once: true })
      })
    } else this.inside++
    let left = false
    return () => {
      if (left) return
      left = true
      // The place goes straight to the next one in line.
      const next = this.waiting.shift()
      if (next) next()
      else this.inside--
    }
  }
}
